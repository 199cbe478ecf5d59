//! Where an operation runs, and its way to the kernels of images.
#![allow(unsafe_code)] // which are called by addresses

use icicle_cuda::gpu::{self, Gpu};
use icicle_cuda::launch::Dim;
use icicle_cuda::scratch::Scratch;
use icicle_device::{Device, Exec};
use icicle_error::Result;
use icicle_kernels::signature::{Entry, Owner, Parameters};

/// A call on its device.
pub(crate) struct Call {
    /// The operation, for errors.
    pub(crate) op: &'static str,
    /// The device's default stream; nothing is waited for.
    pub(crate) exec: Exec,
    /// The device.
    pub(crate) gpu: &'static Gpu,
    /// Multiprocessors.
    pub(crate) sms: u32,
}

impl Call {
    /// On a CUDA device.
    ///
    /// # Errors
    /// `InvalidDevice`, or that it is lost.
    pub(crate) fn new(op: &'static str, device: Device) -> Result<Self> {
        let gpu = gpu::gpu(op, device.index)?;
        Ok(Self { op, exec: Exec::on(device).with_async(true), gpu, sms: gpu.units })
    }

    /// Memory for the length of the call, given back in the order of its stream.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(crate) fn scratch(&self, bytes: usize) -> Result<Scratch> {
        Scratch::new(self.op, &self.exec, bytes)
    }

    /// Enqueue a kernel of the image of that name, for an owner there.
    ///
    /// # Errors
    /// `Unsupported` if this build has no such image, `BackendLoadFailed` if the device cannot run it; as
    /// [`Loaded::launch`](icicle_cuda::module::Loaded::launch).
    ///
    /// # Safety
    /// As [`Loaded::launch`](icicle_cuda::module::Loaded::launch).
    pub(crate) unsafe fn launch<P: Parameters>(
        &self,
        image: &'static str,
        kernel: (Owner, Entry<P>),
        (grid, block): (Dim, u32),
        arguments: P,
    ) -> Result<()> {
        let image = self.gpu.images.get(self.gpu, image)?;
        // SAFETY: the caller's.
        unsafe { image.launch(self.exec.stream(), kernel, (grid, block), false, &arguments) }
    }

    /// As [`Call::launch`], with so many bytes of dynamic shared memory.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn launch_with_shared<P: Parameters>(
        &self,
        image: &'static str,
        kernel: (Owner, Entry<P>),
        launch: (Dim, u32, u32),
        arguments: P,
    ) -> Result<()> {
        let image = self.gpu.images.get(self.gpu, image)?;
        // SAFETY: the caller's.
        unsafe { image.launch_with_shared(self.exec.stream(), kernel, launch, &arguments) }
    }
}
