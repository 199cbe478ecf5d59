//! Vector arithmetic of x86-64 processors, chosen at run time.
//!
//! [`ifma`] multiplies eight field elements at once, [`constant`] by a number known beforehand; [`affine`] adds eight pairs
//! of points with them, [`network`] does the butterflies of a transform, [`vector`] sums, products and inverses of vectors.
//! Transforms of one-word fields are [`word_tile`]'s, over [`ifma31`], [`montgomery31`] or [`goldilocks`]. Everything here
//! has a portable counterpart that computes the same values.
#![allow(unsafe_code)]

pub mod affine;
pub mod constant;
mod coordinates;
pub mod doubles;
mod fold;
pub mod goldilocks;
mod ifma;
pub mod ifma31;
mod inverse;
pub mod montgomery31;
pub mod network;
mod pairs;
mod rows;
pub mod tile;
pub mod vector;
pub mod word_blocks;
mod word_network;
pub mod word_tile;
mod word_vectors;
mod words;

/// Whether the processor has what [`ifma`] needs, and may use it.
pub fn available() -> bool {
    super::isa::chosen() == super::isa::Isa::Avx512 && std::arch::is_x86_feature_detected!("avx512ifma")
}

/// Return what a function returns that is generic over a prime, its words and its limbs, if that prime's field is among
/// those named; else go on.
///
/// Arguments: the field; prime, words and limbs of those served; the call.
#[macro_export]
macro_rules! dispatch_prime {
    ($field:ty, [$($prime:ident $n:literal $m:literal),*], $function:ident $arguments:tt) => {
        $(if std::any::TypeId::of::<$field>()
            == std::any::TypeId::of::<$crate::fp::Fp<icicle_params::prime::$prime, $n>>()
        {
            return $function::<icicle_params::prime::$prime, $n, $m> $arguments;
        })*
    };
}
