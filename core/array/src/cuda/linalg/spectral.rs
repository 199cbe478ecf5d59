//! Eigenvalues and singular values.
#![allow(unsafe_code)] // which takes addresses

use super::Matrices;
use crate::array::Array;
use crate::linalg::stack::{Stack, exponent};
use crate::{DType, Index, Slice};
use icicle_cuda::cusolver::Task;
use icicle_error::Result;

/// Which vectors are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vectors {
    None,
    /// As many as values.
    Thin,
    All,
}

/// What each matrix was multiplied by to be balanced is undone by, if any was.
struct Balance(Option<Array>);

impl Balance {
    /// Values of each matrix, as they are of the matrix itself.
    fn undone(&self, values: Array) -> Result<Array> {
        match &self.0 {
            None => Ok(values),
            Some(by) => crate::multiply(&values, &by.expand_dims(-1)?.astype(values.dtype())?),
        }
    }
}

impl Matrices<'_> {
    /// The matrices, each times a power of two that keeps squares finite and normal.
    ///
    /// # Errors
    /// `InvalidArgument` if one is not finite.
    fn balanced(&self) -> Result<(Array, Balance)> {
        let stack = self.stack;
        if let Some(i) = self.finite()?.iter().position(|&finite| !finite) {
            return Err(stack.not_finite(i));
        }
        let most = crate::max(&crate::abs(stack.wide())?, Some(&[-2, -1]), false)?.to_vec::<f64>()?;
        let exponents: Vec<i32> = most.into_iter().map(exponent).collect();
        if exponents.iter().all(|&exponent| exponent == 0) {
            return Ok((stack.wide().clone(), Balance(None)));
        }
        let powers = |sign: i32| {
            let powers: Vec<f64> = exponents.iter().map(|exponent| 2f64.powi(sign * exponent)).collect();
            Array::from_slice_on(stack.device(), &powers, &stack.batch)
        };
        let by = powers(-1)?.expand_dims(-1)?.expand_dims(-1)?.astype(self.wide())?;
        Ok((crate::multiply(stack.wide(), &by)?, Balance(Some(powers(1)?))))
    }

    fn settled(&self, ended: &[i32], what: &str) -> Result<()> {
        match ended.iter().position(|&ended| ended != 0) {
            None => Ok(()),
            Some(i) => Err(self.stack.wrong(i, &format!("the iteration for its {what} does not converge"))),
        }
    }
}

/// Values and vectors of a stack without elements.
fn none_of(stack: &Stack) -> Result<(Array, Array)> {
    let shape = stack.wide().shape();
    let zeros = |shape: &[usize]| crate::zeros(stack.device(), shape, stack.wide().dtype().real());
    Ok((zeros(&shape[..shape.len() - 1])?, zeros(shape)?))
}

/// Eigenvalues of Hermitian matrices, ascending, and vectors in columns if they are asked for, in the dtype that is computed in.
pub(crate) fn hermitian(stack: &Stack, vectors: bool) -> Result<(Array, Array)> {
    if stack.wide().is_empty() {
        return none_of(stack);
    }
    let x = Matrices::of(stack)?;
    let (n, (matrices, balance)) = (x.n, x.balanced()?);
    let a = matrices.matrix_transpose()?.copy()?;
    let values = x.fresh(DType::Float64, &[n])?;
    let task = Task::Hermitian {
        complex: x.complex(),
        n: n as i64,
        a: Matrices::part(&a, &[n, n])?,
        values: Matrices::part(&values, &[n])?,
        vectors,
    };
    // SAFETY: a copy of `n` by `n` numbers, and new memory for `n` values, for each matrix; nobody else holds them.
    let ended = unsafe { x.run(&task)? };
    x.settled(&ended, "eigenvalues")?;
    Ok((balance.undone(values)?, a.matrix_transpose()?))
}

/// Eigenvalues of any matrices, and vectors in columns if they are asked for, in `complex128`.
pub(crate) fn general(stack: &Stack, vectors: bool) -> Result<(Array, Array)> {
    if stack.wide().is_empty() {
        return none_of(stack);
    }
    let x = Matrices::of(stack)?;
    let (n, (matrices, balance)) = (x.n, x.balanced()?);
    let a = matrices.astype(DType::Complex128)?.matrix_transpose()?.copy()?;
    let values = x.fresh(DType::Complex128, &[n])?;
    let right = if vectors { x.fresh(DType::Complex128, &[n, n])? } else { values.clone() };
    let task = Task::General {
        n: n as i64,
        a: Matrices::part(&a, &[n, n])?,
        values: Matrices::part(&values, &[n])?,
        vectors: if vectors { Some(Matrices::part(&right, &[n, n])?) } else { None },
    };
    // SAFETY: a copy of `n` by `n` numbers, and new memory for `n` values and as many vectors, for each matrix; nobody else holds
    // them.
    let ended = unsafe { x.run(&task)? };
    x.settled(&ended, "eigenvalues")?;
    let right = if vectors { right.matrix_transpose()? } else { right };
    Ok((balance.undone(values)?, right))
}

/// Left singular vectors in columns, singular values, descending, and right ones conjugated in rows, in the dtype that is computed
/// in; without vectors, the values in their place. The matrices have elements.
pub(crate) fn singular(stack: &Stack, vectors: Vectors) -> Result<[Array; 3]> {
    let x = Matrices::of(stack)?;
    let (matrices, balance) = x.balanced()?;
    // cuSOLVER takes no fewer rows than columns: of the transpose, rows are columns already, and its right vectors are the left ones.
    let wide = x.m < x.n;
    let (m, n) = (x.m.max(x.n), x.m.min(x.n));
    let a = if wide { matrices.copy()? } else { matrices.matrix_transpose()?.copy()? };
    let values = x.fresh(DType::Float64, &[n])?;
    let columns = if vectors == Vectors::All { m } else { n };
    let (left, right) = match vectors {
        Vectors::None => (values.clone(), values.clone()),
        _ => (x.fresh(x.wide(), &[columns, m])?, x.fresh(x.wide(), &[n, n])?),
    };
    let parts = (Matrices::part(&left, &[columns, m])?, Matrices::part(&right, &[n, n])?);
    let task = Task::Singular {
        complex: x.complex(),
        m: m as i64,
        n: n as i64,
        a: Matrices::part(&a, &[n, m])?,
        values: Matrices::part(&values, &[n])?,
        vectors: (vectors != Vectors::None).then_some(parts),
        whole: vectors == Vectors::All,
    };
    // SAFETY: a copy of `m` by `n` numbers, and new memory for `n` values, `columns` left and `n` right vectors, for each matrix;
    // nobody else holds them.
    let ended = unsafe { x.run(&task)? };
    x.settled(&ended, "singular values")?;
    let values = balance.undone(values)?;
    Ok(match (vectors, wide) {
        (Vectors::None, _) => [values.clone(), values.clone(), values],
        (_, false) => [left.matrix_transpose()?, values, right.matrix_transpose()?],
        // What lies by columns is read by rows: transposed, and so of the transposed matrix's transpose.
        (_, true) => [right, values, left],
    })
}

/// As [`crate::linalg::pinv`], of matrices with elements, with bounds relative to the greatest singular value in `float64`.
pub(crate) fn pinv(stack: &Stack, bounds: &Array) -> Result<Array> {
    let [left, values, right] = singular(stack, Vectors::Thin)?;
    let greatest = values.index(&[Index::Ellipsis, Index::Slice(Slice::range(0, 1))])?;
    let least = crate::multiply(&greatest, &bounds.expand_dims(-1)?)?;
    let zero = crate::full(stack.device(), &[], 0.0.into(), DType::Float64)?;
    let inverse = crate::select(&crate::greater(&values, &least)?, &crate::reciprocal(&values)?, &zero)?;
    let adjoint = |x: &Array| crate::conj(&x.matrix_transpose()?);
    let scaled = crate::multiply(&adjoint(&right)?, &inverse.expand_dims(-2)?.astype(right.dtype())?)?;
    crate::matmul(&scaled, &adjoint(&left)?)?.astype(stack.dtype)
}
