//! Each thread's current device, and the process's default for threads that never chose one.
#![allow(clippy::missing_const_for_thread_local)] // shuttle's form has none

use super::device::{Device, DeviceKind};
use super::sync;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

sync::thread_local! {
    static CURRENT: Cell<Option<Device>> = Cell::new(None);
}

/// The default device, packed as kind and index; the first device of the first kind until it is set.
static DEFAULT: AtomicU64 = AtomicU64::new(0);

/// The device of threads that never chose one.
pub fn default_device() -> Device {
    let packed = DEFAULT.load(Ordering::Relaxed);
    let number = packed >> 32;
    let kind = DeviceKind::ALL.into_iter().find(|&kind| kind as u64 == number).unwrap_or(DeviceKind::Cpu);
    Device { kind, index: packed as u32 }
}

/// Replace the default device. Whether it exists is the caller's to know.
pub fn replace_default(device: Device) {
    DEFAULT.store((device.kind as u64) << 32 | u64::from(device.index), Ordering::Relaxed);
}

/// The device this thread works on: the one it set, else the process's default.
pub fn current_device() -> Device {
    chosen().unwrap_or_else(default_device)
}

/// The device this thread chose, if it did.
pub fn chosen() -> Option<Device> {
    CURRENT.with(Cell::get)
}

/// Replace this thread's choice. Whether the device exists is the caller's to know.
pub fn replace(device: Option<Device>) -> Option<Device> {
    CURRENT.with(|current| current.replace(device))
}
