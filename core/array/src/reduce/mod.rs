//! Numbers from the elements along axes.

mod arg;
mod cumulative;
mod fold;
mod plan;

use crate::array::Array;
use crate::elementwise::{BinaryOp, UnaryOp, binary, unary};
use crate::{DType, Kind, Scalar, creation};
use fold::{FoldOp, find};
use icicle_error::{Error, Result};

pub use arg::{argmax, argmin};
pub use cumulative::{cumulative_prod, cumulative_sum};

/// Whether booleans, integers and floats are summed in another dtype than their own: the widest integer of the sign.
pub(crate) fn summed(dtype: DType) -> DType {
    match dtype.kind() {
        Kind::Bool | Kind::Signed => DType::Int64,
        Kind::Unsigned => DType::UInt64,
        _ => dtype,
    }
}

/// Fold to a dtype, or to what the fold holds.
fn folded(
    name: &'static str,
    op: FoldOp,
    x: &Array,
    axes: Option<&[isize]>,
    keepdims: bool,
    to: Option<DType>,
) -> Result<Array> {
    let axes = plan::reduced(name, x, axes)?;
    let loops = find(op, x.dtype())
        .ok_or_else(|| Error::argument(name, format!("array of {}: the operation is not defined for it", x.dtype())))?;
    if matches!(op, FoldOp::Min | FoldOp::Max) && axes.iter().any(|&k| x.shape()[k] == 0) {
        return Err(Error::argument(name, format!("shape {:?} along axes {axes:?}: there is no element", x.shape())));
    }
    plan::fold(name, x, &axes, keepdims, (op.kernel(), loops), to.unwrap_or(loops.acc))
}

/// The sum along axes, of all elements if none are named; 0 of none. By default integers and booleans are summed in 64 bits,
/// wrapping, and floats keep their dtype.
///
/// Floats are added in `float64` by blocks and pairwise, in an order that depends on the shape only, and rounded at the end.
///
/// # Errors
/// `InvalidArgument` if there is no such axis, or the dtype cannot be cast to the one asked for; `Unsupported` if the array
/// is not on a CPU; `OutOfMemory`.
pub fn sum(x: &Array, axes: Option<&[isize]>, keepdims: bool, dtype: Option<DType>) -> Result<Array> {
    total("sum", FoldOp::Sum, x, axes, keepdims, dtype)
}

/// The product along axes; 1 of none. As [`sum`] otherwise.
///
/// # Errors
/// As [`sum`].
pub fn prod(x: &Array, axes: Option<&[isize]>, keepdims: bool, dtype: Option<DType>) -> Result<Array> {
    total("prod", FoldOp::Prod, x, axes, keepdims, dtype)
}

fn total(
    name: &'static str,
    op: FoldOp,
    x: &Array,
    axes: Option<&[isize]>,
    keepdims: bool,
    dtype: Option<DType>,
) -> Result<Array> {
    let to = dtype.unwrap_or(summed(x.dtype()));
    // What is narrower is summed as it is and then cast; another kind must be cast first.
    let as_is = to.kind() == x.dtype().kind() || to == summed(x.dtype());
    let x = if as_is { x.clone() } else { x.astype(to)? };
    folded(name, op, &x, axes, keepdims, Some(to))
}

/// The least element along axes, NaN if one is.
///
/// # Errors
/// `InvalidArgument` if there is no such axis or no element along it, or the dtype has no order; `Unsupported` if the array
/// is not on a CPU; `OutOfMemory`.
pub fn min(x: &Array, axes: Option<&[isize]>, keepdims: bool) -> Result<Array> {
    folded("min", FoldOp::Min, x, axes, keepdims, Some(x.dtype()))
}

/// The greatest element along axes, NaN if one is.
///
/// # Errors
/// As [`min`].
pub fn max(x: &Array, axes: Option<&[isize]>, keepdims: bool) -> Result<Array> {
    folded("max", FoldOp::Max, x, axes, keepdims, Some(x.dtype()))
}

/// Whether all elements along axes are true or not 0; true of none.
///
/// # Errors
/// `InvalidArgument` if there is no such axis; `Unsupported` if the array is not on a CPU; `OutOfMemory`.
pub fn all(x: &Array, axes: Option<&[isize]>, keepdims: bool) -> Result<Array> {
    folded("all", FoldOp::All, x, axes, keepdims, None)
}

/// Whether any element along axes is true or not 0; false of none.
///
/// # Errors
/// As [`all`].
pub fn any(x: &Array, axes: Option<&[isize]>, keepdims: bool) -> Result<Array> {
    folded("any", FoldOp::Any, x, axes, keepdims, None)
}

/// How many elements along axes are true or not 0, in `int64`.
///
/// # Errors
/// As [`all`].
pub fn count_nonzero(x: &Array, axes: Option<&[isize]>, keepdims: bool) -> Result<Array> {
    folded("count_nonzero", FoldOp::Count, x, axes, keepdims, None)
}

/// The mean along axes of floating-point numbers; NaN of none.
///
/// # Errors
/// As [`all`]; `InvalidArgument` for other dtypes.
pub fn mean(x: &Array, axes: Option<&[isize]>, keepdims: bool) -> Result<Array> {
    average("mean", x, axes, keepdims)?.astype(x.dtype())
}

/// The mean in double precision.
fn average(name: &'static str, x: &Array, axes: Option<&[isize]>, keepdims: bool) -> Result<Array> {
    if !x.dtype().is_floating() {
        return Err(Error::argument(name, format!("array of {}: must be floating point", x.dtype())));
    }
    let n = length(name, x, axes)?;
    let sum = folded(name, FoldOp::Sum, x, axes, keepdims, None)?;
    let n = creation::full(x.device(), &[], Scalar::Float(n), sum.dtype())?;
    binary(BinaryOp::Divide, &sum, &n)
}

/// Elements of one result.
fn length(name: &'static str, x: &Array, axes: Option<&[isize]>) -> Result<f64> {
    Ok(plan::reduced(name, x, axes)?.iter().map(|&k| x.shape()[k] as f64).product())
}

/// The mean square of distances from the mean along axes, divided by their number less `correction`; of real numbers, computed
/// in `float64`: on CPUs in two passes, on GPUs in one that subtracts a number of the same size first.
///
/// # Errors
/// As [`mean`]; `InvalidArgument` for complex numbers.
pub fn var(x: &Array, axes: Option<&[isize]>, correction: f64, keepdims: bool) -> Result<Array> {
    variance("var", x, axes, correction, keepdims)?.astype(x.dtype())
}

/// The square root of [`var`].
///
/// # Errors
/// As [`var`].
pub fn std(x: &Array, axes: Option<&[isize]>, correction: f64, keepdims: bool) -> Result<Array> {
    unary(UnaryOp::Sqrt, &variance("std", x, axes, correction, keepdims)?)?.astype(x.dtype())
}

fn variance(name: &'static str, x: &Array, axes: Option<&[isize]>, correction: f64, keepdims: bool) -> Result<Array> {
    if x.dtype().kind() != Kind::Float {
        return Err(Error::argument(name, format!("array of {}: must be real floating point", x.dtype())));
    }
    let divisor = (length(name, x, axes)? - correction).max(0.0);
    let sum = squared_distances(name, x, axes, keepdims)?;
    binary(BinaryOp::Divide, &sum, &creation::full(x.device(), &[], Scalar::Float(divisor), DType::Float64)?)
}

/// Sums of squared distances from the mean, in `float64`.
fn squared_distances(name: &'static str, x: &Array, axes: Option<&[isize]>, keepdims: bool) -> Result<Array> {
    #[cfg(feature = "cuda")]
    if x.device().kind == icicle_device::DeviceKind::Cuda
        && let Some(loops) = find(FoldOp::Sum, x.dtype())
    {
        let axes = plan::reduced(name, x, axes)?;
        let kernel = crate::cuda::fold::SQUARES;
        return plan::fold(name, x, &axes, keepdims, (kernel, loops), DType::Float64);
    }
    let mean = average(name, x, axes, true)?;
    let distance = binary(BinaryOp::Subtract, x, &mean)?;
    folded(name, FoldOp::Sum, &unary(UnaryOp::Square, &distance)?, axes, keepdims, None)
}

/// Names of folds in `fold.cuh`, with the dtypes in which elements enter, of what is held and of a result.
#[cfg(all(test, feature = "cuda"))]
pub(crate) fn kernels() -> Vec<(&'static str, DType, DType, DType)> {
    use FoldOp::{All, Any, Count, Max, Min, Prod, Sum};
    let mut all = Vec::new();
    for &dtype in DType::ALL {
        for op in [Sum, Prod, Min, Max, All, Any, Count] {
            if let Some(loops) = find(op, dtype).filter(|loops| loops.from == dtype) {
                all.push((op.kernel(), dtype, loops.acc, loops.acc));
                if op == Sum && dtype.kind() == Kind::Float {
                    all.push((crate::cuda::fold::SQUARES, dtype, loops.acc, DType::Float64));
                }
                if matches!(op, Min | Max) {
                    all.push((if op == Min { "ArgMin" } else { "ArgMax" }, dtype, dtype, DType::Int64));
                }
            }
        }
    }
    all
}
