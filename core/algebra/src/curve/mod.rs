//! Curve groups `y² = x³ + b` and their point forms.
//!
//! [`Affine`] is the form of bases; [`Projective`] (homogeneous) is what crosses the boundary; [`Jacobian`] doubles
//! fastest and [`Xyzz`] adds affine points fastest. Every formula treats neutral, equal and opposite operands explicitly,
//! so all of them hold for every pair of points, points of order 2 outside the prime-order group included.
//! Formula names are those of the Explicit-Formulas Database, <https://hyperelliptic.org/EFD/g1p/auto-shortw.html>.

mod affine;
mod jacobian;
pub(crate) mod pair;
pub mod pairs;
mod projective;
mod scalar_mul;
mod xyzz;

pub use affine::{Affine, Normalizer};
pub use jacobian::Jacobian;
pub use projective::Projective;
pub use xyzz::Xyzz;

use super::extension::{NonResidue, Quadratic};
use super::fields;
use super::fp::Fp;
use super::{Field, PrimeField};
use icicle_params::CurveId;
use icicle_params::{Prime, curve::Coordinate};
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

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
    /// Affine form, one inversion; `(0, 0)` for the neutral element. For many points use a [`Normalizer`].
    fn to_affine(self) -> Affine<Self::Curve> {
        match self.denominator().inverse() {
            Some(inverse) => self.affine_with(inverse),
            None => Affine::NEUTRAL,
        }
    }
    /// `words·self`, a little-endian integer of any length.
    fn times(self, words: &[u64]) -> Self {
        scalar_mul::times(self.into(), words).into()
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
use group_operators;

/// A coordinate of the table over a prime field.
const fn prime<P: Prime<N>, const N: usize>(coordinate: Coordinate) -> Fp<P, N> {
    let mut limbs = [0u64; N];
    let mut i = 0;
    while i < N {
        limbs[i] = coordinate[0][i];
        i += 1;
    }
    Fp::from_canonical(limbs)
}

/// A coordinate of the table over a quadratic extension.
const fn quadratic<P: Prime<N>, const N: usize, W: NonResidue<Fp<P, N>>>(c: Coordinate) -> Quadratic<Fp<P, N>, W> {
    Quadratic::new(prime([c[0], [0; 12]]), prime([c[1], [0; 12]]))
}

/// Declare the marker types under the names of [`CurveId`], and [`with_curve!`](crate::with_curve).
/// Arguments: name, base field, scalar field, and how a coordinate of the table becomes an element.
macro_rules! curve_types {
    ($($name:ident $base:ident $scalar:ident $coordinate:ident;)*) => {
        $(
            #[doc = concat!("The group [`CurveId::", stringify!($name), "`].")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $name;
            impl Curve for $name {
                type Base = fields::$base;
                type Scalar = fields::$scalar;
                const ID: CurveId = CurveId::$name;
                const B: Self::Base = $coordinate(CurveId::$name.info().b);
                const GENERATOR: Affine<Self> =
                    Affine::new($coordinate(CurveId::$name.info().x), $coordinate(CurveId::$name.info().y));
            }
        )*
    };
}

curve_types! {
    Bn254 Bn254Base Bn254Scalar prime;
    Bn254G2 Bn254G2Base Bn254Scalar quadratic;
    Bls12_381 Bls12_381Base Bls12_381Scalar prime;
    Bls12_381G2 Bls12_381G2Base Bls12_381Scalar quadratic;
    Bls12_377 Bls12_377Base Bls12_377Scalar prime;
    Bls12_377G2 Bls12_377G2Base Bls12_377Scalar quadratic;
    Bw6_761 Bw6_761Base Bw6_761Scalar prime;
    Bw6_761G2 Bw6_761G2Base Bw6_761Scalar prime;
    Grumpkin GrumpkinBase GrumpkinScalar prime;
}

/// Run an expression with a type alias bound to the marker type of a curve id.
///
/// Arguments: the id, the alias, the expression.
#[macro_export]
macro_rules! with_curve {
    ($id:expr, $alias:ident => $body:expr) => {
        $crate::with_curve!(@ $id, $alias, $body,
            Bn254 Bn254G2, Bls12_381 Bls12_381G2 Bls12_377 Bls12_377G2 Bw6_761 Bw6_761G2 Grumpkin)
    };
    (@ $id:expr, $alias:ident, $body:expr, $($few:ident)*, $($more:ident)*) => {
        $crate::with_curve!(@@ $id, ($alias => $body), $($few)*, $($more)*)
    };
    (@@ $id:expr, $arm:tt, $($few:ident)*, $($more:ident)*) => {
        match $id {
            $(::icicle_params::CurveId::$few => $crate::with_curve!(@@@ $few, $arm),)*
            $(#[cfg(not(icicle_few))] ::icicle_params::CurveId::$more => $crate::with_curve!(@@@ $more, $arm),)*
            #[cfg(icicle_few)]
            _ => $crate::fields::left_out(),
        }
    };
    (@@@ $name:ident, ($alias:ident => $body:expr)) => {{
        type $alias = $crate::curve::$name;
        $body
    }};
}

#[cfg(test)]
mod tests;
