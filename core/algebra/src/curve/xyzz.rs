//! Points with separate denominators, the cheapest to add affine points to.

use super::affine::{Affine, Curve};
use super::jacobian::{Group, Jacobian, group_operators};
use crate::Field;

/// `x = X/ZZ`, `y = Y/ZZZ` with `ZZ³ = ZZZ²`; neutral where `ZZ = 0`. Equality is that of the points.
#[derive(Clone, Copy, Debug)]
pub struct Xyzz<C: Curve> {
    /// Numerator of x.
    pub x: C::Base,
    /// Numerator of y.
    pub y: C::Base,
    /// Denominator of x.
    pub zz: C::Base,
    /// Denominator of y.
    pub zzz: C::Base,
}

impl<C: Curve> Xyzz<C> {
    /// EFD `add-2008-s` (12M + 2S).
    #[inline]
    fn sum(a: Self, b: Self) -> Self {
        if a.is_neutral() {
            return b;
        }
        if b.is_neutral() {
            return a;
        }
        let (u1, u2) = (a.x * b.zz, b.x * a.zz);
        let (s1, s2) = (a.y * b.zzz, b.y * a.zzz);
        let (p, r) = (u2 - u1, s2 - s1);
        if p.is_zero() {
            return if r.is_zero() { a.double() } else { Self::NEUTRAL };
        }
        let pp = p.square();
        let ppp = p * pp;
        let q = u1 * pp;
        let x = r.square() - ppp - q.double();
        let y = r * (q - x) - s1 * ppp;
        Self { x, y, zz: a.zz * b.zz * pp, zzz: a.zzz * b.zzz * ppp }
    }
    /// EFD `madd-2008-s` (8M + 2S).
    #[inline]
    fn mixed_sum(a: Self, b: Affine<C>) -> Self {
        if a.is_neutral() {
            return b.into();
        }
        if b.is_neutral() {
            return a;
        }
        let (p, r) = (b.x * a.zz - a.x, b.y * a.zzz - a.y);
        if p.is_zero() {
            return if r.is_zero() { a.double() } else { Self::NEUTRAL };
        }
        let pp = p.square();
        let ppp = p * pp;
        let q = a.x * pp;
        let x = r.square() - ppp - q.double();
        let y = r * (q - x) - a.y * ppp;
        Self { x, y, zz: a.zz * pp, zzz: a.zzz * ppp }
    }
    fn negated(a: Self) -> Self {
        Self { y: -a.y, ..a }
    }
}

group_operators!(Xyzz);

impl<C: Curve> Group for Xyzz<C> {
    type Curve = C;
    const NEUTRAL: Self = Self { x: C::Base::ONE, y: C::Base::ONE, zz: C::Base::ZERO, zzz: C::Base::ZERO };

    #[inline(always)]
    fn is_neutral(&self) -> bool {
        self.zz.is_zero()
    }
    /// EFD `dbl-2008-s-1` with `a = 0` (6M + 3S); neutral stays so, and `y = 0` gives `ZZ = 0`.
    fn double(self) -> Self {
        let u = self.y.double();
        let v = u.square();
        let w = u * v;
        let s = self.x * v;
        let xx = self.x.square();
        let m = xx.double() + xx;
        let x = m.square() - s.double();
        let y = m * (s - x) - w * self.y;
        Self { x, y, zz: v * self.zz, zzz: w * self.zzz }
    }
    fn denominator(&self) -> C::Base {
        self.zzz
    }
    /// `1/ZZ = (ZZ/ZZZ)²`.
    fn affine_with(self, inverse: C::Base) -> Affine<C> {
        Affine::new(self.x * (self.zz * inverse).square(), self.y * inverse)
    }
}

impl<C: Curve> PartialEq for Xyzz<C> {
    fn eq(&self, other: &Self) -> bool {
        if self.is_neutral() || other.is_neutral() {
            return self.is_neutral() && other.is_neutral();
        }
        self.x * other.zz == other.x * self.zz && self.y * other.zzz == other.y * self.zzz
    }
}

impl<C: Curve> From<Affine<C>> for Xyzz<C> {
    #[inline]
    fn from(a: Affine<C>) -> Self {
        if a.is_neutral() { Self::NEUTRAL } else { Self { x: a.x, y: a.y, zz: C::Base::ONE, zzz: C::Base::ONE } }
    }
}

impl<C: Curve> From<Jacobian<C>> for Xyzz<C> {
    fn from(a: Jacobian<C>) -> Self {
        let zz = a.z.square();
        Self { x: a.x, y: a.y, zz, zzz: zz * a.z }
    }
}

impl<C: Curve> From<Xyzz<C>> for Jacobian<C> {
    /// With `Z = ZZ`: `X·ZZ / ZZ²` and `Y·ZZZ / ZZ³`, as `ZZ³ = ZZZ²`.
    fn from(a: Xyzz<C>) -> Self {
        Self { x: a.x * a.zz, y: a.y * a.zzz, z: a.zz }
    }
}
