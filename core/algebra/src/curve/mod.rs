//! Curve groups `y² = x³ + b` and their point forms.
//!
//! [`Affine`] is the form of bases; [`Projective`] (homogeneous) is what crosses the boundary; [`Jacobian`] doubles
//! fastest and [`Xyzz`] adds affine points fastest. Every formula treats neutral, equal and opposite operands explicitly,
//! so all of them hold for every pair of points, points of order 2 outside the prime-order group included.
//! Formula names are those of the Explicit-Formulas Database, <https://hyperelliptic.org/EFD/g1p/auto-shortw.html>.

mod affine;
mod jacobian;
mod naf;
mod normalizer;
pub(crate) mod pair;
pub mod pairs;
mod projective;
mod xyzz;

pub use affine::{Affine, Curve};
pub use jacobian::{Group, Jacobian};
pub use normalizer::Normalizer;
pub use projective::Projective;
pub use xyzz::Xyzz;

use super::extension::{NonResidue, Quadratic};
use super::fields;
use super::fp::Fp;
use icicle_params::CurveId;
use icicle_params::{Prime, curve::Coordinate};

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
