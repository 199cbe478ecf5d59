//! Other shapes, orders and dtypes of arrays, joining and repeating them.

use crate::error::{brief, refused};
use crate::number_array::{NumberArray, Numbers, made, work};
use crate::number_type::TypeLike;
use icicle_array::{self as array, Array};
use pyo3::prelude::*;

fn borrowed(arrays: &[Numbers]) -> Vec<&Array> {
    arrays.iter().map(|array| &array.0).collect()
}

fn wrapped(arrays: Vec<Array>) -> Vec<NumberArray> {
    arrays.into_iter().map(NumberArray).collect()
}

/// The same values in another dtype. Raises InvalidType for complex to real.
#[pyfunction]
pub(crate) fn number_astype(py: Python<'_>, x: Numbers, dtype: TypeLike) -> PyResult<NumberArray> {
    work(py, "astype", &[&x.0], || Ok(x.0.astype(dtype.0)))?
        .map(NumberArray)
        .map_err(|error| refused(py, "InvalidType", &error))
}

/// A dense copy.
#[pyfunction]
pub(crate) fn number_copy(py: Python<'_>, x: Numbers) -> PyResult<NumberArray> {
    made(py, "copy", &[&x.0], || x.0.copy())
}

/// Another shape of as many elements; one extent may be -1. Raises InvalidArgument if they are not as many.
#[pyfunction]
pub(crate) fn number_reshape(py: Python<'_>, x: Numbers, shape: Vec<isize>) -> PyResult<NumberArray> {
    made(py, "reshape", &[&x.0], || x.0.reshape(&shape))
}

/// Axes in another order.
#[pyfunction]
pub(crate) fn number_permute(py: Python<'_>, x: Numbers, axes: Vec<isize>) -> PyResult<NumberArray> {
    brief(py, "permute_dims", || x.0.permute_dims(&axes)).map(NumberArray)
}

/// Some axes elsewhere.
#[pyfunction]
pub(crate) fn number_moveaxis(
    py: Python<'_>,
    x: Numbers,
    source: Vec<isize>,
    destination: Vec<isize>,
) -> PyResult<NumberArray> {
    brief(py, "moveaxis", || x.0.moveaxis(&source, &destination)).map(NumberArray)
}

/// The last two axes exchanged.
#[pyfunction]
pub(crate) fn number_transpose(py: Python<'_>, x: Numbers) -> PyResult<NumberArray> {
    brief(py, "matrix_transpose", || x.0.matrix_transpose()).map(NumberArray)
}

/// A new axis of extent 1.
#[pyfunction]
pub(crate) fn number_expand_dims(py: Python<'_>, x: Numbers, axis: isize) -> PyResult<NumberArray> {
    brief(py, "expand_dims", || x.0.expand_dims(axis)).map(NumberArray)
}

/// Without axes of extent 1.
#[pyfunction]
pub(crate) fn number_squeeze(py: Python<'_>, x: Numbers, axes: Vec<isize>) -> PyResult<NumberArray> {
    brief(py, "squeeze", || x.0.squeeze(&axes)).map(NumberArray)
}

/// Axes run backwards, all if None.
#[pyfunction]
#[pyo3(signature = (x, axes))]
pub(crate) fn number_flip(py: Python<'_>, x: Numbers, axes: Option<Vec<isize>>) -> PyResult<NumberArray> {
    brief(py, "flip", || x.0.flip(axes.as_deref())).map(NumberArray)
}

/// Repeated along axes of extent 1 and new leading ones.
#[pyfunction]
pub(crate) fn number_broadcast_to(py: Python<'_>, x: Numbers, shape: Vec<usize>) -> PyResult<NumberArray> {
    brief(py, "broadcast_to", || x.0.broadcast_to(&shape)).map(NumberArray)
}

/// Arrays in the shape they have together.
#[pyfunction]
pub(crate) fn number_broadcast(py: Python<'_>, arrays: Vec<Numbers>) -> PyResult<Vec<NumberArray>> {
    brief(py, "broadcast_arrays", || array::broadcast_arrays(&borrowed(&arrays))).map(wrapped)
}

/// Arrays one after another along an axis; flattened if None.
#[pyfunction]
#[pyo3(signature = (arrays, axis))]
pub(crate) fn number_concat(py: Python<'_>, arrays: Vec<Numbers>, axis: Option<isize>) -> PyResult<NumberArray> {
    let arrays = borrowed(&arrays);
    let types: Vec<_> = arrays.iter().map(|array| array.dtype()).collect();
    match array::result_type("concat", &types) {
        Err(error) if !types.is_empty() => Err(refused(py, "InvalidType", &error)),
        _ => made(py, "concat", &arrays, || array::concat(&arrays, axis)),
    }
}

/// Arrays of one shape along a new axis.
#[pyfunction]
pub(crate) fn number_stack(py: Python<'_>, arrays: Vec<Numbers>, axis: isize) -> PyResult<NumberArray> {
    let arrays = borrowed(&arrays);
    let types: Vec<_> = arrays.iter().map(|array| array.dtype()).collect();
    match array::result_type("stack", &types) {
        Err(error) if !types.is_empty() => Err(refused(py, "InvalidType", &error)),
        _ => made(py, "stack", &arrays, || array::stack(&arrays, axis)),
    }
}

/// Views of each index of an axis.
#[pyfunction]
pub(crate) fn number_unstack(py: Python<'_>, x: Numbers, axis: isize) -> PyResult<Vec<NumberArray>> {
    brief(py, "unstack", || array::unstack(&x.0, axis)).map(wrapped)
}

/// Repeated along each axis.
#[pyfunction]
pub(crate) fn number_tile(py: Python<'_>, x: Numbers, times: Vec<usize>) -> PyResult<NumberArray> {
    let total = times.iter().fold(1usize, |product, &n| product.saturating_mul(n.max(1)));
    let copies: Vec<_> = std::iter::repeat_n(&x.0, total.min(1 << 17)).collect();
    made(py, "tile", &copies, || array::tile(&x.0, &times))
}

/// Each element of an axis so many times; of the flattened array if None.
#[pyfunction]
#[pyo3(signature = (x, times, axis))]
pub(crate) fn number_repeat(
    py: Python<'_>,
    x: Numbers,
    times: Vec<usize>,
    axis: Option<isize>,
) -> PyResult<NumberArray> {
    crate::error::call(py, "repeat", || array::repeat(&x.0, &times, axis)).map(NumberArray)
}

/// Elements moved along axes, those beyond the end to the start.
#[pyfunction]
#[pyo3(signature = (x, shifts, axes))]
pub(crate) fn number_roll(
    py: Python<'_>,
    x: Numbers,
    shifts: Vec<isize>,
    axes: Option<Vec<isize>>,
) -> PyResult<NumberArray> {
    made(py, "roll", &[&x.0], || array::roll(&x.0, &shifts, axes.as_deref()))
}

/// Differences of neighbours along an axis, `n` times.
#[pyfunction]
pub(crate) fn number_diff(py: Python<'_>, x: Numbers, axis: isize, n: usize) -> PyResult<NumberArray> {
    made(py, "diff", &[&x.0], || array::diff(&x.0, axis, n))
}

/// The elements on and below (or above) a diagonal of the last two axes.
#[pyfunction]
pub(crate) fn number_triangle(py: Python<'_>, x: Numbers, k: isize, upper: bool) -> PyResult<NumberArray> {
    made(py, "tril", &[&x.0], || if upper { array::triu(&x.0, k) } else { array::tril(&x.0, k) })
}

/// Coordinates on a grid.
#[pyfunction]
pub(crate) fn number_meshgrid(py: Python<'_>, arrays: Vec<Numbers>, xy: bool) -> PyResult<Vec<NumberArray>> {
    brief(py, "meshgrid", || array::meshgrid(&borrowed(&arrays), xy)).map(wrapped)
}
