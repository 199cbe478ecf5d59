//! Arrays of curve points.

use super::{need_dst, need_src, same_or_disjoint};
use crate::device::{Dst, Exec, Launch, Src};
use crate::{CurveId, Error, Result};

/// How a point is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointForm {
    /// `x, y`; the neutral element is `(0, 0)`.
    Affine,
    /// Homogeneous `X, Y, Z` with `x = X/Z`, `y = Y/Z`; the neutral element is `(0, 1, 0)`.
    Projective,
}

impl PointForm {
    /// Coordinates per point.
    pub const fn coordinates(self) -> usize {
        match self {
            Self::Affine => 2,
            Self::Projective => 3,
        }
    }
}

/// Checked arguments of [`convert_montgomery`].
#[derive(Debug)]
pub struct ConvertArgs<'a> {
    /// Curve.
    pub curve: CurveId,
    /// How points are stored.
    pub form: PointForm,
    /// Points.
    pub n: usize,
    /// Multiply by R if true, divide if false.
    pub to_montgomery: bool,
    /// Input.
    pub input: Src<'a>,
    /// Output; may be exactly the input.
    pub out: Dst<'a>,
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
    let bytes = form.coordinates() * curve.info().base.info().bytes();
    need_src(op, "input", &input, n, bytes)?;
    need_dst(op, "output", &out, n, bytes)?;
    same_or_disjoint(op, "input", &out, &input)?;
    let exec = Exec::choose(op, launch, &[input.place(), out.place()])?;
    let args = ConvertArgs { curve, form, n, to_montgomery, input, out };
    exec.backend()?.ops().point_convert_montgomery(&exec, &args)
}

/// Fill host memory with random points of the group of prime order: `s·G` for uniform `s` from the operating system's
/// seed.
///
/// Encoding: memory form, canonical, any alignment.
///
/// # Errors
/// `InvalidArgument` if `out` is no whole number of points, `Internal` if the system gives no entropy.
pub fn random(curve: CurveId, form: PointForm, out: &mut [u8]) -> Result<()> {
    let bytes = form.coordinates() * curve.info().base.info().bytes();
    if !out.len().is_multiple_of(bytes) {
        let detail = format!("output of {} bytes: must be a multiple of {bytes}", out.len());
        return Err(Error::argument("generate_points", detail));
    }
    crate::cpu::generate::points(curve, form, out)
}
