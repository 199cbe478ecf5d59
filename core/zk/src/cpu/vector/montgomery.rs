//! Conversion to and from Montgomery form, as a product.

use icicle_algebra::PrimeField;

/// What conversion to or from Montgomery form multiplies by.
pub(super) fn conversion<F: PrimeField>(to_montgomery: bool) -> F {
    let r = F::montgomery_factor();
    // R is a power of two and the modulus odd: the inverse exists.
    if to_montgomery { r } else { r.inverse().unwrap_or_default() }
}
