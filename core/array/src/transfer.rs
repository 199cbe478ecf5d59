//! Arrays' elements brought to other memory.
#![allow(unsafe_code)] // memory by address

use crate::array::{Array, Fresh, copy_to};
use crate::storage::Storage;
use icicle_device::{Device, DeviceKind, Dst, Place, Src};
use icicle_error::Result;
use std::sync::Arc;
#[cfg(feature = "cuda")]
use {
    crate::array::Memory,
    crate::cuda::to_host::to_host,
    crate::storage::used_by,
    icicle_runtime::{StreamRef, copy::enqueue},
};

impl Array {
    /// A dense array's bytes, where they lie.
    ///
    /// # Errors
    /// Those of computing the array.
    pub(crate) fn dense_bytes(&self) -> Result<Src<'_>> {
        debug_assert!(self.is_dense());
        let bytes = self.len() * self.dtype.bytes();
        // SAFETY: a dense array's elements lie there, on its device.
        Ok(unsafe { Src::from_raw_parts(self.as_ptr()?, bytes, Place::Device(self.device())) })
    }

    /// Copy a dense array's bytes to new memory.
    ///
    /// # Errors
    /// `CopyFailed`; those of computing the array.
    pub(crate) fn copy_dense_to(&self, storage: &mut Arc<Storage>) -> Result<()> {
        copy_to(storage, self.dense_bytes()?)
    }

    /// Copy a dense array's bytes to memory on the host, as many.
    ///
    /// # Errors
    /// As [`Array::copy_dense_to`].
    pub(crate) fn copy_to_host(&self, op: &'static str, to: &mut [u8]) -> Result<()> {
        let from = self.dense_bytes()?;
        #[cfg(feature = "cuda")]
        if self.device().kind == DeviceKind::Cuda {
            return to_host(op, from, to);
        }
        let _ = op; // which a GPU's errors name
        icicle_runtime::transfer(to.into(), from)
    }

    /// A dense array's values on a device: itself if it is there.
    ///
    /// # Errors
    /// `InvalidDevice`, `OutOfMemory`, `CopyFailed`; those of computing the array.
    pub(crate) fn dense_on(&self, op: &'static str, device: Device) -> Result<Self> {
        debug_assert!(self.is_dense());
        if self.device() == device {
            return Ok(self.clone());
        }
        let mut out = Fresh::new(op, device, self.dtype, self.shape())?;
        if self.is_empty() {
            return Ok(out.done());
        }
        if device.kind == DeviceKind::Cpu {
            self.copy_to_host(op, out.bytes())?;
            return Ok(out.done());
        }
        let from = self.dense_bytes()?;
        // SAFETY: the storage holds as many bytes on its device.
        let to = unsafe { Dst::from_raw_parts(out.start(), from.bytes(), Place::Device(device)) };
        #[cfg(feature = "cuda")]
        if let (DeviceKind::Cuda, DeviceKind::Cuda) = (device.kind, self.device().kind) {
            let stream = StreamRef::default_of(device);
            // SAFETY: what the memory is used for later, and when it is given back, comes after the copy in both default streams.
            used_by(self.device(), device, || unsafe { enqueue(&to, &from, &stream) })?;
            return Ok(out.done());
        }
        icicle_runtime::transfer(to, from)?;
        Ok(out.done())
    }

    /// The same values for a device to read: where they lie if it reaches them, else as of [`Array::to_device`].
    ///
    /// # Errors
    /// As there.
    pub(crate) fn read_by(&self, device: Device) -> Result<Self> {
        #[cfg(feature = "cuda")]
        if self.device() != device
            && self.constant().is_none()
            && let Some(storage) = Storage::reached_by_peer(self.storage()?, device)?
        {
            return Ok(Self { memory: Memory::Held(storage), dtype: self.dtype, layout: self.layout.clone() });
        }
        self.to_device(device)
    }
}
