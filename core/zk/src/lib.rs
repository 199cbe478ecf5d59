//! Operations over fields and curves, one file each with the function that checks, picks a device and runs it there;
//! `args` has configuration and checked arguments, `cpu` and `cuda` the devices' sides, all under the same names. No
//! arithmetic here.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(feature = "cuda"), allow(dead_code))] // what that side alone reads

mod args;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod dispatch;
pub mod encoding;
pub mod group;
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
