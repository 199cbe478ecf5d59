//! Kernels' code, loaded into a device.
//!
//! An image is loaded as a whole, with every function looked up at once: a kernel that the driver loads on its first
//! launch would wait for running work, in the middle of someone's measurement or collective.
#![allow(unsafe_code)]

pub use super::loaded::{Images, Loaded, Module};

use super::driver::{self, Handle};
use super::gpu::{Gpu, gpu};
use super::kernel::Kernel;
use super::lock::lock;
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, ErrorCode, Result, reserve};
use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;

impl Module {
    /// Load a fatbin, a cubin, or PTX text into a device and look the named functions up. It stays loaded for the life
    /// of the process.
    ///
    /// # Errors
    /// `BackendLoadFailed` if the driver refuses the image or a function is not in it; `InvalidDevice`.
    ///
    /// # Safety
    /// The image is well-formed: the driver reads as far as its headers say.
    pub unsafe fn load(device: Device, image: &'static [u8], names: &[&str]) -> Result<&'static Self> {
        let op = "module_load";
        if device.kind != DeviceKind::Cuda {
            return Err(Error::new(ErrorCode::InvalidDevice, op, format!("{device}: must be CUDA")));
        }
        let gpu = gpu(op, device.index)?;
        // SAFETY: the caller's.
        let module = unsafe { load(gpu, "user", image) }?;
        let mut kernels = BTreeMap::new();
        for &name in names {
            // SAFETY: the module was just loaded and is never unloaded.
            kernels.insert(name.to_string(), unsafe { function(gpu, "user", module, name) }?);
        }
        Ok(Box::leak(Box::new(Self { device: gpu.device, kernels })))
    }
}

/// Load every image of this build into a device now. Without this each is loaded when an operation first needs it,
/// which takes some milliseconds.
///
/// # Errors
/// `Unsupported` if this build has no images, `BackendLoadFailed` if the device cannot run them, `InvalidDevice`.
pub fn warm_up(device: Device) -> Result<()> {
    let op = "warm_up";
    if device.kind != DeviceKind::Cuda {
        return Err(Error::new(ErrorCode::InvalidDevice, op, format!("{device}: must be CUDA")));
    }
    let gpu = gpu(op, device.index)?;
    let images = super::images::names().map_err(|why| Error::unsupported(op, why))?;
    images.into_iter().try_for_each(|name| gpu.images.get(gpu, name).map(|_| ()))
}

/// # Safety
/// As [`Module::load`].
pub(crate) unsafe fn load(gpu: &Gpu, what: &str, image: &[u8]) -> Result<Handle> {
    let op = "module_load";
    let detail = || format!("image {what} of {} bytes on {}", image.len(), gpu.device);
    // PTX is text up to a NUL; the other formats say how long they are.
    let is_text = !image.starts_with(&[0x50, 0xed, 0x55, 0xba]) && !image.starts_with(b"\x7fELF");
    let text = if is_text {
        let length = image.iter().position(|&b| b == 0).unwrap_or(image.len());
        let mut text = reserve::with_capacity(op, length + 1)?;
        text.extend_from_slice(&image[..length]);
        text.push(0u8);
        Some(text)
    } else {
        None
    };
    let start = text.as_ref().map_or(image.as_ptr(), |text| text.as_ptr());
    // SAFETY: a well-formed image by the caller's word, or text that ends with a NUL.
    gpu.with_detail(op, ErrorCode::BackendLoadFailed, detail, || unsafe { driver::module_load(start) })
}

/// A function of a module.
///
/// # Safety
/// The module is loaded, and never unloaded.
pub(crate) unsafe fn function(gpu: &Gpu, what: &str, module: Handle, name: &str) -> Result<Kernel> {
    let (op, code) = ("module_load", ErrorCode::BackendLoadFailed);
    let detail = || format!("function {name} of image {what} on {}", gpu.device);
    let c_name = CString::new(name).map_err(|_| Error::argument(op, format!("name {name:?}: holds a NUL")))?;
    // SAFETY: the caller's.
    let function = gpu.with_detail(op, code, detail, || unsafe { driver::module_function(module, &c_name) })?;
    // SAFETY: a function of a module that stays.
    let max_threads = gpu.with_detail(op, code, detail, || unsafe { driver::function_max_threads(function) })?;
    // SAFETY: as above.
    let architecture = gpu.with_detail(op, code, detail, || unsafe { driver::function_architecture(function) })?;
    Ok(Kernel::new(gpu.device.index, name.to_string().leak(), function, max_threads, architecture))
}

impl Images {
    /// The code of a prefix, such as `bn254`, on a device.
    ///
    /// # Errors
    /// `Unsupported` if this build has no code for the prefix, `BackendLoadFailed` if the driver refuses it; kept.
    pub fn get(&self, gpu: &Gpu, prefix: &'static str) -> Result<&'static Loaded> {
        let mut loaded = lock(&self.0);
        if let Some(known) = loaded.get(prefix) {
            return known.clone();
        }
        let image = match super::images::image(prefix) {
            Err(why) => Err(Error::unsupported("module_load", format!("image {prefix}: {why}"))),
            Ok(image) => own(gpu, prefix, image),
        };
        // A lost device is no property of the image.
        if !gpu.is_lost() {
            loaded.insert(prefix, image.clone());
        }
        image
    }
}

/// Load an image of this library with all its kernels.
fn own(gpu: &Gpu, prefix: &str, image: &'static [u8]) -> Result<&'static Loaded> {
    // SAFETY: images of this library are what nvcc wrote.
    let module = unsafe { load(gpu, prefix, image) }?;
    let mut sets = HashMap::new();
    for set in icicle_kernels::sets(prefix) {
        // SAFETY: the module was just loaded and is never unloaded.
        let find = |name: Option<String>| name.map(|name| unsafe { function(gpu, prefix, module, &name) }).transpose();
        let kernels = set.names.into_iter().map(find).collect::<Result<Vec<_>>>()?;
        sets.insert((set.family, set.owner), kernels);
    }
    Ok(Box::leak(Box::new(Loaded { device: gpu.device, sets })))
}
