//! Products of matrices.
//!
//! Those with one row or one column, which memory bounds, are our own kernels' (`vector`). Of the others, floats are cuBLAS's where
//! it is (`blas`), and ours where not (`tiles`), as are integers.
//!
//! How sums are cut depends on the sizes and on how operands lie, so that floats are rounded alike in every run on devices of one
//! kind.

mod blas;
mod matrices;
mod tiles;
mod vector;

use super::call::Call;
use crate::DType;
use crate::array::{Array, Fresh};
use icicle_error::{Error, Result};
use icicle_kernels::array_product::{Number, STACK_AXES, Sizes};
use matrices::{Axis, Matrices, stack_axes};

/// Products of a stack, of matrices of `m` by `k` and `k` by `n`.
struct Products {
    number: Number,
    m: usize,
    n: usize,
    k: usize,
    x: Matrices,
    y: Matrices,
    axes: Vec<Axis>,
    /// Where dense results go, one product's behind another's.
    out: u64,
}

/// Write the products of matrices of one numeric dtype and stacks of one shape, which have elements.
///
/// # Errors
/// `Unsupported` without the kernels; `OutOfMemory`; as of cuBLAS.
pub(crate) fn multiply(op: &'static str, x: &Array, y: &Array, out: &mut Fresh) -> Result<()> {
    let number = number(op, x.dtype())?;
    let call = Call::new(op, x.device())?;
    // Not where nothing is added: on complex128, cuBLAS 13.1 ends the process (in cublasLtZZZMatmul), and results take longer to
    // write than to compute.
    let by_blas = blas::takes(number) && x.shape().last().is_some_and(|&k| k > 1);
    let products = Products::of(number, x, y, out.start() as u64, by_blas)?;
    if products.m == 1 || products.n == 1 {
        return vector::multiply(&call, &products.with_a_column());
    }
    let plain = products.x.is_plain() && products.y.is_plain();
    match plain && by_blas {
        true => blas::multiply(&call, &products),
        false => tiles::multiply(&call, &products),
    }
}

/// The numbers of a dtype, as they are multiplied.
fn number(op: &'static str, dtype: DType) -> Result<Number> {
    Ok(match dtype {
        DType::Int8 | DType::UInt8 => Number::U8,
        DType::Int16 | DType::UInt16 => Number::U16,
        DType::Int32 | DType::UInt32 => Number::U32,
        DType::Int64 | DType::UInt64 => Number::U64,
        DType::Float16 => Number::F16,
        DType::BFloat16 => Number::BF16,
        DType::Float32 => Number::F32,
        DType::Float64 => Number::F64,
        DType::Complex64 => Number::C64,
        DType::Complex128 => Number::C128,
        DType::Bool => return Err(Error::argument(op, "arrays of bool: must be numeric")),
    })
}

impl Products {
    /// Of operands that need not lie as kernels want them: `plain` if BLAS is to take them.
    ///
    /// # Errors
    /// As of [`Matrices::of`].
    fn of(number: Number, x: &Array, y: &Array, out: u64, plain: bool) -> Result<Self> {
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
    fn with_a_column(self) -> Self {
        if self.n == 1 {
            return self;
        }
        let swapped = |axis: Axis| Axis { extent: axis.extent, x: axis.y, y: axis.x };
        let axes = self.axes.into_iter().map(swapped).collect();
        Self { m: self.n, n: self.m, x: self.y.transposed(), y: self.x.transposed(), axes, ..self }
    }

    /// How many.
    fn count(&self) -> usize {
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
    fn sizes(&self, parts: u64, part: u64) -> Sizes {
        [self.count() as u64, self.m as u64, self.n as u64, self.k as u64, parts, part]
    }
}

/// Sums of `k` products cut into about so many parts, each but the last of a multiple of `unit`: how many, and their length.
fn cut(k: u64, parts: u64, unit: u64) -> (u64, u64) {
    let part = k.div_ceil(parts.max(1)).next_multiple_of(unit).max(unit);
    (k.div_ceil(part).max(1), part)
}

#[cfg(test)]
#[path = "tests.rs"]
mod lying;

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
