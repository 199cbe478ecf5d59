//! Matrices, row-major.
#![allow(clippy::too_many_arguments)] // as in vector.rs

use crate::buffer::{Buffer, produce};
use crate::stream::{Stream, launch};
use crate::vector::{by_number, room};
use icicle::ops::matrix::{self, MatMulConfig};
use icicle::ops::vector::VectorConfig;
use pyo3::prelude::*;

/// Transposes of `batch` matrices.
#[pyfunction]
#[pyo3(signature = (number, rows, cols, batch, a, stream=None))]
pub(crate) fn matrix_transpose<'py>(
    py: Python<'py>,
    number: i32,
    rows: usize,
    cols: usize,
    batch: usize,
    a: &Bound<'py, Buffer>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let (op, field) = ("matrix_transpose", by_number(py, "matrix_transpose", number)?);
    let config = VectorConfig { launch: launch(stream, false), batch, ..VectorConfig::default() };
    let input = a.get().span();
    let count = rows.saturating_mul(cols).saturating_mul(batch);
    produce(py, op, None, room(a, field, count), |out| {
        matrix::transpose(field, rows, cols, input.src(op, "mat_in")?, &config, out)
    })
}

/// The product of two matrices of the given shapes, as stored; `transposed` says which of them are stored transposed.
#[pyfunction]
#[pyo3(signature = (number, a, a_shape, b, b_shape, transposed, stream=None))]
pub(crate) fn matrix_multiply<'py>(
    py: Python<'py>,
    number: i32,
    a: &Bound<'py, Buffer>,
    a_shape: (usize, usize),
    b: &Bound<'py, Buffer>,
    b_shape: (usize, usize),
    transposed: (bool, bool),
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let (op, field) = ("matmul", by_number(py, "matmul", number)?);
    let (a_transposed, b_transposed) = transposed;
    let launch = launch(stream, false);
    let config = MatMulConfig { launch, a_transposed, b_transposed, ..MatMulConfig::default() };
    let (first, second) = (a.get().span(), b.get().span());
    let rows = if a_transposed { a_shape.1 } else { a_shape.0 };
    let cols = if b_transposed { b_shape.0 } else { b_shape.1 };
    produce(py, op, None, room(a, field, rows.saturating_mul(cols)), |out| {
        matrix::multiply(field, first.src(op, "mat_a")?, a_shape, second.src(op, "mat_b")?, b_shape, &config, out)
    })
}
