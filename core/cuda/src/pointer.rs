//! What the driver knows of an address, whoever allocated it.

use super::driver;
use super::gpu::{gpu, platform};
use icicle_device::Device;
use icicle_error::{Error, ErrorCode, Result};

/// What kind of memory an address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerKind {
    /// Host memory the driver does not know: pageable.
    Pageable,
    /// Page-locked host memory.
    Pinned,
    /// Memory of a device.
    Device,
    /// Managed memory, reached by host and devices.
    Managed,
}

/// An address, as the driver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerInfo {
    /// What kind of memory.
    pub kind: PointerKind,
    /// The device it belongs to, unless pageable.
    pub device: Option<Device>,
    /// First address of the allocation, unless pageable.
    pub start: usize,
    /// Its length in bytes, unless pageable.
    pub bytes: usize,
}

/// Ask the driver what an address is, also one that other users of CUDA in the process allocated. Every address may be
/// asked about.
///
/// # Errors
/// `InvalidDevice` if there are no CUDA devices.
pub fn pointer_info(address: *const u8) -> Result<PointerInfo> {
    let op = "pointer_info";
    if let Some(why) = &platform().unavailable {
        return Err(Error::new(ErrorCode::InvalidDevice, op, why.clone()));
    }
    let pageable = PointerInfo { kind: PointerKind::Pageable, device: None, start: 0, bytes: 0 };
    let ask = || driver::pointer(address as u64);
    // The thread may have no context; a failure in one means an address the driver never saw.
    let Ok(known) = ask().or_else(|failure| match gpu(op, platform().any()) {
        Ok(gpu) => gpu.calls(ask),
        Err(_) => Err(failure),
    }) else {
        return Ok(pageable);
    };
    let kind = match (known.managed, known.kind) {
        (true, _) => PointerKind::Managed,
        (false, 1) => PointerKind::Pinned,
        (false, 2) => PointerKind::Device,
        _ => return Ok(pageable),
    };
    let device = u32::try_from(known.device).ok().map(Device::cuda);
    Ok(PointerInfo { kind, device, start: known.start as usize, bytes: known.bytes })
}
