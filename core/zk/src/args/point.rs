//! How points lie in memory, and checked arguments of operations on arrays of them.

use icicle_device::{Dst, Src};
use icicle_params::CurveId;

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
    /// Bytes of a point in memory form.
    pub fn bytes(self, curve: CurveId) -> usize {
        self.coordinates() * curve.info().base.info().bytes()
    }
}

/// Points to read.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    /// How they are stored.
    pub form: PointForm,
    /// Where.
    pub src: Src<'a>,
}

/// Points to write.
#[derive(Debug)]
pub struct PointsMut<'a> {
    /// How they are stored.
    pub form: PointForm,
    /// Where.
    pub dst: Dst<'a>,
}

impl<'a> Points<'a> {
    /// `x, y` each.
    pub fn affine(src: impl Into<Src<'a>>) -> Self {
        Self { form: PointForm::Affine, src: src.into() }
    }
    /// `X, Y, Z` each.
    pub fn projective(src: impl Into<Src<'a>>) -> Self {
        Self { form: PointForm::Projective, src: src.into() }
    }
}

impl<'a> PointsMut<'a> {
    /// `x, y` each.
    pub fn affine(dst: impl Into<Dst<'a>>) -> Self {
        Self { form: PointForm::Affine, dst: dst.into() }
    }
    /// `X, Y, Z` each.
    pub fn projective(dst: impl Into<Dst<'a>>) -> Self {
        Self { form: PointForm::Projective, dst: dst.into() }
    }
}

/// A sum or a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Binary {
    Add,
    Sub,
}

impl Binary {
    /// The operation's name.
    pub(crate) fn op(self) -> &'static str {
        match self {
            Self::Add => "points_add",
            Self::Sub => "points_sub",
        }
    }
}

/// Checked arguments of [`binary`](crate::point::binary).
#[derive(Debug)]
pub struct BinaryArgs<'a> {
    /// Which.
    pub(crate) binary: Binary,
    /// Curve.
    pub(crate) curve: CurveId,
    /// Results.
    pub(crate) n: usize,
    /// First operand: `n` points or one.
    pub(crate) a: Points<'a>,
    /// Second operand: `n` points or one.
    pub(crate) b: Points<'a>,
    /// Result; may be exactly an operand of the same form and length.
    pub(crate) out: PointsMut<'a>,
}

/// Checked arguments of [`scalar_mul`](crate::point::scalar_mul).
#[derive(Debug)]
pub struct ScalarMulArgs<'a> {
    /// Curve.
    pub(crate) curve: CurveId,
    /// Results.
    pub(crate) n: usize,
    /// `n` elements of the scalar field or one, disjoint from `out`.
    pub(crate) scalars: Src<'a>,
    /// `n` points or one.
    pub(crate) points: Points<'a>,
    /// Result; may be exactly `points`.
    pub(crate) out: PointsMut<'a>,
}

/// Checked arguments of [`normalize`](crate::point::normalize) and [`negate`](crate::point::negate).
#[derive(Debug)]
pub struct UnaryArgs<'a> {
    /// Curve.
    pub(crate) curve: CurveId,
    /// Points.
    pub(crate) n: usize,
    /// Change signs.
    pub(crate) negate: bool,
    /// Operand.
    pub(crate) a: Points<'a>,
    /// Result; may be exactly `a`.
    pub(crate) out: PointsMut<'a>,
}

/// Checked arguments of [`equal`](crate::point::equal).
#[derive(Debug)]
pub struct EqualArgs<'a> {
    /// Curve.
    pub(crate) curve: CurveId,
    /// Results.
    pub(crate) n: usize,
    /// First operand: `n` points or one.
    pub(crate) a: Points<'a>,
    /// Second operand: `n` points or one.
    pub(crate) b: Points<'a>,
    /// `n` `u32`, disjoint from the operands.
    pub(crate) out: Dst<'a>,
}

/// Checked arguments of [`convert_montgomery`](crate::point::convert_montgomery).
#[derive(Debug)]
pub struct ConvertArgs<'a> {
    /// Curve.
    pub(crate) curve: CurveId,
    /// How points are stored.
    pub(crate) form: PointForm,
    /// Points.
    pub(crate) n: usize,
    /// Multiply by R if true, divide if false.
    pub(crate) to_montgomery: bool,
    /// Input.
    pub(crate) input: Src<'a>,
    /// Output; may be exactly the input.
    pub(crate) out: Dst<'a>,
}
