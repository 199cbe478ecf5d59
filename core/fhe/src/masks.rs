//! The masks of compressed keys and ciphertexts: what a public seed stands for.
//!
//! AES-128 in counter mode under the seed, both in little-endian order, from zero on: two words a block. TFHE-rs's generator gives the
//! same bytes (`tfhe-csprng` 0.10), so that its compressed keys are read as they are.

use crate::random::system_bytes;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Block};
use icicle_error::Result;

/// A public seed of masks. Each is drawn anew: masks under one seed are used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MaskSeed(pub(crate) u128);

/// Words that a seed stands for.
pub(crate) struct Masks(Aes128);

/// Blocks that are encrypted at a time.
const BLOCKS: usize = 32;

impl MaskSeed {
    /// A seed of the operating system.
    pub(crate) fn new(op: &'static str) -> Result<Self> {
        Ok(Self(u128::from_le_bytes(*system_bytes(op)?)))
    }

    /// What it stands for.
    pub(crate) fn masks(self) -> Masks {
        Masks(Aes128::new(&self.0.to_le_bytes().into()))
    }
}

impl Masks {
    /// Write the words from one on.
    pub(crate) fn write(&self, first: usize, to: &mut [u64]) {
        let (mut at, mut rest) = (first, to);
        while !rest.is_empty() {
            let mut blocks = [Block::default(); BLOCKS];
            let count = (rest.len() + at % 2).div_ceil(2).min(BLOCKS);
            for (i, block) in blocks[..count].iter_mut().enumerate() {
                *block = ((at / 2 + i) as u128).to_le_bytes().into();
            }
            self.0.encrypt_blocks(&mut blocks[..count]);
            let words = blocks[..count].iter().flat_map(|block| {
                let both = u128::from_le_bytes((*block).into());
                [both as u64, (both >> 64) as u64]
            });
            let written = rest.len().min(2 * count - at % 2);
            let (now, later) = rest.split_at_mut(written);
            now.iter_mut().zip(words.skip(at % 2)).for_each(|(to, word)| *to = word);
            (at, rest) = (at + written, later);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_the_standard() {
        // AES-128 of zeros under a key of zeros: the hash key H of test case 1 in the specification of GCM (McGrew and Viega).
        let mut words = [0; 2];
        MaskSeed(0).masks().write(0, &mut words);
        assert_eq!(words.map(u64::to_be), [0x66e9_4bd4_ef8a_2c3b, 0x884c_fa59_ca34_2b2e]);
    }

    #[test]
    fn words_are_the_same_wherever_one_begins() {
        let masks = MaskSeed(5 << 70 | 77).masks();
        let mut all = [0; 300];
        masks.write(0, &mut all);
        for (first, len) in [(0, 0), (0, 1), (1, 1), (1, 64), (3, 65), (7, 293), (298, 2), (299, 1)] {
            let mut part = vec![0; len];
            masks.write(first, &mut part);
            assert_eq!(part, all[first..first + len], "{first} {len}");
        }
        assert_ne!(MaskSeed::new("test").unwrap(), MaskSeed::new("test").unwrap());
    }
}
