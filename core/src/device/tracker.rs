//! Every live allocation by address, so that a pointer tells its device and interior pointers work.
//!
//! Order makes it sound: an address enters after its backend handed it out and leaves before it goes back, so while it is
//! here nobody else can be given it. One lock is enough: it is held for one step in a tree, and never together with a
//! pool's.
#![allow(unsafe_code)]

use super::{Device, DeviceKind, Place, RawStream, StreamRef, registry};
use crate::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::ptr::NonNull;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// One live allocation: on a device, or page-locked on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allocation {
    pub start: usize,
    pub bytes: usize,
    pub place: Place,
}

static LIVE: RwLock<BTreeMap<usize, Allocation>> = RwLock::new(BTreeMap::new());

fn read() -> RwLockReadGuard<'static, BTreeMap<usize, Allocation>> {
    LIVE.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, BTreeMap<usize, Allocation>> {
    LIVE.write().unwrap_or_else(PoisonError::into_inner)
}

fn remember(ptr: NonNull<u8>, bytes: usize, place: Place) {
    let start = ptr.addr().get();
    let before = write().insert(start, Allocation { start, bytes, place });
    debug_assert!(before.is_none(), "a backend handed out memory that is in use: {before:?}");
}

/// Allocate `bytes > 0` on a device and remember it.
///
/// # Safety
/// `stream` is 0 or a live stream of the device.
pub(super) unsafe fn alloc(device: Device, bytes: usize, stream: RawStream) -> Result<NonNull<u8>> {
    // SAFETY: the caller's.
    let ptr = unsafe { registry::backend(device)?.alloc(device.index, bytes, stream) }?;
    remember(ptr, bytes, Place::Device(device));
    Ok(ptr)
}

/// Forget an allocation on a device by its first address.
fn forget(ptr: NonNull<u8>) -> Option<(Device, usize)> {
    let mut live = write();
    match live.get(&ptr.addr().get())? {
        Allocation { place: Place::Host, .. } => None,
        &Allocation { place: Place::Device(device), bytes, start } => {
            live.remove(&start);
            Some((device, bytes))
        }
    }
}

/// Free an allocation by its first address, whichever device it is on, after the work now in `stream`. Null is nothing.
///
/// # Safety
/// The memory is not used again.
pub(super) unsafe fn free(ptr: *mut u8, stream: Option<&StreamRef>) -> Result<()> {
    let Some(ptr) = NonNull::new(ptr) else {
        return Ok(());
    };
    let Some((device, bytes)) = forget(ptr) else {
        return Err(unknown(ptr.as_ptr()));
    };
    // Another device's stream cannot order this device's pool: wait for it instead.
    let raw = match stream {
        Some(stream) if stream.device() == device => Ok(stream.raw()),
        Some(other) => other.synchronize().map(|()| 0),
        None => Ok(0),
    };
    // The memory goes back even if the stream is bad; the stream's error is then told.
    // SAFETY: it was in the table, so it is a live allocation of this device and length; taken out, it is freed once.
    let freed = unsafe { registry::backend(device)?.free(device.index, ptr, bytes, *raw.as_ref().unwrap_or(&0)) };
    raw.and(freed)
}

fn unknown(ptr: *const u8) -> Error {
    let detail = match find(ptr) {
        Some(Allocation { place: Place::Device(device), start, .. }) => {
            format!(
                "pointer {ptr:?} lies {} bytes into an allocation of {device}: must be its start",
                ptr.addr() - start
            )
        }
        Some(_) => format!("pointer {ptr:?} is page-locked host memory: must be freed by its owner"),
        None => format!("pointer {ptr:?}: no live allocation; freed already, or not from malloc"),
    };
    Error::new(ErrorCode::InvalidDevice, "free", detail)
}

/// The allocation an address lies in.
pub(super) fn find(ptr: *const u8) -> Option<Allocation> {
    find_in(&read(), ptr.addr())
}

fn find_in(live: &BTreeMap<usize, Allocation>, address: usize) -> Option<Allocation> {
    let (_, allocation) = live.range(..=address).next_back()?;
    (address - allocation.start < allocation.bytes).then_some(*allocation)
}

/// Where a range of `bytes > 0` lies. `flagged` says the caller declares it device memory.
///
/// # Errors
/// `InvalidPointer` if the range leaves its allocation or runs into one, or is declared device memory and is not.
pub(super) fn locate(op: &'static str, arg: &str, ptr: *const u8, bytes: usize, flagged: bool) -> Result<Place> {
    let address = ptr.addr();
    let invalid = |detail: String| Err(Error::pointer(op, format!("{arg} of {bytes} bytes at {ptr:?}: {detail}")));
    let Some(end) = address.checked_add(bytes).filter(|_| bytes <= isize::MAX as usize) else {
        return invalid("exceeds the address space".into());
    };
    let (found, next) = {
        let live = read();
        let found = find_in(&live, address);
        let inside = || live.range((Bound::Excluded(address), Bound::Excluded(end))).next().map(|(_, a)| *a);
        (found, if found.is_none() { inside() } else { None })
    };
    match (found, next) {
        (Some(a), _) if end - a.start > a.bytes => {
            let (name, left) = (name(a.place), a.start + a.bytes - address);
            invalid(format!("{left} bytes are left of its allocation of {} bytes on {name}", a.bytes))
        }
        (Some(Allocation { place: Place::Device(device), .. }), _) => Ok(Place::Device(device)),
        (None, Some(a)) => invalid(format!("runs into an allocation on {} at {:#x}", name(a.place), a.start)),
        (_, _) if flagged => invalid(
            "is said to be device memory, but no live allocation of a device holds it; freed already, or host memory"
                .into(),
        ),
        (_, _) => Ok(Place::Host),
    }
}

fn name(place: Place) -> String {
    match place {
        Place::Device(device) => device.to_string(),
        Place::Host => "the host (page-locked)".into(),
    }
}

/// Page-locked, zeroed host memory of a backend, owned and in the table while it lives.
#[derive(Debug)]
pub(super) struct HostBlock {
    kind: DeviceKind,
    ptr: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a block owns plain memory; sharing it only reads.
unsafe impl Send for HostBlock {}
// SAFETY: as above.
unsafe impl Sync for HostBlock {}

/// The alignment of a block, also of an empty one.
#[repr(align(64))]
struct Aligned;

impl HostBlock {
    pub(super) fn new(device: Device, bytes: usize) -> Result<Self> {
        let backend = registry::backend(device)?;
        let ptr = match bytes {
            0 => NonNull::<Aligned>::dangling().cast(),
            _ => {
                let ptr = backend.host_alloc(bytes)?;
                // SAFETY: just allocated, `bytes` long.
                unsafe { ptr.write_bytes(0, bytes) };
                remember(ptr, bytes, Place::Host);
                ptr
            }
        };
        Ok(Self { kind: device.kind, ptr, bytes })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: owned, initialised by `new`, `bytes` long; shared as `self` is.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.bytes) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; unique as `self` is.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.bytes) }
    }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        write().remove(&self.ptr.addr().get());
        if let Some(backend) = registry::backend_of(self.kind) {
            // SAFETY: from `host_alloc` with this size, freed once; its address has left the table.
            let freed = unsafe { backend.host_free(self.ptr, self.bytes) };
            debug_assert!(freed.is_ok(), "{freed:?}");
        }
    }
}

#[cfg(test)]
#[path = "tracker_tests.rs"]
mod tests;
