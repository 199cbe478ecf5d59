//! Allocations of backends, each in the table of live ones from after it was handed out until before it goes back.
#![allow(unsafe_code)]

use crate::{StreamRef, registry};
use icicle_device::allocations::{forget, forget_host, remember, unknown};
use icicle_device::{Device, DeviceKind, Place, RawStream};
use icicle_error::Result;
use std::ptr::NonNull;

/// Allocate `bytes > 0` on a device and remember it.
///
/// # Safety
/// `stream` is 0 or a live stream of the device.
pub(crate) unsafe fn alloc(device: Device, bytes: usize, stream: RawStream) -> Result<NonNull<u8>> {
    // SAFETY: the caller's.
    let ptr = unsafe { registry::backend(device)?.alloc(device.index, bytes, stream) }?;
    // SAFETY: just allocated so.
    unsafe { remember(ptr, bytes, Place::Device(device)) };
    Ok(ptr)
}

/// Free an allocation by its first address, whichever device it is on, after the work now in `stream`. Null is nothing.
///
/// # Safety
/// The memory is not used again.
pub(crate) unsafe fn free(ptr: *mut u8, stream: Option<&StreamRef>) -> Result<()> {
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

/// Page-locked, zeroed host memory of a backend, owned and in the table while it lives.
#[derive(Debug)]
pub(crate) struct HostBlock {
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
    pub(crate) fn new(device: Device, bytes: usize) -> Result<Self> {
        let backend = registry::backend(device)?;
        let ptr = match bytes {
            0 => NonNull::<Aligned>::dangling().cast(),
            _ => {
                let ptr = backend.host_alloc(bytes)?;
                // SAFETY: just allocated, `bytes` long.
                unsafe {
                    ptr.write_bytes(0, bytes);
                    remember(ptr, bytes, Place::Host);
                }
                ptr
            }
        };
        Ok(Self { kind: device.kind, ptr, bytes })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: owned, initialised by `new`, `bytes` long; shared as `self` is.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.bytes) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; unique as `self` is.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.bytes) }
    }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        forget_host(self.ptr);
        if let Some(backend) = registry::backend_of(self.kind) {
            // SAFETY: from `host_alloc` with this size, freed once; its address has left the table.
            let freed = unsafe { backend.host_free(self.ptr, self.bytes) };
            debug_assert!(freed.is_ok(), "{freed:?}");
        }
    }
}
