//! Managed memory: one address for host and devices, pages moved by need, by advice or ahead of time.
#![allow(unsafe_code)]

use super::driver;
use super::gpu::{Gpu, gpu, state};
use icicle_device::{Device, DeviceKind, Place, StreamHandle};

use icicle_error::{Error, ErrorCode, Result};
use std::ops::Range;
use std::ptr::NonNull;

const OP: &str = "managed";

/// What to tell the driver about a range of managed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Mostly read: every place may keep a copy.
    ReadMostly,
    /// Keep the pages there, unless forced.
    Prefer(Place),
    /// Keep the pages mapped there, wherever they lie.
    AccessedBy(Place),
}

/// `bytes` bytes of managed memory, zeroed, freed when dropped.
///
/// The host and a device must not touch it at the same time unless the device says `concurrent managed access`: synchronize
/// before the host does. Pages are moved in units of 2 MiB; slices for different devices should start there.
#[derive(Debug)]
pub struct Managed {
    device: Device,
    ptr: NonNull<u8>,
    bytes: usize,
}

// SAFETY: plain memory, reachable from every thread.
unsafe impl Send for Managed {}
// SAFETY: as above; shared use reads its address and tells the driver where pages are wanted.
unsafe impl Sync for Managed {}

impl Managed {
    /// Allocate managed memory, for use with `device` first. No more than the device has free: driver and device are known
    /// to hang when managed memory outgrows it.
    ///
    /// # Errors
    /// `OutOfMemory`, `Unsupported` if the device has no managed memory, `InvalidArgument` for no bytes.
    pub fn new(device: Device, bytes: usize) -> Result<Self> {
        if device.kind != DeviceKind::Cuda {
            return Err(Error::new(ErrorCode::InvalidDevice, OP, format!("{device}: must be CUDA")));
        }
        let gpu = gpu(OP, device.index)?;
        if bytes == 0 {
            return Err(Error::argument(OP, "size 0: must be at least 1"));
        }
        if !gpu.managed {
            return Err(Error::unsupported(OP, format!("{device} has no managed memory")));
        }
        let free = || gpu.with(OP, ErrorCode::Internal, driver::memory_info).map(|(free, _)| free);
        // What the pool caches is as good as free.
        if bytes as u64 > free()? {
            super::pool::trim(gpu, 0)?;
        }
        let free = free()?;
        if bytes as u64 > free {
            let detail = format!("size {bytes}: must be at most what {device} has free, {free}");
            return Err(Error::new(ErrorCode::OutOfMemory, OP, detail));
        }
        let detail = || format!("size {bytes}");
        let address = gpu.with_detail(OP, ErrorCode::AllocationFailed, detail, || {
            let address = driver::alloc_managed(bytes)?;
            // SAFETY: just allocated with this length.
            unsafe { driver::fill(address, 0, bytes, 0) }?;
            // SAFETY: the default stream.
            unsafe { driver::stream_synchronize(0) }.map(|()| address)
        })?;
        match NonNull::new(address as *mut u8) {
            Some(ptr) => Ok(Self { device, ptr, bytes }),
            None => Err(Error::new(ErrorCode::OutOfMemory, OP, format!("size {bytes}: null pointer"))),
        }
    }

    /// Address, on the host and on every device.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.ptr.as_ptr()
    }

    /// Address, on the host and on every device.
    pub fn as_ptr(&self) -> *const u8 {
        self.ptr.as_ptr()
    }

    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The device it was allocated with.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Whether the host and all devices may use it at the same time, and pages be moved ahead of time.
    ///
    /// # Errors
    /// `InvalidDevice`, or that it is lost.
    pub fn is_concurrent(&self) -> Result<bool> {
        gpu(OP, self.device.index).map(|gpu| gpu.concurrent_managed)
    }

    /// Advise the driver on a range of bytes.
    ///
    /// # Errors
    /// `InvalidArgument` for a range past the end; `Unsupported` where the device cannot share managed memory.
    pub fn advise(&self, range: Range<usize>, advice: Advice) -> Result<()> {
        let (address, bytes) = self.range(&range)?;
        let gpu = self.concurrent()?;
        let (what, device) = match advice {
            Advice::ReadMostly => (driver::Advice::CU_MEM_ADVISE_SET_READ_MOSTLY, self.device.index as i32),
            Advice::Prefer(place) => (driver::Advice::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, number(place)),
            Advice::AccessedBy(place) => (driver::Advice::CU_MEM_ADVISE_SET_ACCESSED_BY, number(place)),
        };
        let detail = || format!("{advice:?} for {range:?}");
        gpu.with_detail(OP, ErrorCode::Internal, detail, || driver::advise(address, bytes, what, device))
    }

    /// Move a range of bytes to a place, in the order of a stream of the device it is moved to or from.
    ///
    /// # Errors
    /// As [`Managed::advise`].
    pub fn prefetch(&self, range: Range<usize>, to: Place, stream: &impl StreamHandle) -> Result<()> {
        let (address, bytes) = self.range(&range)?;
        self.concurrent()?;
        let gpu = gpu(OP, stream.device().index)?;
        let detail = || format!("{range:?} to {to:?}");
        let prefetch = || driver::prefetch(address, bytes, number(to), stream.raw());
        gpu.with_detail(OP, ErrorCode::CopyFailed, detail, prefetch)
    }

    fn range(&self, range: &Range<usize>) -> Result<(u64, usize)> {
        if range.start > range.end || range.end > self.bytes {
            return Err(Error::argument(OP, format!("range {range:?}: must lie within {} bytes", self.bytes)));
        }
        Ok((self.ptr.as_ptr() as u64 + range.start as u64, range.len()))
    }

    fn concurrent(&self) -> Result<&'static Gpu> {
        let gpu = gpu(OP, self.device.index)?;
        match gpu.concurrent_managed {
            true => Ok(gpu),
            false => Err(Error::unsupported(OP, format!("{} lacks concurrent managed access", self.device))),
        }
    }
}

/// The driver's number of a place: −1 for the host.
fn number(place: Place) -> i32 {
    match place {
        Place::Device(device) if device.kind == DeviceKind::Cuda => device.index as i32,
        _ => -1,
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        let address = self.ptr.as_ptr() as u64;
        if let Ok(gpu) = state(OP, self.device.index)
            && !gpu.is_lost()
        {
            // SAFETY: our allocation, freed once; the driver waits for work that uses it.
            // A failure is a fault of earlier work and comes up in the next call.
            let _ = gpu.with(OP, ErrorCode::DeallocationFailed, || unsafe { driver::free_managed(address) });
        }
    }
}
