//! Products of matrices.
//!
//! Those with one row or one column, which memory bounds, are our own kernels' (`vector`). Of the others, floats are cuBLAS's where
//! it is (`blas`), and ours where not (`tiles`, and `warpgroups` where tensor cores have them), as are integers.
//!
//! How sums are cut depends on the sizes and on how operands lie, so that floats are rounded alike in every run on devices of one
//! kind.

mod blas;
mod matrices;
mod products;
mod tiles;
mod vector;
mod warpgroups;

use super::call::Call;
use crate::DType;
use crate::array::{Array, Fresh};
use icicle_error::{Error, Result};
use icicle_kernels::array_product::Number;
use products::Products;

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
    if plain && by_blas {
        return blas::multiply(&call, &products);
    }
    match warpgroups::multiply(&call, &products)? {
        true => Ok(()),
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

#[cfg(test)]
#[path = "tests.rs"]
mod lying;
