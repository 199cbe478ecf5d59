//! Finding an operation's loop for arrays' dtypes.

use super::{BinaryOp, UnaryOp};
use crate::array::Array;
use crate::lazy::apply;
use crate::step::{Code, Kernel, Step};
use crate::{DType, Scalar, promote};
use icicle_device::DeviceKind;
use icicle_error::{Error, Result};

/// An operation on each element, in the array's shape. Floats of 16 bits are computed in `float32` and rounded.
///
/// # Errors
/// `InvalidArgument` if the operation has no meaning for the dtype (functions of real numbers take floating point only: cast
/// integers first); `Unsupported` if the array is not on a CPU; `OutOfMemory`, of large arrays when their values are needed.
pub fn unary(op: UnaryOp, x: &Array) -> Result<Array> {
    let (step, out) = unary_step(op, x.dtype()).ok_or_else(|| {
        Error::argument(op.name(), format!("array of {}: the operation is not defined for it", x.dtype()))
    })?;
    apply(step, out, &[x])
}

/// An operation on each pair of elements of arrays that broadcast together, in their common dtype, as [`promote`] says.
///
/// # Errors
/// `InvalidArgument` if the shapes do not broadcast, the dtypes have no common one, the operation has no meaning for it, or
/// the arrays are on several devices; `Unsupported` if they are not on a CPU; `OutOfMemory`, of large arrays when their values
/// are needed.
pub fn binary(op: BinaryOp, x: &Array, y: &Array) -> Result<Array> {
    if op == BinaryOp::Pow && is_two(x, y)? {
        return unary(UnaryOp::Square, x);
    }
    let common = promote(op.name(), x.dtype(), y.dtype())?;
    let (step, out) = binary_step(op, common).ok_or_else(|| {
        Error::argument(op.name(), format!("arrays of {common}: the operation is not defined for them"))
    })?;
    apply(step, out, &[x, y])
}

/// An operation on a dtype, and the dtype of its results.
pub(crate) fn unary_step(op: UnaryOp, dtype: DType) -> Option<(Step, DType)> {
    let (takes, gives, out, run) = resolve(dtype, |dtype| op.find(dtype))?;
    let (code, kernel) = (Code::Row(op as usize), Kernel::One(run));
    Some((Step { op: op.name(), code, kernel, takes: [takes; 3], gives, work: op.work() }, out))
}

/// As [`unary_step`], on two arrays of a dtype.
pub(crate) fn binary_step(op: BinaryOp, dtype: DType) -> Option<(Step, DType)> {
    let (takes, gives, out, run) = resolve(dtype, |dtype| op.find(dtype))?;
    let (code, kernel) = (Code::Row(UnaryOp::ALL.len() + op as usize), Kernel::Two(run));
    Some((Step { op: op.name(), code, kernel, takes: [takes; 3], gives, work: op.work() }, out))
}

/// Whether `y` is the number 2 for all of `x`: its square is read from memory, its power computed.
fn is_two(x: &Array, y: &Array) -> Result<bool> {
    let one = y.len() == 1 && y.rank() <= x.rank() && y.dtype() == x.dtype() && y.device() == x.device();
    // What lies on another device is not fetched for this.
    let near = y.device().kind == DeviceKind::Cpu || y.constant().is_some();
    Ok(one && near && matches!(y.item()?, Scalar::Int(2) | Scalar::Float(2.0)))
}

/// The loop for a dtype, or that of `float32` for the 16-bit floats: the dtypes it reads and writes, and the result's.
fn resolve<L>(dtype: DType, find: impl Fn(DType) -> Option<(L, DType)>) -> Option<(DType, DType, DType, L)> {
    if let Some((run, out)) = find(dtype) {
        return Some((dtype, out, out, run));
    }
    let (run, out) = find(DType::Float32).filter(|_| dtype.is_half())?;
    let result = if out == DType::Float32 { dtype } else { out };
    Some((DType::Float32, out, result, run))
}
