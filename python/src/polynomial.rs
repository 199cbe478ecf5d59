//! Polynomials as coefficients, constant term first.
#![allow(clippy::too_many_arguments)] // as in vector.rs

use crate::buffer::{Buffer, produce};
use crate::stream::{Stream, launch};
use crate::vector::{by_number, room};
use icicle::ops::polynomial;
use icicle::ops::vector::VectorConfig;
use pyo3::prelude::*;

/// Values of `batch` polynomials of `n` coefficients at `points` shared points.
#[pyfunction]
#[pyo3(signature = (number, n, batch, coefficients, points, domain, stream=None))]
pub(crate) fn polynomial_evaluate<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    batch: usize,
    coefficients: &Bound<'py, Buffer>,
    points: usize,
    domain: &Bound<'py, Buffer>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let (op, field) = ("poly_eval", by_number(py, "poly_eval", number)?);
    let config = VectorConfig { launch: launch(stream, false), batch, ..VectorConfig::default() };
    let (first, second) = (coefficients.get().span(), domain.get().span());
    produce(py, op, None, room(coefficients, field, points.saturating_mul(batch)), |out| {
        polynomial::evaluate(field, n, first.src(op, "coeffs")?, points, second.src(op, "domain")?, &config, out)
    })
}

/// Quotients and remainders of `batch` pairs, with room for `q_size` and `r_size` coefficients.
#[pyfunction]
#[pyo3(signature = (number, batch, n, numerator, m, denominator, q_size, r_size, stream=None))]
pub(crate) fn polynomial_divide<'py>(
    py: Python<'py>,
    number: i32,
    batch: usize,
    n: usize,
    numerator: &Bound<'py, Buffer>,
    m: usize,
    denominator: &Bound<'py, Buffer>,
    q_size: usize,
    r_size: usize,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<(Bound<'py, Buffer>, Bound<'py, Buffer>)> {
    let (op, field) = ("poly_division", by_number(py, "poly_division", number)?);
    let config = VectorConfig { launch: launch(stream, false), batch, ..VectorConfig::default() };
    let (first, second) = (numerator.get().span(), denominator.get().span());
    let (device, bytes) = room(numerator, field, r_size.saturating_mul(batch));
    let remainder = crate::error::call(py, op, || Buffer::allocate(device, bytes))?;
    let rest = remainder.span();
    let quotient = produce(py, op, None, room(numerator, field, q_size.saturating_mul(batch)), |out| {
        let (numerator, denominator) = (first.src(op, "numerator")?, second.src(op, "denominator")?);
        let rest = rest.dst(op, "r_out")?;
        polynomial::divide(field, n, numerator, m, denominator, &config, q_size, out, r_size, rest)
    })?;
    Ok((quotient, Bound::new(py, remainder)?))
}
