//! To and from clear integers.

use super::{FheBool, FheUint};
use crate::ciphertexts::{Ciphertexts, add_constant, zeros};
use crate::circuit::Polarity;
use crate::client_key::ClientKey;
use crate::parameters::{DELTA, MESSAGE_BITS, MESSAGES};
use crate::server_key::ServerKey;
use icicle_error::reserve::{collected, with_capacity};
use icicle_error::{Error, Result};

/// A clear integer that can be encrypted: `u8`, `u16`, `u32`, `u64`.
pub trait Unsigned: Copy + Into<u64> + Sync + sealed::Sealed {
    /// Its bits.
    const BITS: u32;
    /// The low bits of a word.
    fn truncated(word: u64) -> Self;
}

mod sealed {
    /// Keeps the trait to the types below.
    pub trait Sealed {}
}

macro_rules! unsigned {
    ($($type:ty)*) => {
        $(
            impl sealed::Sealed for $type {}
            impl Unsigned for $type {
                const BITS: u32 = <$type>::BITS;
                fn truncated(word: u64) -> Self {
                    word as Self
                }
            }
        )*
    };
}
unsigned!(u8 u16 u32 u64);

impl ClientKey {
    /// Encrypt integers.
    ///
    /// # Errors
    /// `OutOfMemory`; `Internal` where the system gives no random numbers.
    pub fn encrypt<T: Unsigned>(&self, values: &[T]) -> Result<FheUint> {
        let per = (T::BITS / MESSAGE_BITS) as usize;
        let block = |i: usize| values[i / per].into() >> (i % per * MESSAGE_BITS as usize) & (MESSAGES - 1);
        let blocks = self.encrypt_messages("fhe_encrypt", values.len() * per, &block)?;
        Ok(FheUint { blocks, bits: T::BITS, norm2: 1, polarity: Polarity::Plain, repeats: false })
    }

    /// Encrypt truth values.
    ///
    /// # Errors
    /// As those of [`encrypt`](Self::encrypt).
    pub fn encrypt_bools(&self, values: &[bool]) -> Result<FheBool> {
        let blocks = self.encrypt_messages("fhe_encrypt", values.len(), &|i| u64::from(values[i]))?;
        Ok(FheBool { blocks, polarity: Polarity::Plain, repeats: false })
    }

    /// Decrypt integers.
    ///
    /// # Errors
    /// `InvalidArgument` for another key's integers or those of another width, `OutOfMemory`.
    pub fn decrypt<T: Unsigned>(&self, x: &FheUint) -> Result<Vec<T>> {
        const OP: &str = "fhe_decrypt";
        x.blocks.check(OP, "x", self.tag)?;
        if x.bits != T::BITS {
            return Err(Error::argument(
                OP,
                format!("x has integers of {} bits, read as {}: must be the same", x.bits, T::BITS),
            ));
        }
        let messages = self.decrypt_messages(OP, &x.blocks)?;
        let mut out = with_capacity(OP, x.len())?;
        out.extend(messages.chunks(x.per_integer()).map(|blocks| {
            let joined =
                blocks.iter().rev().fold(0, |sum, &block| (sum << MESSAGE_BITS) | (u64::from(block) % MESSAGES));
            T::truncated(joined)
        }));
        Ok(out)
    }

    /// Decrypt truth values.
    ///
    /// # Errors
    /// `InvalidArgument` for another key's values, `OutOfMemory`.
    pub fn decrypt_bools(&self, x: &FheBool) -> Result<Vec<bool>> {
        const OP: &str = "fhe_decrypt";
        x.blocks.check(OP, "x", self.tag)?;
        let messages = self.decrypt_messages(OP, &x.blocks)?;
        collected(OP, messages.iter().map(|message| message % 2 == 1))
    }
}

impl ServerKey {
    /// Integers that anyone can read, in the form of encrypted ones.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn trivial<T: Unsigned>(&self, values: &[T]) -> Result<FheUint> {
        let per = (T::BITS / MESSAGE_BITS) as usize;
        let message = |i: usize| values[i / per].into() >> (i % per * MESSAGE_BITS as usize) & (MESSAGES - 1);
        let blocks = self.trivial_blocks("fhe_trivial", values.len() * per, message)?;
        Ok(FheUint { blocks, bits: T::BITS, norm2: 0, polarity: Polarity::Plain, repeats: false })
    }

    /// Truth values that anyone can read, in the form of encrypted ones.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn trivial_bools(&self, values: &[bool]) -> Result<FheBool> {
        let blocks = self.trivial_blocks("fhe_trivial", values.len(), |i| u64::from(values[i]))?;
        Ok(FheBool { blocks, polarity: Polarity::Plain, repeats: false })
    }

    /// Ciphertexts of messages, `message(i)` at `i`, without a mask or noise.
    pub(crate) fn trivial_blocks(
        &self,
        op: &'static str,
        count: usize,
        message: impl Fn(usize) -> u64,
    ) -> Result<Ciphertexts> {
        let mut words = zeros(op, self.parameters, count)?;
        for (i, block) in words.chunks_mut(self.parameters.ciphertext_words()).enumerate() {
            add_constant(block, DELTA * message(i));
        }
        Ciphertexts::new(op, (self.parameters, self.tag), words)
    }
}
