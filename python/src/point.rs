//! Points one by one: the group law, forms, equality, on CPU devices.
//!
//! Devices without a host's arithmetic get `Unsupported`: sums of many points are multi-scalar multiplications.

use crate::buffer::{Buffer, Span, produce};
use crate::encoding::fill;
use crate::error::{call, curve, exception};
use crate::stream::{Stream, launch};
use icicle::algebra::Field;
use icicle::algebra::curve::{Affine, Curve, Group, Projective, normalize};
use icicle::device::{Dst, Place, Src, transfer};
use icicle::ops::point::{self, PointForm};
use icicle::{CurveId, Error, Result, with_curve};
use pyo3::prelude::*;

const OP: &str = "point_arithmetic";

fn form(projective: bool) -> PointForm {
    if projective { PointForm::Projective } else { PointForm::Affine }
}

/// The words of operands of the host, a copy.
fn words(span: Span<'_>) -> Result<Vec<u32>> {
    let src: Src<'_> = span.src(OP, "operand")?;
    if let Place::Device(device) = src.place()
        && device.kind != icicle::DeviceKind::Cpu
    {
        let detail = format!("not offered by {device}: copy the points to a CPU device, or use msm");
        return Err(Error::unsupported(OP, detail));
    }
    let mut words = vec![0u32; src.bytes() / 4];
    transfer(Dst::from(&mut words), src).map(|()| words)
}

/// Elements in memory form from words.
fn elements<T: bytemuck::Pod>(words: &[u32]) -> Vec<T> {
    bytemuck::cast_slice::<u32, u8>(words).chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

type Raw<C> = <<C as Curve>::Base as Field>::Raw;

/// Points of either form.
fn read<C: Curve>(projective: bool, span: Span<'_>) -> Result<Vec<Projective<C>>> {
    let words = words(span)?;
    Ok(match projective {
        true => elements::<[Raw<C>; 3]>(&words).into_iter().map(Projective::from_raw).collect(),
        false => elements::<[Raw<C>; 2]>(&words).into_iter().map(|raw| Affine::from_raw(raw).into()).collect(),
    })
}

/// Write points as projective ones with `Z = 1`, so that equal points have equal bytes; or as affine ones.
fn write<C: Curve>(points: &[Projective<C>], projective: bool, out: Dst<'_>) -> Result<()> {
    let mut affine = vec![Affine::NEUTRAL; points.len()];
    normalize(points, &mut affine);
    match projective {
        true => {
            let raw: Vec<_> = affine.iter().map(|&point| Projective::from(point).to_raw()).collect();
            transfer(out, Src::from(&raw))
        }
        false => {
            let raw: Vec<_> = affine.iter().map(|point| point.to_raw()).collect();
            transfer(out, Src::from(&raw))
        }
    }
}

fn by_number(py: Python<'_>, number: i32) -> PyResult<CurveId> {
    curve(OP, number).map_err(|error| exception(py, &error))
}

/// Bytes of `n` points.
fn bytes(curve: CurveId, projective: bool, n: usize) -> usize {
    n.saturating_mul(form(projective).coordinates() * curve.info().base.info().bytes())
}

/// Check lengths and devices of two operands.
fn pair(what: &str, a: usize, b: usize, devices: [&Bound<'_, Buffer>; 2]) -> Result<()> {
    let [first, second] = devices.map(|buffer| buffer.get().on());
    if first != second {
        return Err(Error::pointer(OP, format!("memory on {second}: the call runs on {first}; copy it there first")));
    }
    if a != b {
        return Err(Error::argument(OP, format!("{what} hold {a} and {b} elements: must be equally many")));
    }
    Ok(())
}

/// Sums, or differences, of points as projective points; each operand is a buffer and whether it is projective.
#[pyfunction]
pub(crate) fn point_binary<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    negate: bool,
    a: (Bound<'py, Buffer>, bool),
    b: (Bound<'py, Buffer>, bool),
) -> PyResult<Bound<'py, Buffer>> {
    let curve = by_number(py, number)?;
    pair("points", n, n, [&a.0, &b.0]).map_err(|error| exception(py, &error))?;
    let (first, second) = (a.0.get().span(), b.0.get().span());
    let (first_form, second_form) = (a.1, b.1);
    produce(py, OP, None, (a.0.get().on(), bytes(curve, true, n)), |out| {
        with_curve!(curve, C => {
            let (x, y) = (read::<C>(first_form, first)?, read::<C>(second_form, second)?);
            if x.len() != n || y.len() != n {
                return Err(Error::argument(OP, format!("points hold {} and {} elements: need {n}", x.len(), y.len())));
            }
            let sums: Vec<_> = x.iter().zip(&y).map(|(&x, &y)| if negate { x - y } else { x + y }).collect();
            write(&sums, true, out)
        })
    })
}

/// Scalars times points, one by one, as projective points.
#[pyfunction]
pub(crate) fn point_scale<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    scalars: &Bound<'py, Buffer>,
    points: (Bound<'py, Buffer>, bool),
) -> PyResult<Bound<'py, Buffer>> {
    let curve = by_number(py, number)?;
    pair("scalars and points", n, n, [&points.0, scalars]).map_err(|error| exception(py, &error))?;
    let (first, second, projective) = (scalars.get().span(), points.0.get().span(), points.1);
    produce(py, OP, None, (points.0.get().on(), bytes(curve, true, n)), |out| {
        with_curve!(curve, C => {
            type S = <C as Curve>::Scalar;
            let scalars: Vec<S> = elements(&words(first)?).into_iter().map(S::from_raw).collect();
            let points = read::<C>(projective, second)?;
            if scalars.len() != n || points.len() != n {
                let detail = format!("{} scalars and {} points: need {n}", scalars.len(), points.len());
                return Err(Error::argument(OP, detail));
            }
            let products: Vec<_> = scalars.iter().zip(points).map(|(&s, point)| point.times_scalar(s)).collect();
            write(&products, true, out)
        })
    })
}

/// Whether points are pairwise the same group elements.
#[pyfunction]
pub(crate) fn point_equal(
    py: Python<'_>,
    number: i32,
    a: (Bound<'_, Buffer>, bool),
    b: (Bound<'_, Buffer>, bool),
) -> PyResult<bool> {
    let curve = by_number(py, number)?;
    pair("points", 0, 0, [&a.0, &b.0]).map_err(|error| exception(py, &error))?;
    let (first, second) = (a.0.get().span(), b.0.get().span());
    let (first_form, second_form) = (a.1, b.1);
    call(py, OP, || with_curve!(curve, C => Ok(read::<C>(first_form, first)? == read::<C>(second_form, second)?)))
}

/// Points of one form in the other (or the same, with `Z = 1`).
#[pyfunction]
pub(crate) fn point_convert<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    points: (Bound<'py, Buffer>, bool),
    to_projective: bool,
) -> PyResult<Bound<'py, Buffer>> {
    let curve = by_number(py, number)?;
    let (span, projective) = (points.0.get().span(), points.1);
    produce(
        py,
        OP,
        None,
        (points.0.get().on(), bytes(curve, to_projective, n)),
        |out| with_curve!(curve, C => write(&read::<C>(projective, span)?, to_projective, out)),
    )
}

/// Coordinates to Montgomery form, or back.
#[pyfunction]
#[pyo3(signature = (number, n, points, to_montgomery, stream=None))]
pub(crate) fn point_convert_montgomery<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    points: (Bound<'py, Buffer>, bool),
    to_montgomery: bool,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "point_convert_montgomery";
    let curve = by_number(py, number)?;
    let (span, projective) = (points.0.get().span(), points.1);
    let launch = launch(stream, false);
    produce(py, op, None, (points.0.get().on(), bytes(curve, projective, n)), |out| {
        point::convert_montgomery(curve, form(projective), n, span.src(op, "input")?, to_montgomery, &launch, out)
    })
}

/// The generator, an affine point, into a buffer.
#[pyfunction]
pub(crate) fn generator(py: Python<'_>, number: i32, out: &Bound<'_, Buffer>) -> PyResult<()> {
    let span = out.get().span();
    call(py, OP, || {
        with_curve!(curve(OP, number)?, C => {
            transfer(span.dst(OP, "output")?, Src::from(&[C::GENERATOR.to_raw()][..]))
        })
    })
}

/// Fill a buffer with random points of the group of prime order.
#[pyfunction]
pub(crate) fn random_points(py: Python<'_>, number: i32, projective: bool, out: &Bound<'_, Buffer>) -> PyResult<()> {
    let span = out.get().span();
    call(py, "generate_points", || {
        let curve = curve("generate_points", number)?;
        fill(span, |bytes| point::random(curve, form(projective), bytes))
    })
}
