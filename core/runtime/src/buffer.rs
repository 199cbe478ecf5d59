//! Memory on a device, owned.
#![allow(unsafe_code)]

use crate::copy::{fill_dst, same_length, transfer};
use crate::{StreamRef, memory, registry};
use bytemuck::Pod;
use icicle_device::{Device, Dst, Place, Src, current_device};
use icicle_error::Result;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// `len` elements of memory on a device, freed when dropped, from any thread.
#[derive(Debug)]
pub struct Buffer<T> {
    device: Device,
    ptr: NonNull<u8>,
    len: usize,
    elements: PhantomData<T>,
}

// SAFETY: a buffer owns plain memory that any thread may use through its device.
unsafe impl<T: Send> Send for Buffer<T> {}
// SAFETY: as above; shared use only reads.
unsafe impl<T: Sync> Sync for Buffer<T> {}

impl<T: Pod> Buffer<T> {
    /// Uninitialised memory for `len` elements on the thread's current device; reading it before writing gives
    /// unspecified values.
    ///
    /// # Errors
    /// `OutOfMemory` with the pool's state, or `InvalidArgument` if the size exceeds the address space.
    pub fn new(len: usize) -> Result<Self> {
        Self::on(current_device(), len)
    }

    /// As [`Buffer::new`], on a device.
    ///
    /// # Errors
    /// As [`Buffer::new`], and `InvalidDevice`.
    pub fn on(device: Device, len: usize) -> Result<Self> {
        let bytes = icicle_device::check::bytes_for("malloc", "buffer", len, size_of::<T>())?;
        let ptr = match bytes {
            0 => registry::backend(device).map(|_| NonNull::dangling())?,
            // SAFETY: the default stream.
            _ => unsafe { memory::alloc(device, bytes, 0) }?,
        };
        Ok(Self { device, ptr, len, elements: PhantomData })
    }

    /// As [`Buffer::new`], on a stream's device and in the stream's order, so that other streams wait for nothing.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    ///
    /// # Safety
    /// Until the stream was waited for, only its work uses the memory.
    pub unsafe fn on_stream(stream: &StreamRef, len: usize) -> Result<Self> {
        let (device, bytes) =
            (stream.device(), icicle_device::check::bytes_for("malloc", "buffer", len, size_of::<T>())?);
        let ptr = match bytes {
            0 => NonNull::dangling(),
            // SAFETY: a live stream of the device.
            _ => unsafe { memory::alloc(device, bytes, stream.raw()) }?,
        };
        Ok(Self { device, ptr, len, elements: PhantomData })
    }

    /// Memory of zero bytes on the thread's current device.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    pub fn zeroed(len: usize) -> Result<Self> {
        Self::zeroed_on(current_device(), len)
    }

    /// As [`Buffer::zeroed`], on a device.
    ///
    /// # Errors
    /// As [`Buffer::on`].
    pub fn zeroed_on(device: Device, len: usize) -> Result<Self> {
        let mut buffer = Self::on(device, len)?;
        buffer.fill(0)?;
        Ok(buffer)
    }

    /// A copy of host data on the thread's current device.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    pub fn from_slice(data: &[T]) -> Result<Self> {
        Self::from_slice_on(current_device(), data)
    }

    /// As [`Buffer::from_slice`], on a device.
    ///
    /// # Errors
    /// As [`Buffer::on`].
    pub fn from_slice_on(device: Device, data: &[T]) -> Result<Self> {
        let mut buffer = Self::on(device, data.len())?;
        buffer.copy_from_slice(data)?;
        Ok(buffer)
    }

    /// A copy on a device, the same or another.
    ///
    /// # Errors
    /// As [`Buffer::on`].
    pub fn to_device(&self, device: Device) -> Result<Self> {
        let mut buffer = Self::on(device, self.len)?;
        buffer.copy_from(self)?;
        Ok(buffer)
    }

    /// Set every byte.
    ///
    /// # Errors
    /// That of the device.
    pub fn fill(&mut self, byte: u8) -> Result<()> {
        fill_dst(self.into(), byte)
    }

    /// Copy host data of the same length in.
    ///
    /// # Errors
    /// `InvalidArgument` if lengths differ.
    pub fn copy_from_slice(&mut self, data: &[T]) -> Result<()> {
        same_length("copy_to_device", "host data", data.len(), self.len)?;
        transfer(self.into(), data.into())
    }

    /// Copy from a buffer of the same length, on this device or another.
    ///
    /// # Errors
    /// `InvalidArgument` if lengths differ.
    pub fn copy_from(&mut self, source: &Buffer<T>) -> Result<()> {
        same_length("copy", "source", source.len, self.len)?;
        transfer(self.into(), source.into())
    }

    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The memory, borrowed to read.
    pub(crate) fn src(&self) -> Src<'_> {
        // SAFETY: borrowed for the lifetime, as long as it says.
        unsafe { Src::from_raw_parts(self.as_ptr(), self.bytes(), Place::Device(self.device)) }
    }

    /// The memory, borrowed to write.
    pub(crate) fn dst(&mut self) -> Dst<'_> {
        // SAFETY: borrowed for the lifetime by nobody else, as long as it says.
        unsafe { Dst::from_raw_parts(self.as_mut_ptr(), self.bytes(), Place::Device(self.device)) }
    }
}

impl<T> Buffer<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }
    /// Address on the device.
    pub fn as_ptr(&self) -> *const u8 {
        self.ptr.as_ptr()
    }
    /// Address on the device.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.ptr.as_ptr()
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.len * size_of::<T>() > 0 {
            // SAFETY: the pointer is this buffer's own allocation, dropped once.
            let freed = unsafe { memory::free(self.ptr.as_ptr(), None) };
            debug_assert!(freed.is_ok(), "{freed:?}");
        }
    }
}
