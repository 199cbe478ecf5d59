//! Products of a stack of matrices, as few as what lies alike allows, and how sums of them are cut.

use super::matrices::{Axis, Matrices, stack_axes};
use crate::array::Array;
use icicle_error::Result;
use icicle_kernels::array_product::{Number, STACK_AXES, Sizes};

/// Products of a stack, of matrices of `m` by `k` and `k` by `n`.
pub(super) struct Products {
    pub(super) number: Number,
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) x: Matrices,
    pub(super) y: Matrices,
    pub(super) axes: Vec<Axis>,
    /// Where dense results go, one product's behind another's.
    pub(super) out: u64,
}

impl Products {
    /// Of operands that need not lie as kernels want them: `plain` if BLAS is to take them.
    ///
    /// # Errors
    /// As of [`Matrices::of`].
    pub(super) fn of(number: Number, x: &Array, y: &Array, out: u64, plain: bool) -> Result<Self> {
        let batch = x.rank() - 2;
        let (mut x, mut y) = (Matrices::of(x)?, Matrices::of(y)?);
        if y.columns == 1 {
            y = y.vector()?;
        } else if x.rows == 1 {
            x = x.vector()?;
        } else if plain {
            (x, y) = (x.plain()?, y.plain()?);
        }
        let axes = stack_axes(&x.array.shape()[..batch], &x.array.strides()[..batch], &y.array.strides()[..batch]);
        if axes.len() > STACK_AXES {
            // As many copies as products, one behind another.
            return Self::of(number, &x.array.copy()?, &y.array.copy()?, out, plain);
        }
        let (m, n, k) = (x.rows, y.columns, x.columns);
        let mut products = Self { number, m, n, k, x, y, axes, out };
        products.join();
        Ok(products)
    }

    /// The same results as products of matrices and columns, of products of rows and matrices.
    pub(super) fn with_a_column(self) -> Self {
        if self.n == 1 {
            return self;
        }
        let swapped = |axis: Axis| Axis { extent: axis.extent, x: axis.y, y: axis.x };
        let axes = self.axes.into_iter().map(swapped).collect();
        Self { m: self.n, n: self.m, x: self.y.transposed(), y: self.x.transposed(), axes, ..self }
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.extent).product()
    }

    /// Make one product of those whose rows lie behind one another and whose second operand is the same: their results do too.
    fn join(&mut self) {
        if let [axis] = self.axes[..]
            && axis.y == 0
            && self.x.by_rows
            && (axis.x == self.m as i64 * self.x.pitch || self.m == 1)
        {
            self.x.pitch = if self.m == 1 { axis.x } else { self.x.pitch };
            self.m *= axis.extent;
            self.x.rows = self.m;
            self.axes.clear();
        }
    }

    /// As kernels take them, with sums in parts.
    pub(super) fn sizes(&self, parts: u64, part: u64) -> Sizes {
        [self.count() as u64, self.m as u64, self.n as u64, self.k as u64, parts, part]
    }
}

/// Sums of `k` products cut into about so many parts, each but the last of a multiple of `unit`: how many, and their length.
pub(super) fn cut(k: u64, parts: u64, unit: u64) -> (u64, u64) {
    let part = k.div_ceil(parts.max(1)).next_multiple_of(unit).max(unit);
    (k.div_ceil(part).max(1), part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_and_none_is_empty() {
        for k in [0, 1, 15, 16, 17, 1000, 1 << 40] {
            for wanted in [0, 1, 2, 3, 7, 400] {
                for unit in [1, 16, 256] {
                    let (parts, part) = cut(k, wanted, unit);
                    assert!(parts * part >= k && parts >= 1 && parts <= wanted.max(1), "{k} {wanted} {unit}");
                    assert!(part.is_multiple_of(unit) && (k == 0 || (parts - 1) * part < k), "{k} {wanted} {unit}");
                }
            }
        }
    }
}
