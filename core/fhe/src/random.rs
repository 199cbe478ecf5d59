//! Random numbers: streams of ChaCha20 under seeds of the operating system.
//!
//! Secret keys, noise and masks each have a seed of their own, drawn for each call, so that nothing is kept between calls that a
//! forked child could repeat. Parallel tasks take the streams of a seed by number, each once.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use icicle_error::{Error, ErrorCode, Result};
use zeroize::Zeroizing;

/// What streams are made from, wiped when it is dropped.
pub(crate) struct Seed(Zeroizing<[u8; 32]>);

/// Bytes of the operating system.
pub(crate) fn system_bytes<const N: usize>(op: &'static str) -> Result<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut bytes[..])
        .map_err(|error| Error::new(ErrorCode::Internal, op, format!("the system gives no random numbers: {error}")))?;
    Ok(bytes)
}

impl Seed {
    /// A seed of the operating system.
    pub(crate) fn new(op: &'static str) -> Result<Self> {
        Ok(Self(system_bytes(op)?))
    }

    /// Known to everyone, for tests of what streams give.
    #[cfg(test)]
    pub(crate) fn known(byte: u8) -> Self {
        Self(Zeroizing::new([byte; 32]))
    }

    /// One of the seed's streams.
    pub(crate) fn stream(&self, number: usize) -> Stream {
        let mut generator = ChaCha20Rng::from_seed(*self.0);
        generator.set_stream(number as u64);
        Stream(generator)
    }
}

/// Numbers one after another.
pub(crate) struct Stream(ChaCha20Rng);

impl Stream {
    /// Uniform on the torus.
    pub(crate) fn uniform(&mut self, to: &mut [u64]) {
        to.iter_mut().for_each(|word| *word = self.0.next_u64());
    }

    /// Uniform bits, one a word.
    pub(crate) fn bits(&mut self, to: &mut [u64]) {
        for word in to.chunks_mut(64) {
            let drawn = Zeroizing::new(self.0.next_u64());
            word.iter_mut().enumerate().for_each(|(at, bit)| *bit = *drawn >> at & 1);
        }
    }

    /// TUniform(b): uniform on the integers from -2ᵇ to 2ᵇ, the two ends half as likely; the same time for all of them.
    pub(crate) fn tuniform(&mut self, b: u32) -> u64 {
        let drawn = self.0.next_u64() >> (62 - b);
        drawn.wrapping_add(1).wrapping_shr(1).wrapping_sub(1 << b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_those_of_the_standard() {
        // RFC 8439, A.1, test vector 1: key, nonce and counter zero.
        let mut words = [0; 2];
        Seed::known(0).stream(0).uniform(&mut words);
        assert_eq!(words, [0x903d_f1a0_ade0_b876, 0x28bd_8653_e56a_5d40]);
    }

    #[test]
    fn streams_and_seeds_differ() {
        let draw = |seed: &Seed, number| {
            let mut words = [0; 4];
            seed.stream(number).uniform(&mut words);
            words
        };
        let (a, b) = (Seed::new("test").unwrap(), Seed::new("test").unwrap());
        assert_eq!(draw(&a, 7), draw(&a, 7));
        assert!(draw(&a, 7) != draw(&a, 8) && draw(&a, 7) != draw(&b, 7));
    }

    #[test]
    fn noise_has_the_bounds_the_mean_and_the_variance_of_its_law() {
        // Small enough for the ends to come up, at half the rate.
        let mut stream = Seed::known(1).stream(0);
        let mut counts = [0u32; 9];
        for _ in 0..80_000 {
            counts[(stream.tuniform(2).wrapping_add(4)) as usize] += 1;
        }
        for (value, &count) in counts.iter().enumerate() {
            let expected = if value % 8 == 0 { 5_000.0 } else { 10_000.0 };
            assert!((f64::from(count) - expected).abs() < 500.0, "{value}: {count}");
        }
        let samples: Vec<f64> = (0..40_000).map(|_| stream.tuniform(45) as i64 as f64).collect();
        let bound = (1u64 << 45) as f64;
        assert!(samples.iter().all(|x| x.abs() <= bound));
        let variance = samples.iter().map(|x| x * x).sum::<f64>() / samples.len() as f64;
        let theory = (2.0 * bound * bound + 1.0) / 6.0;
        assert!((variance / theory - 1.0).abs() < 0.03, "{variance} {theory}");
    }

    #[test]
    fn bits_are_balanced() {
        let mut bits = [2; 10_001];
        Seed::known(2).stream(0).bits(&mut bits);
        assert!(bits.iter().all(|&bit| bit < 2));
        assert!((4_800..5_200).contains(&bits.iter().sum::<u64>()));
    }
}
