//! The compiled kernels this build carries: those of the crate `icicle-kernels`.

/// The image of this name, or why it is not there.
pub fn image(name: &str) -> Result<&'static [u8], &'static str> {
    icicle_kernels::image(name).map(|image| image.fatbin)
}

/// The names of all images, or why there are none.
pub fn names() -> Result<Vec<&'static str>, &'static str> {
    icicle_kernels::images().map(|images| images.iter().map(|image| image.name).collect())
}
