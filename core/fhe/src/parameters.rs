//! The table of parameter sets.
//!
//! A set is published cryptanalysis, not a choice of this crate: numbers are taken whole from their source, and there is no way
//! to make a set of one's own.

/// Sizes, noise and decompositions of a scheme whose messages are two bits beside two bits of carry.
///
/// GLWE ciphertexts have one mask polynomial, and GGSW ciphertexts one level, in every set.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The set's name.
    pub(crate) name: &'static str,
    /// What names it in bytes; never given to another set.
    pub(crate) id: u32,
    /// Elements of the mask of the LWE ciphertexts that blind rotation reads.
    pub(crate) lwe_dimension: usize,
    /// Coefficients of a polynomial, which is also the dimension of LWE ciphertexts that hold messages.
    pub(crate) polynomial_size: usize,
    /// `b` of the noise TUniform(b) of the key-switching key.
    pub(crate) lwe_noise: u32,
    /// `b` of the noise TUniform(b) of messages and of the bootstrapping key.
    pub(crate) glwe_noise: u32,
    /// Bits of the one digit that GGSW products decompose into.
    pub(crate) pbs_base_log: u32,
    /// Bits of a digit of the key switch.
    pub(crate) ks_base_log: u32,
    /// Digits of the key switch.
    pub(crate) ks_levels: usize,
    /// The largest sum of squared weights that a bootstrap's input may have over outputs of others.
    pub(crate) max_norm2: u32,
}

/// Bits of a message; as many of carry are above them, and one of padding on top.
pub(crate) const MESSAGE_BITS: u32 = 2;
/// Values of message and carry together.
pub(crate) const VALUES: usize = 1 << (2 * MESSAGE_BITS);
/// Values of a message.
pub(crate) const MESSAGES: u64 = 1 << MESSAGE_BITS;
/// What a message of one is on the torus.
pub(crate) const DELTA: u64 = 1 << 59;

/// Two bits of message and two of carry, noise TUniform, at most one wrong bootstrap in 2¹²⁸.
///
/// TFHE-rs 1.8.2 publishes these numbers as `V1_4_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128`, whose failure rate of
/// 2^-129.58 holds for inputs up to a squared norm of 25; 34, what comparisons need, gives 2^-128.6 (docs/FHE.md).
pub static MESSAGE_2_CARRY_2: Parameters = Parameters {
    name: "MESSAGE_2_CARRY_2",
    id: 1,
    lwe_dimension: 918,
    polynomial_size: 2048,
    lwe_noise: 45,
    glwe_noise: 17,
    pbs_base_log: 23,
    ks_base_log: 4,
    ks_levels: 4,
    max_norm2: 34,
};

/// Small and without any security, for tests of what does not depend on the sizes.
#[cfg(test)]
pub(crate) static TOY: Parameters = Parameters {
    name: "TOY",
    id: u32::MAX,
    lwe_dimension: 24,
    polynomial_size: 256,
    lwe_noise: 35,
    glwe_noise: 17,
    pbs_base_log: 23,
    ks_base_log: 4,
    ks_levels: 4,
    max_norm2: 34,
};

/// All sets.
const ALL: &[&Parameters] = &[
    &MESSAGE_2_CARRY_2,
    #[cfg(test)]
    &TOY,
];

impl Parameters {
    /// The set that an id names.
    pub(crate) fn of_id(id: u32) -> Option<&'static Self> {
        ALL.iter().copied().find(|parameters| parameters.id == id)
    }
    /// Ciphertexts of a key-switching key: a body each.
    pub(crate) fn key_switch_bodies(&self) -> usize {
        self.polynomial_size * self.ks_levels
    }
    /// Body coefficients of a bootstrapping key: two rows for each bit of the LWE key.
    pub(crate) fn bootstrap_bodies(&self) -> usize {
        self.lwe_dimension * 2 * self.polynomial_size
    }
    /// The set's name.
    pub fn name(&self) -> &'static str {
        self.name
    }
    /// Words of an LWE ciphertext of a message: mask and body.
    pub fn ciphertext_words(&self) -> usize {
        self.polynomial_size + 1
    }
    /// Words of an LWE ciphertext that blind rotation reads.
    pub(crate) fn small_words(&self) -> usize {
        self.lwe_dimension + 1
    }
    /// Coefficients of a lookup table that give the same value.
    pub(crate) fn box_size(&self) -> usize {
        self.polynomial_size / VALUES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_published() {
        let p = &MESSAGE_2_CARRY_2;
        assert_eq!((p.lwe_dimension, p.polynomial_size, p.lwe_noise, p.glwe_noise), (918, 2048, 45, 17));
        assert_eq!((p.pbs_base_log, p.ks_base_log, p.ks_levels), (23, 4, 4));
        // A bit of padding, and the sixteen values below it.
        assert_eq!(DELTA, (1 << 63) / (4 * 4));
        assert_eq!((p.ciphertext_words(), p.box_size()), (2049, 128));
    }
}
