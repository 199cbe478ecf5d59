//! What describes encrypted integers over the boundary: types, operations, operands.

use crate::fhe_handles::operand;
use crate::ptr::{self, Plain};
use icicle::fhe::dynamic::{Elements, FheArray, FheType, Value};
use icicle::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;

/// An operand: an encrypted array, or clear elements, which cost no ciphertexts. One clear element stands for all.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FheOperand {
    /// An encrypted array; null for clear elements, of which the rest tells.
    pub array: *mut c_void,
    /// Clear elements, as `icicle_fhe_encrypt` takes them; read before the call returns.
    pub values: *const c_void,
    /// How many; 1 for one that stands for all.
    pub n: usize,
    /// Their type, an `icicle_fhe_type_t`.
    pub kind: i32,
}

/// The type of a number.
pub(crate) fn type_of(op: &'static str, number: i32) -> Result<FheType> {
    FheType::from_number(number)
        .ok_or_else(|| Error::argument(op, format!("kind {number}: must be an icicle_fhe_type_t")))
}

/// Write what an array's elements are and how many, where the caller wants to know.
///
/// # Safety
/// If not null and aligned, `kind` and `n` are valid for a write.
pub(crate) unsafe fn describe(
    op: &'static str,
    (held, len): (FheType, usize),
    kind: *mut i32,
    n: *mut usize,
) -> Result<()> {
    if !n.is_null() {
        ptr::check_typed(op, "n", n)?;
    }
    if !kind.is_null() {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        unsafe { ptr::write(op, "kind", kind, held as i32) }?;
    }
    match n.is_null() {
        true => Ok(()),
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        false => unsafe { ptr::write(op, "n", n, len) },
    }
}

/// Bytes of a clear element.
pub(crate) fn bytes(kind: FheType) -> usize {
    kind.bits().map_or(1, |bits| bits as usize / 8)
}

/// Copy clear elements in.
///
/// # Safety
/// If not null and aligned, `values` is valid for reads of as many elements.
pub(crate) unsafe fn decode(
    op: &'static str,
    arg: &str,
    kind: FheType,
    values: *const c_void,
    n: usize,
) -> Result<Elements> {
    /// # Safety
    /// As `decode`.
    unsafe fn many<T: Plain>(op: &'static str, arg: &str, values: *const c_void, n: usize) -> Result<Vec<T>> {
        if n == 0 {
            return Ok(Vec::new());
        }
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        unsafe { ptr::read_many(op, arg, values.cast(), n) }
    }
    macro_rules! read {
        ($($kind:ident $elements:ident $integer:ident $number:literal $name:literal $meaning:literal;)*) => {
            match kind {
                FheType::Bool => {
                    // SAFETY: what is asked of these pointers is what this function asks of its caller.
                    let bytes: Vec<u8> = unsafe { many(op, arg, values, n) }?;
                    icicle::reserve::collected(op, bytes.iter().map(|&byte| byte != 0)).map(Elements::Bool)
                }
                // SAFETY: what is asked of these pointers is what this function asks of its caller.
                $(FheType::$kind => unsafe { many::<$integer>(op, arg, values, n) }.map(Elements::$elements),)*
            }
        };
    }
    icicle::fhe::fhe_integers!(read)
}

/// An operand that is held while a call runs.
pub(crate) enum Held {
    Encrypted(Arc<FheArray>),
    Clear(Elements),
}

impl Held {
    pub(crate) fn value(&self) -> Value<'_> {
        match self {
            Self::Encrypted(array) => Value::Encrypted(array),
            Self::Clear(elements) => Value::Clear(elements.as_clear()),
        }
    }
}

impl FheOperand {
    /// Take hold of it.
    ///
    /// # Safety
    /// If not null and aligned, `values` is valid for reads of `n` elements of the type.
    pub(crate) unsafe fn hold(&self, op: &'static str, arg: &str) -> Result<Held> {
        if !self.array.is_null() {
            return operand(op, arg, self.array).map(Held::Encrypted);
        }
        let kind = type_of(op, self.kind)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        unsafe { decode(op, arg, kind, self.values, self.n) }.map(Held::Clear)
    }
}
