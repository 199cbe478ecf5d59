//! The group law, and Jacobian points, by which all forms multiply.

use super::affine::{Affine, Curve};
use super::naf::{TABLE, digits};
use crate::{Field, PrimeField};
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A form of points in which the group law is cheap: everything but [`Affine`].
pub trait Group:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Add<Affine<Self::Curve>, Output = Self>
    + Sub<Affine<Self::Curve>, Output = Self>
    + AddAssign<Affine<Self::Curve>>
    + SubAssign<Affine<Self::Curve>>
    + From<Affine<Self::Curve>>
    + From<Jacobian<Self::Curve>>
    + Into<Jacobian<Self::Curve>>
{
    /// The curve.
    type Curve: Curve;
    /// The neutral element.
    const NEUTRAL: Self;

    /// Whether this is the neutral element.
    fn is_neutral(&self) -> bool;
    /// `2·self`.
    fn double(self) -> Self;
    /// The affine coordinates, given the inverse of [`Group::denominator`].
    fn affine_with(self, inverse: <Self::Curve as Curve>::Base) -> Affine<Self::Curve>;
    /// What must be inverted to reach affine coordinates; zero for the neutral element.
    fn denominator(&self) -> <Self::Curve as Curve>::Base;
    /// Affine form, one inversion; `(0, 0)` for the neutral element. For many points use a
    /// [`Normalizer`](super::Normalizer).
    fn to_affine(self) -> Affine<Self::Curve> {
        match self.denominator().inverse() {
            Some(inverse) => self.affine_with(inverse),
            None => Affine::NEUTRAL,
        }
    }
    /// `words·self`, a little-endian integer of any length.
    fn times(self, words: &[u64]) -> Self {
        times(self.into(), words).into()
    }
    /// `scalar·self`.
    fn times_scalar(self, scalar: <Self::Curve as Curve>::Scalar) -> Self {
        self.times(&scalar.words()[..<Self::Curve as Curve>::Scalar::WORDS])
    }
}

/// The operator traits of a [`Group`] from its `sum`, `mixed_sum` and `negated` functions. Argument: the type's name.
macro_rules! group_operators {
    ($ty:ident) => {
        impl<C: Curve> std::ops::Add for $ty<C> {
            type Output = Self;
            #[inline]
            fn add(self, o: Self) -> Self {
                Self::sum(self, o)
            }
        }
        impl<C: Curve> std::ops::Add<Affine<C>> for $ty<C> {
            type Output = Self;
            #[inline]
            fn add(self, o: Affine<C>) -> Self {
                Self::mixed_sum(self, o)
            }
        }
        impl<C: Curve> std::ops::Neg for $ty<C> {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self::negated(self)
            }
        }
        impl<C: Curve> std::ops::Sub for $ty<C> {
            type Output = Self;
            #[inline]
            fn sub(self, o: Self) -> Self {
                self + (-o)
            }
        }
        impl<C: Curve> std::ops::Sub<Affine<C>> for $ty<C> {
            type Output = Self;
            #[inline]
            fn sub(self, o: Affine<C>) -> Self {
                self + (-o)
            }
        }
        impl<C: Curve> std::ops::AddAssign for $ty<C> {
            #[inline]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o
            }
        }
        impl<C: Curve> std::ops::AddAssign<Affine<C>> for $ty<C> {
            #[inline]
            fn add_assign(&mut self, o: Affine<C>) {
                *self = *self + o
            }
        }
        impl<C: Curve> std::ops::SubAssign for $ty<C> {
            #[inline]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o
            }
        }
        impl<C: Curve> std::ops::SubAssign<Affine<C>> for $ty<C> {
            #[inline]
            fn sub_assign(&mut self, o: Affine<C>) {
                *self = *self - o
            }
        }
        impl<C: Curve> Default for $ty<C> {
            fn default() -> Self {
                Self::NEUTRAL
            }
        }
    };
}
pub(super) use group_operators;

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

/// `words·point` by the width-5 non-adjacent form (Solinas, "Efficient arithmetic on Koblitz curves", 2000, §4).
fn times<C: Curve>(point: Jacobian<C>, words: &[u64]) -> Jacobian<C> {
    let digits = digits(words);
    if digits.is_empty() || point.is_neutral() {
        return Jacobian::NEUTRAL;
    }
    let twice = point.double();
    let mut table = [point; TABLE];
    for i in 1..TABLE {
        table[i] = table[i - 1] + twice;
    }
    let mut out = Jacobian::NEUTRAL;
    for &digit in digits.iter().rev() {
        out = out.double();
        if digit != 0 {
            let entry = table[digit.unsigned_abs() as usize / 2];
            out += if digit > 0 { entry } else { -entry };
        }
    }
    out
}
