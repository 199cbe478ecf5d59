//! The independent implementation tests compare with: arkworks' curves, and conversions from their points.

use ark_ec::short_weierstrass::{Affine as ArkAffine, Projective as ArkProjective, SWCurveConfig};
use ark_ec::{AffineRepr, CurveConfig};
use ark_ff::{Field as _, PrimeField as _};
use icicle_algebra::curve::*;
use icicle_algebra::{Field, PrimeField};

/// A curve and its counterpart.
pub trait Reference: Curve {
    /// Its configuration.
    type Config: SWCurveConfig;
}

macro_rules! references {
    ($($name:ident $config:ty;)*) => { $(impl Reference for $name { type Config = $config; })* };
}
references! {
    Bn254 ark_bn254::g1::Config;
    Bn254G2 ark_bn254::g2::Config;
    Bls12_381 ark_bls12_381::g1::Config;
    Bls12_381G2 ark_bls12_381::g2::Config;
    Bls12_377 ark_bls12_377::g1::Config;
    Bls12_377G2 ark_bls12_377::g2::Config;
    Bw6_761 ark_bw6_761::g1::Config;
    Bw6_761G2 ark_bw6_761::g2::Config;
    Grumpkin ark_grumpkin::GrumpkinConfig;
}

/// Their scalars.
pub type ArkScalar<C> = <<C as Reference>::Config as CurveConfig>::ScalarField;
/// Their affine points.
pub type ArkPoint<C> = ArkAffine<<C as Reference>::Config>;
/// Their projective points.
pub type ArkGroup<C> = ArkProjective<<C as Reference>::Config>;

/// Our form of their point.
pub fn from_ark<C: Reference>(point: ArkPoint<C>) -> Affine<C> {
    let coordinate = |value: <C::Config as CurveConfig>::BaseField| {
        let coefficients: Vec<_> = value.to_base_prime_field_elements().collect();
        C::Base::from_coefficients(|i| <C::Base as Field>::Prime::from_words(coefficients[i].into_bigint().as_ref()))
    };
    point.xy().map_or(Affine::NEUTRAL, |(x, y)| Affine::new(coordinate(x), coordinate(y)))
}

/// Their form of our scalar.
pub fn to_ark_scalar<C: Reference>(scalar: C::Scalar) -> ArkScalar<C> {
    let bytes: Vec<u8> = scalar.words().iter().flat_map(|w| w.to_le_bytes()).collect();
    ArkScalar::<C>::from_le_bytes_mod_order(&bytes)
}
