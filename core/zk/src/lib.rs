//! Operations over fields and curves, one file each with its configuration, its checked arguments and the function that
//! picks a device and runs it there; `cpu` and `cuda` have the devices' sides under the same names. No arithmetic here.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(feature = "cuda"), allow(dead_code))] // what that side alone reads

mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
pub mod encoding;
pub mod matrix;
pub mod msm;
pub mod ntt;
pub mod ops;
pub mod point;
pub mod polynomial;
pub mod program;
pub mod random;
pub mod vector;

pub use icicle_params::Op;
pub use ops::{Domain, supports};

/// What tests of several packages share.
#[cfg(test)]
#[path = "../../algebra/testing"]
mod testing {
    pub mod ark;
    pub mod samples;
}
