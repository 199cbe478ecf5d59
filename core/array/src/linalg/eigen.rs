//! Eigenvalues and eigenvectors.

use super::stack::{Number, Stack, balanced, by_kind};
use crate::{Array, Complex, DType};
use faer::{Mat, Side};
use icicle_error::{Error, Result};

fn unsettled(stack: &Stack, i: usize) -> Error {
    stack.wrong(i, "the iteration for its eigenvalues does not converge")
}

/// The eigenvalues of Hermitian matrices, ascending, in the real dtype, and an orthonormal eigenvector for each in a column.
/// Of each matrix only the lower triangle is read.
///
/// Shape `[.., n, n]` gives `[.., n]` and `[.., n, n]`.
///
/// # Errors
/// `InvalidArgument` if the matrices are not square or not finite, or the dtype is not floating point; `Unsupported` on a GPU
/// without cuSOLVER; `OutOfMemory`.
pub fn eigh(x: &Array) -> Result<(Array, Array)> {
    fn run<T: Number>(stack: &Stack) -> Result<(Array, Array)> {
        let n = stack.rows;
        let parts = stack.each::<T, _>(|i, x| {
            if n == 0 {
                return Ok((Vec::new(), Mat::zeros(0, 0)));
            }
            stack.finite(i, x)?;
            let (x, by) = balanced(x);
            let found = x.self_adjoint_eigen(Side::Lower).map_err(|_| unsettled(stack, i))?;
            let values = found.S().column_vector().iter().map(|value| faer::traits::math_utils::real(value) * by);
            Ok((values.collect::<Vec<_>>(), found.U().to_owned()))
        })?;
        let (values, vectors): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((stack.vectors(n, &values, stack.dtype.real())?, stack.matrices(n, n, &vectors, stack.dtype)?))
    }
    let stack = Stack::square("eigh", x)?;
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        let (values, vectors) = crate::cuda::linalg::hermitian(&stack, true)?;
        return Ok((values.astype(stack.dtype.real())?, vectors.astype(stack.dtype)?));
    }
    by_kind!(stack, run(&stack))
}

/// The eigenvalues of Hermitian matrices, ascending, in the real dtype. Of each matrix only the lower triangle is read.
///
/// Shape `[.., n, n]` gives `[.., n]`.
///
/// # Errors
/// As [`eigh`].
pub fn eigvalsh(x: &Array) -> Result<Array> {
    fn run<T: Number>(stack: &Stack) -> Result<Array> {
        let parts = stack.each::<T, _>(|i, x| {
            if x.nrows() == 0 {
                return Ok(Vec::new());
            }
            stack.finite(i, x)?;
            let (x, by) = balanced(x);
            let values = x.self_adjoint_eigenvalues(Side::Lower).map_err(|_| unsettled(stack, i))?;
            Ok(values.into_iter().map(|value| value * by).collect::<Vec<_>>())
        })?;
        stack.vectors(stack.rows, &parts, stack.dtype.real())
    }
    let stack = Stack::square("eigvalsh", x)?;
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        return crate::cuda::linalg::hermitian(&stack, false)?.0.astype(stack.dtype.real());
    }
    by_kind!(stack, run(&stack))
}

/// The complex dtype of a precision.
fn complex(dtype: DType) -> DType {
    match dtype {
        DType::Float64 | DType::Complex128 => DType::Complex128,
        _ => DType::Complex64,
    }
}

/// The eigenvalues of any square matrix, in no order, in the complex dtype of its precision, and an eigenvector of length 1
/// for each in a column.
///
/// Shape `[.., n, n]` gives `[.., n]` and `[.., n, n]`.
///
/// # Errors
/// As [`eigh`]; on a GPU also `Unsupported` with a cuSOLVER before 11.7.
pub fn eig(x: &Array) -> Result<(Array, Array)> {
    fn run<T: Number>(stack: &Stack) -> Result<(Array, Array)> {
        let n = stack.rows;
        let parts = stack.each::<T, _>(|i, x| {
            stack.finite(i, x)?;
            let (x, by) = balanced(x);
            let found = x.eigen().map_err(|_| unsettled(stack, i))?;
            let values: Vec<Complex<f64>> = found.S().column_vector().iter().map(|value| value * by).collect();
            let vectors = found.U();
            let lengths: Vec<f64> = (0..n).map(|k| vectors.col(k).norm_l2()).collect();
            Ok((values, Mat::from_fn(n, n, |i, k| vectors[(i, k)] / lengths[k])))
        })?;
        let (values, vectors): (Vec<_>, Vec<Mat<Complex<f64>>>) = parts.into_iter().unzip();
        let dtype = complex(stack.dtype);
        Ok((stack.vectors(n, &values, dtype)?, stack.matrices(n, n, &vectors, dtype)?))
    }
    let stack = Stack::square("eig", x)?;
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        let (values, vectors) = crate::cuda::linalg::general(&stack, true)?;
        return Ok((values.astype(complex(stack.dtype))?, vectors.astype(complex(stack.dtype))?));
    }
    by_kind!(stack, run(&stack))
}

/// The eigenvalues of any square matrix, in no order, in the complex dtype of its precision.
///
/// Shape `[.., n, n]` gives `[.., n]`.
///
/// # Errors
/// As [`eig`].
pub fn eigvals(x: &Array) -> Result<Array> {
    fn run<T: Number>(stack: &Stack) -> Result<Array> {
        let parts = stack.each::<T, _>(|i, x| {
            stack.finite(i, x)?;
            let (x, by) = balanced(x);
            let values = x.eigenvalues().map_err(|_| unsettled(stack, i))?;
            Ok(values.into_iter().map(|value: Complex<f64>| value * by).collect::<Vec<_>>())
        })?;
        stack.vectors(stack.rows, &parts, complex(stack.dtype))
    }
    let stack = Stack::square("eigvals", x)?;
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        return crate::cuda::linalg::general(&stack, false)?.0.astype(complex(stack.dtype));
    }
    by_kind!(stack, run(&stack))
}
