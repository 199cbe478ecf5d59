//! The server's key: it computes on ciphertexts, and tells nothing about them.

use crate::ciphertexts::KeyTag;
#[cfg(feature = "cuda")]
use crate::cuda::GpuKey;
use crate::host_key::HostKey;
use crate::parameters::Parameters;
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, Result};
use std::fmt;
use std::sync::Arc;

/// The key to compute with, on one device: the key-switching key and the bootstrapping key, 120 MB in a CPU's memory, 90 MB in a
/// GPU's.
///
/// It holds only encryptions, so that it may be given away; threads may share it. What it computes lies in its device's memory, and
/// is there when an operation returns; its operands may lie anywhere.
pub struct ServerKey {
    pub(crate) parameters: &'static Parameters,
    pub(crate) tag: KeyTag,
    device: Device,
    pub(crate) side: Side,
}

/// The key as its device has it.
pub(crate) enum Side {
    Host(Arc<HostKey>),
    #[cfg(feature = "cuda")]
    Gpu(Box<GpuKey>),
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ServerKey")
            .field("parameters", &self.parameters.name)
            .field("tag", &self.tag)
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

impl ServerKey {
    /// Refuse a device that cannot have a key.
    pub(crate) fn check_device(op: &'static str, device: Device) -> Result<()> {
        #[cfg(not(feature = "cuda"))]
        if device.kind != DeviceKind::Cpu {
            return Err(without_gpus(op, device));
        }
        icicle_runtime::device_info(device).map(|_| ()).map_err(|error| Error { op, ..error })
    }

    /// The key of a host's, for a device that was checked.
    pub(crate) fn of(
        op: &'static str,
        (parameters, tag): (&'static Parameters, KeyTag),
        device: Device,
        host: Arc<HostKey>,
    ) -> Result<Self> {
        let side = match device.kind {
            DeviceKind::Cpu => Side::Host(host),
            #[cfg(feature = "cuda")]
            DeviceKind::Cuda => Side::Gpu(Box::new(GpuKey::new(op, device, &host)?)),
            #[cfg(not(feature = "cuda"))]
            DeviceKind::Cuda => return Err(without_gpus(op, device)),
        };
        Ok(Self { parameters, tag, device, side })
    }

    /// The set of parameters.
    pub fn parameters(&self) -> &'static Parameters {
        self.parameters
    }

    /// The device that computes.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The key on another device: CPUs share the host's memory, a GPU gets a copy.
    ///
    /// # Errors
    /// `Unsupported` from a GPU to a CPU, as GPUs keep the upper halves of the key-switching key alone, and for a GPU that has too
    /// little shared memory, or without CUDA; `InvalidDevice`, `OutOfMemory`.
    pub fn to_device(&self, device: Device) -> Result<Self> {
        const OP: &str = "fhe_server_key_to_device";
        Self::check_device(OP, device)?;
        let whose = (self.parameters, self.tag);
        match &self.side {
            Side::Host(host) => Self::of(OP, whose, device, Arc::clone(host)),
            #[cfg(feature = "cuda")]
            Side::Gpu(key) => {
                if device.kind == DeviceKind::Cpu {
                    self.host(OP)?;
                }
                Ok(Self { device, side: Side::Gpu(Box::new(key.to_device(OP, device)?)), ..*self })
            }
        }
    }

    /// The key in the host's memory.
    ///
    /// # Errors
    /// `Unsupported` for a GPU's.
    #[cfg_attr(not(feature = "cuda"), expect(unused_variables, clippy::unnecessary_wraps))]
    pub(crate) fn host(&self, op: &'static str) -> Result<&HostKey> {
        match &self.side {
            Side::Host(host) => Ok(host),
            #[cfg(feature = "cuda")]
            Side::Gpu(_) => Err(Error::unsupported(
                op,
                format!(
                    "the key is on {}, which keeps a part of it only: take a CPU's, or the compressed key",
                    self.device
                ),
            )),
        }
    }
}

#[cfg(not(feature = "cuda"))]
fn without_gpus(op: &'static str, device: Device) -> Error {
    Error::unsupported(op, format!("device {device}: this build has encrypted integers on CPUs only"))
}
