//! Jacobian points.

use super::{Affine, Curve, Group, Projective, group_operators};
use crate::Field;

/// `x = X/Z²`, `y = Y/Z³`; neutral where `Z = 0`. Equality is that of the points.
#[derive(Clone, Copy, Debug)]
pub struct Jacobian<C: Curve> {
    /// Numerator of x.
    pub x: C::Base,
    /// Numerator of y.
    pub y: C::Base,
    /// Square and cube of this are the denominators.
    pub z: C::Base,
}

impl<C: Curve> Jacobian<C> {
    /// EFD `add-2007-bl` (11M + 5S).
    fn sum(a: Self, b: Self) -> Self {
        if a.is_neutral() {
            return b;
        }
        if b.is_neutral() {
            return a;
        }
        let (z1z1, z2z2) = (a.z.square(), b.z.square());
        let (u1, u2) = (a.x * z2z2, b.x * z1z1);
        let (s1, s2) = (a.y * b.z * z2z2, b.y * a.z * z1z1);
        let (h, half_r) = (u2 - u1, s2 - s1);
        if h.is_zero() {
            return if half_r.is_zero() { a.double() } else { Self::NEUTRAL };
        }
        let i = h.double().square();
        let j = h * i;
        let r = half_r.double();
        let v = u1 * i;
        let x = r.square() - j - v.double();
        let y = r * (v - x) - (s1 * j).double();
        let z = ((a.z + b.z).square() - z1z1 - z2z2) * h;
        Self { x, y, z }
    }
    /// EFD `madd-2007-bl` (7M + 4S).
    fn mixed_sum(a: Self, b: Affine<C>) -> Self {
        if a.is_neutral() {
            return b.into();
        }
        if b.is_neutral() {
            return a;
        }
        let z1z1 = a.z.square();
        let u2 = b.x * z1z1;
        let s2 = b.y * a.z * z1z1;
        let (h, half_r) = (u2 - a.x, s2 - a.y);
        if h.is_zero() {
            return if half_r.is_zero() { a.double() } else { Self::NEUTRAL };
        }
        let hh = h.square();
        let i = hh.double().double();
        let j = h * i;
        let r = half_r.double();
        let v = a.x * i;
        let x = r.square() - j - v.double();
        let y = r * (v - x) - (a.y * j).double();
        let z = (a.z + h).square() - z1z1 - hh;
        Self { x, y, z }
    }
    fn negated(a: Self) -> Self {
        Self { y: -a.y, ..a }
    }
}

group_operators!(Jacobian);

impl<C: Curve> Group for Jacobian<C> {
    type Curve = C;
    const NEUTRAL: Self = Self { x: C::Base::ONE, y: C::Base::ONE, z: C::Base::ZERO };

    #[inline(always)]
    fn is_neutral(&self) -> bool {
        self.z.is_zero()
    }
    /// EFD `dbl-2009-l` (2M + 5S); neutral stays so, and `y = 0` gives `Z = 0`.
    fn double(self) -> Self {
        let a = self.x.square();
        let b = self.y.square();
        let c = b.square();
        let d = ((self.x + b).square() - a - c).double();
        let e = a.double() + a;
        let x = e.square() - d.double();
        let y = e * (d - x) - c.double().double().double();
        let z = (self.y * self.z).double();
        Self { x, y, z }
    }
    fn denominator(&self) -> C::Base {
        self.z
    }
    fn affine_with(self, inverse: C::Base) -> Affine<C> {
        let square = inverse.square();
        Affine::new(self.x * square, self.y * square * inverse)
    }
}

impl<C: Curve> PartialEq for Jacobian<C> {
    fn eq(&self, other: &Self) -> bool {
        if self.is_neutral() || other.is_neutral() {
            return self.is_neutral() && other.is_neutral();
        }
        let (zz, other_zz) = (self.z.square(), other.z.square());
        self.x * other_zz == other.x * zz && self.y * other_zz * other.z == other.y * zz * self.z
    }
}

impl<C: Curve> From<Affine<C>> for Jacobian<C> {
    fn from(a: Affine<C>) -> Self {
        if a.is_neutral() { Self::NEUTRAL } else { Self { x: a.x, y: a.y, z: C::Base::ONE } }
    }
}

impl<C: Curve> From<Projective<C>> for Jacobian<C> {
    fn from(a: Projective<C>) -> Self {
        Self { x: a.x * a.z, y: a.y * a.z.square(), z: a.z }
    }
}
