//! Which image has the kernels of a curve.

use icicle_params::CurveId;

/// The name, for good, of the image with a curve group's multi-scalar multiplication and arithmetic of arrays, or why
/// there is none.
pub(crate) fn msm(curve: CurveId) -> Result<&'static str, &'static str> {
    icicle_kernels::image(&icicle_kernels::names::msm_image(curve)).map(|image| image.name)
}

/// The name, for good, of the image with the transforms of a curve's points, or why there is none.
pub(crate) fn ecntt(curve: CurveId) -> Result<&'static str, &'static str> {
    icicle_kernels::image(&icicle_kernels::names::ecntt_image(curve)).map(|image| image.name)
}
