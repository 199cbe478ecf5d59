//! Page-locked host memory: allocated so, or registered. Copies from and to it go straight over the link.
#![allow(unsafe_code)]

use super::driver;
use super::gpu::{self, Gpu};
use super::lock::lock;
use icicle_device::{DeviceKind, current_device};
use icicle_error::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard};

/// Page-locked ranges made here: start and length.
fn ranges() -> MutexGuard<'static, BTreeMap<usize, usize>> {
    static RANGES: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
    lock(&RANGES)
}

/// A device whose context to use: the memory belongs to all of them.
fn any(op: &'static str) -> Result<&'static Gpu> {
    let current = current_device();
    match current.kind {
        DeviceKind::Cuda => gpu::gpu(op, current.index).or_else(|_| gpu::gpu(op, gpu::platform().any())),
        DeviceKind::Cpu => gpu::gpu(op, gpu::platform().any()),
    }
}

/// Allocate page-locked memory, cached by the processor, for every device.
pub fn alloc(bytes: usize) -> Result<NonNull<u8>> {
    let op = "malloc_host";
    let detail = || format!("size {bytes}");
    let ptr = any(op)?.with_detail(op, ErrorCode::AllocationFailed, detail, || driver::host_alloc(bytes))?;
    ranges().insert(ptr as usize, bytes);
    NonNull::new(ptr).ok_or_else(|| Error::new(ErrorCode::OutOfMemory, op, format!("size {bytes}: null pointer")))
}

/// # Safety
/// `ptr` came from [`alloc`] and is not used again.
pub unsafe fn free(ptr: NonNull<u8>) -> Result<()> {
    let op = "free_host";
    ranges().remove(&(ptr.as_ptr() as usize));
    let Ok(gpu) = any(op) else {
        // Every device is lost, or the process was forked: the pages go with it.
        return Ok(());
    };
    // SAFETY: the caller's.
    gpu.with(op, ErrorCode::DeallocationFailed, || unsafe { driver::host_free(ptr.as_ptr()) })
}

/// Page-lock existing host memory for every CUDA device, so that copies from and to it run at full speed and may be
/// asynchronous. Pages shared with other data are locked with it.
///
/// # Errors
/// `InvalidPointer` if it is page-locked already, `OutOfMemory` if the system refuses, `InvalidDevice` without a device.
///
/// # Safety
/// The range is mapped, and neither unmapped nor freed before [`host_unregister`].
pub unsafe fn host_register(ptr: NonNull<u8>, bytes: usize) -> Result<()> {
    let op = "host_register";
    if bytes == 0 {
        return Err(Error::argument(op, "size 0: must be at least 1"));
    }
    let detail = || format!("{bytes} bytes at {ptr:?}");
    // SAFETY: the caller's.
    let register = || unsafe { driver::host_register(ptr.as_ptr(), bytes) };
    any(op)?.with_detail(op, ErrorCode::AllocationFailed, detail, register)?;
    ranges().insert(ptr.as_ptr() as usize, bytes);
    Ok(())
}

/// Undo [`host_register`] once no copy uses the memory any more.
///
/// # Errors
/// `InvalidPointer` if the address is not the start of a registered range.
pub fn host_unregister(ptr: NonNull<u8>) -> Result<()> {
    let op = "host_unregister";
    if ranges().remove(&(ptr.as_ptr() as usize)).is_none() {
        return Err(Error::pointer(op, format!("{ptr:?}: must be the start of a registered range")));
    }
    let Ok(gpu) = any(op) else {
        return Ok(());
    };
    gpu.with(op, ErrorCode::DeallocationFailed, || driver::host_unregister(ptr.as_ptr()))
}

/// Whether a range is page-locked as a whole, by us or by others in the process.
pub fn is_pinned(ptr: *const u8, bytes: usize) -> bool {
    let (start, end) = (ptr as usize, ptr as usize + bytes);
    if let Some((&from, &len)) = ranges().range(..=start).next_back()
        && end <= from + len
    {
        return true;
    }
    match driver::pointer(start as u64) {
        Ok(known) => known.kind != 0 && end as u64 <= known.start + known.bytes as u64,
        Err(_) => false,
    }
}
