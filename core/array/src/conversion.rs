//! The same values otherwise: dense, in another dtype, on another device.

use crate::DType;
use crate::array::{Array, Fresh, computing};
use crate::cast::cast;
use crate::chain::Asks;
use crate::constant::constant;
use crate::job::Job;
use crate::lazy::apply;
use crate::source::{Draft, evaluate};
use crate::step::Step;
use icicle_cpu::blocks::Work;
use icicle_device::Device;
use icicle_error::Result;

impl Array {
    /// The same values on a device: itself if it is there.
    ///
    /// # Errors
    /// `InvalidDevice`, `OutOfMemory`, `CopyFailed`; as of [`Array::contiguous`].
    pub fn to_device(&self, device: Device) -> Result<Self> {
        const OP: &str = "to_device";
        if self.device() == device {
            return Ok(self.clone());
        }
        if self.is_empty() {
            return Ok(Fresh::new(OP, device, self.dtype, self.shape())?.done());
        }
        if let Some(value) = self.constant() {
            return constant(OP, device, self.shape(), self.dtype, value);
        }
        self.contiguous()?.dense_on(OP, device)
    }

    /// The same values with dense memory: itself if it has.
    ///
    /// # Errors
    /// `Unsupported` for a strided array that is not on a CPU; `OutOfMemory`.
    pub fn contiguous(&self) -> Result<Self> {
        if self.is_dense() { Ok(self.clone()) } else { self.copy() }
    }

    /// A dense copy in C order.
    ///
    /// # Errors
    /// As [`Array::contiguous`].
    pub fn copy(&self) -> Result<Self> {
        convert_in_order("copy", self)
    }

    /// The values in another dtype. Integers wrap, floats to integers saturate with NaN as 0, anything to bool says whether
    /// it is not 0. Without need it shares the memory.
    ///
    /// # Errors
    /// `InvalidArgument` for complex to real; `Unsupported` if it is not on a CPU; `OutOfMemory`.
    pub fn astype(&self, dtype: DType) -> Result<Self> {
        if dtype == self.dtype {
            return Ok(self.clone());
        }
        convert("astype", self, dtype)
    }
}

/// The values in a dtype, in dense memory whose axes are in the order the array's have.
fn convert(op: &'static str, array: &Array, to: DType) -> Result<Array> {
    // Checked now, as the values may be computed later.
    cast(op, array.dtype(), to)?;
    apply(Step::cast(op, to), to, &[array])
}

/// The values in dense memory in C order.
pub(crate) fn convert_in_order(op: &'static str, array: &Array) -> Result<Array> {
    let job = Job::in_order(op, computing(op, &[array])?, array.shape());
    #[cfg(feature = "cuda")]
    if job.device.kind == icicle_device::DeviceKind::Cuda {
        return Ok(crate::cuda::elementwise::in_order(&job, array)?.done());
    }
    let mut draft = Draft::new(op);
    let source = draft.operand(&job.order, array, array.dtype(), Asks::Call)?;
    let mut out = Fresh::of(&job, array.dtype())?;
    evaluate(&draft, &source, job.len(), Work::Light, &mut out);
    Ok(out.done())
}
