//! Arrays of encrypted unsigned integers and of encrypted truth values.
//!
//! An integer is blocks of two bits, the least significant first, each a ciphertext whose value is below 4: every operation
//! leaves no carry behind. Circuits are chosen by how many bootstraps run at once: for few bootstraps where an array is long, for short
//! chains where it is short and there are many threads.

mod addition;
mod arrays;
mod bitwise;
mod carry;
mod cast;
mod clear;
mod columns;
mod comparison;
mod compressed;
mod evaluate;
mod multiplication;
mod operand;
mod operations;
mod operators;
mod selection;
mod shift;
mod sum;
#[cfg(test)]
mod tests;

pub(crate) use cast::check_bits;
pub use clear::Unsigned;
pub use compressed::{CompressedFheBool, CompressedFheUint};
pub use operand::Operand;
#[cfg(test)]
pub(crate) use tests::Counting;

use crate::ciphertexts::Ciphertexts;
use crate::circuit::Polarity;
use crate::parameters::MESSAGE_BITS;
use icicle_error::Result;
use std::fmt;

/// Blocks of integers of so many bits.
pub(crate) fn blocks_of(bits: u32) -> usize {
    (bits / MESSAGE_BITS) as usize
}

/// An array of encrypted integers of 8, 16, 32 or 64 bits.
pub struct FheUint {
    /// The blocks of each integer, one integer after another.
    pub(crate) blocks: Ciphertexts,
    pub(crate) bits: u32,
    /// The sum of squared weights over fresh ciphertexts and bootstraps' outputs, of the block that has most.
    pub(crate) norm2: u32,
    /// How blocks' noise goes together with that of others made from the same bootstraps.
    pub(crate) polarity: Polarity,
    /// Whether elements may have the same ciphertexts.
    pub(crate) repeats: bool,
}

/// An array of encrypted truth values.
pub struct FheBool {
    /// One block each, 0 or 1: a fresh one, a bootstrap's output, or one less such.
    pub(crate) blocks: Ciphertexts,
    /// How their noise goes together with that of others made from the same bootstraps.
    pub(crate) polarity: Polarity,
    /// Whether elements may have the same ciphertexts.
    pub(crate) repeats: bool,
}

impl fmt::Debug for FheUint {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "FheUint {{ bits: {}, len: {} }}", self.bits, self.len())
    }
}

impl fmt::Debug for FheBool {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "FheBool {{ len: {} }}", self.len())
    }
}

impl FheUint {
    /// How many integers.
    pub fn len(&self) -> usize {
        self.blocks.count() / self.per_integer()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bits of an integer.
    pub fn bits(&self) -> u32 {
        self.bits
    }
    /// A copy.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn try_clone(&self) -> Result<Self> {
        Ok(Self { blocks: self.blocks.copied("fhe_clone")?, ..*self })
    }
    /// Blocks of an integer.
    fn per_integer(&self) -> usize {
        blocks_of(self.bits)
    }
}

impl FheBool {
    /// How many truth values.
    pub fn len(&self) -> usize {
        self.blocks.count()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// A copy.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn try_clone(&self) -> Result<Self> {
        Ok(Self { blocks: self.blocks.copied("fhe_clone")?, ..*self })
    }
}
