//! Multi-scalar multiplication.
#![allow(clippy::too_many_arguments)] // as in vector.rs

use crate::buffer::{Buffer, produce};
use crate::error::{curve, exception};
use crate::group::Group;
use crate::stream::{Stream, launch};
use icicle::ops;
use icicle::ops::msm::MsmConfig;
use pyo3::prelude::*;

/// `batch` sums of `n` products; the result is `batch` projective points.
///
/// `montgomery` says of scalars and of points whether they are in Montgomery form; 0 for `c` and `bitsize` lets the
/// library choose. With a group all its devices work on it.
#[pyfunction]
#[pyo3(signature = (number, n, batch, scalars, points, shared, precompute, c, bitsize, montgomery, out=None, stream=None, group=None))]
pub(crate) fn msm<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    batch: usize,
    scalars: &Bound<'py, Buffer>,
    points: &Bound<'py, Buffer>,
    shared: bool,
    precompute: usize,
    c: u32,
    bitsize: u32,
    montgomery: (bool, bool),
    out: Option<Bound<'py, Buffer>>,
    stream: Option<&Bound<'py, Stream>>,
    group: Option<&Bound<'py, Group>>,
) -> PyResult<Bound<'py, Buffer>> {
    let (op, group) = ("msm", group.map(Bound::get));
    let curve = curve(op, number).map_err(|error| exception(py, &error))?;
    let config = MsmConfig {
        launch: launch(stream, false),
        precompute_factor: precompute,
        c,
        bitsize,
        batch,
        shared_points: shared,
        scalars_montgomery: montgomery.0,
        points_montgomery: montgomery.1,
    };
    let (first, second) = (scalars.get().span(), points.get().span());
    let bytes = batch.saturating_mul(3 * curve.info().base.info().bytes());
    produce(py, op, out, (points.get().on(), bytes), |out| {
        let (scalars, bases) = (first.src(op, "scalars")?, second.src(op, "bases")?);
        match group {
            None => ops::msm::msm(curve, n, scalars, bases, &config, out),
            Some(group) => ops::group::msm(&*group.get(op)?, curve, n, scalars, bases, &config, out),
        }
    })
}

/// `factor` multiples of each of `n` affine points, for `msm` with the same options.
#[pyfunction]
#[pyo3(signature = (number, n, points, factor, c, bitsize, montgomery, stream=None))]
pub(crate) fn msm_precompute<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    points: &Bound<'py, Buffer>,
    factor: usize,
    c: u32,
    bitsize: u32,
    montgomery: bool,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "msm_precompute_bases";
    let curve = curve(op, number).map_err(|error| exception(py, &error))?;
    let config = MsmConfig {
        launch: launch(stream, false),
        precompute_factor: factor,
        c,
        bitsize,
        points_montgomery: montgomery,
        ..MsmConfig::default()
    };
    let input = points.get().span();
    let bytes = n.saturating_mul(factor).saturating_mul(2 * curve.info().base.info().bytes());
    produce(py, op, None, (points.get().on(), bytes), |out| {
        ops::msm::precompute(curve, n, input.src(op, "input_bases")?, &config, out)
    })
}
