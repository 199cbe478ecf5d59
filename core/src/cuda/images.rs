//! The compiled kernels this build carries.

/// The image of a prefix, such as `bn254`.
pub(super) fn image(_prefix: &str) -> Option<&'static [u8]> {
    None
}

/// The kernels in the image of a prefix.
pub(super) fn kernels(_prefix: &str) -> &'static [&'static str] {
    &[]
}
