//! Inverses of vectors, eight chains of products side by side and two of those by turns.

use super::ifma::{LIMB, Lanes, Modulus};
use super::rows::{self, GROUP};
use super::vector::Vectors;
use super::words::Words;
use crate::fp::Fp;
use crate::{Field, Limbs, batch};
use core::arch::x86_64::*;
use icicle_params::Prime;

impl<P: Prime<N>, const N: usize, const M: usize> Vectors<P, N, M> {
    /// `dividends[i]/a[i]`, or `1/a[i]` without any, zero where `a[i]` is, for `groups` times [`GROUP`] elements; false if
    /// some `a[i]` is not canonical but divisible by the modulus: then nothing has been done. `before` is cleared and reused;
    /// it takes [`Vectors::KEPT`] vectors a group.
    ///
    /// # Safety
    /// As [`Vectors::add`].
    pub unsafe fn invert(
        &self,
        dividends: Option<*const Limbs<N>>,
        a: *const Limbs<N>,
        out: *mut Limbs<N>,
        groups: usize,
        before: &mut Vec<__m512i>,
    ) -> bool {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        unsafe { invert::<P, N, M>(&self.lazy.modulus, dividends, a, out, groups, before) }
    }

    /// Vectors that an inversion keeps of each group.
    pub const KEPT: usize = 2 * M;
}

/// Products lose `2^(52M)`, but so does the inverse of a product: with `1` for the product of nothing each inverse comes
/// out as it should. Dividends lose it once more, which the factor makes up for.
///
/// # Safety
/// AVX-512 IFMA; as [`Vectors::invert`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn invert<P: Prime<N>, const N: usize, const M: usize>(
    modulus: &Modulus<M>,
    dividends: Option<*const Limbs<N>>,
    a: *const Limbs<N>,
    out: *mut Limbs<N>,
    groups: usize,
    before: &mut Vec<__m512i>,
) -> bool {
    let (one, zero) = (Lanes::<M>::repeat(&[1]), Lanes::<M>::repeat(&[0]));
    let mut product = [one; 2];
    before.clear();
    for i in 0..groups {
        before.extend_from_slice(product.map(|x| x.0).as_flattened());
        // SAFETY: a group of elements.
        let halves: [Words<N>; 2] = unsafe { rows::load(a.add(GROUP * i).cast()) };
        for h in 0..2 {
            let x = Lanes::from_words(&halves[h].0);
            product[h] = product[h].times(&x.replaced(x.equal(&zero), &one), modulus);
        }
    }
    // The limbs 1 as an element, squared, undo the form of an element and of its inverse.
    let mut factor = Fp::<P, N>::from_limbs(Fp::<P, N>::ONE.to_raw()).square();
    if dividends.is_some() {
        factor = (0..LIMB * M).fold(factor, |x, _| x.double());
    }
    let both = inverses::<P, N, M>(product[0].times(&product[1], modulus).reduced(modulus), factor);
    if both.equal(&zero) != 0 {
        return false;
    }
    let mut inverse = [both.times(&product[1], modulus), both.times(&product[0], modulus)];
    for (i, before) in before.as_chunks::<M>().0.as_chunks::<2>().0.iter().enumerate().rev() {
        // SAFETY: a group of elements.
        let mut halves: [Words<N>; 2] = unsafe { rows::load(a.add(GROUP * i).cast()) };
        // SAFETY: a group of elements.
        let dividends: Option<[Words<N>; 2]> = dividends.map(|x| unsafe { rows::load(x.add(GROUP * i).cast()) });
        for h in 0..2 {
            let x = Lanes::from_words(&halves[h].0);
            let zeros = x.equal(&zero);
            let mut y = inverse[h].times(&Lanes(before[h]), modulus);
            inverse[h] = inverse[h].times(&x.replaced(zeros, &one), modulus);
            if let Some(dividends) = dividends {
                y = y.times(&Lanes::from_words(&dividends[h].0), modulus);
            }
            halves[h] = Words(y.minus_if_larger(&modulus.p).replaced(zeros, &zero).to_words());
        }
        // SAFETY: a group of elements.
        unsafe { rows::store(out.add(GROUP * i).cast(), halves, false) };
    }
    true
}

/// Inverse of each lane times a factor, as elements of the field; reduced lanes in and out.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn inverses<P: Prime<N>, const N: usize, const M: usize>(lanes: Lanes<M>, factor: Fp<P, N>) -> Lanes<M> {
    let mut columns = [[0u64; 8]; N];
    for (column, words) in columns.iter_mut().zip(lanes.to_words::<N>()) {
        // SAFETY: a column is one vector.
        unsafe { _mm512_storeu_si512(column.as_mut_ptr().cast(), words) };
    }
    let mut elements: [Fp<P, N>; 8] =
        std::array::from_fn(|l| Fp::from_montgomery(std::array::from_fn(|i| columns[i][l])));
    batch::invert(&mut elements, &mut Vec::with_capacity(8));
    for (l, element) in elements.into_iter().enumerate() {
        let limbs = (element * factor).montgomery();
        (0..N).for_each(|i| columns[i][l] = limbs[i]);
    }
    let mut words = [_mm512_setzero_si512(); N];
    for (words, column) in words.iter_mut().zip(&columns) {
        // SAFETY: a column is one vector.
        *words = unsafe { _mm512_loadu_si512(column.as_ptr().cast()) };
    }
    Lanes::from_words(&words)
}
