//! Singular values, and what follows from them.

use super::stack::{Number, Stack, balanced, by_kind};
use crate::{Array, DType, Kind, Scalar};
use faer::{Mat, MatRef};
use icicle_error::{Error, Result};

fn unsettled(stack: &Stack, i: usize) -> Error {
    stack.wrong(i, "the iteration for its singular values does not converge")
}

/// Left singular vectors in columns, singular values, right ones in columns.
type Factors<T> = (Mat<T>, Vec<f64>, Mat<T>);

fn factors<T: Number>(stack: &Stack, i: usize, x: MatRef<'_, T>, full: bool) -> Result<Factors<T>> {
    stack.finite(i, x)?;
    let (x, by) = balanced(x);
    let found = if full { x.svd() } else { x.thin_svd() }.map_err(|_| unsettled(stack, i))?;
    let values = found.S().column_vector().iter().map(|value| faer::traits::math_utils::real(value) * by);
    Ok((found.U().to_owned(), values.collect(), found.V().to_owned()))
}

/// Three factors whose product is the matrix: orthonormal columns; singular values, descending, in the real dtype, to stand on
/// a diagonal; orthonormal rows. With `full` the outer factors are square.
///
/// Shape `[.., m, n]` gives `[.., m, k]`, `[.., k]` and `[.., k, n]`, `k` being the lesser of `m` and `n`; with `full`,
/// `[.., m, m]`, `[.., k]` and `[.., n, n]`.
///
/// # Errors
/// `InvalidArgument` for fewer than two axes, a matrix that is not finite, or a dtype that is not floating point;
/// `Unsupported` on a GPU without cuSOLVER; `OutOfMemory`.
pub fn svd(x: &Array, full: bool) -> Result<(Array, Array, Array)> {
    fn run<T: Number>(stack: &Stack, full: bool) -> Result<(Array, Array, Array)> {
        let (m, n, k) = (stack.rows, stack.columns, stack.rank());
        let parts = stack.each::<T, _>(|i, x| {
            let (left, values, right) = factors(stack, i, x, full)?;
            Ok((left, values, right.adjoint().to_owned()))
        })?;
        let (mut left, mut values, mut right) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            left.push(part.0);
            values.push(part.1);
            right.push(part.2);
        }
        Ok((
            stack.matrices(m, if full { m } else { k }, &left, stack.dtype)?,
            stack.vectors(k, &values, stack.dtype.real())?,
            stack.matrices(if full { n } else { k }, n, &right, stack.dtype)?,
        ))
    }
    let stack = Stack::new("svd", x)?;
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        use crate::cuda::linalg::{Vectors, singular};
        if let Some(none) = stack.nothing()? {
            let (left, values, right) = svd(&none, full)?;
            let there = |x: Array| x.to_device(stack.device());
            return Ok((there(left)?, there(values)?, there(right)?));
        }
        let [left, values, right] = singular(&stack, if full { Vectors::All } else { Vectors::Thin })?;
        return Ok((left.astype(stack.dtype)?, values.astype(stack.dtype.real())?, right.astype(stack.dtype)?));
    }
    by_kind!(stack, run(&stack, full))
}

/// The singular values, descending, in the real dtype.
///
/// Shape `[.., m, n]` gives `[.., k]`, `k` being the lesser of `m` and `n`.
///
/// # Errors
/// As [`svd`].
pub fn svdvals(x: &Array) -> Result<Array> {
    values("svdvals", x)
}

pub(super) fn values(op: &'static str, x: &Array) -> Result<Array> {
    fn run<T: Number>(stack: &Stack) -> Result<Array> {
        let parts = stack.each::<T, _>(|i, x| {
            stack.finite(i, x)?;
            let (x, by) = balanced(x);
            let values = x.singular_values().map_err(|_| unsettled(stack, i))?;
            Ok(values.into_iter().map(|value| value * by).collect::<Vec<_>>())
        })?;
        stack.vectors(stack.rank(), &parts, stack.dtype.real())
    }
    let stack = Stack::new(op, x)?;
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        if let Some(none) = stack.nothing()? {
            return values(op, &none)?.to_device(stack.device());
        }
        let [_, values, _] = crate::cuda::linalg::singular(&stack, crate::cuda::linalg::Vectors::None)?;
        return values.astype(stack.dtype.real());
    }
    by_kind!(stack, run(&stack))
}

/// What singular values are divided by the greatest to be taken for 0, for each matrix: the larger extent times the distance
/// of 1 to the next number, if not said.
fn tolerance(stack: &Stack, x: &Array, rtol: Option<&Array>) -> Result<Array> {
    let Some(rtol) = rtol else {
        let eps = crate::finfo(stack.dtype.real())?.eps;
        let value = Scalar::Float(stack.rows.max(stack.columns) as f64 * eps);
        return crate::full(x.device(), &[], value, DType::Float64)?.broadcast_to(&stack.batch);
    };
    if rtol.dtype().kind() != Kind::Float {
        let detail = format!("rtol of {}: must be of real floating-point numbers", rtol.dtype());
        return Err(Error::argument(stack.op, detail));
    }
    crate::array::computing(stack.op, &[x, rtol])?;
    rtol.astype(DType::Float64)?.broadcast_to(&stack.batch)
}

/// The number of singular values greater than `rtol` times the greatest, in int64. Without `rtol`, the larger extent times
/// the distance of 1 to the next number of the dtype.
///
/// Shape `[.., m, n]` gives `[..]`; `rtol` broadcasts to that.
///
/// # Errors
/// As [`svd`]; `InvalidArgument` if `rtol` does not broadcast or is not of real floating-point numbers.
pub fn matrix_rank(x: &Array, rtol: Option<&Array>) -> Result<Array> {
    const OP: &str = "matrix_rank";
    let stack = Stack::new(OP, x)?;
    let bound = tolerance(&stack, x, rtol)?.expand_dims(-1)?;
    let values = values(OP, x)?.astype(DType::Float64)?;
    if stack.rank() == 0 {
        return crate::zeros(x.device(), &stack.batch, DType::Int64);
    }
    let greatest = crate::max(&values, Some(&[-1]), true)?;
    crate::count_nonzero(&crate::greater(&values, &crate::multiply(&greatest, &bound)?)?, Some(&[-1]), false)
}

/// The pseudo-inverse of Moore and Penrose; singular values no greater than `rtol` times the greatest are taken for 0.
/// Without `rtol` as [`matrix_rank`].
///
/// Shape `[.., m, n]` gives `[.., n, m]`; `rtol` broadcasts to `[..]`.
///
/// # Errors
/// As [`matrix_rank`].
pub fn pinv(x: &Array, rtol: Option<&Array>) -> Result<Array> {
    fn run<T: Number>(stack: &Stack, bounds: &[f64]) -> Result<Array> {
        let parts = stack.each::<T, _>(|i, x| {
            let (left, values, right) = factors(stack, i, x, false)?;
            let least = values.first().map_or(0.0, |greatest| greatest * bounds[i]);
            let inverse = |value: f64| if value > least { value.recip() } else { 0.0 };
            let scaled = Mat::from_fn(x.ncols(), stack.rank(), |i, k| right[(i, k)] * T::from_real(inverse(values[k])));
            Ok(scaled * left.adjoint())
        })?;
        stack.matrices(stack.columns, stack.rows, &parts, stack.dtype)
    }
    let stack = Stack::new("pinv", x)?;
    let bounds = tolerance(&stack, x, rtol)?;
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        return match stack.nothing()? {
            Some(none) => pinv(&none, None)?.to_device(stack.device()),
            None => crate::cuda::linalg::pinv(&stack, &bounds),
        };
    }
    let bounds = bounds.to_vec::<f64>()?;
    by_kind!(stack, run(&stack, &bounds))
}
