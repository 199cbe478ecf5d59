//! Factors of matrices found without iterations, and what follows from them.
#![allow(unsafe_code)] // which takes addresses

use super::Matrices;
use crate::array::Array;
use crate::linalg::diagonal;
use crate::linalg::pivots::{Pivots, settled};
use crate::linalg::stack::{Number, Stack};
use crate::{DType, Index, Slice};
use icicle_cuda::cusolver::Task;
use icicle_error::Result;

/// The last two axes of an array cut to the first elements.
fn corner(x: &Array, rows: usize, columns: usize) -> Result<Array> {
    let first = |n: usize| Index::Slice(Slice::range(0, n as isize));
    x.index(&[Index::Ellipsis, first(rows), first(columns)])
}

/// As [`crate::linalg::cholesky`], of matrices with elements.
pub(crate) fn cholesky(stack: &Stack, upper: bool) -> Result<Array> {
    let x = Matrices::of(stack)?;
    let n = x.n;
    let a = stack.wide().matrix_transpose()?.copy()?;
    let task = Task::Cholesky { complex: x.complex(), n: n as i64, a: Matrices::part(&a, &[n, n])? };
    // SAFETY: a copy that nobody else holds, of `n` by `n` numbers for each matrix.
    let ended = unsafe { x.run(&task)? };
    let whole = diagonals_are_finite(&a)?;
    if let Some(i) = (0..x.count).find(|&i| ended[i] != 0 || !whole[i]) {
        return Err(stack.wrong(i, "must be positive definite"));
    }
    // By columns, so that its transpose is the factor.
    let lower = crate::tril(&a.matrix_transpose()?, 0)?;
    if upper { crate::conj(&lower.matrix_transpose()?)? } else { lower }.astype(stack.dtype)
}

fn diagonals_are_finite(a: &Array) -> Result<Vec<bool>> {
    let found = crate::all(&crate::isfinite(&diagonal(a, 0)?)?, Some(&[-1]), false)?;
    Ok(found.to_vec::<crate::Bool>()?.into_iter().map(bool::from).collect())
}

/// The factors of Gauss, by columns, the rows that were exchanged, and how each matrix ended.
fn lu(x: &Matrices<'_>) -> Result<(Array, Array, Vec<i32>)> {
    let n = x.n;
    let a = x.stack.wide().matrix_transpose()?.copy()?;
    let rows = x.fresh(DType::Int64, &[n])?;
    let task = Task::Lu {
        complex: x.complex(),
        n: n as i64,
        a: Matrices::part(&a, &[n, n])?,
        rows: Matrices::part(&rows, &[n])?,
    };
    // SAFETY: a copy of `n` by `n` numbers, and new memory for `n` rows, for each matrix; nobody else holds them.
    let ended = unsafe { x.run(&task)? };
    Ok((a, rows, ended))
}

/// The pivots of each matrix, and -1 if its rows were exchanged an odd number of times, else 1.
pub(crate) fn pivots<T: Number>(stack: &Stack) -> Result<Vec<Pivots<T>>> {
    if stack.wide().is_empty() {
        return Ok((0..stack.count()?).map(|_| (Vec::new(), 1.0)).collect());
    }
    let x = Matrices::of(stack)?;
    let (a, rows, _) = lu(&x)?;
    let (pivots, rows) = (diagonal(&a, 0)?.to_vec::<T>()?, rows.to_vec::<i64>()?);
    let zero = |pivots: &[T]| pivots.iter().any(|pivot| pivot.distance() == 0.0);
    let finite = if pivots.chunks(x.n).any(zero) { x.finite()? } else { vec![true; x.count] };
    let one = |((pivots, rows), finite): ((&[T], &[i64]), bool)| {
        let exchanges = rows.iter().zip(1..).filter(|&(&row, own)| row != own).count();
        let pivots = settled(pivots.to_vec(), finite);
        (pivots, if exchanges % 2 == 0 { 1.0 } else { -1.0 })
    };
    Ok(pivots.chunks(x.n).zip(rows.chunks(x.n)).zip(finite).map(one).collect())
}

/// As [`crate::linalg::inv`], of matrices with elements.
pub(crate) fn inv(stack: &Stack) -> Result<Array> {
    let n = stack.rows;
    let identity = crate::eye(stack.device(), n, n, 0, stack.wide().dtype())?.broadcast_to(stack.wide().shape())?;
    solve(stack, &identity)
}

/// The matrices whose products with those of the stack from the left are others, of as many rows, as many and in the dtype that is
/// computed in. Matrices of the stack have elements.
pub(crate) fn solve(stack: &Stack, right: &Array) -> Result<Array> {
    let x = Matrices::of(stack)?;
    let (n, columns) = (x.n, right.shape()[right.rank() - 1]);
    let (a, rows, ended) = lu(&x)?;
    if let Some(i) = ended.iter().position(|&ended| ended != 0) {
        return Err(stack.wrong(i, "is singular, must have an inverse"));
    }
    if columns == 0 {
        return crate::zeros(stack.device(), right.shape(), stack.dtype);
    }
    let b = right.matrix_transpose()?.copy()?;
    let task = Task::Solve {
        complex: x.complex(),
        n: n as i64,
        columns: columns as i64,
        a: Matrices::part(&a, &[n, n])?,
        rows: Matrices::part(&rows, &[n])?,
        b: Matrices::part(&b, &[columns, n])?,
    };
    // SAFETY: factors and rows of `lu`, and a copy of `n` by `columns` numbers, for each matrix; nobody else holds them.
    unsafe { x.run(&task)? };
    b.matrix_transpose()?.astype(stack.dtype)
}

/// As [`crate::linalg::qr`], `inner` being the columns of the first factor, of matrices with elements.
pub(crate) fn qr(stack: &Stack, inner: usize) -> Result<(Array, Array)> {
    let x = Matrices::of(stack)?;
    let (m, n, k, complex) = (x.m, x.n, stack.rank(), x.complex());
    let a = stack.wide().matrix_transpose()?.copy()?;
    let factors = x.fresh(x.wide(), &[k])?;
    let of_factors = Matrices::part(&factors, &[k])?;
    let task = Task::Qr { complex, m: m as i64, n: n as i64, a: Matrices::part(&a, &[n, m])?, factors: of_factors };
    // SAFETY: a copy of `m` by `n` numbers, and new memory for `k` factors, for each matrix; nobody else holds them.
    unsafe { x.run(&task)? };
    // Rows of the triangle past those of the matrix are 0.
    let triangle = crate::triu(&corner(&a.matrix_transpose()?, k, n)?, 0)?;
    let triangle = if inner == k { triangle } else { resized(&x, &triangle, [inner, n])? };
    let columns = match inner <= n {
        true => corner(&a, inner, m)?.copy()?,
        false => resized(&x, &a, [inner, m])?,
    };
    let task = Task::Columns {
        complex,
        m: m as i64,
        columns: inner as i64,
        reflectors: k as i64,
        a: Matrices::part(&columns, &[inner, m])?,
        factors: of_factors,
    };
    // SAFETY: new memory of `m` by `inner` numbers that begins with `k` reflectors, and their factors, for each matrix; nobody else
    // holds it.
    unsafe { x.run(&task)? };
    Ok((columns.matrix_transpose()?.astype(stack.dtype)?, triangle.astype(stack.dtype)?))
}

/// Matrices with zeros behind.
fn resized(x: &Matrices<'_>, part: &Array, extents: [usize; 2]) -> Result<Array> {
    let shape = [&x.stack.batch[..], &extents].concat();
    let mut whole = crate::zeros(x.stack.device(), &shape, part.dtype())?.copy()?;
    let first = |axis: usize| Index::Slice(Slice::range(0, part.shape()[part.rank() - axis] as isize));
    whole.assign(&[Index::Ellipsis, first(2), first(1)], part)?;
    Ok(whole)
}
