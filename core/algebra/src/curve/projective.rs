//! Homogeneous points, the form of results at the boundary.

use super::affine::{Affine, Curve};
use super::jacobian::{Group, Jacobian, group_operators};
use super::xyzz::Xyzz;
use crate::Field;

/// `x = X/Z`, `y = Y/Z`; the neutral element is `(0, 1, 0)`.
///
/// Equality is ICICLE's: that of the points, but `(0, 0, 0)`, which is no point, equals nothing, itself included.
#[derive(Clone, Copy, Debug)]
pub struct Projective<C: Curve> {
    /// Numerator of x.
    pub x: C::Base,
    /// Numerator of y.
    pub y: C::Base,
    /// The denominator.
    pub z: C::Base,
}

impl<C: Curve> Projective<C> {
    /// EFD `add-1998-cmo-2` (12M + 2S).
    fn sum(a: Self, b: Self) -> Self {
        if a.is_neutral() {
            return b;
        }
        if b.is_neutral() {
            return a;
        }
        let (y1z2, x1z2) = (a.y * b.z, a.x * b.z);
        let (u, v) = (b.y * a.z - y1z2, b.x * a.z - x1z2);
        a.chord(u, v, x1z2, y1z2, a.z * b.z)
    }
    /// EFD `madd-1998-cmo` (9M + 2S).
    fn mixed_sum(a: Self, b: Affine<C>) -> Self {
        if a.is_neutral() {
            return b.into();
        }
        if b.is_neutral() {
            return a;
        }
        let (u, v) = (b.y * a.z - a.y, b.x * a.z - a.x);
        a.chord(u, v, a.x, a.y, a.z)
    }
    /// The sum of `self` and another point over the common denominator `zz`: `self = (x1, y1, zz)`, slope `u/v`.
    #[inline(always)]
    fn chord(self, u: C::Base, v: C::Base, x1: C::Base, y1: C::Base, zz: C::Base) -> Self {
        if v.is_zero() {
            return if u.is_zero() { self.double() } else { Self::NEUTRAL };
        }
        let vv = v.square();
        let vvv = v * vv;
        let r = vv * x1;
        let a = u.square() * zz - vvv - r.double();
        Self { x: v * a, y: u * (r - a) - vvv * y1, z: vvv * zz }
    }
    fn negated(a: Self) -> Self {
        Self { y: -a.y, ..a }
    }
    /// From the memory form; any bytes give some coordinates.
    #[inline]
    pub fn from_raw(raw: [<C::Base as Field>::Raw; 3]) -> Self {
        let [x, y, z] = raw.map(C::Base::from_raw);
        Self { x, y, z }
    }
    /// To the memory form, canonical coordinates.
    #[inline]
    pub fn to_raw(self) -> [<C::Base as Field>::Raw; 3] {
        [self.x, self.y, self.z].map(C::Base::to_raw)
    }
    /// `b·y²·z = …`: whether the homogeneous equation holds and this is a point at all.
    pub fn is_on_curve(&self) -> bool {
        if self.is_neutral() {
            return self.x.is_zero() && !self.y.is_zero();
        }
        let zz = self.z.square();
        self.y.square() * self.z == self.x.square() * self.x + C::B * zz * self.z
    }
    /// Whether this is `(0, 0, 0)`.
    fn is_no_point(&self) -> bool {
        self.x.is_zero() && self.y.is_zero() && self.z.is_zero()
    }
}

group_operators!(Projective);

impl<C: Curve> Group for Projective<C> {
    type Curve = C;
    const NEUTRAL: Self = Self { x: C::Base::ZERO, y: C::Base::ONE, z: C::Base::ZERO };

    #[inline(always)]
    fn is_neutral(&self) -> bool {
        self.z.is_zero()
    }
    /// Renes, Costello, Batina, "Complete addition formulas for prime order elliptic curves",
    /// <https://eprint.iacr.org/2015/1060>, algorithm 9 (6M + 2S + one product with 3b); right for every point.
    fn double(self) -> Self {
        let yy = self.y.square();
        let yy8 = yy.double().double().double();
        let yz = self.y * self.z;
        let bzz3 = C::times_3b(self.z.square());
        let x3 = bzz3 * yy8;
        let sum = yy + bzz3;
        let difference = yy - (bzz3.double() + bzz3);
        let xy = self.x * self.y;
        Self { x: (difference * xy).double(), y: difference * sum + x3, z: yz * yy8 }
    }
    fn denominator(&self) -> C::Base {
        self.z
    }
    fn affine_with(self, inverse: C::Base) -> Affine<C> {
        Affine::new(self.x * inverse, self.y * inverse)
    }
}

impl<C: Curve> PartialEq for Projective<C> {
    fn eq(&self, other: &Self) -> bool {
        !self.is_no_point()
            && !other.is_no_point()
            && self.x * other.z == other.x * self.z
            && self.y * other.z == other.y * self.z
    }
}

impl<C: Curve> From<Affine<C>> for Projective<C> {
    fn from(a: Affine<C>) -> Self {
        if a.is_neutral() { Self::NEUTRAL } else { Self { x: a.x, y: a.y, z: C::Base::ONE } }
    }
}

impl<C: Curve> From<Jacobian<C>> for Projective<C> {
    fn from(a: Jacobian<C>) -> Self {
        if a.is_neutral() {
            return Self::NEUTRAL;
        }
        Self { x: a.x * a.z, y: a.y, z: a.z.square() * a.z }
    }
}

impl<C: Curve> From<Xyzz<C>> for Projective<C> {
    fn from(a: Xyzz<C>) -> Self {
        if a.is_neutral() {
            return Self::NEUTRAL;
        }
        Self { x: a.x * a.zzz, y: a.y * a.zz, z: a.zz * a.zzz }
    }
}

impl<C: Curve> From<Projective<C>> for Jacobian<C> {
    fn from(a: Projective<C>) -> Self {
        Self { x: a.x * a.z, y: a.y * a.z.square(), z: a.z }
    }
}
