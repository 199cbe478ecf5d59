//! The compiled kernels this build carries: those of the crate `icicle-kernels`.

/// The image of this name, or why it is not there.
pub(super) fn image(name: &str) -> Result<&'static [u8], &'static str> {
    icicle_kernels::image(name).map(|image| image.fatbin)
}

/// The names of all images, or why there are none.
pub(super) fn names() -> Result<Vec<&'static str>, &'static str> {
    icicle_kernels::images().map(|images| images.iter().map(|image| image.name).collect())
}

/// The name, for good, of the image with a curve group's multi-scalar multiplication and arithmetic of arrays, or why
/// there is none.
pub(super) fn msm(curve: crate::CurveId) -> Result<&'static str, &'static str> {
    icicle_kernels::image(&icicle_kernels::names::msm_image(curve)).map(|image| image.name)
}

/// The name, for good, of the image with the transforms of a curve's points, or why there is none.
pub(super) fn ecntt(curve: crate::CurveId) -> Result<&'static str, &'static str> {
    icicle_kernels::image(&icicle_kernels::names::ecntt_image(curve)).map(|image| image.name)
}

/// The kernels an image defines.
pub(super) fn kernels(name: &str) -> Vec<String> {
    icicle_kernels::names(name)
}
