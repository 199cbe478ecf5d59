//! Linear algebra over the last two axes, each matrix of a stack on its own: the array API's extension `linalg`.
//!
//! Factorisations are in double precision, rounded to the array's at the end. On CPUs they are faer's; matrices of a stack are
//! divided among the threads, one matrix is worked on by one. On GPUs they are cuSOLVER's, where it is, one matrix after
//! another, and a call returns once it is known how they ended. What is of a matrix without elements is as if of the map between spaces of
//! those dimensions: its determinant is 1, its norms are 0.

mod eigen;
mod factor;
mod norm;
pub(crate) mod pivots;
mod power;
mod product;
mod singular;
pub(crate) mod stack;

pub use crate::matmul::{matmul, tensordot, vecdot};
pub use eigen::{eig, eigh, eigvals, eigvalsh};
pub use factor::{cholesky, det, inv, qr, slogdet, solve};
pub use norm::{MatrixNorm, matrix_norm, vector_norm};
pub use power::matrix_power;
pub use product::{cross, diagonal, outer, trace};
pub use singular::{matrix_rank, pinv, svd, svdvals};
