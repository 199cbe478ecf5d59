//! Arithmetic of single elements, on the host.
//!
//! Elements are canonical little-endian 32-bit limbs, coefficients of extensions one after another, aligned to 4 bytes.
//! A value that is not below the modulus gives some element. Results may be where operands are.

use crate::error::Code;
use crate::guard::guard;
use crate::ptr;
use crate::types;
use icicle::algebra::{Field, PrimeField};
use icicle::{Error, FieldId, Result, with_field};
use std::ffi::c_void;

/// The field with a number.
pub(crate) fn by_number(op: &'static str, number: i32) -> Result<FieldId> {
    FieldId::from_number(number)
        .ok_or_else(|| Error::argument(op, format!("field {number}: must be one of icicle_field_info")))
}

#[derive(Clone, Copy)]
enum Arithmetic {
    Add,
    Sub,
    Mul,
    Sqr,
    Inv,
    Pow(i32),
}

fn compute<F: Field>(arithmetic: Arithmetic, a: F, b: F) -> F {
    let inverse = |x: F| x.inverse().unwrap_or(F::ZERO);
    match arithmetic {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Sqr => a.square(),
        Arithmetic::Inv => inverse(a),
        Arithmetic::Pow(exp) if exp < 0 => inverse(a).pow(&[u64::from(exp.unsigned_abs())]),
        Arithmetic::Pow(exp) => a.pow(&[u64::from(exp.unsigned_abs())]),
    }
}

/// # Safety
/// The crate's contract: `a` and `b` are elements to read, `result` one to write.
unsafe fn binary(
    op: &'static str,
    arithmetic: Arithmetic,
    field: i32,
    a: *const c_void,
    b: *const c_void,
    result: *mut c_void,
) -> Code {
    guard(op, || {
        with_field!(by_number(op, field)?, F => {
            // SAFETY: `a` can be read unless it is null, by the caller's promise.
            let a = F::from_raw(unsafe { ptr::read_element(op, "a", a) }?);
            // SAFETY: `b` can be read unless it is null, by the caller's promise.
            let b = F::from_raw(unsafe { ptr::read_element(op, "b", b) }?);
            let value = compute(arithmetic, a, b).to_raw();
            // SAFETY: `result` has room for what is written, by the caller's promise.
            unsafe { ptr::write_element(op, "result", result, value) }
        })
    })
}

/// `result = a + b`, single elements in host memory, aligned to 4 bytes; `result` may be an operand. An operand that
/// is not below the modulus counts as some element; results are canonical.
///
/// Errors: `INVALID_ARGUMENT` for an unknown field; `INVALID_POINTER` if a pointer is null or misaligned. Memory of a
/// GPU is not recognised here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_add(field: i32, a: *const c_void, b: *const c_void, result: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { binary("field_add", Arithmetic::Add, field, a, b, result) }
}

/// `result = a - b`; otherwise as `icicle_field_add`.
///
/// Errors: as `icicle_field_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_sub(field: i32, a: *const c_void, b: *const c_void, result: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { binary("field_sub", Arithmetic::Sub, field, a, b, result) }
}

/// `result = a·b`; otherwise as `icicle_field_add`.
///
/// Errors: as `icicle_field_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_mul(field: i32, a: *const c_void, b: *const c_void, result: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { binary("field_mul", Arithmetic::Mul, field, a, b, result) }
}

/// `result = a²`; otherwise as `icicle_field_add`.
///
/// Errors: as `icicle_field_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_sqr(field: i32, a: *const c_void, result: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { binary("field_sqr", Arithmetic::Sqr, field, a, a, result) }
}

/// `result = 1/a`, 0 where `a` has no inverse; otherwise as `icicle_field_add`.
///
/// Errors: as `icicle_field_add`; none for 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_inv(field: i32, a: *const c_void, result: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { binary("field_inv", Arithmetic::Inv, field, a, a, result) }
}

/// `result = base^exp`; a negative exponent takes the power of the inverse, `0^0` is 1. Otherwise as
/// `icicle_field_add`.
///
/// Errors: as `icicle_field_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_pow(field: i32, base: *const c_void, exp: i32, result: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { binary("field_pow", Arithmetic::Pow(exp), field, base, base, result) }
}

/// `*result = (a = b)`, by value: elements that differ by the modulus are equal. Both are in host memory.
///
/// Errors: as `icicle_field_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_eq(field: i32, a: *const c_void, b: *const c_void, result: *mut bool) -> Code {
    let op = "field_eq";
    guard(op, || {
        with_field!(by_number(op, field)?, F => {
            // SAFETY: `a` can be read unless it is null, by the caller's promise.
            let a = F::from_raw(unsafe { ptr::read_element(op, "a", a) }?);
            // SAFETY: `b` can be read unless it is null, by the caller's promise.
            let b = F::from_raw(unsafe { ptr::read_element(op, "b", b) }?);
            // SAFETY: `result` has room for what is written, by the caller's promise.
            unsafe { ptr::write(op, "result", result, a == b) }
        })
    })
}

/// `result = value`, an integer, reduced; in host memory.
///
/// Errors: as `icicle_field_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_from_u32(field: i32, value: u32, result: *mut c_void) -> Code {
    let op = "field_from_u32";
    guard(op, || {
        with_field!(by_number(op, field)?, F => {
            let value = F::from_u64(u64::from(value)).to_raw();
            // SAFETY: `result` has room for what is written, by the caller's promise.
            unsafe { ptr::write_element(op, "result", result, value) }
        })
    })
}

/// `result` = the little-endian integer at `bytes`, reduced. As many bytes are read as an element has, of any
/// alignment, in host memory; those of an extension are its coefficients one after another.
///
/// Errors: as `icicle_field_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_from_bytes_le(field: i32, bytes: *const u8, result: *mut c_void) -> Code {
    let op = "field_from_bytes_le";
    guard(op, || {
        let field = by_number(op, field)?;
        let n = field.info().bytes();
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let bytes = unsafe { ptr::read_many(op, "bytes", bytes, n) }?;
        let each = n / field.info().extension.degree();
        with_field!(field, F => {
            let value = F::from_coefficients(|i| {
                type P = <F as Field>::Prime;
                P::from_words(&words(bytes.get(i * each..(i + 1) * each).unwrap_or(&[])))
            });
            // SAFETY: `result` has room for what is written, by the caller's promise.
            unsafe { ptr::write_element(op, "result", result, value.to_raw()) }
        })
    })
}

/// Little-endian bytes as little-endian words.
fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(8).map(word).collect()
}

/// `n` random elements, uniform, canonical, to host memory or that of a CPU device: ChaCha seeded by the operating
/// system, values not below the modulus drawn again.
///
/// Errors: `INVALID_ARGUMENT` for an unknown field or a negative `n`; `INVALID_POINTER` if `elements` is null,
/// misaligned, memory of a GPU, or too short an allocation; `OUT_OF_MEMORY`; `UNKNOWN_ERROR` if the system gives no
/// entropy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_generate_random(field: i32, elements: *mut c_void, n: i64) -> Code {
    let op = "field_generate_random";
    guard(op, || {
        let field = by_number(op, field)?;
        let n = types::count(op, "n", n)?;
        // SAFETY: `elements` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::host_bytes(op, "elements", elements, (n, field.info().bytes())) }?;
        icicle::ops::random::field(field, out)
    })
}
