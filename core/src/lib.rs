//! icicle: devices, memory, and zero-knowledge operations on one device or many.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod algebra;
pub(crate) mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
pub mod error;
pub mod ops;

pub use device::{Buffer, Device, DeviceGuard, DeviceKind, Launch, Stream};
pub use error::{Error, ErrorCode, Result};
pub use icicle_params::{CURVES, CurveId, FIELDS, FieldId};
