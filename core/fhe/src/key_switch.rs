//! Key switch: from LWE ciphertexts under the key of messages to shorter ones under the key that blind rotation reads.

use crate::ciphertexts::check_count;
use crate::masks::MaskSeed;
use crate::parameters::Parameters;
use crate::random::Seed;
use crate::secret_key::LweSecretKey;
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::parallel;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use icicle_error::reserve::filled;

/// For each bit of the one key, and each level of the decomposition, an encryption under the other key of the bit at the
/// level's place; the least significant level first.
pub(crate) struct KeySwitchKey {
    parameters: &'static Parameters,
    /// The ciphertexts.
    pub(crate) words: Vec<u64>,
}

/// The same with a seed for the masks.
pub(crate) struct SeededKeySwitchKey {
    pub(crate) seed: MaskSeed,
    pub(crate) bodies: Vec<u64>,
}

impl SeededKeySwitchKey {
    /// Encrypt the bits of a key.
    pub(crate) fn generate(
        op: &'static str,
        parameters: &'static Parameters,
        from: &LweSecretKey,
        to: &LweSecretKey,
    ) -> Result<Self> {
        let (seed, noise) = (MaskSeed::new(op)?, Seed::new(op)?);
        let &Parameters { ks_levels, ks_base_log, lwe_noise, lwe_dimension, .. } = parameters;
        let mut bodies = filled(op, parameters.key_switch_bodies(), 0)?;
        let scratch = PerThread::new(op, from.bits().len(), || filled(op, lwe_dimension, 0))?;
        let masks = seed.masks();
        parallel::chunks(&mut bodies, ks_levels, &|i, levels| {
            let mut noise = noise.stream(i);
            scratch.lend(|mask| {
                for (at, body) in levels.iter_mut().enumerate() {
                    masks.write((i * ks_levels + at) * lwe_dimension, mask);
                    let place = 64 - ks_base_log * (ks_levels - at) as u32;
                    *body = to.body(mask, from.bits()[i] << place, lwe_noise, &mut noise);
                }
            });
        });
        Ok(Self { seed, bodies })
    }

    /// Write the masks out.
    pub(crate) fn decompress(&self, op: &'static str, parameters: &'static Parameters) -> Result<KeySwitchKey> {
        let size = parameters.small_words();
        let mut words = filled(op, self.bodies.len() * size, 0)?;
        let masks = self.seed.masks();
        parallel::chunks(&mut words, size, &|i, ciphertext| {
            masks.write(i * (size - 1), &mut ciphertext[..size - 1]);
            ciphertext[size - 1] = self.bodies[i];
        });
        KeySwitchKey::of(op, parameters, words)
    }
}

impl KeySwitchKey {
    /// A key of given words.
    pub(crate) fn of(op: &'static str, parameters: &'static Parameters, words: Vec<u64>) -> Result<Self> {
        check_count(op, "key_switch", words.len(), parameters.key_switch_bodies() * parameters.small_words())?;
        Ok(Self { parameters, words })
    }

    /// Switch ciphertexts that follow each other: a part of the key comes from memory once for all of them.
    pub(crate) fn switch(&self, from: &[u64], to: &mut [u64]) {
        let (from_size, size) = (self.parameters.ciphertext_words(), self.parameters.small_words());
        to.fill(0);
        for (from, to) in from.chunks(from_size).zip(to.chunks_mut(size)) {
            to[size - 1] = from[from_size - 1];
        }
        let &Parameters { ks_levels, ks_base_log, .. } = self.parameters;
        for (at, levels) in self.words.chunks(ks_levels * size).enumerate() {
            for (from, to) in from.chunks(from_size).zip(to.chunks_mut(size)) {
                let mut rest = round(from[at], ks_base_log * ks_levels as u32);
                for pair in levels.chunks(2 * size) {
                    let digits = std::array::from_fn(|_| digit(&mut rest, ks_base_log));
                    widest(SubtractMultiples { to, digits, of: pair });
                }
            }
        }
    }
}

/// The leading bits of a word, rounded to nearest, as a signed integer: half of the range, which is also minus half of it, is negative
/// where it was rounded up.
fn round(word: u64, bits: u32) -> i64 {
    let with_next = word >> (63 - bits);
    let rounded = (with_next.wrapping_add(1) >> 1) & ((1 << bits) - 1);
    let half = 1 << (bits - 1);
    let negative = rounded > half || (rounded == half && with_next & 1 == 1);
    (rounded as i64).wrapping_sub(i64::from(negative) << bits)
}

/// Take the least significant digit off a number: at least -B/2 and at most B/2, of the two the one that leaves the next digit
/// the smaller.
fn digit(rest: &mut i64, base_log: u32) -> u64 {
    let low = *rest & ((1 << base_log) - 1);
    *rest >>= base_log;
    let carry = (low.wrapping_sub(1) | *rest) & low;
    let carry = carry >> (base_log - 1);
    *rest += carry;
    low.wrapping_sub(carry << base_log) as u64
}

/// Subtract multiples of two ciphertexts that follow each other.
struct SubtractMultiples<'a> {
    to: &'a mut [u64],
    digits: [u64; 2],
    of: &'a [u64],
}

impl Kernel for SubtractMultiples<'_> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { to, digits: [x, y], of } = self;
        let (a, b) = of.split_at(to.len());
        for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
            *to = to.wrapping_sub(a.wrapping_mul(x)).wrapping_sub(b.wrapping_mul(y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::TOY;
    use crate::random::Stream;
    use std::collections::HashSet;

    #[test]
    fn digits_are_balanced_and_make_the_number() {
        for word in
            [0, 1, 1 << 47, (1 << 47) - 1, 1 << 48, 0x7777 << 48, 0x8888 << 48, 0x8000 << 48, u64::MAX, 0x1234 << 48]
        {
            let mut rest = round(word, 16);
            let mut sum = 0u64;
            for level in 0..4 {
                let digit = digit(&mut rest, 4) as i64;
                assert!((-8..=8).contains(&digit), "{word:x}: {digit}");
                sum = sum.wrapping_add((digit as u64) << (48 + 4 * level));
            }
            assert!((word.wrapping_sub(sum) as i64).unsigned_abs() <= 1 << 47, "{word:x} {sum:x}");
        }
    }

    #[test]
    fn a_switched_ciphertext_holds_the_same() {
        let from = LweSecretKey::generate("test", TOY.polynomial_size).unwrap();
        let to = LweSecretKey::generate("test", TOY.lwe_dimension).unwrap();
        let key = SeededKeySwitchKey::generate("test", &TOY, &from, &to).unwrap().decompress("test", &TOY).unwrap();
        let stream = |byte, number| -> Stream { Seed::known(byte).stream(number) };
        // Noise has 36 bits here: it does not come twice, and neither do masks.
        let rows = || key.words.chunks(TOY.small_words());
        let noise = |row: &[u64]| to.phase(row).wrapping_shl(16);
        assert_eq!(rows().map(|row| row[0]).collect::<HashSet<_>>().len(), rows().len());
        assert_eq!(rows().map(noise).collect::<HashSet<_>>().len(), rows().len());
        for value in 0..32u64 {
            let mut ciphertext = vec![0; TOY.ciphertext_words()];
            let at = value as usize;
            from.encrypt(value << 59, 17, &mut stream(3, at), &mut stream(4, at), &mut ciphertext);
            let mut switched = vec![0; TOY.small_words()];
            key.switch(&ciphertext, &mut switched);
            let error = to.phase(&switched).wrapping_sub(value << 59) as i64;
            // Rounding: 256 halves of 2^48 at most, 2^52 as they add up; noise far below.
            assert!(error.unsigned_abs() < 1 << 53, "{value}: {error}");
        }
    }
}
