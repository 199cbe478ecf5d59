//! Transforms on the CPU.

use crate::device::Device;
use crate::ops::ntt::{DomainArgs, EcNttArgs, NttArgs};
use crate::{FieldId, Result};

pub(crate) fn init_domain(_: Device, _: &DomainArgs) -> Result<()> {
    todo!()
}
pub(crate) fn release_domain(_: Device, _: FieldId) -> Result<()> {
    todo!()
}
pub(crate) fn domain_root(_: Device, _: FieldId, _log_n: u32) -> Result<[u64; 12]> {
    todo!()
}
pub(crate) fn ntt(_: Device, _: &NttArgs) -> Result<()> {
    todo!()
}
pub(crate) fn ecntt(_: Device, _: &EcNttArgs) -> Result<()> {
    todo!()
}
