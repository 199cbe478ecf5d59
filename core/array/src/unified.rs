//! Unified memory: one address for the host and every GPU, whose pages move to who touches them, or ahead of time.

use crate::array::{Array, Memory};
use crate::storage::Storage;
use icicle_device::Device;
use icicle_error::Result;
use std::sync::Arc;

impl Array {
    /// A dense copy in unified memory of a device, which the host and every GPU reach: [`Array::shared_with`] gives it to another
    /// device without a copy. A GPU's is managed memory, of which the driver moves pages to who touches them; a CPU's is plain
    /// memory, which all CPU devices reach. The copy is done on return; the memory is given back with the last array in it.
    ///
    /// Elements of one device should be multiples of 2 MiB, the unit in which pages are moved. The memory does not count as the
    /// device's used memory, and is no more than the device has free.
    ///
    /// # Errors
    /// `Unsupported` if the device has no managed memory, or cannot use it while the host does; `OutOfMemory`; `InvalidDevice`;
    /// those of computing the array.
    pub fn to_unified(&self, device: Device) -> Result<Self> {
        const OP: &str = "to_unified";
        let dense = self.contiguous()?;
        let mut storage = Arc::new(Storage::unified(OP, device, self.len() * self.dtype().bytes())?);
        if !self.is_empty() {
            dense.copy_dense_to(&mut storage)?;
        }
        Ok(Self { memory: Memory::Held(storage), dtype: self.dtype(), layout: crate::Layout::dense(OP, self.shape())? })
    }

    /// Whether its memory is unified, as that of CPUs always is.
    ///
    /// # Errors
    /// Those of computing the array.
    pub fn is_unified(&self) -> Result<bool> {
        Ok(self.storage()?.is_unified())
    }

    /// The same memory for use by another device, without a copy: itself if that is its own. What the other device computes from
    /// it comes after what was enqueued before, for which this call waits if it is a CPU; assignment to either copies while both are
    /// there.
    ///
    /// # Errors
    /// `InvalidArgument` if the device does not reach the memory; `InvalidDevice`; those of computing the array.
    pub fn shared_with(&self, device: Device) -> Result<Self> {
        let memory = Memory::Held(Storage::reached("shared_with", self.storage()?, device)?);
        Ok(Self { memory, dtype: self.dtype(), layout: self.layout.clone() })
    }

    /// Move the pages from its first to its last element to its device, enqueued on its default stream, so that what follows there
    /// does not fetch them one by one. On a CPU device pages of a GPU's unified memory move to the host, and plain memory stays.
    ///
    /// # Errors
    /// `InvalidArgument` if it lies in a GPU's own memory; `CopyFailed`; those of computing the array.
    pub fn prefetch(&self) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let bytes = self.dtype().bytes();
        let (first, last) = self.layout.extent();
        self.storage()?.prefetch("prefetch", first * bytes..(last + 1) * bytes)
    }

    /// Whether it lies in unified memory of a GPU.
    #[cfg(feature = "cuda")]
    pub(crate) fn is_shared_with_gpus(&self) -> bool {
        self.storage().is_ok_and(|storage| storage.is_reached_by(icicle_device::DeviceKind::Cuda))
    }
}
