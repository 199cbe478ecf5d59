//! The table of backends, and what can be asked of any device.

use icicle_device::{Backend, Device, DeviceInfo, DeviceKind, MemoryStats};
use icicle_error::{Error, ErrorCode, Result};
use std::sync::OnceLock;

/// The backends, the CPU first: it is the default device where nothing else is chosen.
fn backends() -> &'static [Box<dyn Backend>] {
    static BACKENDS: OnceLock<Vec<Box<dyn Backend>>> = OnceLock::new();
    BACKENDS.get_or_init(|| {
        vec![
            Box::new(icicle_cpu::CpuBackend::from_environment()),
            #[cfg(feature = "cuda")]
            Box::new(icicle_cuda::CudaBackend),
        ]
    })
}

/// The backend of a kind, if this build has one.
pub(crate) fn backend_of(kind: DeviceKind) -> Option<&'static dyn Backend> {
    backends().iter().find(|b| b.kind() == kind).map(|b| b.as_ref())
}

/// The backend of a device that exists.
///
/// # Errors
/// `InvalidDevice` if it does not, with the reason.
pub fn backend(device: Device) -> Result<&'static dyn Backend> {
    let missing = |why: String| Err(Error::new(ErrorCode::InvalidDevice, "device", format!("{device}: {why}")));
    match backend_of(device.kind) {
        None => missing(format!("this build has no {} backend", device.kind.name())),
        Some(backend) if device.index < backend.count() => Ok(backend),
        Some(backend) => missing(
            backend
                .unavailable()
                .unwrap_or_else(|| format!("there are {} {} devices", backend.count(), device.kind.name())),
        ),
    }
}

/// The kinds of device this build has a backend for.
pub fn kinds() -> Vec<DeviceKind> {
    backends().iter().map(|b| b.kind()).collect()
}

/// Every device of the machine, CPU devices first.
pub fn devices() -> Vec<Device> {
    let of = |b: &dyn Backend| (0..b.count()).map(|index| Device { kind: b.kind(), index }).collect::<Vec<_>>();
    backends().iter().flat_map(|b| of(b.as_ref())).collect()
}

/// How many devices of a kind there are; 0 where this build has no such backend.
pub fn device_count(kind: DeviceKind) -> u32 {
    backend_of(kind).map_or(0, |b| b.count())
}

/// Describe a device.
///
/// # Errors
/// `InvalidDevice` if it does not exist.
pub fn device_info(device: Device) -> Result<DeviceInfo> {
    backend(device)?.info(device.index)
}

/// A device's memory in numbers.
///
/// # Errors
/// `InvalidDevice` if it does not exist.
pub fn memory_stats(device: Device) -> Result<MemoryStats> {
    backend(device)?.memory(device.index)
}

/// Limit the bytes a device hands out at a time; `None` lifts the limit. Memory already handed out stays valid.
///
/// # Errors
/// `InvalidDevice` if it does not exist.
pub fn set_memory_limit(device: Device, limit: Option<u64>) -> Result<()> {
    backend(device)?.set_limit(device.index, limit)
}

/// Give a device's cached memory back until at most `keep` bytes stay reserved.
///
/// # Errors
/// `InvalidDevice` if it does not exist.
pub fn trim(device: Device, keep: u64) -> Result<()> {
    backend(device)?.trim(device.index, keep)
}

/// Wait for all work of a device.
///
/// # Errors
/// `InvalidDevice` if it does not exist; `SynchronizationFailed` if work failed.
pub fn synchronize(device: Device) -> Result<()> {
    backend(device)?.synchronize(device.index)
}
