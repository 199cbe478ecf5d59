//! Vector arithmetic of x86-64 processors, chosen at run time.
//!
//! [`ifma`] multiplies eight field elements at once; [`affine`] adds eight pairs of points with it. Everything here has
//! a portable counterpart that computes the same values.
#![allow(unsafe_code)]

pub(crate) mod affine;
pub(crate) mod constant;
mod ifma;
pub(crate) mod network;
mod pairs;

/// Whether the processor has what [`ifma`] needs.
pub(crate) fn available() -> bool {
    std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512ifma")
}
