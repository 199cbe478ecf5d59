//! A choice between two arrays by a third, and between bounds.
#![allow(unsafe_code)] // memory by address

use super::{BinaryOp, binary};
use crate::array::Array;
use crate::lazy::apply;
use crate::step::{Code, Kernel, Step, TripleLoop};
use crate::{DType, promote};
use icicle_cpu::blocks::Work;
use icicle_error::{Error, Result};

/// The element of `x` where `condition` is true, else that of `y`, in their common dtype: the array API's `where`.
///
/// # Errors
/// `InvalidArgument` if the condition is not of bool, the shapes do not broadcast, or the dtypes have no common one;
/// `Unsupported` if they are not on a CPU; `OutOfMemory`.
pub fn select(condition: &Array, x: &Array, y: &Array) -> Result<Array> {
    const OP: &str = "where";
    if condition.dtype() != DType::Bool {
        return Err(Error::argument(OP, format!("condition of {}: must be of bool", condition.dtype())));
    }
    let dtype = promote(OP, x.dtype(), y.dtype())?;
    let choose: TripleLoop = match dtype.bytes() {
        1 => choose::<u8>,
        2 => choose::<u16>,
        4 => choose::<u32>,
        // Parts of 4 bytes are aligned to 4 only.
        8 => choose::<[u32; 2]>,
        _ => choose::<[u64; 2]>,
    };
    let takes = [DType::Bool, dtype, dtype];
    let step =
        Step { op: OP, code: Code::Where, kernel: Kernel::Three(choose), takes, gives: dtype, work: Work::Light };
    apply(step, dtype, &[condition, x, y])
}

unsafe fn choose<W: Copy>(n: usize, condition: *const u8, x: *const u8, y: *const u8, out: *mut u8) {
    // SAFETY: by the contract of `TripleLoop`: `n` elements of this size each, the result apart.
    let (condition, out) =
        unsafe { (std::slice::from_raw_parts(condition, n), std::slice::from_raw_parts_mut(out.cast(), n)) };
    // SAFETY: as above.
    let (x, y) =
        unsafe { (std::slice::from_raw_parts(x.cast::<W>(), n), std::slice::from_raw_parts(y.cast::<W>(), n)) };
    for (((out, &condition), &x), &y) in out.iter_mut().zip(condition).zip(x).zip(y) {
        *out = if condition != 0 { x } else { y };
    }
}

/// Elements no less than `min` and no greater than `max`, which broadcast and are cast to the array's dtype; NaN stays.
///
/// # Errors
/// As [`binary`], for [`BinaryOp::Maximum`]; `InvalidArgument` if bounds widen the shape or the dtype.
pub fn clip(x: &Array, min: Option<&Array>, max: Option<&Array>) -> Result<Array> {
    let mut out = x.clone();
    for (op, bound) in [(BinaryOp::Maximum, min), (BinaryOp::Minimum, max)] {
        if let Some(bound) = bound {
            out = binary(op, &out, bound).map_err(|error| Error { op: "clip", ..error })?;
        }
    }
    if out.shape() != x.shape() || out.dtype() != x.dtype() {
        let detail =
            format!("bounds for shape {:?} of {}: give {:?} of {}", x.shape(), x.dtype(), out.shape(), out.dtype());
        return Err(Error::argument("clip", detail));
    }
    Ok(out)
}
