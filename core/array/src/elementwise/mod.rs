//! Operations on each element: tables of operations, and what runs them over arrays.

mod apply;
pub(crate) mod binary;
pub(crate) mod classes;
mod complex;
mod exponential;
mod integer;
mod loops;
pub(crate) mod real;
mod select;
pub(crate) mod unary;

pub use apply::{binary, unary};
#[cfg(all(test, feature = "cuda"))]
pub(crate) use apply::{binary_step, unary_step};
pub use binary::BinaryOp;
pub use select::{clip, select};
pub use unary::UnaryOp;
