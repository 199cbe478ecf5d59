//! What is loaded into a device: modules, and the kernels in them.

use super::kernel::Kernel;
use icicle_device::Device;
use icicle_error::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Code loaded into one device, for the life of the process.
#[derive(Debug)]
pub struct Module {
    pub(crate) device: Device,
    pub(crate) kernels: BTreeMap<String, Kernel>,
}

/// The library's own images on a device, by prefix; loaded on first use.
#[derive(Default)]
pub struct Modules(pub(crate) Mutex<BTreeMap<&'static str, Result<&'static Module>>>);

impl Module {
    /// A function by name.
    ///
    /// # Errors
    /// `Unsupported` if it was not asked for when loading.
    pub fn kernel(&self, name: &str) -> Result<&Kernel> {
        self.kernels
            .get(name)
            .ok_or_else(|| Error::unsupported("kernel", format!("{name}: not in the code loaded into {}", self.device)))
    }

    /// Whether a function was loaded.
    pub fn has(&self, name: &str) -> bool {
        self.kernels.contains_key(name)
    }

    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }
}
