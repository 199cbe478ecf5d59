//! Where an operation runs.

use icicle_cuda::gpu::{self, Gpu};
use icicle_cuda::scratch::Scratch;
use icicle_device::{Device, Exec};
use icicle_error::Result;

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
}
