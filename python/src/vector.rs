//! Operations on vectors: `batch` vectors of `n` elements, one after another or, with `columns`, interleaved.
#![allow(clippy::too_many_arguments)] // the shape of the calls is Python's, one argument for each fact

use crate::buffer::{Buffer, Operand, produce, produce_each};
use crate::error::{call, exception, field};
use crate::stream::{Stream, launch};
use icicle::device::Device;
use icicle::ops::vector::{self, Binary, Reduce, VectorConfig};
use icicle::reserve::filled;
use icicle::{Error, Result};
use icicle::{FieldId, Launch};
use pyo3::prelude::*;

type Out<'py> = Option<Bound<'py, Buffer>>;

/// A field by number.
pub(crate) fn by_number(py: Python<'_>, op: &'static str, number: i32) -> PyResult<FieldId> {
    field(op, number).map_err(|error| exception(py, &error))
}

/// A field by number, and `batch` vectors of it, interleaved with `columns`.
fn over(
    py: Python<'_>,
    op: &'static str,
    number: i32,
    (batch, columns): (usize, bool),
    launch: Launch,
) -> PyResult<(FieldId, VectorConfig)> {
    Ok((by_number(py, op, number)?, VectorConfig { launch, batch, columns }))
}

/// Device and bytes of an output of `count` elements like those of a buffer.
pub(crate) fn room(like: &Bound<'_, Buffer>, field: FieldId, count: usize) -> (Device, usize) {
    (like.get().on(), count.saturating_mul(field.info().bytes()))
}

fn binary(name: &str) -> Result<Binary> {
    match name {
        "add" => Ok(Binary::Add),
        "sub" => Ok(Binary::Sub),
        "mul" => Ok(Binary::Mul),
        "div" => Ok(Binary::Div),
        _ => Err(Error::argument("vector_binary", format!("operation {name:?}: must be add, sub, mul or div"))),
    }
}

/// a ∘ b, element by element.
#[pyfunction]
#[pyo3(signature = (operation, number, n, batch, columns, a, b, out=None, stream=None))]
pub(crate) fn vector_binary<'py>(
    py: Python<'py>,
    operation: &str,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    a: &Bound<'py, Buffer>,
    b: &Bound<'py, Buffer>,
    out: Out<'py>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "vector_binary";
    let (field, config) = over(py, op, number, (batch, columns), launch(stream, false))?;
    let (first, second) = (a.get().span(), b.get().span());
    let operation = binary(operation).map_err(|error| exception(py, &error))?;
    produce_each(py, op, out, room(a, field, n.saturating_mul(batch)), |out| {
        vector::binary(operation, field, n, first.src(op, "vec_a")?, second.src(op, "vec_b")?, &config, out)
    })
}

/// s ∘ v: one scalar for each vector of the batch, a buffer's or host bytes.
#[pyfunction]
#[pyo3(signature = (operation, number, n, batch, columns, scalars, v, out=None, stream=None))]
pub(crate) fn vector_scalar<'py>(
    py: Python<'py>,
    operation: &str,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    scalars: Operand<'py>,
    v: &Bound<'py, Buffer>,
    out: Out<'py>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "vector_scalar";
    let (field, config) = over(py, op, number, (batch, columns), launch(stream, scalars.is_host()))?;
    let (first, second) = (scalars.span(), v.get().span());
    let operation = binary(operation).map_err(|error| exception(py, &error))?;
    produce_each(py, op, out, room(v, field, n.saturating_mul(batch)), |out| {
        vector::scalar(operation, field, n, first.src(op, "scalar_a")?, second.src(op, "vec_b")?, &config, out)
    })
}

/// a·b with a over an extension and b over its scalar field.
#[pyfunction]
#[pyo3(signature = (number, n, batch, columns, a, b, out=None, stream=None))]
pub(crate) fn vector_mixed_mul<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    a: &Bound<'py, Buffer>,
    b: &Bound<'py, Buffer>,
    out: Out<'py>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "vector_mixed_mul";
    let (field, config) = over(py, op, number, (batch, columns), launch(stream, false))?;
    let (first, second) = (a.get().span(), b.get().span());
    produce_each(py, op, out, room(a, field, n.saturating_mul(batch)), |out| {
        vector::mixed_mul(field, n, first.src(op, "vec_a")?, second.src(op, "vec_b")?, &config, out)
    })
}

/// 1/a, zero where there is no inverse.
#[pyfunction]
#[pyo3(signature = (number, n, a, out=None, stream=None))]
pub(crate) fn vector_inv<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    a: &Bound<'py, Buffer>,
    out: Out<'py>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "vector_inv";
    let (field, config) = over(py, op, number, (1, false), launch(stream, false))?;
    let a_span = a.get().span();
    produce(py, op, out, room(a, field, n), |out| vector::inv(field, n, a_span.src(op, "input")?, &config, out))
}

/// "sum" or "product" of each vector.
#[pyfunction]
#[pyo3(signature = (operation, number, n, batch, columns, a, stream=None))]
pub(crate) fn vector_reduce<'py>(
    py: Python<'py>,
    operation: &str,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    a: &Bound<'py, Buffer>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "vector_reduce";
    let (field, config) = over(py, op, number, (batch, columns), launch(stream, false))?;
    let reduce = match operation {
        "sum" => Reduce::Sum,
        "product" => Reduce::Product,
        _ => {
            let detail = format!("operation {operation:?}: must be sum or product");
            return Err(exception(py, &Error::argument(op, detail)));
        }
    };
    let a_span = a.get().span();
    produce(py, op, None, room(a, field, batch), |out| {
        vector::reduce(reduce, field, n, a_span.src(op, "vec_a")?, &config, out)
    })
}

/// Coefficients to Montgomery form, or back.
#[pyfunction]
#[pyo3(signature = (number, n, a, to_montgomery, out=None, stream=None))]
pub(crate) fn convert_montgomery<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    a: &Bound<'py, Buffer>,
    to_montgomery: bool,
    out: Out<'py>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "convert_montgomery";
    let (field, config) = over(py, op, number, (1, false), launch(stream, false))?;
    let a_span = a.get().span();
    produce(py, op, out, room(a, field, n), |out| {
        vector::convert_montgomery(field, n, a_span.src(op, "input")?, to_montgomery, &config, out)
    })
}

/// Each vector in bit-reversed order.
#[pyfunction]
#[pyo3(signature = (number, n, batch, columns, a, out=None, stream=None))]
pub(crate) fn bit_reverse<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    a: &Bound<'py, Buffer>,
    out: Out<'py>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "bit_reverse";
    let (field, config) = over(py, op, number, (batch, columns), launch(stream, false))?;
    let a_span = a.get().span();
    produce(py, op, out, room(a, field, n.saturating_mul(batch)), |out| {
        vector::bit_reverse(field, n, a_span.src(op, "input")?, &config, out)
    })
}

/// `count` elements of each vector, from an offset at a stride.
#[pyfunction]
#[pyo3(signature = (number, n, batch, columns, a, offset, stride, count, stream=None))]
pub(crate) fn vector_slice<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    a: &Bound<'py, Buffer>,
    offset: usize,
    stride: usize,
    count: usize,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "slice";
    let (field, config) = over(py, op, number, (batch, columns), launch(stream, false))?;
    let a_span = a.get().span();
    produce(py, op, None, room(a, field, count.saturating_mul(batch)), |out| {
        vector::slice(field, n, a_span.src(op, "input")?, offset, stride, count, &config, out)
    })
}

/// Index of the last nonzero element of each vector, -1 where all are zero.
#[pyfunction]
pub(crate) fn highest_non_zero(
    py: Python<'_>,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    a: &Bound<'_, Buffer>,
) -> PyResult<Vec<i64>> {
    let op = "highest_non_zero_idx";
    let (field, config) = over(py, op, number, (batch, columns), Launch::default())?;
    let a_span = a.get().span();
    if n > 0 && batch > a.get().bytes() {
        let detail = format!("{batch} vectors of {n} elements: the input holds {} bytes", a.get().bytes());
        return Err(exception(py, &Error::argument(op, detail)));
    }
    call(py, op, || {
        let mut out = filled(op, batch, 0i64)?;
        vector::highest_non_zero(field, n, a_span.src(op, "input")?, &config, (&mut out).into())?;
        Ok(out)
    })
}
