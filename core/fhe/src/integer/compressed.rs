//! Integers and truth values with a seed for their masks, and what the bytes of arrays are made of.

use super::{FheBool, FheUint, Unsigned};
use crate::ciphertexts::Ciphertexts;
use crate::client_key::ClientKey;
use crate::compressed_ciphertexts::SeededCiphertexts;
use crate::parameters::{MESSAGE_BITS, MESSAGES};
use icicle_error::Result;
use std::fmt;

/// An array of freshly encrypted integers, in the form to send: 4 bytes for each bit.
pub struct CompressedFheUint {
    pub(crate) blocks: SeededCiphertexts,
    pub(crate) bits: u32,
}

/// An array of freshly encrypted truth values, in the form to send: 8 bytes each.
pub struct CompressedFheBool {
    pub(crate) blocks: SeededCiphertexts,
}

impl fmt::Debug for CompressedFheUint {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "CompressedFheUint {{ bits: {}, len: {} }}", self.bits, self.len())
    }
}

impl fmt::Debug for CompressedFheBool {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "CompressedFheBool {{ len: {} }}", self.len())
    }
}

impl CompressedFheUint {
    /// How many integers.
    pub fn len(&self) -> usize {
        self.blocks.bodies.len() / FheUint::blocks_of(self.bits)
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bits of an integer.
    pub fn bits(&self) -> u32 {
        self.bits
    }
    /// The array to compute with; this one stays as it is.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn decompress(&self) -> Result<FheUint> {
        Ok(FheUint::bootstrapped(self.blocks.decompress("fhe_decompress")?, self.bits))
    }
}

impl CompressedFheBool {
    /// How many truth values.
    pub fn len(&self) -> usize {
        self.blocks.bodies.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The array to compute with; this one stays as it is.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn decompress(&self) -> Result<FheBool> {
        Ok(FheBool { blocks: self.blocks.decompress("fhe_decompress")? })
    }
}

impl ClientKey {
    /// Encrypt integers, in the form to send.
    ///
    /// # Errors
    /// `OutOfMemory`; `Internal` where the system gives no random numbers.
    pub fn encrypt_compressed<T: Unsigned>(&self, values: &[T]) -> Result<CompressedFheUint> {
        let per = FheUint::blocks_of(T::BITS);
        let blocks = self.encrypt_seeded("fhe_encrypt_compressed", values.len() * per, &|i| {
            values[i / per].into() >> (i % per * MESSAGE_BITS as usize) & (MESSAGES - 1)
        })?;
        Ok(CompressedFheUint { blocks, bits: T::BITS })
    }

    /// Encrypt truth values, in the form to send.
    ///
    /// # Errors
    /// As those of [`encrypt_compressed`](Self::encrypt_compressed).
    pub fn encrypt_bools_compressed(&self, values: &[bool]) -> Result<CompressedFheBool> {
        let blocks = self.encrypt_seeded("fhe_encrypt_compressed", values.len(), &|i| u64::from(values[i]))?;
        Ok(CompressedFheBool { blocks })
    }
}

impl FheUint {
    /// Blocks of an integer of so many bits.
    pub(crate) fn blocks_of(bits: u32) -> usize {
        (bits / MESSAGE_BITS) as usize
    }
    /// The blocks, their squared norm, and whether they were complemented.
    pub(crate) fn parts(&self) -> (&Ciphertexts, u32, bool) {
        (&self.blocks, self.norm2, self.complemented)
    }
    /// The array of such parts.
    pub(crate) fn of_parts(blocks: Ciphertexts, bits: u32, norm2: u32, complemented: bool) -> Self {
        Self { blocks, bits, norm2, complemented }
    }
}

impl FheBool {
    /// The blocks.
    pub(crate) fn ciphertexts(&self) -> &Ciphertexts {
        &self.blocks
    }
    /// The array of such blocks.
    pub(crate) fn of_ciphertexts(blocks: Ciphertexts) -> Self {
        Self { blocks }
    }
}
