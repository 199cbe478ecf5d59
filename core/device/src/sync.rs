//! Locks, channels and threads: the standard library's, or, in a build with `--cfg shuttle`, those of shuttle's scheduler,
//! under which tests try interleavings of threads.

#[cfg(shuttle)]
pub use shuttle::{sync::*, thread, thread_local};
#[cfg(not(shuttle))]
pub use std::{sync::*, thread, thread_local};
