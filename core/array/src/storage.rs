//! The memory of arrays: a device's own, page-locked or unified memory, or memory of another device that a device reaches too.

use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, Result};
use icicle_runtime::Buffer;
use std::sync::Arc;

/// At least one byte, aligned to 64.
#[derive(Debug)]
pub(crate) enum Storage {
    Own(Buffer<u8>),
    /// Which the host and every GPU reach.
    #[cfg(feature = "cuda")]
    Unified(icicle_cuda::Managed),
    /// A CPU device's, page-locked for all GPUs.
    #[cfg(feature = "cuda")]
    Pinned(icicle_runtime::PinnedBuffer<u8>, Device),
    Reached(Reached),
}

/// Memory of another device, for use by this one.
#[derive(Debug)]
pub(crate) struct Reached {
    of: Arc<Storage>,
    device: Device,
}

impl From<Buffer<u8>> for Storage {
    fn from(buffer: Buffer<u8>) -> Self {
        Self::Own(buffer)
    }
}

impl Storage {
    /// Memory that the host and every GPU reach, of a GPU; of a CPU all memory is.
    ///
    /// # Errors
    /// `Unsupported` if the device has none, or cannot use it while the host does; `OutOfMemory`; `InvalidDevice`.
    pub(crate) fn unified(op: &'static str, device: Device, bytes: usize) -> Result<Self> {
        match device.kind {
            DeviceKind::Cpu => Buffer::on(device, bytes.max(1)).map(Self::Own),
            #[cfg(feature = "cuda")]
            DeviceKind::Cuda => {
                let memory = icicle_cuda::Managed::new(device, bytes.max(1)).map_err(|error| Error { op, ..error })?;
                match memory.is_concurrent()? {
                    true => Ok(Self::Unified(memory)),
                    false => Err(Error::unsupported(op, format!("{device} lacks concurrent managed access"))),
                }
            }
            #[cfg(not(feature = "cuda"))]
            DeviceKind::Cuda => Err(Error::unsupported(op, format!("{device}: this build has arrays on CPUs only"))),
        }
    }

    /// Memory of a CPU device, page-locked for all GPUs if there are any.
    ///
    /// # Errors
    /// `OutOfMemory`, `AllocationFailed`; `InvalidDevice`.
    pub(crate) fn pinned(device: Device, bytes: usize) -> Result<Self> {
        #[cfg(feature = "cuda")]
        if icicle_runtime::device_count(DeviceKind::Cuda) > 0 {
            return Ok(Self::Pinned(icicle_runtime::PinnedBuffer::on(Device::cuda(0), bytes.max(1))?, device));
        }
        Buffer::on(device, bytes.max(1)).map(Self::Own)
    }

    /// The device that computes with it.
    pub(crate) fn device(&self) -> Device {
        match self {
            Self::Own(buffer) => buffer.device(),
            #[cfg(feature = "cuda")]
            Self::Unified(memory) => memory.device(),
            #[cfg(feature = "cuda")]
            Self::Pinned(_, device) => *device,
            Self::Reached(reached) => reached.device,
        }
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        match self {
            Self::Own(buffer) => buffer.as_ptr(),
            #[cfg(feature = "cuda")]
            Self::Unified(memory) => memory.as_ptr(),
            #[cfg(feature = "cuda")]
            Self::Pinned(memory, _) => memory.as_ptr(),
            Self::Reached(reached) => reached.of.as_ptr(),
        }
    }

    /// Bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Own(buffer) => buffer.len(),
            #[cfg(feature = "cuda")]
            Self::Unified(memory) => memory.bytes(),
            #[cfg(feature = "cuda")]
            Self::Pinned(memory, _) => memory.len(),
            Self::Reached(reached) => reached.of.len(),
        }
    }

    /// Its address, to write, if it has no other holder.
    pub(crate) fn unique(storage: &mut Arc<Self>) -> Option<*mut u8> {
        match Arc::get_mut(storage)? {
            Self::Own(buffer) => Some(buffer.as_mut_ptr()),
            #[cfg(feature = "cuda")]
            Self::Unified(memory) => Some(memory.as_mut_ptr()),
            #[cfg(feature = "cuda")]
            Self::Pinned(memory, _) => Some(memory.as_mut_ptr()),
            Self::Reached(reached) => Self::unique(&mut reached.of),
        }
    }

    /// As much memory of the same kind, for the same device.
    ///
    /// # Errors
    /// As [`Storage::unified`] and [`Storage::pinned`].
    pub(crate) fn alike(&self) -> Result<Self> {
        match self {
            #[cfg(feature = "cuda")]
            Self::Unified(_) => Self::unified("assign", self.device(), self.len()),
            #[cfg(feature = "cuda")]
            Self::Pinned(..) => Self::pinned(self.device(), self.len()),
            _ => Buffer::on(self.device(), self.len()).map(Self::Own),
        }
    }

    /// Whether the host and every device of its own kind reach it.
    pub(crate) fn is_unified(&self) -> bool {
        match self {
            Self::Own(buffer) => buffer.device().kind == DeviceKind::Cpu,
            #[cfg(feature = "cuda")]
            Self::Unified(_) | Self::Pinned(..) => true,
            Self::Reached(reached) => reached.of.is_unified(),
        }
    }

    /// Whether it is page-locked memory of the host.
    pub(crate) fn is_pinned(&self) -> bool {
        match self {
            #[cfg(feature = "cuda")]
            Self::Pinned(..) => true,
            Self::Reached(reached) => reached.of.is_pinned(),
            _ => false,
        }
    }

    /// The same memory for use by another device, after what its own has enqueued.
    ///
    /// # Errors
    /// `InvalidArgument` if that device does not reach it; `InvalidDevice`; that of the work under way.
    pub(crate) fn reached(op: &'static str, storage: &Arc<Self>, device: Device) -> Result<Arc<Self>> {
        let own = storage.device();
        if own == device {
            return Ok(Arc::clone(storage));
        }
        icicle_runtime::device_info(device).map_err(|error| Error { op, ..error })?;
        if !storage.is_reached_by(device.kind) {
            let rule = "must be in unified memory of a GPU; to_unified copies it there";
            return Err(Error::argument(op, format!("array on {own}, for {device}: {rule}")));
        }
        in_order(own, device)?;
        Ok(Arc::new(Self::Reached(Reached { of: Arc::clone(storage), device })))
    }

    /// The same memory for use by another GPU whose kernels reach it, after what its own device has enqueued; none if they do not.
    ///
    /// # Errors
    /// `InvalidDevice`; that of the work under way.
    #[cfg(feature = "cuda")]
    pub(crate) fn reached_by_peer(storage: &Arc<Self>, device: Device) -> Result<Option<Arc<Self>>> {
        let own = storage.device();
        let are_gpus = [own.kind, device.kind] == [DeviceKind::Cuda; 2];
        if !matches!(**storage, Self::Own(_)) || !are_gpus || icicle_cuda::enable_peer_access(device, own).is_err() {
            return Ok(None);
        }
        in_order(own, device)?;
        Ok(Some(Arc::new(Self::Reached(Reached { of: Arc::clone(storage), device }))))
    }

    pub(crate) fn is_reached_by(&self, kind: DeviceKind) -> bool {
        match self {
            Self::Own(buffer) => buffer.device().kind == DeviceKind::Cpu && kind == DeviceKind::Cpu,
            #[cfg(feature = "cuda")]
            Self::Unified(_) => true,
            #[cfg(feature = "cuda")]
            Self::Pinned(..) => kind == DeviceKind::Cpu,
            Self::Reached(reached) => reached.of.is_reached_by(kind),
        }
    }

    /// Move some of its bytes to where its device has them at hand, in the order of that device's default stream. The CPU's are
    /// there.
    ///
    /// # Errors
    /// `InvalidArgument` if it is a GPU's own memory; `CopyFailed`.
    pub(crate) fn prefetch(&self, op: &'static str, bytes: std::ops::Range<usize>) -> Result<()> {
        self.prefetch_to(op, bytes, self.device())
    }

    // Only GPUs move memory.
    #[cfg_attr(not(feature = "cuda"), expect(clippy::only_used_in_recursion))]
    fn prefetch_to(&self, op: &'static str, bytes: std::ops::Range<usize>, device: Device) -> Result<()> {
        match self {
            Self::Own(buffer) if buffer.device().kind == DeviceKind::Cpu => Ok(()),
            Self::Own(buffer) => {
                let rule = "must be in unified memory; to_unified copies it there";
                Err(Error::argument(op, format!("array in own memory of {}: {rule}", buffer.device())))
            }
            #[cfg(feature = "cuda")]
            Self::Pinned(..) => Ok(()),
            #[cfg(feature = "cuda")]
            Self::Unified(memory) => {
                use icicle_device::Place;
                // The host has no stream: its pages are moved in the order of the memory's own device.
                let (to, of) = match device.kind {
                    DeviceKind::Cpu => (Place::Host, memory.device()),
                    DeviceKind::Cuda => (Place::Device(device), device),
                };
                let moved = memory.prefetch(bytes, to, &icicle_runtime::StreamRef::default_of(of));
                moved.map_err(|error| Error { op, ..error })
            }
            Self::Reached(reached) => reached.of.prefetch_to(op, bytes, device),
        }
    }
}

/// Let what a device will enqueue wait for what another has enqueued, both in their default streams.
fn in_order(first: Device, then: Device) -> Result<()> {
    use icicle_runtime::{Event, StreamRef};
    match (first.kind, then.kind) {
        _ if first == then => Ok(()),
        // A CPU's work is done when its calls return.
        (DeviceKind::Cpu, _) => Ok(()),
        (DeviceKind::Cuda, DeviceKind::Cpu) => icicle_runtime::synchronize(first),
        (DeviceKind::Cuda, DeviceKind::Cuda) => {
            let event = Event::on(first, false)?;
            event.record_on(&StreamRef::default_of(first))?;
            StreamRef::default_of(then).wait(&event)
        }
    }
}

impl Drop for Reached {
    fn drop(&mut self) {
        // Who holds the memory may write it, or give it back, once this device has read it. A failure is one of the device, which
        // its next call tells.
        let _ = in_order(self.device, self.of.device());
    }
}

/// Use an array's memory by another device than its own: `work`, after what its own has enqueued and before what it will.
///
/// # Errors
/// Those of `work`, and of the work under way.
#[cfg(feature = "cuda")]
pub(crate) fn used_by(own: Device, device: Device, work: impl FnOnce() -> Result<()>) -> Result<()> {
    in_order(own, device)?;
    let done = work();
    in_order(device, own)?;
    done
}
