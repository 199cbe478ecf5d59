//! Finding an operation's loop for arrays' dtypes, and running it.

use super::{BinaryOp, UnaryOp};
use crate::array::Array;
use crate::blocks::{Job, Sink, Source, evaluate};
use crate::{DType, promote};
use icicle_error::{Error, Result};

/// An operation on each element, in the array's shape. Floats of 16 bits are computed in `float32` and rounded.
///
/// # Errors
/// `InvalidArgument` if the operation has no meaning for the dtype (functions of real numbers take floating point only: cast
/// integers first); `Unsupported` if the array is not on a CPU; `OutOfMemory`.
pub fn unary(op: UnaryOp, x: &Array) -> Result<Array> {
    let name = op.name();
    let (compute, out, run) = resolve(x.dtype(), |dtype| op.find(dtype))
        .ok_or_else(|| Error::argument(name, format!("array of {}: the operation is not defined for it", x.dtype())))?;
    let job = Job::new(name, &[x], out)?;
    let sources = [Source::new(name, job.operand(x)?, compute.0)?];
    let mut result = job.out()?;
    let sink = Sink::new(name, &mut result, compute.1)?;
    // SAFETY: `n` dense elements of the loop's dtype, and memory for as many results elsewhere.
    evaluate(&job, &sources, sink, op.work(), &|n, [x], out| unsafe { run(n, x, out) });
    Ok(job.finish(result))
}

/// An operation on each pair of elements of arrays that broadcast together, in their common dtype, as [`promote`] says.
///
/// # Errors
/// `InvalidArgument` if the shapes do not broadcast, the dtypes have no common one, the operation has no meaning for it, or
/// the arrays are on several devices; `Unsupported` if they are not on a CPU; `OutOfMemory`.
pub fn binary(op: BinaryOp, x: &Array, y: &Array) -> Result<Array> {
    let name = op.name();
    let common = promote(name, x.dtype(), y.dtype())?;
    let (compute, out, run) = resolve(common, |dtype| op.find(dtype))
        .ok_or_else(|| Error::argument(name, format!("arrays of {common}: the operation is not defined for them")))?;
    let job = Job::new(name, &[x, y], out)?;
    let sources = [Source::new(name, job.operand(x)?, compute.0)?, Source::new(name, job.operand(y)?, compute.0)?];
    let mut result = job.out()?;
    let sink = Sink::new(name, &mut result, compute.1)?;
    // SAFETY: as above, of two operands.
    evaluate(&job, &sources, sink, op.work(), &|n, [x, y], out| unsafe { run(n, x, y, out) });
    Ok(job.finish(result))
}

/// The loop for a dtype, or that of `float32` for the 16-bit floats: the dtypes it reads and writes, and the result's.
fn resolve<L>(dtype: DType, find: impl Fn(DType) -> Option<(L, DType)>) -> Option<((DType, DType), DType, L)> {
    if let Some((run, out)) = find(dtype) {
        return Some(((dtype, out), out, run));
    }
    let (run, out) = find(DType::Float32).filter(|_| dtype.is_half())?;
    let result = if out == DType::Float32 { dtype } else { out };
    Some(((DType::Float32, out), result, run))
}
