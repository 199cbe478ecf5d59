//! Numbers from the elements along axes, and running totals.

use crate::error::{exception, refused};
use crate::number_array::{NumberArray, Numbers, made, work};
use crate::number_type::TypeLike;
use icicle::{Error, ErrorCode, Result};
use icicle_array::{self as array, Array};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A sum or product.
type Sum = fn(&Array, Option<&[isize]>, bool, Option<array::DType>) -> Result<Array>;
/// What keeps or drops axes.
type Along = fn(&Array, Option<&[isize]>, bool) -> Result<Array>;
/// A variance or deviation, with its correction.
type Spread = fn(&Array, Option<&[isize]>, f64, bool) -> Result<Array>;
/// Where an element is.
type Position = fn(&Array, Option<isize>, bool) -> Result<Array>;
/// A running total.
type Running = fn(&Array, Option<isize>, Option<array::DType>, bool) -> Result<Array>;

fn unknown(name: &str) -> PyErr {
    PyTypeError::new_err(format!("operation {name:?}: is none of these"))
}

/// As [`made`], where a refusal not of the axes is one of the dtype.
fn reduced(
    py: Python<'_>,
    op: &'static str,
    x: &Array,
    axes: Option<&[isize]>,
    run: impl FnOnce() -> Result<Array> + Send,
) -> PyResult<NumberArray> {
    let axes = axes.unwrap_or(&[]);
    work(py, op, &[x], || Ok(run()))?.map(NumberArray).map_err(|error: Error| match error.code {
        // Axes that are there can be moved to where they are.
        ErrorCode::InvalidArgument if !x.is_empty() && x.moveaxis(axes, axes).is_ok() => {
            refused(py, "InvalidType", &error)
        }
        _ => exception(py, &error),
    })
}

/// "sum" or "prod" along axes, all if None. Raises InvalidArgument for axes that are not there, InvalidType for a dtype it
/// has no meaning for.
#[pyfunction]
#[pyo3(signature = (operation, x, axes, keepdims, dtype=None))]
pub(crate) fn number_total(
    py: Python<'_>,
    operation: &str,
    x: Numbers,
    axes: Option<Vec<isize>>,
    keepdims: bool,
    dtype: Option<TypeLike>,
) -> PyResult<NumberArray> {
    let (op, run): (_, Sum) = match operation {
        "sum" => ("sum", array::sum),
        "prod" => ("prod", array::prod),
        _ => return Err(unknown(operation)),
    };
    let axes = axes.as_deref();
    reduced(py, op, &x.0, axes, || run(&x.0, axes, keepdims, dtype.map(|dtype| dtype.0)))
}

/// "min", "max", "mean", "all", "any" or "count_nonzero" along axes, all if None. Raises as number_total.
#[pyfunction]
pub(crate) fn number_fold(
    py: Python<'_>,
    operation: &str,
    x: Numbers,
    axes: Option<Vec<isize>>,
    keepdims: bool,
) -> PyResult<NumberArray> {
    let (op, run): (_, Along) = match operation {
        "min" => ("min", array::min),
        "max" => ("max", array::max),
        "mean" => ("mean", array::mean),
        "all" => ("all", array::all),
        "any" => ("any", array::any),
        "count_nonzero" => ("count_nonzero", array::count_nonzero),
        _ => return Err(unknown(operation)),
    };
    let axes = axes.as_deref();
    reduced(py, op, &x.0, axes, || run(&x.0, axes, keepdims))
}

/// "var" or "std" along axes, all if None. Raises as number_total.
#[pyfunction]
pub(crate) fn number_spread(
    py: Python<'_>,
    operation: &str,
    x: Numbers,
    axes: Option<Vec<isize>>,
    correction: f64,
    keepdims: bool,
) -> PyResult<NumberArray> {
    let (op, run): (_, Spread) = match operation {
        "var" => ("var", array::var),
        "std" => ("std", array::std),
        _ => return Err(unknown(operation)),
    };
    let axes = axes.as_deref();
    reduced(py, op, &x.0, axes, || run(&x.0, axes, correction, keepdims))
}

/// "argmin" or "argmax" along an axis, of all elements if None. Raises as number_total.
#[pyfunction]
#[pyo3(signature = (operation, x, axis, keepdims))]
pub(crate) fn number_place(
    py: Python<'_>,
    operation: &str,
    x: Numbers,
    axis: Option<isize>,
    keepdims: bool,
) -> PyResult<NumberArray> {
    let (op, run): (_, Position) = match operation {
        "argmin" => ("argmin", array::argmin),
        "argmax" => ("argmax", array::argmax),
        _ => return Err(unknown(operation)),
    };
    reduced(py, op, &x.0, Some(axis.as_slice()), || run(&x.0, axis, keepdims))
}

/// "cumulative_sum" or "cumulative_prod" along an axis. Raises as number_total.
#[pyfunction]
#[pyo3(signature = (operation, x, axis, dtype, initial))]
pub(crate) fn number_scan(
    py: Python<'_>,
    operation: &str,
    x: Numbers,
    axis: Option<isize>,
    dtype: Option<TypeLike>,
    initial: bool,
) -> PyResult<NumberArray> {
    let (op, run): (_, Running) = match operation {
        "cumulative_sum" => ("cumulative_sum", array::cumulative_sum),
        "cumulative_prod" => ("cumulative_prod", array::cumulative_prod),
        _ => return Err(unknown(operation)),
    };
    made(py, op, &[&x.0], || run(&x.0, axis, dtype.map(|dtype| dtype.0), initial))
}
