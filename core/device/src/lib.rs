//! What a device is: its names, the contract of a backend, the operands of a call and where they lie, and which device a
//! thread works on. What devices there are is decided above, in `icicle-runtime`.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod allocations;
pub mod backend;
pub mod check;
pub mod current;
mod device;
pub mod exec;
mod handle;
pub mod limit;
pub mod operand;
mod place;
pub mod sync;

pub use backend::{Backend, CopyArgs, DeviceInfo, MemoryStats, RawEvent, RawStream, StreamHandle, StreamKind};
pub use current::current_device;
pub use device::{Device, DeviceKind};
pub use exec::Exec;
pub use operand::{Dst, Operand, Place, Src};
