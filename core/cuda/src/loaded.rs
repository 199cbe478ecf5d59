//! What is loaded into a device: modules and kernels compiled for it, and the kernels in them.

use super::kernel::Kernel;
use icicle_device::Device;
use icicle_error::{Error, Result};
use icicle_kernels::signature::{Entry, Family, Owner};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

/// A caller's code loaded into one device, for the life of the process.
#[derive(Debug)]
pub struct Module {
    pub(crate) device: Device,
    pub(crate) kernels: BTreeMap<String, Kernel>,
}

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

/// One of the library's own images on a device: its kernels in the order of their tables.
#[derive(Debug)]
pub struct Loaded {
    pub(crate) device: Device,
    pub(crate) sets: HashMap<(Family, Owner), Vec<Option<Kernel>>>,
}

impl Loaded {
    /// A kernel of an owner.
    ///
    /// # Errors
    /// `Unsupported` if the image has none.
    pub(crate) fn kernel<P>(&self, owner: Owner, entry: Entry<P>) -> Result<&Kernel> {
        let set = self.sets.get(&(entry.family, owner));
        set.and_then(|kernels| kernels.get(entry.index)?.as_ref()).ok_or_else(|| {
            let what = format!("{:?} kernel {} of {owner:?}", entry.family, entry.index);
            Error::unsupported("kernel", format!("{what}: not in the image loaded into {}", self.device))
        })
    }
}

/// The library's own images on a device, by prefix; loaded on first use.
#[derive(Default)]
pub struct Images(pub(crate) Mutex<BTreeMap<&'static str, Result<&'static Loaded>>>);

/// Kernels compiled for a device so far, by their source.
#[derive(Default)]
pub struct Compiled(pub(crate) Mutex<HashMap<String, Result<&'static Kernel>>>);
