//! Keys, and those that are made of them.

use super::philox::Stream;
use icicle_error::Result;
use icicle_error::reserve::with_capacity;

/// What random numbers are a function of: 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(pub(super) Stream);

/// The highest bits of a counter's lower half say what a block is for; those of numbers are 0, as no array has 2^62 blocks.
const SPLIT: u64 = 1 << 63;
pub(super) const FOLD: u64 = 1 << 62;

impl Key {
    /// The key of a seed; the numbers are those of the cipher under it, from counter 0 on.
    pub fn new(seed: u64) -> Self {
        Self(Stream { key: [seed as u32, (seed >> 32) as u32], upper: [0; 2] })
    }

    /// The key as four words: the cipher's key, then the upper half of its counters. [`Key::from_words`] makes the same key.
    pub fn words(&self) -> [u32; 4] {
        [self.0.key[0], self.0.key[1], self.0.upper[0], self.0.upper[1]]
    }

    /// The key of four words, of which any are a key.
    pub fn from_words([a, b, c, d]: [u32; 4]) -> Self {
        Self(Stream { key: [a, b], upper: [c, d] })
    }

    /// Keys whose numbers are independent of each other's and of this key's. No two of them are equal, and the first of many
    /// are those of few.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn split(&self, n: usize) -> Result<Vec<Self>> {
        let mut keys = with_capacity("split", n)?;
        keys.extend((0..n as u64).map(|i| self.derived(SPLIT | i)));
        Ok(keys)
    }

    /// The key for a number, such as that of a step: another for another number, but with a probability of 2^-128.
    pub fn fold_in(&self, data: u64) -> Self {
        // Two steps, as a number has as many bits as the half of a counter.
        self.derived(FOLD | data >> 32).derived(FOLD | data & u64::from(u32::MAX))
    }

    /// A block as a key.
    pub(super) fn derived(&self, lower: u64) -> Self {
        Self::from_words(self.0.block(lower))
    }
}
