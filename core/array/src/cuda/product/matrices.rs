//! How the operands of products lie, as kernels and libraries take them: rows or columns dense, stacks with few axes.

use crate::array::Array;
use icicle_error::Result;
use icicle_kernels::array_product::{STACK_AXES, Stack};

/// Matrices of a stack, whose axes come first.
pub(super) struct Matrices {
    /// Which keeps their memory.
    pub(super) array: Array,
    /// Where the first begins.
    pub(super) address: u64,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether elements of rows follow each other, else those of columns.
    pub(super) by_rows: bool,
    /// Elements from a row, or column, to the next.
    pub(super) pitch: i64,
}

impl Matrices {
    /// The matrices of the last two axes, copied if neither rows nor columns are dense. What they wait for is computed.
    ///
    /// # Errors
    /// `OutOfMemory`; `Unsupported` for a copy with neither NVRTC nor kernels.
    pub(super) fn of(array: &Array) -> Result<Self> {
        let batch = array.rank() - 2;
        let form = |array: &Array| dense_form(&array.shape()[batch..], &array.strides()[batch..]);
        let (array, (by_rows, pitch)) = match form(array) {
            Some(form) => (array.clone(), form),
            None => {
                let copy = copied(array)?;
                let columns = copy.shape()[batch + 1];
                (copy, (true, columns as i64))
            }
        };
        let (rows, columns) = (array.shape()[batch], array.shape()[batch + 1]);
        Ok(Self { address: array.as_ptr()? as u64, rows, columns, by_rows, pitch, array })
    }

    /// A dense copy of the same matrices.
    ///
    /// # Errors
    /// As [`Matrices::of`].
    pub(super) fn dense(&self) -> Result<Self> {
        let array = copied(&self.array)?;
        let (address, pitch) = (array.as_ptr()? as u64, self.columns as i64);
        Ok(Self { address, by_rows: true, pitch, array, ..*self })
    }

    /// A copy of the same matrices whose columns are dense.
    ///
    /// # Errors
    /// As [`Matrices::of`].
    pub(super) fn dense_columns(&self) -> Result<Self> {
        Ok(Self::of(&copied(&self.array.matrix_transpose()?)?)?.transposed())
    }

    /// A single row or column whose elements follow each other, copied if they do not.
    ///
    /// # Errors
    /// As [`Matrices::of`].
    pub(super) fn vector(self) -> Result<Self> {
        let is_row = self.rows == 1;
        let length = self.rows.max(self.columns);
        let dense = self.by_rows == is_row || self.pitch == 1 || length <= 1;
        let line = if dense { self } else { self.dense()? };
        Ok(Self { by_rows: is_row, pitch: length as i64, ..line })
    }

    /// Whether lines follow each other without meeting, as BLAS asks.
    pub(super) fn is_plain(&self) -> bool {
        let line = if self.by_rows { self.columns } else { self.rows };
        self.pitch >= line.max(1) as i64
    }

    /// Plain matrices, copied if they are not.
    ///
    /// # Errors
    /// As [`Matrices::of`].
    pub(super) fn plain(self) -> Result<Self> {
        if self.is_plain() { Ok(self) } else { self.dense() }
    }

    /// Rows as columns.
    pub(super) fn transposed(self) -> Self {
        Self { rows: self.columns, columns: self.rows, by_rows: !self.by_rows, ..self }
    }

    /// Whether `unit` elements from any multiple of that in a line on lie at a multiple of as many bytes.
    pub(super) fn is_aligned(&self, unit: usize, steps: impl IntoIterator<Item = i64>) -> bool {
        let bytes = (unit * self.array.dtype().bytes()) as u64;
        let whole = |step: i64| step.rem_euclid(unit as i64) == 0;
        let one_line = if self.by_rows { self.rows } else { self.columns } <= 1;
        self.address.is_multiple_of(bytes) && (one_line || whole(self.pitch)) && steps.into_iter().all(whole)
    }
}

/// Whether rows or columns are dense, rows first, and how far apart they are.
fn dense_form(shape: &[usize], strides: &[isize]) -> Option<(bool, i64)> {
    let (&[rows, columns], &[row, column]) = (shape, strides) else { return None };
    // Of an axis of one element the stride says nothing.
    if columns > 1 && column == 1 {
        Some((true, if rows > 1 { row as i64 } else { columns as i64 }))
    } else if rows > 1 && row == 1 {
        Some((false, if columns > 1 { column as i64 } else { rows as i64 }))
    } else if columns <= 1 {
        Some((true, if rows > 1 { row as i64 } else { 1 }))
    } else if rows <= 1 {
        Some((false, column as i64))
    } else {
        None
    }
}

/// A dense copy, in which matrices that are the same along an axis of the stack still are.
fn copied(array: &Array) -> Result<Array> {
    let mut layout = array.layout.clone();
    let batch = array.rank() - 2;
    for axis in 0..batch {
        if layout.strides[axis] == 0 {
            layout.shape[axis] = layout.shape[axis].min(1);
        }
    }
    array.with_layout(layout).copy()?.broadcast_to(array.shape())
}

/// An axis of a stack of products: how many, and the steps of both operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) extent: usize,
    pub(super) x: i64,
    pub(super) y: i64,
}

/// The axes of a stack, the densest last, with as few as its strides allow.
pub(super) fn stack_axes(shape: &[usize], x: &[isize], y: &[isize]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for ((&extent, &x), &y) in shape.iter().zip(x).zip(y).filter(|((extent, _), _)| **extent != 1) {
        let axis = Axis { extent, x: x as i64, y: y as i64 };
        let inner = axis.extent as i64;
        match axes.last_mut() {
            Some(outer) if outer.x == axis.x * inner && outer.y == axis.y * inner => {
                *outer = Axis { extent: outer.extent * axis.extent, ..axis };
            }
            _ => axes.push(axis),
        }
    }
    axes
}

/// As kernels take them.
pub(super) fn stack(axes: &[Axis]) -> Stack {
    let mut stack = [0; 3 * STACK_AXES];
    stack[..STACK_AXES].fill(1);
    let first = STACK_AXES - axes.len().min(STACK_AXES);
    for (k, axis) in axes.iter().enumerate().take(STACK_AXES) {
        stack[first + k] = axis.extent as i64;
        stack[STACK_AXES + first + k] = axis.x;
        stack[2 * STACK_AXES + first + k] = axis.y;
    }
    stack
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_dense_where_they_are() {
        assert_eq!(dense_form(&[3, 4], &[4, 1]), Some((true, 4)));
        assert_eq!(dense_form(&[3, 4], &[1, 7]), Some((false, 7)));
        assert_eq!(dense_form(&[3, 4], &[-4, 1]), Some((true, -4)));
        assert_eq!(dense_form(&[3, 4], &[8, 2]), None);
        assert_eq!(dense_form(&[3, 4], &[0, 0]), None);
        assert_eq!(dense_form(&[1, 4], &[99, 1]), Some((true, 4)));
        assert_eq!(dense_form(&[1, 4], &[99, 5]), Some((false, 5)));
        assert_eq!(dense_form(&[4, 1], &[1, 0]), Some((false, 4)));
        assert_eq!(dense_form(&[4, 1], &[6, 0]), Some((true, 6)));
        assert_eq!(dense_form(&[1, 1], &[0, 0]), Some((true, 1)));
        assert_eq!(dense_form(&[4, 0], &[0, 1]), Some((true, 0)));
    }

    #[test]
    fn axes_of_a_stack_are_joined() {
        let axis = |extent, x, y| Axis { extent, x, y };
        assert_eq!(stack_axes(&[], &[], &[]), []);
        assert_eq!(stack_axes(&[2, 3, 1], &[30, 10, 7], &[60, 20, 0]), [axis(6, 10, 20)]);
        assert_eq!(stack_axes(&[2, 3], &[30, 10], &[0, 20]), [axis(2, 30, 0), axis(3, 10, 20)]);
        assert_eq!(stack_axes(&[2, 3, 4], &[0, 0, 0], &[12, 4, 1]), [axis(24, 0, 1)]);
        assert_eq!(stack(&[axis(2, 30, 0), axis(3, 10, 20)]), [1, 1, 2, 3, 0, 0, 30, 10, 0, 0, 0, 20]);
        assert_eq!(stack(&[]), [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
}
