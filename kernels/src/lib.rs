//! The CUDA kernels: their generated parameters, their compiled images, their names and how to launch them.
//!
//! The sources beside this crate are device-only C++ templates over fields and curves; `inst/*.cu` instantiate them, one
//! file an image. `cargo xtask kernels` compiles images, the build script embeds those that are up to date. Without any,
//! the crate builds all the same and [`images`] says why there are none.

pub mod array;
pub mod array_ahead;
pub mod array_product;
pub mod array_rows;
pub mod array_scan;
pub mod array_sort;
pub mod array_warpgroup;
#[doc(hidden)]
pub mod digest;
pub mod ecntt;
pub mod fhe;
pub mod field;
mod instances;
pub mod launch;
pub mod layout;
pub mod msm;
pub mod names;
pub mod ntt;
mod number;
mod params;
pub mod point;
pub mod signature;
pub mod sort;

pub use launch::Plan;
pub use names::{Set, image_of, names, sets};

/// A compiled image: what `cuModuleLoadData` takes.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Name of its source, `inst/<name>.cu`.
    pub name: &'static str,
    /// The fat binary, aligned to 16 bytes.
    pub fatbin: &'static [u8],
}

#[repr(align(16))]
#[allow(dead_code)] // without images
struct Aligned<T>(T);

include!(concat!(env!("OUT_DIR"), "/images.rs"));

/// Every generated file: path below `kernels/`, text.
pub fn generated() -> Vec<(String, String)> {
    let headers = params::headers().into_iter().map(|(path, text)| (path.to_owned(), text));
    headers.chain(instances::sources()).collect()
}

/// Every embedded image, or why there are none.
pub fn images() -> Result<&'static [Image], &'static str> {
    if EMBEDDED.is_empty() { Err(REASON) } else { Ok(EMBEDDED) }
}

/// The image of this name, or why it is not there.
pub fn image(name: &str) -> Result<&'static Image, &'static str> {
    EMBEDDED.iter().find(|image| image.name == name).ok_or(REASON)
}
