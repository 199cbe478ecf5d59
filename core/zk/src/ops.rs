//! Which operations a device offers.

pub use crate::args::domain::Domain;

use icicle_device::{Device, DeviceKind};
use icicle_error::Result;
use icicle_params::Op;

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
