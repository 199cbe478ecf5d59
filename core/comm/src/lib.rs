//! Collectives: operations of several ranks, each with a device, in one process or in several.
//!
//! A [`Communicator`] is one rank's end. Ranks of one process are made by [`Communicator::init_all`] and work in memory
//! that they share;
//! ranks of several processes meet by a [`UniqueId`], or by the variables of a launcher, and are connected over TCP.
//! Elements
//! are numbers, field elements or points ([`DataType`]); what is reduced is so in the order of ranks, and every rank
//! gets the same bits.
//!
//! ```
//! use icicle_array::DType;
//! use icicle_comm::{Communicator, ReduceOp};
//! use icicle_device::Device;
//!
//! # fn main() -> icicle_error::Result<()> {
//! let ranks = Communicator::init_all(&[Device::cpu(0); 3])?;
//! let job = |comm: &Communicator| -> icicle_error::Result<Vec<i32>> {
//!     let mine = [1, comm.rank() as i32];
//!     let mut sums = vec![0; 2];
//!     comm.all_reduce(DType::Int32, ReduceOp::Sum, 2, &mine[..], &mut sums)?;
//!     Ok(sums)
//! };
//! let sums: Vec<_> = std::thread::scope(|scope| {
//!     let threads: Vec<_> = ranks.iter().map(|comm| scope.spawn(move || job(comm))).collect();
//!     threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<icicle_error::Result<_>>()
//! })?;
//! assert_eq!(sums, [[3, 3], [3, 3], [3, 3]]);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

// Tests of both kinds share modules that name this crate so.
#[cfg(test)]
extern crate self as icicle_comm;

mod call;
mod communicator;
// CPU devices need it for tests only.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
mod devices;
mod element;
mod group;
mod local;
mod memory;
mod options;
mod reduce;
mod sharded;
mod split;
mod tcp;
mod transfers;
mod transport;
mod ways;

pub use call::{Call, Kind};
pub use communicator::Communicator;
pub use element::{DataType, ReduceOp};
pub use group::group;
pub use options::Options;
pub use sharded::run_sharded;
pub use tcp::UniqueId;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/COLLECTIVES.md")]
struct Guide;
