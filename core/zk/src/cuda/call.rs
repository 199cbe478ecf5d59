//! One operation's way to its kernels: the image they are in, their names, and how they are launched, all of which the
//! crate `icicle-kernels` says.
#![allow(unsafe_code)]

use icicle_cuda::gpu;
use icicle_cuda::images;
use icicle_cuda::launch::{Dim, KernelArg};
use icicle_cuda::module::Module;
use icicle_device::Exec;
use icicle_error::Result;
use icicle_kernels::{Plan, names};
use icicle_params::FieldId;

/// Whether this build has the kernels of a field.
pub(crate) fn has_kernels(field: FieldId) -> bool {
    images::image(names::image_of(field)).is_ok() && images::image(names::LAYOUT).is_ok()
}

/// A call on its device.
pub(crate) struct Call<'a> {
    /// The operation, for errors.
    pub op: &'static str,
    /// Device and stream.
    pub exec: &'a Exec,
    /// Words of an element.
    pub words: usize,
    /// Multiprocessors.
    pub sms: u32,
    module: &'static Module,
    field: FieldId,
    name: fn(FieldId, &str) -> String,
}

impl<'a> Call<'a> {
    /// Kernels over a field.
    ///
    /// # Errors
    /// `Unsupported` if this build has none, `BackendLoadFailed` if the device cannot run them.
    pub fn of_field(op: &'static str, exec: &'a Exec, field: FieldId) -> Result<Self> {
        Self::new(op, exec, field, names::image_of(field), names::kernel)
    }

    /// Kernels that move the elements of a field.
    ///
    /// # Errors
    /// As [`Call::of_field`].
    pub fn of_layout(op: &'static str, exec: &'a Exec, field: FieldId) -> Result<Self> {
        Self::new(op, exec, field, names::LAYOUT, names::layout_kernel)
    }

    fn new(
        op: &'static str,
        exec: &'a Exec,
        field: FieldId,
        image: &'static str,
        name: fn(FieldId, &str) -> String,
    ) -> Result<Self> {
        let gpu = gpu::gpu(op, exec.device().index)?;
        let module = gpu.modules.get(gpu, image)?;
        Ok(Self { op, exec, words: field.info().bytes() / 4, sms: gpu.units, module, field, name })
    }

    /// Bytes of `count` elements.
    pub fn bytes(&self, count: u64) -> usize {
        count as usize * self.words * 4
    }

    /// Enqueue a kernel.
    ///
    /// # Errors
    /// As [`Kernel::launch`](icicle_cuda::launch::Kernel::launch).
    ///
    /// # Safety
    /// As [`Kernel::launch`](icicle_cuda::launch::Kernel::launch).
    pub unsafe fn launch(&self, step: &str, plan: Plan, arguments: &[&dyn KernelArg]) -> Result<()> {
        let kernel = self.module.kernel(&(self.name)(self.field, step))?;
        let (x, y) = plan.grid;
        // SAFETY: the caller's.
        unsafe { kernel.launch(self.exec.stream(), Dim([x, y, 1]), plan.threads, 0, arguments) }
    }
    /// Enqueue a kernel that may start beside the last blocks of the one before.
    ///
    /// # Errors
    /// As [`Call::launch`].
    ///
    /// # Safety
    /// As [`Kernel::launch_dependent`](icicle_cuda::launch::Kernel::launch_dependent).
    pub unsafe fn launch_dependent(&self, step: &str, plan: Plan, arguments: &[&dyn KernelArg]) -> Result<()> {
        let kernel = self.module.kernel(&(self.name)(self.field, step))?;
        let (x, y) = plan.grid;
        // SAFETY: the caller's.
        unsafe { kernel.launch_dependent(self.exec.stream(), Dim([x, y, 1]), plan.threads, arguments) }
    }
}
