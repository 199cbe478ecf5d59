//! Host memory that devices copy from and to at full speed.

use crate::memory::HostBlock;
use bytemuck::Pod;
use icicle_device::{Device, current_device};
use icicle_error::Result;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// `len` elements of page-locked host memory, a slice, freed when dropped. On the CPU it is ordinary memory.
#[derive(Debug)]
pub struct PinnedBuffer<T> {
    block: HostBlock,
    elements: PhantomData<T>,
}

impl<T: Pod> PinnedBuffer<T> {
    /// Zeroed memory for `len` elements, page-locked for all devices of the current one's kind.
    ///
    /// # Errors
    /// `OutOfMemory`, `AllocationFailed`, or `InvalidArgument` if the size exceeds the address space.
    pub fn new(len: usize) -> Result<Self> {
        Self::on(current_device(), len)
    }

    /// As [`PinnedBuffer::new`], for all devices of a device's kind.
    ///
    /// # Errors
    /// As [`PinnedBuffer::new`], and `InvalidDevice`.
    pub fn on(device: Device, len: usize) -> Result<Self> {
        const {
            assert!(size_of::<T>() > 0 && align_of::<T>() <= 64, "elements have a size, and an alignment of at most 64")
        };
        let bytes = icicle_device::check::bytes_for("host_alloc", "buffer", len, size_of::<T>())?;
        Ok(Self { block: HostBlock::new(device, bytes)?, elements: PhantomData })
    }

    /// A copy of data.
    ///
    /// # Errors
    /// As [`PinnedBuffer::new`].
    pub fn from_slice(data: &[T]) -> Result<Self> {
        let mut buffer = Self::new(data.len())?;
        buffer.copy_from_slice(data);
        Ok(buffer)
    }
}

impl<T: Pod> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // Whole elements by construction; aligned to 64.
        bytemuck::cast_slice(self.block.bytes())
    }
}

impl<T: Pod> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(self.block.bytes_mut())
    }
}
