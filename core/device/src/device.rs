//! Devices by kind and index, and their names.

use icicle_error::{Error, ErrorCode, Result};
use std::fmt;
use std::str::FromStr;

/// A kind of device, one per backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i32)]
pub enum DeviceKind {
    /// The host's processor, or a virtual part of it.
    Cpu = 0,
    /// An NVIDIA GPU.
    Cuda = 1,
}

impl DeviceKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::Cuda];

    /// ICICLE's name of the device type: `CPU`, `CUDA`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Cuda => "CUDA",
        }
    }
}

/// A device by kind and index; prints and parses as `cpu:0`, `cuda:1`. It need not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Device {
    /// Which backend.
    pub kind: DeviceKind,
    /// Which of its devices, from 0.
    pub index: u32,
}

impl Device {
    /// The `index`-th CPU device.
    pub const fn cpu(index: u32) -> Self {
        Self { kind: DeviceKind::Cpu, index }
    }
    /// The `index`-th CUDA device.
    pub const fn cuda(index: u32) -> Self {
        Self { kind: DeviceKind::Cuda, index }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name().to_ascii_lowercase(), self.index)
    }
}

impl FromStr for Device {
    type Err = Error;

    /// Parse `kind[:index]`; the kind in any case, the index 0 if left out.
    fn from_str(text: &str) -> Result<Self> {
        let (kind, index) = text.split_once(':').unwrap_or((text, "0"));
        let kind = DeviceKind::ALL.into_iter().find(|k| k.name().eq_ignore_ascii_case(kind));
        match (kind, index.parse()) {
            (Some(kind), Ok(index)) => Ok(Self { kind, index }),
            _ => Err(Error::new(
                ErrorCode::InvalidDevice,
                "device",
                format!("name {text:?}: must be cpu or cuda, a colon and an index, such as cuda:1"),
            )),
        }
    }
}
