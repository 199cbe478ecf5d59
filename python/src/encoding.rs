//! Checked decoding and random data, on the host.

use crate::buffer::{Buffer, host};
use crate::error::{call, curve, exception, field};
use icicle::device::{Dst, Src, transfer};
use icicle::ops::encoding::{self, COMPRESSED_BYTES};
use icicle::ops::random;
use icicle::reserve::filled;
use icicle::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A buffer's contents on the host, in words so that they are aligned.
fn words(op: &'static str, buffer: &Bound<'_, Buffer>) -> PyResult<Vec<u32>> {
    let span = buffer.get().span();
    call(buffer.py(), op, || {
        let src = span.src(op, "input")?;
        let mut words = filled(op, src.bytes() / 4, 0u32)?;
        transfer(Dst::from(&mut words), src).map(|()| words)
    })
}

/// Raise InvalidArgument, naming the first, if elements are not below the modulus.
#[pyfunction]
pub(crate) fn check_elements(py: Python<'_>, number: i32, n: usize, buffer: &Bound<'_, Buffer>) -> PyResult<()> {
    let words = words("check_elements", buffer)?;
    call(py, "check_elements", || encoding::check_elements(field("check_elements", number)?, n, (&words).into()))
}

/// Raise InvalidArgument, naming the first, if affine points are not on the curve.
#[pyfunction]
pub(crate) fn check_points(py: Python<'_>, number: i32, n: usize, buffer: &Bound<'_, Buffer>) -> PyResult<()> {
    let words = words("check_points", buffer)?;
    call(py, "check_points", || encoding::check_points(curve("check_points", number)?, n, (&words).into()))
}

/// Affine points of compressed ones.
#[pyfunction]
pub(crate) fn decompress(
    py: Python<'_>,
    number: i32,
    data: &Bound<'_, PyBytes>,
    out: &Bound<'_, Buffer>,
) -> PyResult<()> {
    let (data, out) = (data.as_bytes(), out.get().span());
    call(py, "decompress_points", || {
        let mut words = filled("decompress_points", data.len() / COMPRESSED_BYTES * (COMPRESSED_BYTES / 2), 0u32)?;
        encoding::decompress(curve("decompress_points", number)?, data, (&mut words).into())?;
        transfer(out.dst("decompress_points", "points")?, Src::from(&words))
    })
}

/// Projective points, compressed.
#[pyfunction]
pub(crate) fn compress<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    buffer: &Bound<'py, Buffer>,
) -> PyResult<Bound<'py, PyBytes>> {
    let words = words("compress_points", buffer)?;
    if n > words.len() {
        let detail = format!("{n} points: the buffer holds {} bytes", buffer.get().bytes());
        return Err(exception(py, &Error::argument("compress_points", detail)));
    }
    PyBytes::new_with(py, n.saturating_mul(COMPRESSED_BYTES), |out| {
        call(py, "compress_points", || encoding::compress(curve("compress_points", number)?, (&words).into(), out))
    })
}

/// Fill a buffer with uniform elements, from the operating system's entropy or a seed of 32 bytes.
#[pyfunction]
#[pyo3(signature = (number, out, seed=None))]
pub(crate) fn random_elements(
    py: Python<'_>,
    number: i32,
    out: &Bound<'_, Buffer>,
    seed: Option<[u8; 32]>,
) -> PyResult<()> {
    let out = out.get().span();
    call(py, "generate_random", || {
        let field = field("generate_random", number)?;
        fill(out, |bytes| match seed {
            None => random::field(field, bytes),
            Some(seed) => random::field_seeded(field, seed, bytes),
        })
    })
}

/// Make bytes on the host and copy them to a buffer.
pub(crate) fn fill(out: crate::buffer::Span<'_>, make: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<()> {
    let out = out.raw_dst("generate_random", "output")?;
    let mut bytes = filled("generate_random", out.bytes(), 0u8)?;
    make(&mut bytes)?;
    transfer(out, host(&bytes).raw_src())
}
