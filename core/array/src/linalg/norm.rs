//! Norms of vectors and matrices.

use super::singular;
use super::stack::floating;
use crate::layout;
use crate::{Array, DType, Scalar};
use icicle_error::{Error, Result};

/// A norm of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixNorm {
    /// The root of the sum of squared distances from 0.
    Frobenius,
    /// The sum of singular values.
    Nuclear,
    /// The greatest sum of distances along a column.
    One,
    /// The least.
    MinusOne,
    /// The greatest singular value.
    Two,
    /// The least.
    MinusTwo,
    /// The greatest sum of distances along a row.
    Infinity,
    /// The least.
    MinusInfinity,
}

/// Distances from 0 in float64, in which norms are computed.
fn distances(x: &Array) -> Result<Array> {
    crate::abs(x)?.astype(DType::Float64)
}

/// The greatest along axes, 0 of none; or the least, infinity of none.
fn extreme(x: &Array, axes: &[isize], greatest: bool, keepdims: bool) -> Result<Array> {
    let none = axes.iter().map(|&axis| layout::axis("norm", axis, x.rank())).collect::<Result<Vec<_>>>()?;
    if none.iter().any(|&axis| x.shape()[axis] == 0) {
        let zero = crate::sum(x, Some(axes), keepdims, None)?;
        let value = if greatest { 0.0 } else { f64::INFINITY };
        return crate::full(x.device(), zero.shape(), Scalar::Float(value), DType::Float64);
    }
    if greatest { crate::max(x, Some(axes), keepdims) } else { crate::min(x, Some(axes), keepdims) }
}

/// A norm of each matrix, in the real dtype.
///
/// Shape `[.., m, n]` gives `[..]`, or with `keepdims` `[.., 1, 1]`.
///
/// # Errors
/// `InvalidArgument` for fewer than two axes, a dtype that is not floating point, or, for norms by singular values, a matrix
/// that is not finite; `Unsupported` on a GPU without cuSOLVER, for norms by singular values; `OutOfMemory`.
pub fn matrix_norm(x: &Array, norm: MatrixNorm, keepdims: bool) -> Result<Array> {
    const OP: &str = "matrix_norm";
    floating(OP, x)?;
    if x.rank() < 2 {
        return Err(Error::argument(OP, format!("array of shape {:?}: must have two axes or more", x.shape())));
    }
    let sums = |axis: isize, greatest: bool| {
        let sums = crate::sum(&distances(x)?, Some(&[axis]), true, None)?;
        extreme(&sums, &[-2, -1], greatest, true)
    };
    let spectrum = || singular::values(OP, x)?.astype(DType::Float64)?.expand_dims(-2);
    let found = match norm {
        MatrixNorm::Frobenius => euclidean(&distances(x)?, &[-2, -1]),
        MatrixNorm::Nuclear => crate::sum(&spectrum()?, Some(&[-1]), true, None),
        MatrixNorm::One => sums(-2, true),
        MatrixNorm::MinusOne => sums(-2, false),
        MatrixNorm::Infinity => sums(-1, true),
        MatrixNorm::MinusInfinity => sums(-1, false),
        MatrixNorm::Two => extreme(&spectrum()?, &[-1], true, true),
        MatrixNorm::MinusTwo => extreme(&spectrum()?, &[-1], false, true),
    }?;
    let found = if keepdims { found } else { found.squeeze(&[-2, -1])? };
    found.astype(x.dtype().real())
}

/// The root of the sum of squares, keeping the axes.
fn euclidean(x: &Array, axes: &[isize]) -> Result<Array> {
    crate::sqrt(&crate::sum(&crate::square(x)?, Some(axes), true, None)?)
}

/// The norm along axes, of all elements for none, in the real dtype: the sum of distances from 0 to the power `order`, to the
/// power of its reciprocal; for infinity the greatest distance, for minus infinity the least, for 0 how many are not 0.
///
/// # Errors
/// `InvalidArgument` for axes that are not there or a dtype that is not floating point; `OutOfMemory`.
pub fn vector_norm(x: &Array, axes: Option<&[isize]>, order: f64, keepdims: bool) -> Result<Array> {
    const OP: &str = "vector_norm";
    floating(OP, x)?;
    let all: Vec<isize> = (0..x.rank() as isize).collect();
    let gone = layout::axes(OP, axes.unwrap_or(&all), x.rank())?;
    let gone: Vec<_> = gone.into_iter().map(|axis| axis as isize).collect();
    let far = distances(x)?;
    let power = |value: f64| crate::full(x.device(), &[], Scalar::Float(value), DType::Float64);
    let found = if order.is_infinite() {
        extreme(&far, &gone, order > 0.0, true)
    } else if order == 0.0 {
        crate::count_nonzero(&far, Some(&gone), true)
    } else if order == 1.0 {
        crate::sum(&far, Some(&gone), true, None)
    } else if order == 2.0 {
        euclidean(&far, &gone)
    } else {
        let total = crate::sum(&crate::pow(&far, &power(order)?)?, Some(&gone), true, None)?;
        crate::pow(&total, &power(order.recip())?)
    }?;
    let found = if keepdims { found } else { found.squeeze(&gone)? };
    found.astype(x.dtype().real())
}
