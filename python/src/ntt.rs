//! Number-theoretic transforms of elements and of points, and their domains.
#![allow(clippy::too_many_arguments)] // as in vector.rs

use crate::buffer::{Buffer, produce};
use crate::device::DeviceLike;
use crate::error::{call, curve, exception, field};
use crate::stream::{Stream, launch};
use crate::vector::by_number;
use icicle::device::DeviceGuard;
use icicle::ops;
use icicle::ops::ntt::{Direction, NttConfig, Ordering};
use icicle::{Error, Launch, Result};
use pyo3::prelude::*;

/// A number of at most 96 bytes, little endian, as words.
fn words(op: &'static str, arg: &str, bytes: &[u8]) -> Result<[u64; 12]> {
    let mut out = [0; 12];
    if bytes.len() > 8 * out.len() {
        return Err(Error::argument(op, format!("{arg} of {} bytes: must have at most 96", bytes.len())));
    }
    for (i, &byte) in bytes.iter().enumerate() {
        out[i / 8] |= u64::from(byte) << (8 * (i % 8));
    }
    Ok(out)
}

fn bytes(words: [u64; 12]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn config(
    op: &'static str,
    batch: usize,
    columns: bool,
    ordering: &str,
    coset: Option<&[u8]>,
    launch: Launch,
) -> Result<NttConfig> {
    let ordering = match ordering {
        "nn" => Ordering::NaturalNatural,
        "nr" => Ordering::NaturalReversed,
        "rn" => Ordering::ReversedNatural,
        "rr" => Ordering::ReversedReversed,
        "nm" => Ordering::NaturalMixed,
        "mn" => Ordering::MixedNatural,
        _ => return Err(Error::argument(op, format!("ordering {ordering:?}: must be nn, nr, rn, rr, nm or mn"))),
    };
    let coset = coset.map(|bytes| words(op, "coset_gen", bytes)).transpose()?;
    Ok(NttConfig { launch, coset, batch, columns, ordering })
}

fn direction(inverse: bool) -> Direction {
    if inverse { Direction::Inverse } else { Direction::Forward }
}

/// Transform `batch` vectors of `n` elements; the coset generator is little-endian bytes.
#[pyfunction]
#[pyo3(signature = (number, n, batch, columns, x, inverse, ordering, coset=None, out=None, stream=None))]
pub(crate) fn ntt<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    x: &Bound<'py, Buffer>,
    inverse: bool,
    ordering: &str,
    coset: Option<&[u8]>,
    out: Option<Bound<'py, Buffer>>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let (op, field) = ("ntt", by_number(py, "ntt", number)?);
    let config = config(op, batch, columns, ordering, coset, launch(stream, false));
    let config = config.map_err(|error| exception(py, &error))?;
    let input = x.get().span();
    let bytes = n.saturating_mul(batch).saturating_mul(field.info().bytes());
    produce(py, op, out, (x.get().on(), bytes), |out| {
        ops::ntt::ntt(field, n, direction(inverse), &config, input.src(op, "input")?, out)
    })
}

/// As `ntt`, of projective points over the domain of the curve's scalar field.
#[pyfunction]
#[pyo3(signature = (number, n, batch, columns, x, inverse, ordering, coset=None, out=None, stream=None))]
pub(crate) fn ecntt<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    x: &Bound<'py, Buffer>,
    inverse: bool,
    ordering: &str,
    coset: Option<&[u8]>,
    out: Option<Bound<'py, Buffer>>,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "ecntt";
    let curve = curve(op, number).map_err(|error| exception(py, &error))?;
    let config = config(op, batch, columns, ordering, coset, launch(stream, false));
    let config = config.map_err(|error| exception(py, &error))?;
    let input = x.get().span();
    let bytes = n.saturating_mul(batch).saturating_mul(3 * curve.info().base.info().bytes());
    produce(py, op, out, (x.get().on(), bytes), |out| {
        ops::ntt::ecntt(curve, n, direction(inverse), &config, input.src(op, "input")?, out)
    })
}

/// Make a root's powers ready on a device; the root is little-endian bytes.
#[pyfunction]
pub(crate) fn init_domain(py: Python<'_>, number: i32, root: &[u8], device: DeviceLike) -> PyResult<()> {
    let op = "ntt_init_domain";
    call(py, op, || {
        let root = words(op, "primitive_root", root)?;
        let _current = DeviceGuard::new(device.0)?;
        ops::ntt::init_domain(field(op, number)?, root, &Launch::default())
    })
}

/// Forget a device's domain of a field.
#[pyfunction]
pub(crate) fn release_domain(py: Python<'_>, number: i32, device: DeviceLike) -> PyResult<()> {
    let op = "ntt_release_domain";
    call(py, op, || {
        let _current = DeviceGuard::new(device.0)?;
        ops::ntt::release_domain(field(op, number)?, &Launch::default())
    })
}

/// A primitive root of unity for domains of up to `size` elements, little-endian bytes.
#[pyfunction]
pub(crate) fn root_of_unity(py: Python<'_>, number: i32, size: u64) -> PyResult<Vec<u8>> {
    let op = "get_root_of_unity";
    call(py, op, || ops::ntt::root_of_unity(field(op, number)?, size).map(bytes))
}
