//! Kernels' parameters, as the tables say them: `name` or `name: type` in order, where a name alone is an address or a count,
//! 8 bytes either.

/// Bytes of each parameter; none where they depend on the field.
///
/// # Panics
/// For a type that this file does not know.
pub fn parameter_bytes(parameters: &str) -> Vec<Option<usize>> {
    let of = |parameter: &str| match parameter.split_once(": ").map(|(_, kind)| kind) {
        None | Some("i64*") => Some(8),
        Some("u32") => Some(4),
        // [`crate::ntt::Pass::shape`].
        Some("NttShape") => Some(32),
        Some("EcnttShape") => Some(20),
        // Address, step, whether projective.
        Some("PointsIn") => Some(24),
        Some("[u32; 12]") => Some(48),
        // A factor and 32 elements.
        Some("NttBits") => None,
        Some(other) => unreachable!("{other}"),
    };
    parameters.split(", ").map(of).collect()
}
