//! Elements in order, where they belong in it, each once; elements by arrays of indices.

use crate::error::{exception, refused};
use crate::number_array::{NumberArray, Numbers, made, work};
use icicle::{Error, ErrorCode};
use icicle_array::{self as array, Kind};
use pyo3::prelude::*;

/// The elements along an axis in order. Raises InvalidArgument for an axis that is not there.
#[pyfunction]
pub(crate) fn number_sort(py: Python<'_>, x: Numbers, axis: isize, descending: bool) -> PyResult<NumberArray> {
    made(py, "sort", &[&x.0], || array::sort(&x.0, axis, descending))
}

/// The indices that sort the elements along an axis; equal elements keep their order.
#[pyfunction]
pub(crate) fn number_argsort(py: Python<'_>, x: Numbers, axis: isize, descending: bool) -> PyResult<NumberArray> {
    made(py, "argsort", &[&x.0], || array::argsort(&x.0, axis, descending))
}

/// Where values belong in a sorted array.
#[pyfunction]
pub(crate) fn number_searchsorted(
    py: Python<'_>,
    sorted: Numbers,
    values: Numbers,
    right: bool,
) -> PyResult<NumberArray> {
    if let Err(error) = array::promote("searchsorted", sorted.0.dtype(), values.0.dtype()) {
        return Err(refused(py, "InvalidType", &error));
    }
    made(py, "searchsorted", &[&sorted.0, &values.0], || array::searchsorted(&sorted.0, &values.0, right))
}

/// Values, first indices, inverse and counts.
#[pyfunction]
pub(crate) fn number_unique(
    py: Python<'_>,
    x: Numbers,
) -> PyResult<(NumberArray, NumberArray, NumberArray, NumberArray)> {
    let found = work(py, "unique", &[&x.0], || array::unique_all(&x.0))?;
    let array::Unique { values, indices, inverse, counts } = found;
    Ok((NumberArray(values), NumberArray(indices), NumberArray(inverse), NumberArray(counts)))
}

/// Each value once, ascending.
#[pyfunction]
pub(crate) fn number_unique_values(py: Python<'_>, x: Numbers) -> PyResult<NumberArray> {
    made(py, "unique", &[&x.0], || array::unique_values(&x.0))
}

/// Whether each element of `x` occurs in `test`.
#[pyfunction]
pub(crate) fn number_isin(py: Python<'_>, x: Numbers, test: Numbers) -> PyResult<NumberArray> {
    made(py, "isin", &[&x.0, &test.0], || array::isin(&x.0, &test.0))
}

/// The indices of elements that are not 0, an array for each axis.
#[pyfunction]
pub(crate) fn number_nonzero(py: Python<'_>, x: Numbers) -> PyResult<Vec<NumberArray>> {
    let found = work(py, "nonzero", &[&x.0], || array::nonzero(&x.0))?;
    Ok(found.into_iter().map(NumberArray).collect())
}

/// The elements at indices along an axis, for all lines the same or, with `along`, for each its own. Raises InvalidIndex for
/// one outside the axis, InvalidType for indices that are no integers.
#[pyfunction]
pub(crate) fn number_take(
    py: Python<'_>,
    x: Numbers,
    indices: Numbers,
    axis: isize,
    along: bool,
) -> PyResult<NumberArray> {
    let run = || Ok(if along { array::take_along_axis } else { array::take }(&x.0, &indices.0, axis));
    work(py, "take", &[&x.0, &indices.0], run)?.map(NumberArray).map_err(|error: Error| {
        let integers = matches!(indices.0.dtype().kind(), Kind::Signed | Kind::Unsigned);
        match error.code {
            ErrorCode::InvalidArgument if !integers => refused(py, "InvalidType", &error),
            ErrorCode::InvalidArgument if error.detail.starts_with("index") => refused(py, "InvalidIndex", &error),
            _ => exception(py, &error),
        }
    })
}
