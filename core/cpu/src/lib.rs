//! The CPU as a device: memory, threads, and loops over both for the families' operations.
//!
//! Work is chunked by size, never by thread count, so results do not depend on it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod backend;
pub mod blocks;
pub mod dispatch;
mod events;
pub mod memory;
pub mod parallel;
mod pool;
pub mod scratch;
mod system;
mod threads;

pub use backend::CpuBackend;
pub use memory::{In, Out};
