//! Arrays of curve points, one by one.
//!
//! Shapes: `n` points in memory form, one after another; an operand of two-operand functions may be a single point, or
//! scalar, which then stands for `n` of it. Encoding: canonical. Each operand and result is affine or projective as it
//! says; results are normalised, `(x, y)` or `(x, y, 1)`, and `(0, 0)` or `(0, 1, 0)` for the neutral element, so that
//! equal points have equal bytes on every device. Nothing checks that points are on the curve: what comes out for others
//! is unspecified.

pub use crate::args::point::{
    Binary, BinaryArgs, ConvertArgs, EqualArgs, PointForm, Points, PointsMut, ScalarMulArgs, UnaryArgs,
};

use crate::dispatch::on_device;
use icicle_device::check::{self, need_dst, need_src, same_or_disjoint};
use icicle_device::{Dst, Src};
use icicle_error::{Error, Result};
use icicle_params::CurveId;
use icicle_runtime::Launch;
use icicle_runtime::choose;

/// Check that an operand holds `n` points, or one for all of them.
fn need(op: &'static str, arg: &str, curve: CurveId, n: usize, points: &Points<'_>) -> Result<()> {
    need_or_one(op, arg, n, points.form.bytes(curve), &points.src)
}

fn need_or_one(op: &'static str, arg: &str, n: usize, bytes: usize, src: &Src<'_>) -> Result<()> {
    if src.bytes() == bytes { Ok(()) } else { need_src(op, arg, src, n, bytes) }
}

/// Check that a result has room for `n` points, and is no part of an operand.
fn need_out(
    op: &'static str,
    curve: CurveId,
    n: usize,
    out: &PointsMut<'_>,
    operands: &[(&str, Points<'_>)],
) -> Result<()> {
    need_dst(op, "output", &out.dst, n, out.form.bytes(curve))?;
    operands.iter().try_for_each(|(arg, points)| same_or_disjoint(op, arg, &out.dst, &points.src))
}

/// `out[i] = a[i] ± b[i]`.
///
/// `n` points each, or one for all, of any forms. `out` may be exactly `a` or `b`. With `n = 0` nothing is written.
///
/// # Errors
/// `InvalidArgument` for lengths that do not match or partial overlap, `InvalidPointer` for memory on another device.
pub fn binary(
    binary: Binary,
    curve: CurveId,
    n: usize,
    a: Points<'_>,
    b: Points<'_>,
    launch: &Launch,
    out: PointsMut<'_>,
) -> Result<()> {
    let op = binary.op();
    need(op, "points_a", curve, n, &a)?;
    need(op, "points_b", curve, n, &b)?;
    need_out(op, curve, n, &out, &[("points_a", a), ("points_b", b)])?;
    let exec = choose(op, launch, &[a.src.operand(), b.src.operand(), out.dst.operand()])?;
    on_device!(&exec, point::binary(&BinaryArgs { binary, curve, n, a, b, out }))
}

/// `out[i] = scalars[i]·points[i]`.
///
/// `n` scalars, or one for all, canonical elements of the curve's scalar field; `n` points, or one for all. `out` may be
/// exactly `points`. With `n = 0` nothing is written.
///
/// # Errors
/// As [`binary`]; `out` and `scalars` must be disjoint.
pub fn scalar_mul(
    curve: CurveId,
    n: usize,
    scalars: Src<'_>,
    points: Points<'_>,
    launch: &Launch,
    out: PointsMut<'_>,
) -> Result<()> {
    let op = "points_mul";
    need_or_one(op, "scalars", n, curve.info().scalar.info().bytes(), &scalars)?;
    need(op, "points", curve, n, &points)?;
    need_out(op, curve, n, &out, &[("points", points)])?;
    check::disjoint(op, "scalars", &out.dst, &scalars)?;
    let exec = choose(op, launch, &[scalars.operand(), points.src.operand(), out.dst.operand()])?;
    on_device!(&exec, point::scalar_mul(&ScalarMulArgs { curve, n, scalars, points, out }))
}

/// `out[i] = a[i]`, normalised and in the form of `out`: from projective to affine form, back, or to `Z = 1`.
///
/// `n` points each. `out` may be exactly `a`, of the same form.
///
/// # Errors
/// As [`binary`].
pub fn normalize(curve: CurveId, n: usize, a: Points<'_>, launch: &Launch, out: PointsMut<'_>) -> Result<()> {
    unary("points_normalize", false, curve, n, a, launch, out)
}

/// `out[i] = −a[i]`. Shapes and errors as [`normalize`].
pub fn negate(curve: CurveId, n: usize, a: Points<'_>, launch: &Launch, out: PointsMut<'_>) -> Result<()> {
    unary("points_negate", true, curve, n, a, launch, out)
}

fn unary(
    op: &'static str,
    negate: bool,
    curve: CurveId,
    n: usize,
    a: Points<'_>,
    launch: &Launch,
    out: PointsMut<'_>,
) -> Result<()> {
    need_src(op, "points", &a.src, n, a.form.bytes(curve))?;
    need_out(op, curve, n, &out, &[("points", a)])?;
    let exec = choose(op, launch, &[a.src.operand(), out.dst.operand()])?;
    on_device!(&exec, point::unary(&UnaryArgs { curve, n, negate, a, out }))
}

/// `out[i]` = 1 if `a[i]` and `b[i]` are the same group element, whatever their forms, else 0: `n` `u32`.
///
/// `n` points each, or one for all. The projective `(0, 0, 0)` is no point and equals nothing, itself included.
///
/// # Errors
/// As [`binary`]; `out` must be disjoint from both.
pub fn equal(curve: CurveId, n: usize, a: Points<'_>, b: Points<'_>, launch: &Launch, out: Dst<'_>) -> Result<()> {
    let op = "points_equal";
    need(op, "points_a", curve, n, &a)?;
    need(op, "points_b", curve, n, &b)?;
    need_dst(op, "output", &out, n, size_of::<u32>())?;
    check::disjoint(op, "points_a", &out, &a.src)?;
    check::disjoint(op, "points_b", &out, &b.src)?;
    let exec = choose(op, launch, &[a.src.operand(), b.src.operand(), out.operand()])?;
    on_device!(&exec, point::equal(&EqualArgs { curve, n, a, b, out }))
}

/// Convert every coordinate of `n` points to or from Montgomery form; in place allowed.
///
/// # Errors
/// `InvalidArgument` for lengths that do not match or partial overlap, `InvalidPointer` for memory on another device.
pub fn convert_montgomery(
    curve: CurveId,
    form: PointForm,
    n: usize,
    input: Src<'_>,
    to_montgomery: bool,
    launch: &Launch,
    out: Dst<'_>,
) -> Result<()> {
    let op = match form {
        PointForm::Affine => "affine_convert_montgomery",
        PointForm::Projective => "projective_convert_montgomery",
    };
    let bytes = form.bytes(curve);
    need_src(op, "input", &input, n, bytes)?;
    need_dst(op, "output", &out, n, bytes)?;
    same_or_disjoint(op, "input", &out, &input)?;
    let exec = choose(op, launch, &[input.operand(), out.operand()])?;
    let args = ConvertArgs { curve, form, n, to_montgomery, input, out };
    on_device!(&exec, point::convert_montgomery(&args))
}

/// Fill host memory with random points of the group of prime order: `s·G` for uniform `s` from the operating system's
/// seed.
///
/// Shape: any plain data, such as `u8`, `u32` or limbs, that a whole number of points fills. Encoding: memory form,
/// canonical, any alignment.
///
/// # Errors
/// `InvalidArgument` if `out` is no whole number of points, `Internal` if the system gives no entropy.
pub fn random<T: bytemuck::Pod>(curve: CurveId, form: PointForm, out: &mut [T]) -> Result<()> {
    let out: &mut [u8] = bytemuck::cast_slice_mut(out);
    let bytes = form.bytes(curve);
    if !out.len().is_multiple_of(bytes) {
        let detail = format!("output of {} bytes: must be a multiple of {bytes}", out.len());
        return Err(Error::argument("generate_points", detail));
    }
    crate::cpu::generate::points(curve, form, out)
}
