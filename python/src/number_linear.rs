//! Linear algebra and Fourier transforms of arrays of numbers: `icicle.xp.linalg` and `icicle.xp.fft`.

use crate::device::DeviceLike;
use crate::error::{call, exception};
use crate::number_array::{NumberArray, Numbers};
use crate::number_type::TypeLike;
use icicle::device::current_device;
use icicle::{Error, Result};
use icicle_array::fft::{self, Norm};
use icicle_array::linalg::{self, MatrixNorm};
use icicle_array::{Array, DType};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

fn unknown(name: &str) -> PyErr {
    PyTypeError::new_err(format!("operation {name:?}: is none of these"))
}

/// What a stack of matrices gives, one array or several, without the interpreter's lock.
fn given(py: Python<'_>, op: &'static str, run: impl FnOnce() -> Result<Array> + Send) -> PyResult<NumberArray> {
    call(py, op, run).map(NumberArray)
}

/// "det", "inv", "svdvals", "eigvals", "eigvalsh" or "cholesky" (the lower factor, or with `upper` the other) of each matrix.
/// Raises InvalidArgument for matrices it is not defined for.
#[pyfunction]
#[pyo3(signature = (operation, x, upper=false))]
pub(crate) fn number_matrix(py: Python<'_>, operation: &str, x: Numbers, upper: bool) -> PyResult<NumberArray> {
    let x = &x.0;
    match operation {
        "det" => given(py, "det", || linalg::det(x)),
        "inv" => given(py, "inv", || linalg::inv(x)),
        "svdvals" => given(py, "svdvals", || linalg::svdvals(x)),
        "eigvals" => given(py, "eigvals", || linalg::eigvals(x)),
        "eigvalsh" => given(py, "eigvalsh", || linalg::eigvalsh(x)),
        "cholesky" => given(py, "cholesky", || linalg::cholesky(x, upper)),
        _ => Err(unknown(operation)),
    }
}

/// "slogdet", "eig", "eigh", "qr" or "svd" of each matrix; `whole` asks for square factors. Raises InvalidArgument for matrices
/// it is not defined for.
#[pyfunction]
#[pyo3(signature = (operation, x, whole=false))]
pub(crate) fn number_factors(py: Python<'_>, operation: &str, x: Numbers, whole: bool) -> PyResult<Vec<NumberArray>> {
    let x = &x.0;
    let pair = |(first, second)| vec![first, second];
    let parts = match operation {
        "slogdet" => call(py, "slogdet", || linalg::slogdet(x)).map(pair),
        "eig" => call(py, "eig", || linalg::eig(x)).map(pair),
        "eigh" => call(py, "eigh", || linalg::eigh(x)).map(pair),
        "qr" => call(py, "qr", || linalg::qr(x, whole)).map(pair),
        "svd" => call(py, "svd", || linalg::svd(x, whole)).map(|(left, values, right)| vec![left, values, right]),
        _ => Err(unknown(operation)),
    };
    Ok(parts?.into_iter().map(NumberArray).collect())
}

/// The matrices whose products with `x` from the left are `y`. Raises InvalidArgument for a singular one.
#[pyfunction]
pub(crate) fn number_solve(py: Python<'_>, x: Numbers, y: Numbers) -> PyResult<NumberArray> {
    given(py, "solve", || linalg::solve(&x.0, &y.0))
}

/// "pinv" or "matrix_rank" of each matrix.
#[pyfunction]
#[pyo3(signature = (operation, x, rtol=None))]
pub(crate) fn number_spectral(
    py: Python<'_>,
    operation: &str,
    x: Numbers,
    rtol: Option<Numbers>,
) -> PyResult<NumberArray> {
    let rtol = rtol.map(|rtol| rtol.0);
    match operation {
        "pinv" => given(py, "pinv", || linalg::pinv(&x.0, rtol.as_ref())),
        "matrix_rank" => given(py, "matrix_rank", || linalg::matrix_rank(&x.0, rtol.as_ref())),
        _ => Err(unknown(operation)),
    }
}

/// The cross product of vectors along an axis.
#[pyfunction]
pub(crate) fn number_cross(py: Python<'_>, x: Numbers, y: Numbers, axis: isize) -> PyResult<NumberArray> {
    given(py, "cross", || linalg::cross(&x.0, &y.0, axis))
}

/// The elements on a diagonal: a view.
#[pyfunction]
pub(crate) fn number_diagonal(py: Python<'_>, x: Numbers, offset: isize) -> PyResult<NumberArray> {
    given(py, "diagonal", || linalg::diagonal(&x.0, offset))
}

/// Their sum.
#[pyfunction]
#[pyo3(signature = (x, offset, dtype=None))]
pub(crate) fn number_trace(
    py: Python<'_>,
    x: Numbers,
    offset: isize,
    dtype: Option<TypeLike>,
) -> PyResult<NumberArray> {
    given(py, "trace", || linalg::trace(&x.0, offset, dtype.map(|dtype| dtype.0)))
}

/// The product of each element of one vector with each of another.
#[pyfunction]
pub(crate) fn number_outer(py: Python<'_>, x: Numbers, y: Numbers) -> PyResult<NumberArray> {
    given(py, "outer", || linalg::outer(&x.0, &y.0))
}

/// The product of so many times each matrix.
#[pyfunction]
pub(crate) fn number_matrix_power(py: Python<'_>, x: Numbers, n: i64) -> PyResult<NumberArray> {
    given(py, "matrix_power", || linalg::matrix_power(&x.0, n))
}

/// A norm of each matrix: "fro", "nuc", "1", "-1", "2", "-2", "inf" or "-inf". Raises InvalidArgument for another.
#[pyfunction]
pub(crate) fn number_matrix_norm(py: Python<'_>, x: Numbers, norm: &str, keepdims: bool) -> PyResult<NumberArray> {
    let norm = match norm {
        "fro" => MatrixNorm::Frobenius,
        "nuc" => MatrixNorm::Nuclear,
        "1" => MatrixNorm::One,
        "-1" => MatrixNorm::MinusOne,
        "2" => MatrixNorm::Two,
        "-2" => MatrixNorm::MinusTwo,
        "inf" => MatrixNorm::Infinity,
        "-inf" => MatrixNorm::MinusInfinity,
        other => {
            let detail = format!(r#"ord {other}: must be "fro", "nuc", 1, -1, 2, -2, inf or -inf"#);
            return Err(exception(py, &Error::argument("matrix_norm", detail)));
        }
    };
    given(py, "matrix_norm", || linalg::matrix_norm(&x.0, norm, keepdims))
}

/// The norm along axes, of all elements for None.
#[pyfunction]
pub(crate) fn number_vector_norm(
    py: Python<'_>,
    x: Numbers,
    axes: Option<Vec<isize>>,
    order: f64,
    keepdims: bool,
) -> PyResult<NumberArray> {
    given(py, "vector_norm", || linalg::vector_norm(&x.0, axes.as_deref(), order, keepdims))
}

fn norm_of(py: Python<'_>, op: &'static str, name: &str) -> PyResult<Norm> {
    match name {
        "backward" => Ok(Norm::Backward),
        "ortho" => Ok(Norm::Ortho),
        "forward" => Ok(Norm::Forward),
        other => {
            let detail = format!(r#"norm {other:?}: must be "backward", "ortho" or "forward""#);
            Err(exception(py, &Error::argument(op, detail)))
        }
    }
}

/// A transform along an axis.
type AlongOne = fn(&Array, Option<usize>, isize, Norm) -> Result<Array>;
/// A transform along several.
type AlongMany = fn(&Array, Option<&[usize]>, Option<&[isize]>, Norm) -> Result<Array>;
/// Frequencies of a transform's results.
type Frequencies = fn(icicle::device::Device, usize, f64, DType) -> Result<Array>;
/// A half turn along axes.
type Shift = fn(&Array, Option<&[isize]>) -> Result<Array>;

/// A transform along an axis, of `n` elements in time. Raises InvalidArgument for a norm or axis there is not, or an `n` of 0.
#[pyfunction]
pub(crate) fn number_fft(
    py: Python<'_>,
    operation: &str,
    x: Numbers,
    n: Option<usize>,
    axis: isize,
    norm: &str,
) -> PyResult<NumberArray> {
    let (op, run): (_, AlongOne) = match operation {
        "fft" => ("fft", fft::fft),
        "ifft" => ("ifft", fft::ifft),
        "rfft" => ("rfft", fft::rfft),
        "irfft" => ("irfft", fft::irfft),
        "hfft" => ("hfft", fft::hfft),
        "ihfft" => ("ihfft", fft::ihfft),
        _ => return Err(unknown(operation)),
    };
    let norm = norm_of(py, op, norm)?;
    given(py, op, || run(&x.0, n, axis, norm))
}

/// A transform along several axes, all for None. Raises as number_fft().
#[pyfunction]
pub(crate) fn number_fftn(
    py: Python<'_>,
    operation: &str,
    x: Numbers,
    extents: Option<Vec<usize>>,
    axes: Option<Vec<isize>>,
    norm: &str,
) -> PyResult<NumberArray> {
    let (op, run): (_, AlongMany) = match operation {
        "fftn" => ("fftn", fft::fftn),
        "ifftn" => ("ifftn", fft::ifftn),
        "rfftn" => ("rfftn", fft::rfftn),
        "irfftn" => ("irfftn", fft::irfftn),
        _ => return Err(unknown(operation)),
    };
    let norm = norm_of(py, op, norm)?;
    given(py, op, || run(&x.0, extents.as_deref(), axes.as_deref(), norm))
}

/// The frequencies of "fftfreq" or "rfftfreq".
#[pyfunction]
pub(crate) fn number_frequencies(
    py: Python<'_>,
    operation: &str,
    n: usize,
    d: f64,
    dtype: TypeLike,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    let (op, run): (_, Frequencies) = match operation {
        "fftfreq" => ("fftfreq", fft::fftfreq),
        "rfftfreq" => ("rfftfreq", fft::rfftfreq),
        _ => return Err(unknown(operation)),
    };
    given(py, op, || run(device.map_or_else(current_device, |device| device.0), n, d, dtype.0))
}

/// "fftshift" or "ifftshift" along axes, all for None.
#[pyfunction]
pub(crate) fn number_fftshift(
    py: Python<'_>,
    operation: &str,
    x: Numbers,
    axes: Option<Vec<isize>>,
) -> PyResult<NumberArray> {
    let (op, run): (_, Shift) = match operation {
        "fftshift" => ("fftshift", fft::fftshift),
        "ifftshift" => ("ifftshift", fft::ifftshift),
        _ => return Err(unknown(operation)),
    };
    given(py, op, || run(&x.0, axes.as_deref()))
}
