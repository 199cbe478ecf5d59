//! Operations on each element: tables of operations, and what runs them over arrays.

pub(crate) mod binary;
pub(crate) mod classes;
mod complex;
mod exponential;
mod integer;
mod loops;
pub(crate) mod real;
mod select;
pub(crate) mod unary;

pub use binary::{BinaryOp, binary};
pub use select::{clip, select};
pub use unary::{UnaryOp, unary};
#[cfg(all(test, feature = "cuda"))]
pub(crate) use {binary::binary_step, unary::unary_step};
