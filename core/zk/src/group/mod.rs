//! Operations over a group of devices: one call, divided among them, with the result of one device.
//!
//! Operands are whole vectors, on the host or one device, or sharded ones over the group. Calls are complete when they
//! return; if one device fails for memory or a copy, the others may have written their parts. Where the group would not be
//! faster than its fastest device, that one does the work, unless shares were chosen.

pub mod msm;
mod parts;
mod places;
pub mod polynomial;
pub mod program;
mod reach;
mod steps;
pub mod transform;
pub mod vector;

pub use msm::{msm, precompute};
pub use polynomial::evaluate;
pub use program::execute;
pub use transform::{init_domain, ntt, ntt_size, release_domain};
pub use vector::{accumulate, binary, convert_montgomery, inv, mixed_mul, reduce, scalar};
