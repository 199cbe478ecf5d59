//! Arrays of numbers on devices: what NumPy and the array API call by the same names.
//!
//! Operations run on the CPU that holds their operands, over blocks that stay in its first-level cache; each is a row of a
//! table of types and expressions. Results do not depend on the number of threads. Elementwise operations on large arrays wait
//! until their values are needed, so that a chain of them reads its inputs once; memory for them is reserved, and may be
//! refused, only then.
//!
//! ```
//! use icicle_array::{Array, Index, Scalar, Slice, add, less, select, sum};
//!
//! # fn main() -> icicle_error::Result<()> {
//! let table = Array::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
//! let row = Array::from_slice(&[10.0f32, 20.0, 30.0], &[3])?;
//! // The row is added to each row of the table, which is what broadcasting means.
//! let shifted = add(&table, &row)?;
//! assert_eq!(shifted.to_vec::<f32>()?, [11.0, 22.0, 33.0, 14.0, 25.0, 36.0]);
//! // Every second column, from the end: a view of the same memory.
//! let columns = shifted.index(&[Index::Ellipsis, Index::Slice(Slice { start: None, stop: None, step: -2 })])?;
//! assert_eq!((columns.shape(), columns.to_vec::<f32>()?), (&[2, 2][..], vec![33.0, 11.0, 36.0, 14.0]));
//! // The larger of each pair, and the sum of every column.
//! let larger = select(&less(&table, &row)?, &row, &table)?;
//! assert_eq!(sum(&larger, Some(&[0]), false, None)?.to_vec::<f32>()?, [20.0, 40.0, 60.0]);
//! assert_eq!(sum(&larger, None, false, None)?.item()?, Scalar::Float(120.0));
//! # Ok(())
//! # }
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod array;
mod boolean;
mod cast;
mod chain;
mod constant;
mod conversion;
mod creation;
#[cfg(feature = "cuda")]
mod cuda;
mod dtype;
mod elementwise;
#[cfg(feature = "fft")]
pub mod fft;
mod gemv;
mod host;
mod indexing;
mod indices;
mod job;
mod joining;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod layout;
mod lazy;
#[cfg(feature = "linalg")]
pub mod linalg;
mod matmul;
mod order;
mod pinned;
mod precision;
mod promotion;
#[cfg(target_arch = "x86_64")]
mod quicksort;
mod radix;
pub mod random;
mod reduce;
mod scalar;
mod sharded;
mod sorting;
mod source;
mod step;
mod storage;
mod transfer;
mod unified;
mod unique;
mod views;
mod walk;

pub use array::Array;
pub use boolean::Bool;
pub use creation::{arange, eye, full, linspace, meshgrid, ones, tril, triu, zeros};
pub use dtype::{DType, Element, Kind};
pub use elementwise::binary::*;
pub use elementwise::unary::*;
pub use elementwise::{binary, clip, select, unary};
pub use half::{bf16, f16};
pub use indexing::{compress, nonzero, take, take_along_axis, take_at};
pub use joining::{concat, diff, repeat, roll, stack, tile, unstack};
pub use layout::{Layout, MAX_RANK, Slice, broadcast_shapes, dense_strides};
pub use matmul::{matmul, tensordot, vecdot};
pub use num_complex::Complex;
pub use precision::{Float32Precision, float32_matmul_precision, set_float32_matmul_precision};
pub use promotion::{FloatInfo, IntegerInfo, can_cast, finfo, iinfo, isdtype, promote, result_type};
pub use reduce::{
    all, any, argmax, argmin, count_nonzero, cumulative_prod, cumulative_sum, max, mean, min, prod, std, sum, var,
};
pub use scalar::Scalar;
pub use sharded::{Placement, ShardedArray};
pub use sorting::{argsort, isin, searchsorted, sort, unique_all, unique_values};
pub use unique::Unique;
pub use views::{Index, broadcast_arrays};
