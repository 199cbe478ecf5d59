//! Integers and truth values with a seed for their masks.

use super::{FheBool, FheUint, Unsigned, blocks_of};
use crate::circuit::Polarity;
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
        self.blocks.bodies.len() / blocks_of(self.bits)
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
        let blocks = self.blocks.decompress("fhe_decompress")?;
        Ok(FheUint { blocks, bits: self.bits, norm2: 1, polarity: Polarity::Plain, repeats: false })
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
        let blocks = self.blocks.decompress("fhe_decompress")?;
        Ok(FheBool { blocks, polarity: Polarity::Plain, repeats: false })
    }
}

impl ClientKey {
    /// Encrypt integers, in the form to send.
    ///
    /// # Errors
    /// `OutOfMemory`; `Internal` where the system gives no random numbers.
    pub fn encrypt_compressed<T: Unsigned>(&self, values: &[T]) -> Result<CompressedFheUint> {
        let per = blocks_of(T::BITS);
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
