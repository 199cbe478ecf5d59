//! The server's key in a GPU's memory.

use super::memory::Streams;
use super::rotation_key::RotationKey;
use super::steps::Steps;
use crate::host_key::HostKey;
use crate::parameters::Parameters;
use icicle_device::Device;
use icicle_error::{Error, Result};
use icicle_kernels::fhe::POLYNOMIAL_SIZE;
use icicle_runtime::Buffer;

/// The keys as kernels read them: 90 MB.
pub(crate) struct GpuKey {
    pub(super) streams: Streams,
    /// The upper halves of the key-switching key's words, as bytes for tensor cores.
    pub(super) key_switch: Buffer<u8>,
    pub(super) rotation: RotationKey,
    /// Bootstraps that the device does at once.
    together: usize,
}

/// Refuse parameters that kernels are not made for.
fn check_parameters(op: &'static str, of: &Parameters) -> Result<()> {
    let got = (of.polynomial_size, of.pbs_base_log, of.ks_base_log, of.ks_levels);
    if got == (POLYNOMIAL_SIZE, 23, 4, 4) {
        return Ok(());
    }
    Err(Error::unsupported(op, format!("parameters {} on a GPU", of.name)))
}

impl GpuKey {
    /// A copy of a host's key.
    pub(crate) fn new(op: &'static str, device: Device, host: &HostKey) -> Result<Self> {
        check_parameters(op, host.parameters)?;
        let streams = Streams::new(device);
        let steps = Steps::new(op, &streams)?;
        let words = Buffer::from_slice_on(device, &host.key_switch.words)?;
        let key_switch = steps.arrange_key(&words, host.parameters.small_words())?;
        let together = steps.together();
        drop(steps);
        let rotation = RotationKey::new(op, device, host)?;
        Ok(Self { streams, key_switch, rotation, together })
    }

    /// A copy on a GPU, the same or another.
    pub(crate) fn to_device(&self, op: &'static str, device: Device) -> Result<Self> {
        let streams = Streams::new(device);
        let together = Steps::new(op, &streams)?.together();
        Ok(Self {
            streams,
            key_switch: self.key_switch.to_device(device)?,
            rotation: self.rotation.to_device(device)?,
            together,
        })
    }

    /// Bootstraps that the device does at once.
    pub(crate) fn together(&self) -> usize {
        self.together
    }
}
