//! Arrays of encrypted unsigned integers and of encrypted truth values.
//!
//! An integer is blocks of two bits, the least significant first, each a ciphertext whose value is below 4: every operation
//! leaves no carry behind. Circuits are chosen for few bootstraps rather than short chains, as a batch gives the parallel work.

mod addition;
mod bitwise;
mod clear;
mod comparison;
mod compressed;
mod selection;
#[cfg(test)]
mod tests;

pub use clear::Unsigned;
pub use compressed::{CompressedFheBool, CompressedFheUint};

use crate::ciphertexts::{Ciphertexts, add_multiple, check_lengths};
use crate::lookup_table::LookupTable;
use crate::parameters::{MESSAGE_BITS, MESSAGES};
use crate::server_key::{Layer, ServerKey};
use icicle_error::{Error, Result};
use std::fmt;

/// An array of encrypted integers of 8, 16, 32 or 64 bits.
pub struct FheUint {
    /// The blocks of each integer, one integer after another.
    blocks: Ciphertexts,
    bits: u32,
    /// The sum of squared weights over fresh ciphertexts and bootstraps' outputs, of the block that has most.
    norm2: u32,
    /// Whether blocks were taken from 3 since they were bootstrapped: their noise is then the negative of that of others.
    complemented: bool,
}

/// An array of encrypted truth values.
pub struct FheBool {
    /// One block each, 0 or 1: a fresh one, a bootstrap's output, or one less such.
    blocks: Ciphertexts,
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
    /// Of blocks that come from bootstraps.
    fn bootstrapped(blocks: Ciphertexts, bits: u32) -> Self {
        Self { blocks, bits, norm2: 1, complemented: false }
    }
    /// Blocks of an integer.
    fn per_integer(&self) -> usize {
        (self.bits / MESSAGE_BITS) as usize
    }
    /// A block of an integer.
    fn block(&self, integer: usize, block: usize) -> &[u64] {
        self.blocks.get(integer * self.per_integer() + block)
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
        Ok(Self { blocks: self.blocks.copied("fhe_clone")? })
    }
}

/// An operand with as little noise as an operation allows: itself, or a copy whose blocks were bootstrapped.
enum Quiet<'a> {
    Given(&'a FheUint),
    Refreshed(FheUint),
}

impl std::ops::Deref for Quiet<'_> {
    type Target = FheUint;
    fn deref(&self) -> &FheUint {
        match self {
            Quiet::Given(x) => x,
            Quiet::Refreshed(x) => x,
        }
    }
}

impl ServerKey {
    /// Refuse integers of other keys, widths or lengths.
    fn check_pair(&self, op: &'static str, x: &FheUint, y: &FheUint) -> Result<()> {
        x.blocks.check(op, "x", self.tag)?;
        y.blocks.check(op, "y", self.tag)?;
        if x.bits != y.bits {
            return Err(Error::argument(
                op,
                format!("y has integers of {} bits, x of {}: must be the same", y.bits, x.bits),
            ));
        }
        check_lengths(op, ["x", "y"], [x.len(), y.len()])
    }

    /// Bootstrap the blocks of an operand whose squared norm is above what an operation takes.
    fn quiet<'a>(&self, op: &'static str, x: &'a FheUint, most: u32) -> Result<Quiet<'a>> {
        if x.norm2 <= most {
            return Ok(Quiet::Given(x));
        }
        Ok(Quiet::Refreshed(self.refreshed(op, x)?))
    }

    /// The same integers, each block bootstrapped.
    fn refreshed(&self, op: &'static str, x: &FheUint) -> Result<FheUint> {
        let table = LookupTable::new(|value| (value % MESSAGES) as i64);
        let input = |i: usize, to: &mut [u64]| add_multiple(to, x.blocks.get(i), 1);
        let layer = Layer { input: &input, tables: &[table], outputs: 1 };
        Ok(FheUint::bootstrapped(self.bootstrap(op, x.blocks.count(), &layer)?, x.bits))
    }

    /// The largest squared norm that operands may have which are read with squared weights of `weights`, beside `others`. Where two
    /// operands may share noise, as an array and itself do, their weights add before they are squared.
    fn norm_limit(&self, weights: u32, others: u32) -> u32 {
        (self.parameters.max_norm2 - others) / weights
    }
}
