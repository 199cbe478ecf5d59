//! One operation's way to its kernels: the image they are in, whose they are, and how they are launched, all of which the
//! crate `icicle-kernels` says.
#![allow(unsafe_code)]

use icicle_cuda::gpu::{self, Gpu};
use icicle_cuda::images;
use icicle_cuda::launch::Dim;
use icicle_cuda::module::Loaded;
use icicle_device::Exec;
use icicle_error::{Error, Result};
use icicle_kernels::signature::{Entry, Owner, Parameters};
use icicle_kernels::{Plan, names};
use icicle_params::{CurveId, FieldId};

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
    /// The device.
    pub gpu: &'static Gpu,
    /// 32-bit words of an element, or of a point's coordinate.
    pub words: usize,
    /// Multiprocessors.
    pub sms: u32,
    image: &'static Loaded,
    owner: Owner,
}

impl<'a> Call<'a> {
    /// Kernels over a field.
    ///
    /// # Errors
    /// `Unsupported` if this build has none, `BackendLoadFailed` if the device cannot run them.
    pub fn of_field(op: &'static str, exec: &'a Exec, field: FieldId) -> Result<Self> {
        let owner = Owner::Field(names::kernel_field(field));
        Self::new(op, exec, field, names::image_of(field), owner)
    }

    /// Kernels that move the elements of a field.
    ///
    /// # Errors
    /// As [`Call::of_field`].
    pub fn of_layout(op: &'static str, exec: &'a Exec, field: FieldId) -> Result<Self> {
        Self::new(op, exec, field, names::LAYOUT, Owner::Words(field.info().bytes() / 4))
    }

    /// Kernels of a curve group, in the image of that name.
    ///
    /// # Errors
    /// As [`Call::of_field`].
    pub fn of_curve(
        op: &'static str,
        exec: &'a Exec,
        curve: CurveId,
        image: std::result::Result<&'static str, &'static str>,
    ) -> Result<Self> {
        let image = image.map_err(|why| Error::unsupported(op, format!("{curve:?}: {why}")))?;
        Self::new(op, exec, curve.info().base, image, Owner::Curve(names::kernel_curve(curve)))
    }

    /// The kernels of the counting sort, for the same call.
    ///
    /// # Errors
    /// As [`Call::of_field`].
    pub fn sort(&self) -> Result<Self> {
        Ok(Self { image: self.gpu.images.get(self.gpu, names::SORT)?, owner: Owner::Any, ..*self })
    }

    fn new(op: &'static str, exec: &'a Exec, field: FieldId, image: &'static str, owner: Owner) -> Result<Self> {
        let gpu = gpu::gpu(op, exec.device().index)?;
        let image = gpu.images.get(gpu, image)?;
        Ok(Self { op, exec, gpu, words: field.info().bytes() / 4, sms: gpu.units, image, owner })
    }

    /// Bytes of `count` elements.
    pub fn bytes(&self, count: u64) -> usize {
        count as usize * self.words * 4
    }

    /// Enqueue a kernel.
    ///
    /// # Errors
    /// As [`Loaded::launch`].
    ///
    /// # Safety
    /// As [`Loaded::launch`].
    pub unsafe fn launch<P: Parameters>(&self, kernel: Entry<P>, size: impl Into<Size>, arguments: P) -> Result<()> {
        let Size(grid, block) = size.into();
        // SAFETY: the caller's.
        unsafe { self.image.launch(self.exec.stream(), (self.owner, kernel), (grid, block), false, &arguments) }
    }

    /// Enqueue a kernel that may start beside the last blocks of the one before.
    ///
    /// # Errors
    /// As [`Call::launch`].
    ///
    /// # Safety
    /// As [`Call::launch`]; the kernel waits for the one before.
    pub unsafe fn launch_dependent<P: Parameters>(&self, kernel: Entry<P>, plan: Plan, arguments: P) -> Result<()> {
        let Size(grid, block) = plan.into();
        // SAFETY: the caller's.
        unsafe { self.image.launch(self.exec.stream(), (self.owner, kernel), (grid, block), true, &arguments) }
    }
}

/// Grid and threads of a block.
pub(crate) struct Size(pub Dim, pub u32);

impl From<Plan> for Size {
    fn from(plan: Plan) -> Self {
        Self(Dim([plan.grid.0, plan.grid.1, 1]), plan.threads)
    }
}
