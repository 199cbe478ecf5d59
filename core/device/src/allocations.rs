//! Every live allocation by address, so that a pointer tells its device and interior pointers work.
//!
//! Order makes it sound: an address enters after its backend handed it out and leaves before it goes back, so while it is
//! here nobody else can be given it. One lock is enough: it is held for one step in a tree, and never together with a
//! pool's.
#![allow(unsafe_code)]

use super::device::Device;
use super::place::Place;
use icicle_error::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::ptr::NonNull;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// One live allocation: on a device, or page-locked on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// First address.
    pub start: usize,
    /// Length.
    pub bytes: usize,
    /// Where it lies.
    pub place: Place,
}

static LIVE: RwLock<BTreeMap<usize, Allocation>> = RwLock::new(BTreeMap::new());

fn read() -> RwLockReadGuard<'static, BTreeMap<usize, Allocation>> {
    LIVE.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, BTreeMap<usize, Allocation>> {
    LIVE.write().unwrap_or_else(PoisonError::into_inner)
}

/// Remember an allocation that a backend just handed out.
///
/// # Safety
/// It is the backend's, `bytes` long and in `place`, and forgotten before it goes back.
pub unsafe fn remember(ptr: NonNull<u8>, bytes: usize, place: Place) {
    let start = ptr.addr().get();
    let before = write().insert(start, Allocation { start, bytes, place });
    debug_assert!(before.is_none(), "a backend handed out memory that is in use: {before:?}");
}

/// Forget page-locked memory by its first address.
pub fn forget_host(ptr: NonNull<u8>) {
    write().remove(&ptr.addr().get());
}

/// Forget an allocation on a device by its first address.
pub fn forget(ptr: NonNull<u8>) -> Option<(Device, usize)> {
    let mut live = write();
    match live.get(&ptr.addr().get())? {
        Allocation { place: Place::Host, .. } => None,
        &Allocation { place: Place::Device(device), bytes, start } => {
            live.remove(&start);
            Some((device, bytes))
        }
    }
}

/// The error of freeing what is no first address of an allocation on a device.
pub fn unknown(ptr: *const u8) -> Error {
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
pub fn find(ptr: *const u8) -> Option<Allocation> {
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
pub fn locate(op: &'static str, arg: &str, ptr: *const u8, bytes: usize, flagged: bool) -> Result<Place> {
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

#[cfg(test)]
#[path = "allocations_tests.rs"]
mod tests;
