//! Every live allocation of every device by address, so that a pointer tells its device and interior pointers work.
#![allow(unsafe_code)]

use super::{Device, Place, RawStream, registry};
use crate::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// One live allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allocation {
    pub start: usize,
    pub bytes: usize,
    pub device: Device,
}

static LIVE: RwLock<BTreeMap<usize, Allocation>> = RwLock::new(BTreeMap::new());

fn read() -> RwLockReadGuard<'static, BTreeMap<usize, Allocation>> {
    LIVE.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, BTreeMap<usize, Allocation>> {
    LIVE.write().unwrap_or_else(PoisonError::into_inner)
}

/// Allocate `bytes > 0` on a device and remember it.
pub(crate) fn alloc(device: Device, bytes: usize, stream: RawStream) -> Result<NonNull<u8>> {
    let ptr = registry::backend(device)?.alloc(device.index, bytes, stream)?;
    let start = ptr.as_ptr() as usize;
    write().insert(start, Allocation { start, bytes, device });
    Ok(ptr)
}

/// Free an allocation by its first address, whichever device it is on.
///
/// # Safety
/// The memory is not used again.
pub(crate) unsafe fn free(ptr: *mut u8, stream: RawStream) -> Result<()> {
    let Some(allocation) = write().remove(&(ptr as usize)) else {
        return Err(unknown(ptr));
    };
    let Some(ptr) = NonNull::new(ptr) else {
        return Ok(());
    };
    let backend = registry::backend(allocation.device)?;
    // SAFETY: the tracker held it, so it is a live allocation of this device and length; removed, it is freed once.
    unsafe { backend.free(allocation.device.index, ptr, allocation.bytes, stream) }
}

fn unknown(ptr: *const u8) -> Error {
    let detail = match find(ptr) {
        Some(a) => format!(
            "pointer {ptr:?} lies {} bytes into an allocation of {}: must be its start",
            ptr as usize - a.start,
            a.device
        ),
        None => format!("pointer {ptr:?}: no live allocation; freed already, or not from malloc"),
    };
    Error::new(ErrorCode::InvalidDevice, "free", detail)
}

/// The allocation an address lies in.
pub(crate) fn find(ptr: *const u8) -> Option<Allocation> {
    let address = ptr as usize;
    let live = read();
    let (_, allocation) = live.range(..=address).next_back()?;
    (address - allocation.start < allocation.bytes).then_some(*allocation)
}

/// Where a range lies. `flagged` says the caller declares it device memory.
///
/// # Errors
/// `InvalidPointer` if the range runs past its allocation, or is declared device memory and is not.
pub(crate) fn locate(op: &'static str, arg: &str, ptr: *const u8, bytes: usize, flagged: bool) -> Result<Place> {
    match find(ptr) {
        Some(a) if bytes <= a.start + a.bytes - ptr as usize => Ok(Place::Device(a.device)),
        Some(a) => Err(Error::pointer(
            op,
            format!(
                "{arg} of {bytes} bytes: its allocation on {} ends after {}",
                a.device,
                a.start + a.bytes - ptr as usize
            ),
        )),
        None if flagged && bytes > 0 => Err(Error::pointer(
            op,
            format!(
                "{arg} {ptr:?} is said to be device memory: no live allocation holds it; freed already, or host memory"
            ),
        )),
        None => Ok(Place::Host),
    }
}
