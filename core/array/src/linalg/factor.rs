//! Factors of matrices found without iterations, and what follows from them.

use super::pivots::{Pivots, settled};
use super::stack::{Number, Stack, by_kind, finite, floating};
use crate::layout::broadcast_shapes;
use crate::{Array, promote};
use faer::linalg::solvers::{DenseSolveCore, PartialPivLu, Solve};
use faer::traits::math_utils::{conj, imag, real};
use faer::{Mat, MatRef, Side};
use icicle_error::{Error, Result};

/// The lower triangle whose product with its conjugate transpose is the matrix, or with `upper` the conjugate transpose of
/// it. Of each matrix only the lower triangle is read.
///
/// Shape `[.., n, n]` gives the same.
///
/// # Errors
/// `InvalidArgument` if the matrices are not square or one is not positive definite, or the dtype is not floating point;
/// `Unsupported` on a GPU without cuSOLVER; `OutOfMemory`.
pub fn cholesky(x: &Array, upper: bool) -> Result<Array> {
    fn run<T: Number>(stack: &Stack, upper: bool) -> Result<Array> {
        let n = stack.rows;
        let parts = stack.each::<T, _>(|i, x| {
            let found = x.llt(Side::Lower).map_err(|_| stack.wrong(i, "must be positive definite"))?;
            let lower = found.L();
            if (0..n).any(|k| !lower[(k, k)].is_finite()) {
                return Err(stack.wrong(i, "must be positive definite"));
            }
            let zero = T::from_real(0.0);
            Ok(Mat::from_fn(n, n, |i, k| match upper {
                false => {
                    if k <= i {
                        lower[(i, k)]
                    } else {
                        zero
                    }
                }
                true => {
                    if i <= k {
                        conj(&lower[(k, i)])
                    } else {
                        zero
                    }
                }
            }))
        })?;
        stack.matrices(n, n, &parts, stack.dtype)
    }
    let stack = Stack::square("cholesky", x)?;
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        return match stack.nothing()? {
            Some(none) => cholesky(&none, upper)?.to_device(stack.device()),
            None => crate::cuda::linalg::cholesky(&stack, upper),
        };
    }
    by_kind!(stack, run(&stack, upper))
}

fn pivots<T: Number>(x: MatRef<'_, T>, lu: &PartialPivLu<T>) -> Pivots<T> {
    let upper = lu.U();
    let mut order = lu.P().arrays().0.to_vec();
    let mut sign = 1.0;
    for i in 0..order.len() {
        while order[i] != i {
            let other = order[i];
            order.swap(i, other);
            sign = -sign;
        }
    }
    (settled((0..upper.nrows()).map(|k| upper[(k, k)]).collect(), finite(x)), sign)
}

/// The pivots of each matrix.
fn all_pivots<T: Number>(stack: &Stack) -> Result<Vec<Pivots<T>>> {
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        return crate::cuda::linalg::pivots(stack);
    }
    stack.each::<T, _>(|_, x| Ok(pivots(x, &x.partial_piv_lu())))
}

/// The determinant: 0 for a singular matrix, 1 for one without elements.
///
/// Shape `[.., n, n]` gives `[..]`.
///
/// # Errors
/// `InvalidArgument` if the matrices are not square or the dtype is not floating point; `Unsupported` on a GPU without
/// cuSOLVER; `OutOfMemory`.
pub fn det(x: &Array) -> Result<Array> {
    fn run<T: Number>(stack: &Stack) -> Result<Array> {
        let product =
            |(pivots, sign): Pivots<T>| pivots.into_iter().fold(T::from_real(sign), |product, pivot| product * pivot);
        let parts: Vec<_> = all_pivots(stack)?.into_iter().map(product).collect();
        stack.numbers(&parts, stack.dtype)
    }
    let stack = Stack::square("det", x)?;
    by_kind!(stack, run(&stack))
}

/// The direction of the determinant, a number at distance 1 from 0, or 0 of a singular matrix; and the logarithm of its
/// distance, in the real dtype. Neither overflows.
///
/// # Errors
/// As [`det`].
pub fn slogdet(x: &Array) -> Result<(Array, Array)> {
    fn run<T: Number>(stack: &Stack) -> Result<(Array, Array)> {
        let logarithm = |(pivots, sign): Pivots<T>| {
            if pivots.iter().any(|pivot| pivot.distance() == 0.0) {
                return (T::from_real(0.0), f64::NEG_INFINITY);
            }
            let turn = |sign: T, pivot: &T| sign * *pivot * T::from_real(pivot.distance().recip());
            let logarithm = pivots.iter().map(|pivot| pivot.distance().ln()).sum();
            (pivots.iter().fold(T::from_real(sign), turn), logarithm)
        };
        let (signs, logarithms): (Vec<_>, Vec<f64>) = all_pivots(stack)?.into_iter().map(logarithm).unzip();
        Ok((stack.numbers(&signs, stack.dtype)?, stack.numbers(&logarithms, stack.dtype.real())?))
    }
    let stack = Stack::square("slogdet", x)?;
    by_kind!(stack, run(&stack))
}

/// The factors of a matrix, refused if it is singular.
fn regular<T: Number>(stack: &Stack, i: usize, x: MatRef<'_, T>) -> Result<PartialPivLu<T>> {
    let lu = x.partial_piv_lu();
    match pivots(x, &lu).0.iter().any(|pivot| pivot.distance() == 0.0) {
        true => Err(stack.wrong(i, "is singular, must have an inverse")),
        false => Ok(lu),
    }
}

/// The inverse.
///
/// Shape `[.., n, n]` gives the same.
///
/// # Errors
/// `InvalidArgument` if the matrices are not square, one is singular, or the dtype is not floating point; `Unsupported` on a
/// GPU without cuSOLVER; `OutOfMemory`.
pub fn inv(x: &Array) -> Result<Array> {
    fn run<T: Number>(stack: &Stack) -> Result<Array> {
        let parts = stack.each::<T, _>(|i, x| Ok(regular(stack, i, x)?.inverse()))?;
        stack.matrices(stack.rows, stack.rows, &parts, stack.dtype)
    }
    let stack = Stack::square("inv", x)?;
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        return match stack.nothing()? {
            Some(none) => inv(&none)?.to_device(stack.device()),
            None => crate::cuda::linalg::inv(&stack),
        };
    }
    by_kind!(stack, run(&stack))
}

/// The matrix whose product with `x` from the left is `y`; a `y` of one axis is one column for each matrix of `x`.
///
/// Shapes `[.., n, n]` and `[.., n, k]` give `[.., n, k]`, the leading axes broadcast; with `[n]`, `[.., n]`.
///
/// # Errors
/// `InvalidArgument` if the matrices of `x` are not square or one is singular, `y` has other rows, leading axes do not
/// broadcast, or a dtype is not floating point; `Unsupported` on a GPU without cuSOLVER; `OutOfMemory`.
pub fn solve(x: &Array, y: &Array) -> Result<Array> {
    const OP: &str = "solve";
    fn run<T: Number>(stack: &Stack, right: &Stack) -> Result<Array> {
        let right: Vec<Mat<T>> = right.each(|_, y: MatRef<'_, T>| Ok(y.to_owned()))?;
        let parts = stack.each::<T, _>(|i, x| Ok(regular(stack, i, x)?.solve(&right[i])))?;
        let columns = right.first().map_or(0, |part| part.ncols());
        stack.matrices(stack.rows, columns, &parts, stack.dtype)
    }
    floating(OP, y)?;
    floating(OP, x)?;
    let dtype = promote(OP, x.dtype(), y.dtype())?;
    let vector = y.rank() == 1;
    let column = if vector { y.expand_dims(-1)? } else { y.clone() };
    let ([a @ .., n, columns], [b @ .., rows, k]) = (x.shape(), column.shape()) else {
        let detail =
            format!("arrays of shapes {:?} and {:?}: must have two axes, the second one", x.shape(), y.shape());
        return Err(Error::argument(OP, detail));
    };
    if n != columns || n != rows {
        let detail = format!("shapes {:?} and {:?}: must be square, and of as many rows", x.shape(), y.shape());
        return Err(Error::argument(OP, detail));
    }
    crate::array::computing(OP, &[x, y])?;
    let batch = broadcast_shapes(OP, &[a, b])?;
    let whole = |array: &Array, last: [usize; 2]| {
        Stack::new(OP, &array.astype(dtype)?.broadcast_to(&[&batch[..], &last].concat())?)
    };
    let (left, right) = (whole(x, [*n, *n])?, whole(&column, [*n, *k])?);
    let solved = match left.count()? * n {
        0 => crate::zeros(x.device(), &[&batch[..], &[*n, *k]].concat(), dtype)?,
        #[cfg(feature = "cuda")]
        _ if left.is_on_gpu() => crate::cuda::linalg::solve(&left, right.wide())?,
        _ => by_kind!(left, run(&left, &right))?,
    };
    if vector { solved.squeeze(&[-1]) } else { Ok(solved) }
}

/// Turn rows of a triangle so that its diagonal is real, and the columns they are multiplied by the other way.
///
/// The first is turned as LAPACK does it, which reflects to the real number whose sign is not that of the real part. What follows
/// depends there on how it was reflected; here the real part keeps its sign, but where a single number is left.
fn make_diagonal_real<T: Number>(columns: &mut Mat<T>, triangle: &mut Mat<T>) {
    for k in 0..triangle.nrows().min(triangle.ncols()) {
        let found = triangle[(k, k)];
        if imag(&found) == 0.0 {
            continue;
        }
        let keeps = k + 1 < columns.nrows();
        let turned = if (real(&found) >= 0.0) == keeps { found.distance() } else { -found.distance() };
        let turn = conj(&found) * T::from_real(turned.recip());
        // Of a number so small that this is none, the imaginary part is nothing.
        if turn.is_finite() || !found.is_finite() {
            (k..triangle.ncols()).for_each(|j| triangle[(k, j)] = turn * triangle[(k, j)]);
            (0..columns.nrows()).for_each(|i| columns[(i, k)] *= conj(&turn));
        }
        triangle[(k, k)] = T::from_real(turned);
    }
}

/// Orthonormal columns and an upper triangle whose product is the matrix: of as many columns as the lesser extent, or
/// `complete` a square first factor. Each diagonal element of the triangle is real, of either sign.
///
/// Shape `[.., m, n]` gives `[.., m, k]` and `[.., k, n]`, `k` being the lesser of `m` and `n`, or with `complete` `m`.
///
/// # Errors
/// `InvalidArgument` for fewer than two axes or a dtype that is not floating point; `Unsupported` on a GPU without cuSOLVER;
/// `OutOfMemory`.
pub fn qr(x: &Array, complete: bool) -> Result<(Array, Array)> {
    fn run<T: Number>(stack: &Stack, inner: usize) -> Result<(Array, Array)> {
        let parts = stack.each::<T, _>(|_, x| {
            let found = x.qr();
            let mut first = if inner == x.nrows() { found.compute_Q() } else { found.compute_thin_Q() };
            let (triangle, zero) = (found.thin_R(), T::from_real(0.0));
            let upper = |i: usize, k: usize| if i <= k && i < triangle.nrows() { triangle[(i, k)] } else { zero };
            let mut second = Mat::from_fn(inner, x.ncols(), upper);
            make_diagonal_real(&mut first, &mut second);
            Ok((first, second))
        })?;
        let (first, second): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((
            stack.matrices(stack.rows, inner, &first, stack.dtype)?,
            stack.matrices(inner, stack.columns, &second, stack.dtype)?,
        ))
    }
    let stack = Stack::new("qr", x)?;
    let inner = if complete { stack.rows } else { stack.rank() };
    #[cfg(feature = "cuda")]
    if stack.is_on_gpu() {
        return match stack.nothing()? {
            Some(none) => {
                let (first, second) = qr(&none, complete)?;
                Ok((first.to_device(stack.device())?, second.to_device(stack.device())?))
            }
            None => crate::cuda::linalg::qr(&stack, inner),
        };
    }
    by_kind!(stack, run(&stack, inner))
}
