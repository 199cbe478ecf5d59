//! Curves, and affine points of them.

use crate::{Field, PrimeField};
use icicle_params::CurveId;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Neg;

/// A curve group of the table.
pub trait Curve: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// Field of the coordinates.
    type Base: Field;
    /// Field whose modulus is the order of the generator.
    type Scalar: PrimeField;
    /// Its row in the table.
    const ID: CurveId;
    /// The coefficient `b`.
    const B: Self::Base;
    /// The generator's coordinates.
    const GENERATOR: Affine<Self>;

    /// `3b·a`.
    #[inline(always)]
    fn times_3b(a: Self::Base) -> Self::Base {
        let product = Self::B * a;
        product.double() + product
    }
}

/// `(x, y)`; the neutral element is `(0, 0)`, which lies on no curve with `b ≠ 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Affine<C: Curve> {
    /// The coordinate x.
    pub x: C::Base,
    /// The coordinate y.
    pub y: C::Base,
}

impl<C: Curve> Affine<C> {
    /// The neutral element, `(0, 0)`.
    pub const NEUTRAL: Self = Self::new(<C::Base as Field>::ZERO, <C::Base as Field>::ZERO);

    /// From the coordinates, unchecked.
    pub const fn new(x: C::Base, y: C::Base) -> Self {
        Self { x, y }
    }
    /// Whether this is the neutral element.
    #[inline(always)]
    pub fn is_neutral(&self) -> bool {
        self.x.is_zero() && self.y.is_zero()
    }
    /// Whether the equation holds, or this is the neutral element.
    pub fn is_on_curve(&self) -> bool {
        self.is_neutral() || self.y.square() == self.x.square() * self.x + C::B
    }
    /// From the memory form; any bytes give some pair of coordinates.
    #[inline]
    pub fn from_raw(raw: [<C::Base as Field>::Raw; 2]) -> Self {
        Self::new(C::Base::from_raw(raw[0]), C::Base::from_raw(raw[1]))
    }
    /// To the memory form, canonical.
    #[inline]
    pub fn to_raw(self) -> [<C::Base as Field>::Raw; 2] {
        [self.x.to_raw(), self.y.to_raw()]
    }
    /// From the memory form if both coordinates are canonical and the point is on the curve (or neutral). Membership of
    /// the prime-order group is not checked.
    pub fn from_raw_checked(raw: [<C::Base as Field>::Raw; 2]) -> Option<Self> {
        let point = raw.iter().all(C::Base::is_canonical).then(|| Self::from_raw(raw))?;
        point.is_on_curve().then_some(point)
    }
    /// Both coordinates times an element of the prime field: to and from the boundary's Montgomery form.
    #[inline]
    pub fn scale(self, by: <C::Base as Field>::Prime) -> Self {
        Self::new(self.x.scale(by), self.y.scale(by))
    }
    /// `1/R` of the boundary's Montgomery form, for [`Affine::scale`] after [`Affine::from_raw`].
    pub fn montgomery_inverse() -> <C::Base as Field>::Prime {
        <C::Base as Field>::Prime::montgomery_factor().inverse().unwrap_or_default()
    }
}

impl<C: Curve> Neg for Affine<C> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(self.x, -self.y)
    }
}

impl<C: Curve> Default for Affine<C> {
    fn default() -> Self {
        Self::NEUTRAL
    }
}
