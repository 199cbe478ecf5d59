//! Arrays of points, one by one: the group law, forms, equality. An operand of one point, or scalar, stands for all.

use crate::buffer::{Buffer, Span, produce};
use crate::encoding::fill;
use crate::error::{call, curve, exception};
use crate::stream::{Stream, launch};
use icicle::algebra::curve::Curve;
use icicle::device::{Dst, Launch, Src, transfer};
use icicle::ops::point::{self, Binary, PointForm, Points, PointsMut};
use icicle::reserve::filled;
use icicle::{CurveId, Result, with_curve};
use pyo3::prelude::*;

/// A buffer, and whether its points are projective.
type Operand<'py> = (Bound<'py, Buffer>, bool);

fn form(projective: bool) -> PointForm {
    if projective { PointForm::Projective } else { PointForm::Affine }
}

fn points<'a>(op: &'static str, arg: &str, (span, projective): (Span<'a>, bool)) -> Result<Points<'a>> {
    Ok(Points { form: form(projective), src: span.src(op, arg)? })
}

fn projective(dst: Dst<'_>) -> PointsMut<'_> {
    PointsMut { form: PointForm::Projective, dst }
}

/// For the time of a call.
fn span<'a>((buffer, projective): &'a Operand<'_>) -> (Span<'a>, bool) {
    (buffer.get().span(), *projective)
}

fn by_number(py: Python<'_>, op: &'static str, number: i32) -> PyResult<CurveId> {
    curve(op, number).map_err(|error| exception(py, &error))
}

/// Bytes of `n` points.
fn bytes(curve: CurveId, projective: bool, n: usize) -> usize {
    n.saturating_mul(form(projective).bytes(curve))
}

/// Sums, or differences, of points as projective points.
#[pyfunction]
pub(crate) fn point_binary<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    negate: bool,
    a: Operand<'py>,
    b: Operand<'py>,
) -> PyResult<Bound<'py, Buffer>> {
    let (op, binary) = if negate { ("points_sub", Binary::Sub) } else { ("points_add", Binary::Add) };
    let curve = by_number(py, op, number)?;
    let (first, second) = (span(&a), span(&b));
    produce(py, op, None, (a.0.get().on(), bytes(curve, true, n)), |out| {
        let (a, b) = (points(op, "points_a", first)?, points(op, "points_b", second)?);
        point::binary(binary, curve, n, a, b, &Launch::default(), projective(out))
    })
}

/// Scalars times points, one by one, as projective points.
#[pyfunction]
pub(crate) fn point_scale<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    scalars: &Bound<'py, Buffer>,
    factors: Operand<'py>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "points_mul";
    let curve = by_number(py, op, number)?;
    let (scalars, second) = (scalars.get().span(), span(&factors));
    produce(py, op, None, (factors.0.get().on(), bytes(curve, true, n)), |out| {
        let (scalars, points) = (scalars.src(op, "scalars")?, points(op, "points", second)?);
        point::scalar_mul(curve, n, scalars, points, &Launch::default(), projective(out))
    })
}

/// The points with the other sign, as projective points.
#[pyfunction]
pub(crate) fn point_negate<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    operand: Operand<'py>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "points_negate";
    let curve = by_number(py, op, number)?;
    let first = span(&operand);
    produce(py, op, None, (operand.0.get().on(), bytes(curve, true, n)), |out| {
        point::negate(curve, n, points(op, "points", first)?, &Launch::default(), projective(out))
    })
}

/// Whether `n` points are pairwise the same group elements.
#[pyfunction]
pub(crate) fn point_equal(py: Python<'_>, number: i32, n: usize, a: Operand<'_>, b: Operand<'_>) -> PyResult<bool> {
    let op = "points_equal";
    let curve = by_number(py, op, number)?;
    let (first, second) = (span(&a), span(&b));
    call(py, op, || {
        let mut same = filled(op, n, 0u32)?;
        let (a, b) = (points(op, "points_a", first)?, points(op, "points_b", second)?);
        point::equal(curve, n, a, b, &Launch::default(), Dst::from(&mut same))?;
        Ok(same.iter().all(|&same| same == 1))
    })
}

/// Points of one form in the other (or the same, with `Z = 1`).
#[pyfunction]
#[pyo3(signature = (number, n, operand, to_projective, stream=None))]
pub(crate) fn point_convert<'py>(
    py: Python<'py>,
    number: i32,
    n: usize,
    operand: Operand<'py>,
    to_projective: bool,
    stream: Option<&Bound<'py, Stream>>,
) -> PyResult<Bound<'py, Buffer>> {
    let op = "points_normalize";
    let curve = by_number(py, op, number)?;
    let (first, launch) = (span(&operand), launch(stream, false));
    produce(py, op, None, (operand.0.get().on(), bytes(curve, to_projective, n)), |dst| {
        let out = PointsMut { form: form(to_projective), dst };
        point::normalize(curve, n, points(op, "points", first)?, &launch, out)
    })
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
    let curve = by_number(py, op, number)?;
    let (span, projective) = (points.0.get().span(), points.1);
    let launch = launch(stream, false);
    produce(py, op, None, (points.0.get().on(), bytes(curve, projective, n)), |out| {
        point::convert_montgomery(curve, form(projective), n, span.src(op, "input")?, to_montgomery, &launch, out)
    })
}

/// The generator, an affine point, into a buffer.
#[pyfunction]
pub(crate) fn generator(py: Python<'_>, number: i32, out: &Bound<'_, Buffer>) -> PyResult<()> {
    let (op, span) = ("generator", out.get().span());
    call(py, op, || {
        with_curve!(curve(op, number)?, C => {
            transfer(span.dst(op, "output")?, Src::from(&[C::GENERATOR.to_raw()][..]))
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
