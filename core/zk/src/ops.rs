//! Which operations a device offers, and the way of a call to its device's side.

use icicle_device::{Device, DeviceKind};
use icicle_error::Result;
use icicle_params::{CurveId, FieldId, Op};

/// What an operation works over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// A field.
    Field(FieldId),
    /// A curve group.
    Curve(CurveId),
}

/// Whether a device offers an operation over a field or curve; exactly then the call does not return `Unsupported`.
///
/// # Errors
/// `InvalidDevice` if it does not exist.
pub fn supports(device: Device, op: Op, domain: Domain) -> Result<bool> {
    icicle_runtime::registry::backend(device)?;
    let over_its_kind = op.takes_curves() == matches!(domain, Domain::Curve(_));
    Ok(over_its_kind
        && match device.kind {
            DeviceKind::Cpu => crate::cpu::supports(op, domain),
            #[cfg(feature = "cuda")]
            DeviceKind::Cuda => crate::cuda::supports(op, domain),
            #[cfg(not(feature = "cuda"))]
            DeviceKind::Cuda => false,
        })
}

/// Call the side of the device that a call runs on: the function of this path in `cpu` or `cuda`, with proven arguments:
/// lengths, ranges and places hold. It completes or enqueues the work, or returns an error with outputs untouched.
macro_rules! on_device {
    ($exec:expr, $module:ident::$function:ident($($argument:expr),*)) => {{
        let exec: &icicle_device::Exec = $exec;
        icicle_runtime::registry::backend(exec.device()).and_then(|_| match exec.device().kind {
            icicle_device::DeviceKind::Cpu => crate::cpu::$module::$function(exec, $($argument),*),
            #[cfg(feature = "cuda")]
            icicle_device::DeviceKind::Cuda => crate::cuda::$module::$function(exec, $($argument),*),
            #[cfg(not(feature = "cuda"))]
            icicle_device::DeviceKind::Cuda => {
                Err(icicle_error::Error::unsupported(stringify!($function), "this build has no CUDA devices"))
            }
        })
    }};
}
pub(crate) use on_device;
