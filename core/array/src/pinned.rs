//! Page-locked (pinned) memory of the host, which GPUs copy from and to at the rate of their link.

use crate::array::{Array, Memory};
use crate::storage::Storage;
use icicle_device::{Device, DeviceKind};
use icicle_error::Result;
use std::sync::Arc;

impl Array {
    /// A dense copy in page-locked memory of the host, on the array's device if that is a CPU, else on `cpu:0`. GPUs copy it, with
    /// [`Array::to_device`], at the rate of their link; other memory of the host passes through page-locked chunks. Where there is
    /// no GPU it is plain memory.
    ///
    /// Page-locking takes longer than copying, and the pages are lost to the rest of the system: it pays for arrays that are copied
    /// several times, which assignment in place fills again. The copy is done on return; the memory is given back with the last
    /// array in it, and does not count as the device's used memory.
    ///
    /// # Errors
    /// `OutOfMemory` or `AllocationFailed` if the system refuses; those of computing the array.
    pub fn to_pinned(&self) -> Result<Self> {
        const OP: &str = "to_pinned";
        let device = if self.device().kind == DeviceKind::Cpu { self.device() } else { Device::cpu(0) };
        let dense = self.contiguous()?;
        let mut storage = Arc::new(Storage::pinned(device, self.len() * self.dtype().bytes())?);
        if !self.is_empty() {
            dense.copy_dense_to(&mut storage)?;
        }
        Ok(Self { memory: Memory::Held(storage), dtype: self.dtype(), layout: crate::Layout::dense(OP, self.shape())? })
    }

    /// Whether its memory is page-locked, as [`Array::to_pinned`] makes it where there is a GPU.
    ///
    /// # Errors
    /// Those of computing the array.
    pub fn is_pinned(&self) -> Result<bool> {
        Ok(self.storage()?.is_pinned())
    }
}
