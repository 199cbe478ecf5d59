//! Memory on a device, owned.
#![allow(unsafe_code)]

use super::{CopyArgs, Device, Exec, Place, current_device, registry};
use crate::{Error, Result};
use bytemuck::Pod;
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
        let bytes = crate::ops::bytes_for("malloc", "buffer", len, size_of::<T>())?;
        let ptr = match bytes {
            0 => NonNull::dangling(),
            _ => super::tracker::alloc(device, bytes, 0)?,
        };
        Ok(Self { device, ptr, len, elements: PhantomData })
    }

    /// A copy of host data on the thread's current device.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    pub fn from_slice(data: &[T]) -> Result<Self> {
        Self::on(current_device(), data.len()).and_then(|mut buffer| buffer.copy_from_slice(data).map(|()| buffer))
    }

    /// Copy host data of the same length in.
    ///
    /// # Errors
    /// `InvalidArgument` if lengths differ.
    pub fn copy_from_slice(&mut self, data: &[T]) -> Result<()> {
        self.same_length("copy_to_device", data.len())?;
        let (dst_place, src_place) = (Place::Device(self.device), Place::Host);
        let args =
            CopyArgs { dst: self.as_mut_ptr(), dst_place, src: data.as_ptr().cast(), src_place, bytes: self.bytes() };
        // SAFETY: both ends hold `self.bytes()`; the call is synchronous.
        unsafe { self.copy(&args) }
    }

    /// Copy out to host memory of the same length.
    ///
    /// # Errors
    /// `InvalidArgument` if lengths differ.
    pub fn copy_to_slice(&self, out: &mut [T]) -> Result<()> {
        self.same_length("copy_to_host", out.len())?;
        let (dst_place, src_place) = (Place::Host, Place::Device(self.device));
        let args =
            CopyArgs { dst: out.as_mut_ptr().cast(), dst_place, src: self.as_ptr(), src_place, bytes: self.bytes() };
        // SAFETY: both ends hold `self.bytes()`; the call is synchronous.
        unsafe { self.copy(&args) }
    }

    /// The contents, on the host.
    ///
    /// # Errors
    /// `CopyFailed`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut out = vec![T::zeroed(); self.len];
        self.copy_to_slice(&mut out).map(|()| out)
    }

    /// # Safety
    /// As [`super::Backend::copy`].
    unsafe fn copy(&self, args: &CopyArgs) -> Result<()> {
        if args.bytes == 0 {
            return Ok(());
        }
        let exec = Exec { device: self.device, stream: 0, is_async: false };
        // SAFETY: the caller's.
        unsafe { registry::backend(self.device)?.copy(&exec, args) }
    }

    fn same_length(&self, op: &'static str, got: usize) -> Result<()> {
        if got == self.len {
            return Ok(());
        }
        Err(Error::argument(op, format!("host data of {got} elements: the buffer holds {}", self.len)))
    }

    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
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
            let freed = unsafe { super::tracker::free(self.ptr.as_ptr(), 0) };
            debug_assert!(freed.is_ok(), "{freed:?}");
        }
    }
}
