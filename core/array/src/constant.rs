//! Arrays of one value.

use crate::array::{Array, Fresh};
use crate::dtype::{Visitor, visit};
use crate::{DType, Element};
use icicle_device::Device;
use icicle_error::Result;
#[cfg(feature = "cuda")]
use {
    crate::array::Pending,
    crate::job::Job,
    crate::layout::Layout,
    crate::lazy::compute_pending,
    crate::step::{Code, Kernel, OPERANDS, Step},
    icicle_cpu::blocks::Work,
};

/// All elements of one value, by its bytes.
pub(crate) fn constant(
    op: &'static str,
    device: Device,
    shape: &[usize],
    dtype: DType,
    bytes: [u8; 16],
) -> Result<Array> {
    struct Fill<'a>(&'a mut Fresh, [u8; 16]);
    impl Visitor for Fill<'_> {
        type Output = ();
        fn visit<T: Element>(self) {
            let value: T = bytemuck::pod_read_unaligned(&self.1[..size_of::<T>()]);
            self.0.slice::<T>().fill(value);
        }
    }
    #[cfg(feature = "cuda")]
    if device.kind == icicle_device::DeviceKind::Cuda {
        return waiting(op, device, shape, dtype, bytes);
    }
    let mut out = Fresh::new(op, device, dtype, shape)?;
    visit(dtype, Fill(&mut out, bytes));
    Ok(out.done())
}

/// An array of one value on a GPU, which takes no memory until it is needed.
///
/// # Errors
/// `InvalidDevice`.
#[cfg(feature = "cuda")]
fn waiting(op: &'static str, device: Device, shape: &[usize], dtype: DType, bytes: [u8; 16]) -> Result<Array> {
    icicle_cuda::gpu::gpu(op, device.index)?;
    let job = Job::in_order(op, device, shape);
    let (code, kernel) = (Code::Constant(bytes), Kernel::Cast);
    let step = Step { op, code, kernel, takes: [dtype; OPERANDS], gives: dtype, work: Work::Light };
    Ok(Pending::new(job, step, dtype, compute_pending).array(Layout::dense(op, shape)?))
}
