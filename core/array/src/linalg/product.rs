//! Products and parts of matrices and vectors.

use crate::layout;
use crate::{Array, DType, Index};
use icicle_error::{Error, Result};

/// The cross product of vectors of three numbers along an axis, which counts from the end; the others broadcast.
///
/// # Errors
/// `InvalidArgument` if the axis is not negative, has another extent than 3, others do not broadcast, or the dtypes have no
/// common one or are bool; `OutOfMemory`.
pub fn cross(x: &Array, y: &Array, axis: isize) -> Result<Array> {
    const OP: &str = "cross";
    if axis >= 0 {
        return Err(Error::argument(OP, format!("axis {axis}: must be negative")));
    }
    let last = |array: &Array| {
        let extent = array.shape()[layout::axis(OP, axis, array.rank())?];
        match extent {
            3 => array.moveaxis(&[axis], &[-1]),
            _ => Err(Error::argument(OP, format!("axis {axis} of extent {extent}: must be 3"))),
        }
    };
    let (x, y) = (last(x)?, last(y)?);
    let at = |array: &Array, k: isize| array.index(&[Index::Ellipsis, Index::At(k)]);
    let part = |i: isize, k: isize| {
        let (first, second) = (crate::multiply(&at(&x, i)?, &at(&y, k)?)?, crate::multiply(&at(&x, k)?, &at(&y, i)?)?);
        crate::subtract(&first, &second)
    };
    let parts = [part(1, 2)?, part(2, 0)?, part(0, 1)?];
    crate::stack(&parts.each_ref(), -1)?.moveaxis(&[-1], &[axis])
}

/// The elements on the diagonal `offset` to the right of the main one: a view.
///
/// Shape `[.., m, n]` gives `[.., k]`; a diagonal outside has none.
///
/// # Errors
/// `InvalidArgument` for fewer than two axes.
pub fn diagonal(x: &Array, offset: isize) -> Result<Array> {
    let [.., rows, columns] = x.shape() else {
        let detail = format!("array of shape {:?}: must have two axes or more", x.shape());
        return Err(Error::argument("diagonal", detail));
    };
    let (down, right) = ((-offset).max(0).unsigned_abs(), offset.max(0).unsigned_abs());
    let n = rows.saturating_sub(down).min(columns.saturating_sub(right));
    let from = |start: usize| crate::Slice { start: Some(start as isize), stop: None, step: 1 };
    let part = if n == 0 { [from(*rows), from(*columns)] } else { [from(down), from(right)] };
    let corner = x.index(&[Index::Ellipsis, Index::Slice(part[0]), Index::Slice(part[1])])?;
    let mut layout = corner.layout.clone();
    let strides = layout.strides.pop().zip(layout.strides.pop()).map_or(0, |(a, b)| a.wrapping_add(b));
    layout.shape.truncate(layout.shape.len() - 2);
    layout.shape.push(n);
    layout.strides.push(strides);
    Ok(corner.with_layout(layout))
}

/// The sum of a diagonal, in the dtype of [`sum`](crate::sum).
///
/// Shape `[.., m, n]` gives `[..]`.
///
/// # Errors
/// As [`diagonal`] and [`sum`](crate::sum).
pub fn trace(x: &Array, offset: isize, dtype: Option<DType>) -> Result<Array> {
    crate::sum(&diagonal(x, offset)?, Some(&[-1]), false, dtype)
}

/// The product of each element of one vector with each of another.
///
/// Shapes `[m]` and `[n]` give `[m, n]`.
///
/// # Errors
/// `InvalidArgument` if one has not one axis, or the dtypes have no common one or are bool; `OutOfMemory`.
pub fn outer(x: &Array, y: &Array) -> Result<Array> {
    if x.rank() != 1 || y.rank() != 1 {
        let detail = format!("arrays of shapes {:?} and {:?}: must have one axis each", x.shape(), y.shape());
        return Err(Error::argument("outer", detail));
    }
    crate::multiply(&x.expand_dims(1)?, &y.expand_dims(0)?)
}
