//! The compiled kernels this build carries: those of the crate `icicle-kernels`.

/// The image of this name, or why it is not there.
pub(super) fn image(name: &str) -> Result<&'static [u8], &'static str> {
    icicle_kernels::image(name).map(|image| image.fatbin)
}

/// The kernels an image defines.
pub(super) fn kernels(name: &str) -> Vec<String> {
    icicle_kernels::names(name)
}
