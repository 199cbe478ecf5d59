//! Keys and ciphertexts of their numbers, and the numbers of them: for other libraries of the same scheme, and for checks.
//!
//! Layouts are those of TFHE-rs's `u64` containers: an LWE ciphertext is its mask and its body; the key-switching key has, for each bit of
//! the GLWE key, a ciphertext for each level, the least significant first; the bootstrapping key has, for each bit of the LWE key, two
//! rows of a mask polynomial and a body polynomial; seeded forms have the bodies alone. A tag is chosen by whoever brings keys: what
//! belongs together has the same.

use crate::bootstrapping_key::{BootstrappingKey, SeededBootstrappingKey};
use crate::ciphertexts::{Ciphertexts, KeyTag, check_count};
use crate::circuit::Polarity;
use crate::client_key::ClientKey;
use crate::compressed_key::CompressedServerKey;
use crate::host_key::HostKey;
use crate::integer::{FheBool, FheUint, blocks_of, check_bits};
use crate::key_switch::{KeySwitchKey, SeededKeySwitchKey};
use crate::masks::MaskSeed;
use crate::parameters::Parameters;
use crate::secret_key::LweSecretKey;
use crate::server_key::ServerKey;
use crate::shortint::Shortints;
use icicle_device::Device;
use icicle_error::reserve::collected;
use icicle_error::{Error, Result};
use std::borrow::Cow;
use std::sync::Arc;
use zeroize::Zeroizing;

impl ClientKey {
    /// The key of given bits, one a word: those that blind rotation reads, and those of messages, which are the GLWE key's coefficients.
    /// They are copied; the caller wipes its own.
    ///
    /// # Errors
    /// `InvalidArgument` for as many as the parameters do not have, or words that are no bits; `OutOfMemory`.
    pub fn from_raw(parameters: &'static Parameters, tag: u128, lwe_key: &[u64], glwe_key: &[u64]) -> Result<Self> {
        const OP: &str = "fhe_client_key_from_raw";
        let key = |name: &str, bits: &[u64], count: usize| {
            check_count(OP, name, bits.len(), count)?;
            let copied = Zeroizing::new(collected(OP, bits.iter().copied())?);
            LweSecretKey::of(copied).ok_or_else(|| Error::argument(OP, format!("{name} has a word that is not 0 or 1")))
        };
        let small = key("lwe_key", lwe_key, parameters.lwe_dimension)?;
        let large = key("glwe_key", glwe_key, parameters.polynomial_size)?;
        Ok(Self { parameters, tag: KeyTag(tag), small, large })
    }

    /// The bits that blind rotation reads, one a word: secret.
    pub fn lwe_key(&self) -> &[u64] {
        self.small.bits()
    }

    /// The bits of the key of messages, one a word: secret.
    pub fn glwe_key(&self) -> &[u64] {
        self.large.bits()
    }

    /// What tells keys and ciphertexts that belong together from others; public.
    pub fn tag(&self) -> u128 {
        self.tag.0
    }
}

impl CompressedServerKey {
    /// The key of seeds and bodies: of the key-switching key, and of the bootstrapping key.
    ///
    /// # Errors
    /// `InvalidArgument` for as many bodies as the parameters do not have.
    pub fn from_raw(
        parameters: &'static Parameters,
        tag: u128,
        key_switch: (u128, Vec<u64>),
        bootstrap: (u128, Vec<u64>),
    ) -> Result<Self> {
        const OP: &str = "fhe_compressed_server_key_from_raw";
        check_count(OP, "key_switch", key_switch.1.len(), parameters.key_switch_bodies())?;
        check_count(OP, "bootstrap", bootstrap.1.len(), parameters.bootstrap_bodies())?;
        Ok(Self {
            parameters,
            tag: KeyTag(tag),
            key_switch: SeededKeySwitchKey { seed: MaskSeed(key_switch.0), bodies: key_switch.1 },
            bootstrap: SeededBootstrappingKey { seed: MaskSeed(bootstrap.0), bodies: bootstrap.1 },
        })
    }

    /// The seed and the bodies of the key-switching key.
    pub fn key_switch(&self) -> (u128, &[u64]) {
        (self.key_switch.seed.0, &self.key_switch.bodies)
    }

    /// The seed and the bodies of the bootstrapping key.
    pub fn bootstrap(&self) -> (u128, &[u64]) {
        (self.bootstrap.seed.0, &self.bootstrap.bodies)
    }
}

impl ServerKey {
    /// The key of the words of the key-switching key and of the bootstrapping key, for a device.
    ///
    /// # Errors
    /// `InvalidArgument` for as many words as the parameters do not have; `Unsupported` for a GPU that has too little
    /// shared memory, or without CUDA; `InvalidDevice`, `OutOfMemory`.
    pub fn from_raw(
        parameters: &'static Parameters,
        tag: u128,
        device: Device,
        key_switch: Vec<u64>,
        bootstrap: &[u64],
    ) -> Result<Self> {
        const OP: &str = "fhe_server_key_from_raw";
        Self::check_device(OP, device)?;
        let key_switch = KeySwitchKey::of(OP, parameters, key_switch)?;
        let bootstrap = BootstrappingKey::of(OP, parameters, bootstrap)?;
        let host = HostKey::new(OP, parameters, key_switch, bootstrap)?;
        Self::of(OP, (parameters, KeyTag(tag)), device, Arc::new(host))
    }
}

/// Ciphertexts of words, so many of which make up an element.
fn ciphertexts(
    op: &'static str,
    parameters: &'static Parameters,
    tag: u128,
    per: usize,
    words: Vec<u64>,
) -> Result<Ciphertexts> {
    let size = parameters.ciphertext_words();
    if !words.len().is_multiple_of(per * size) {
        let detail = format!("words has {} elements, must have a multiple of {}", words.len(), per * size);
        return Err(Error::argument(op, detail));
    }
    Ciphertexts::new(op, (parameters, KeyTag(tag)), words)
}

impl Shortints {
    /// The array of ciphertexts of values from 0 to 3, each fresh or a bootstrap's output.
    ///
    /// # Errors
    /// `InvalidArgument` for words that are no whole number of ciphertexts.
    pub fn from_raw(parameters: &'static Parameters, tag: u128, words: Vec<u64>) -> Result<Self> {
        Ok(Self::fresh(ciphertexts("fhe_shortints_from_raw", parameters, tag, 1, words)?))
    }

    /// The ciphertexts, on the host: copied from GPUs.
    ///
    /// # Errors
    /// `OutOfMemory`; that of the GPU.
    pub fn words(&self) -> Result<Cow<'_, [u64]>> {
        self.ciphertexts.all_words("fhe_words")
    }
}

impl FheUint {
    /// The array of integers of 8, 16, 32 or 64 bits, whose blocks of two bits, the lowest first, are each fresh or a bootstrap's output.
    ///
    /// # Errors
    /// `InvalidArgument` for other widths, or words that are no whole number of integers.
    pub fn from_raw(parameters: &'static Parameters, tag: u128, bits: u32, words: Vec<u64>) -> Result<Self> {
        const OP: &str = "fhe_uint_from_raw";
        check_bits(OP, bits)?;
        let blocks = ciphertexts(OP, parameters, tag, blocks_of(bits), words)?;
        // Nothing says that no element is there twice.
        Ok(Self { blocks, bits, norm2: 1, polarity: Polarity::Plain, repeats: true })
    }

    /// How much noise blocks have: the sum of squared weights over fresh ciphertexts and bootstraps' outputs that the noisiest is made of.
    pub fn norm2(&self) -> u32 {
        self.norm2
    }

    /// The ciphertexts of the blocks, one integer after another, on the host: copied from GPUs.
    ///
    /// # Errors
    /// `OutOfMemory`; that of the GPU.
    pub fn words(&self) -> Result<Cow<'_, [u64]>> {
        self.blocks.all_words("fhe_words")
    }
}

impl FheBool {
    /// The array of truth values, each a ciphertext of 0 or 1, fresh or a bootstrap's output.
    ///
    /// # Errors
    /// `InvalidArgument` for words that are no whole number of ciphertexts.
    pub fn from_raw(parameters: &'static Parameters, tag: u128, words: Vec<u64>) -> Result<Self> {
        let blocks = ciphertexts("fhe_bool_from_raw", parameters, tag, 1, words)?;
        Ok(Self { blocks, polarity: Polarity::Plain, repeats: true })
    }

    /// The ciphertexts, on the host: copied from GPUs.
    ///
    /// # Errors
    /// `OutOfMemory`; that of the GPU.
    pub fn words(&self) -> Result<Cow<'_, [u64]>> {
        self.blocks.all_words("fhe_words")
    }
}
