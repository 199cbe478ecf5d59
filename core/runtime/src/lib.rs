//! Devices at run time: which there are, which one a thread works on, their memory, streams and events, and workers.
//!
//! Which device a call runs on is decided in [`choose`]: the stream's, else that of its buffers, else the thread's current one.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod buffer;
pub mod copy;
pub mod current;
pub mod divided;
pub mod event;
pub mod group;
pub mod host;
pub mod launch;
pub mod link;
pub mod map;
mod memory;
mod operand;
pub mod registry;
pub mod relay;
pub mod sharded;
pub mod shared;
pub mod shares;
pub mod slots;
pub mod stream;
pub mod view;
pub mod workers;

pub use buffer::Buffer;
pub use copy::{PointerInfo, copy, fill, free, malloc, pointer_info, transfer};
pub use current::{DeviceGuard, set_current_device, set_default_device};
pub use divided::{Input, Output};
pub use event::Event;
pub use group::DeviceGroup;
pub use host::PinnedBuffer;
pub use launch::{Launch, choose};
pub use link::{GroupInfo, Link, link, link_speed};
pub use map::{Cancel, Lane, MapOptions};
pub use registry::{device_count, device_info, devices, kinds, memory_stats, set_memory_limit, synchronize, trim};
pub use sharded::{Layout, Sharded};
pub use shared::SharedVector;
pub use stream::{Stream, StreamRef};
pub use view::{BufferView, BufferViewMut};
pub use workers::{JobHandle, on_each, run_on};

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
