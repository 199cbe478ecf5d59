//! Keys as bytes, and back.

use crate::bootstrapping_key::{BootstrappingKey, SeededBootstrappingKey};
use crate::bytes::{Kind, Reader, Writer};
use crate::client_key::ClientKey;
use crate::compressed_key::CompressedServerKey;
use crate::fourier::Fourier;
use crate::host_key::HostKey;
use crate::key_switch::{KeySwitchKey, SeededKeySwitchKey};
use crate::masks::MaskSeed;
use crate::secret_key::LweSecretKey;
use crate::server_key::ServerKey;
use icicle_device::Device;
use icicle_error::Result;
use icicle_error::reserve::filled;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Bits as bytes, the lowest first; the time does not depend on them.
fn pack(bits: &LweSecretKey, to: &mut Writer) {
    for eight in bits.bits().chunks(8) {
        let byte = eight.iter().rev().fold(0, |byte, bit| byte << 1 | *bit as u8);
        to.bytes(&Zeroizing::new([byte])[..]);
    }
}

/// So many bits of bytes.
fn unpack(op: &'static str, count: usize, from: &mut Reader<'_>) -> Result<LweSecretKey> {
    let bytes = from.take(count.div_ceil(8))?;
    let mut bits = Zeroizing::new(filled(op, bytes.len() * 8, 0u64)?);
    for (eight, byte) in bits.chunks_mut(8).zip(bytes) {
        eight.iter_mut().enumerate().for_each(|(at, bit)| *bit = u64::from(byte >> at & 1));
    }
    if bits.drain(count..).fold(0, |any, bit| any | bit) != 0 {
        return Err(from.refused("have bits beyond those of a key".to_owned()));
    }
    LweSecretKey::of(bits).ok_or_else(|| from.refused("are no bits".to_owned()))
}

impl ClientKey {
    /// The key as bytes, which are as secret as it is: they are wiped when they are dropped, copies of them are not.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>> {
        const OP: &str = "fhe_client_key_to_bytes";
        // All of it is reserved, so that nothing is left behind by a vector that grows.
        let mut out = Writer::new(OP, Kind::ClientKey, self.parameters, self.tag, self.serialized_size())?;
        pack(&self.small, &mut out);
        pack(&self.large, &mut out);
        Ok(Zeroizing::new(out.finish()))
    }

    /// The key that bytes of [`to_bytes`](Self::to_bytes) hold.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no client key, or one of another version; `OutOfMemory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const OP: &str = "fhe_client_key_from_bytes";
        let (mut from, parameters, tag) = Reader::new(OP, Kind::ClientKey, bytes)?;
        let small = unpack(OP, parameters.lwe_dimension, &mut from)?;
        let large = unpack(OP, parameters.polynomial_size, &mut from)?;
        from.end()?;
        Ok(Self { parameters, tag, small, large })
    }
}

impl CompressedServerKey {
    /// The key as bytes: 30 MB.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        const OP: &str = "fhe_compressed_server_key_to_bytes";
        let (key_switch, bootstrap) = (&self.key_switch, &self.bootstrap);
        let mut out = Writer::new(OP, Kind::CompressedServerKey, self.parameters, self.tag, self.serialized_size())?;
        out.u128(key_switch.seed.0);
        out.words(key_switch.bodies.iter().copied());
        out.u128(bootstrap.seed.0);
        out.words(bootstrap.bodies.iter().copied());
        Ok(out.finish())
    }

    /// The key that bytes of [`to_bytes`](Self::to_bytes) hold.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no compressed server key, or one of another version; `OutOfMemory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const OP: &str = "fhe_compressed_server_key_from_bytes";
        let (mut from, parameters, tag) = Reader::new(OP, Kind::CompressedServerKey, bytes)?;
        let seed = MaskSeed(from.u128()?);
        let key_switch = SeededKeySwitchKey { seed, bodies: from.words(parameters.key_switch_bodies())? };
        let seed = MaskSeed(from.u128()?);
        let bootstrap = SeededBootstrappingKey { seed, bodies: from.words(parameters.bootstrap_bodies())? };
        from.end()?;
        Ok(Self { parameters, tag, key_switch, bootstrap })
    }
}

impl ServerKey {
    /// The key as bytes: 120 MB, ready to compute with. [`CompressedServerKey`] has a quarter of that.
    ///
    /// # Errors
    /// `Unsupported` for a GPU's, which has not all of them; `OutOfMemory`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        const OP: &str = "fhe_server_key_to_bytes";
        let key = self.host(OP)?;
        let (words, values) = (&key.key_switch.words, &key.bootstrap.values);
        let mut out = Writer::new(OP, Kind::ServerKey, self.parameters, self.tag, self.serialized_size())?;
        out.words(words.iter().copied());
        // In the order of transforms themselves, not in that of vectors of one width.
        let places = key.fourier.places(OP)?;
        for polynomial in values.chunks(places.len()) {
            out.words(places.iter().map(|&at| polynomial[at].to_bits()));
        }
        Ok(out.finish())
    }

    /// The key that bytes of [`to_bytes`](Self::to_bytes) hold, for a device.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no server key, or one of another version; `Unsupported` for a GPU that has too
    /// little shared memory, or without CUDA; `InvalidDevice`, `OutOfMemory`.
    pub fn from_bytes(bytes: &[u8], device: Device) -> Result<Self> {
        const OP: &str = "fhe_server_key_from_bytes";
        Self::check_device(OP, device)?;
        let (mut from, parameters, tag) = Reader::new(OP, Kind::ServerKey, bytes)?;
        let words = from.words(parameters.key_switch_bodies() * parameters.small_words())?;
        let values = from.take(8 * 2 * parameters.bootstrap_bodies())?.as_chunks().0;
        from.end()?;
        let value = |at: usize| f64::from_bits(u64::from_le_bytes(values[at]));
        // A polynomial's values are sums of N fractions of at most a half, divided by N/2.
        if let Some(at) = (0..values.len()).find(|&at| value(at).is_nan() || value(at).abs() > 1.0) {
            return Err(from.refused(format!("hold the value {} at {at}, must be at most 1", value(at))));
        }
        let fourier = Fourier::new(OP, parameters.polynomial_size)?;
        let mut origins = fourier.places(OP)?;
        for (origin, place) in fourier.places(OP)?.into_iter().enumerate() {
            origins[place] = origin;
        }
        let n = origins.len();
        let bootstrap = BootstrappingKey::of_values(OP, parameters, |at| value(at / n * n + origins[at % n]))?;
        let host = HostKey::new(OP, parameters, KeySwitchKey::of(OP, parameters, words)?, bootstrap)?;
        Self::of(OP, (parameters, tag), device, Arc::new(host))
    }
}
