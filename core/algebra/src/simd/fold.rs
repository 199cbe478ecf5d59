//! Sums and products of vectors, sixteen partial ones side by side.

use super::ifma::{LIMB, Lanes, Modulus};
use super::rows::{self, GROUP};
use super::vector::Vectors;
use super::words::Words;
use crate::fp::Fp;
use crate::{Field, Limbs};
use core::arch::x86_64::*;
use icicle_params::Prime;

impl<P: Prime<N>, const N: usize, const M: usize> Vectors<P, N, M> {
    /// The sum of `groups` times [`GROUP`] elements, limbs as they are.
    ///
    /// # Safety
    /// They may be read.
    pub unsafe fn sum(&self, a: *const Limbs<N>, groups: usize) -> Fp<P, N> {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        let sums = unsafe { sum(&self.p, a, groups) };
        sums.into_iter().fold(Fp::ZERO, |sum, x| sum + Fp::from_limbs(x))
    }

    /// Their product, limbs as they are.
    ///
    /// # Safety
    /// They may be read.
    pub unsafe fn product(&self, a: *const Limbs<N>, groups: usize) -> Fp<P, N> {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        let products = unsafe { product(&self.lazy.modulus, a, groups) };
        // Each product lost 2^(52M), where elements lose 2^(64N).
        let excess = Fp::<P, N>::from_u64(2).pow(&[((LIMB * M - 64 * N) * groups) as u64]);
        let factor = Fp::from_raw(Fp::<P, N>::ONE.to_limbs()) * excess;
        products.into_iter().fold(Fp::ONE, |product, x| product * (Fp::from_limbs(x) * factor))
    }
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::sum`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn sum<const N: usize>(p: &Words<N>, a: *const Limbs<N>, groups: usize) -> [Limbs<N>; GROUP] {
    let mut sums = [Words([_mm512_setzero_si512(); N]); 2];
    for i in 0..groups {
        // SAFETY: a group of elements.
        let x = unsafe { rows::load(a.add(GROUP * i).cast()) };
        sums = [sums[0].sum(&x[0], p), sums[1].sum(&x[1], p)];
    }
    stored(sums)
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::product`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn product<const N: usize, const M: usize>(
    modulus: &Modulus<M>,
    a: *const Limbs<N>,
    groups: usize,
) -> [Limbs<N>; GROUP] {
    let mut products = [Lanes::<M>::repeat(&[1]); 2];
    for i in 0..groups {
        // SAFETY: a group of elements.
        let x: [Words<N>; 2] = unsafe { rows::load(a.add(GROUP * i).cast()) };
        for h in 0..2 {
            products[h] = products[h].times(&Lanes::from_words(&x[h].0), modulus);
        }
    }
    stored([Words(products[0].reduced(modulus).to_words()), Words(products[1].reduced(modulus).to_words())])
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn stored<const N: usize>(halves: [Words<N>; 2]) -> [Limbs<N>; GROUP] {
    let mut out = [Limbs([0; N]); GROUP];
    // SAFETY: a group of elements.
    unsafe { rows::store(out.as_mut_ptr().cast(), halves, false) };
    out
}
