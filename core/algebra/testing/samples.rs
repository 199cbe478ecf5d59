//! Elements that tests try, the same in every run.

use icicle_algebra::{Field, PrimeField};

/// Deterministic 64-bit words (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
pub struct Words(pub u64);
impl Words {
    /// The next word.
    #[allow(clippy::should_implement_trait)] // without end, so that an iterator would only ask for unwrapping
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// A few random elements after the edges 0, 1, -1, 2 and, for extensions, one with a zero constant coefficient.
pub fn samples<F: Field>(n: usize, seed: u64) -> Vec<F> {
    let mut words = Words(seed);
    let mut out = vec![F::ZERO, F::ONE, -F::ONE, F::from_u64(2)];
    out.push(F::from_coefficients(|i| if i == 0 { F::Prime::ZERO } else { -F::Prime::ONE }));
    while out.len() < n {
        out.push(F::from_coefficients(|_| {
            let wide: [u64; 13] = std::array::from_fn(|_| words.next());
            F::Prime::from_words(&wide)
        }));
    }
    out
}
