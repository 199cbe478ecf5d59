//! Powers of matrices.

use super::factor::inv;
use super::stack::floating;
use crate::{Array, matmul};
use icicle_error::{Error, Result};

/// The product of `n` times the matrix; of its inverse for a negative number, the identity for 0.
///
/// Shape `[.., m, m]` gives the same.
///
/// # Errors
/// `InvalidArgument` if the matrices are not square, the dtype is not floating point, or for a negative `n` one is singular;
/// `Unsupported` on a GPU without cuSOLVER, for a negative `n`; `OutOfMemory`.
pub fn matrix_power(x: &Array, n: i64) -> Result<Array> {
    const OP: &str = "matrix_power";
    floating(OP, x)?;
    let m = match x.shape() {
        [.., rows, columns] if rows == columns => *rows,
        shape => return Err(Error::argument(OP, format!("array of shape {shape:?}: must be of square matrices"))),
    };
    if n == 0 {
        return crate::eye(x.device(), m, m, 0, x.dtype())?.broadcast_to(x.shape())?.copy();
    }
    let mut power = if n < 0 { inv(x).map_err(|error| Error { op: OP, ..error })? } else { x.copy()? };
    let (mut left, mut product) = (n.unsigned_abs(), None);
    loop {
        if left & 1 == 1 {
            product = Some(match product {
                None => power.clone(),
                Some(product) => matmul(&product, &power)?,
            });
        }
        left >>= 1;
        match (left, product) {
            (0, Some(product)) => return Ok(product),
            (_, so_far) => product = so_far,
        }
        power = matmul(&power, &power)?;
    }
}
