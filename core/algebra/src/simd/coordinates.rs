//! Eight coordinates of points side by side: elements of a prime field, or of its extension by a root of `-K`.
// Loops over limbs index several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::ifma::{Lanes, Modulus};
use core::arch::x86_64::*;

/// Eight elements of `F[x]/(x² + K)` (`D` of 2, coefficients in order), or of `F` itself (`D` of 1).
///
/// Bounds: a product of extension elements has coefficients below `(3 + 2K)·p` and `7·p`, if the products of the operands'
/// coefficients are below `2^(52M)·p`, and those of the sums of both coefficients below `2·2^(52M)·p`. All fields served
/// have `2^(52M) > 80p`.
#[derive(Clone, Copy)]
pub(super) struct Coordinates<const M: usize, const D: usize, const K: usize>(pub [Lanes<M>; D]);

/// The result of a function on the coefficients.
macro_rules! each {
    ($d:ident, $i:ident => $value:expr) => {{
        let mut out = Self::repeat(0);
        for $i in 0..$d {
            out.0[$i] = $value;
        }
        out
    }};
}

impl<const M: usize, const D: usize, const K: usize> Coordinates<M, D, K> {
    /// The same small integer in every lane.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn repeat(value: u64) -> Self {
        let mut out = [Lanes::repeat(&[0]); D];
        out[0] = Lanes::repeat(&[value]);
        Self(out)
    }

    /// From limbs, those of each coefficient in turn.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn from_limbs(limbs: &[__m512i]) -> Self {
        let mut out = Self::repeat(0);
        for i in 0..D {
            out.0[i].0.copy_from_slice(&limbs[i * M..][..M]);
        }
        out
    }

    /// From words of 64 bits, coefficient by coefficient.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn from_words<const N: usize>(words: &[[__m512i; N]; D]) -> Self {
        each!(D, i => Lanes::from_words(&words[i]))
    }

    /// To words of 64 bits; limbs are normalised.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn to_words<const N: usize>(self) -> [[__m512i; N]; D] {
        let mut out = [[_mm512_setzero_si512(); N]; D];
        for i in 0..D {
            out[i] = self.0[i].to_words();
        }
        out
    }

    /// Product over `2^(52M)`; three products of the prime field for extensions (Karatsuba).
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn times(&self, b: &Self, modulus: &Modulus<M>) -> Self {
        let mut out = *self;
        let low = self.0[0].times(&b.0[0], modulus);
        out.0[0] = low;
        if D == 2 {
            let high = self.0[1].times(&b.0[1], modulus);
            let mut cross = self.0[0].plus(&self.0[1]).times(&b.0[0].plus(&b.0[1]), modulus);
            for j in 0..M {
                let twice = modulus.twice.0[j];
                let opposite = _mm512_sub_epi64(twice, high.0[j]);
                for _ in 0..K {
                    out.0[0].0[j] = _mm512_add_epi64(out.0[0].0[j], opposite);
                }
                cross.0[j] = _mm512_add_epi64(cross.0[j], opposite);
                cross.0[j] = _mm512_add_epi64(cross.0[j], _mm512_sub_epi64(twice, low.0[j]));
            }
            out.0[0] = out.0[0].carried();
            out.0[1] = cross.carried();
        }
        out
    }

    /// `a - b + p`, for coefficients of `b` of at most `p`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn minus(&self, b: &Self, modulus: &Modulus<M>) -> Self {
        each!(D, i => self.0[i].minus(&b.0[i], modulus))
    }

    /// `a + b`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn plus(&self, b: &Self) -> Self {
        each!(D, i => self.0[i].plus(&b.0[i]))
    }

    /// `2^bits·a`, for results below `2^(52M)`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn shifted(&self, bits: u64) -> Self {
        each!(D, i => self.0[i].shifted(bits))
    }

    /// Coefficients reduced below `p`, for values below `4p`, of extensions `16p`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn reduced(mut self, modulus: &Modulus<M>) -> Self {
        if D == 2 {
            let four = modulus.twice.plus(&modulus.twice);
            let eight = four.plus(&four);
            self = each!(D, i => self.0[i].minus_if_larger(&eight).minus_if_larger(&four));
        }
        each!(D, i => self.0[i].reduced(modulus))
    }

    /// Lanes that are equal; both reduced.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn equal(&self, b: &Self) -> __mmask8 {
        let mut equal = 0xff;
        for i in 0..D {
            equal &= self.0[i].equal(&b.0[i]);
        }
        equal
    }

    /// `a` where the mask is set, else `self`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn replaced(self, mask: __mmask8, a: &Self) -> Self {
        each!(D, i => self.0[i].replaced(mask, &a.0[i]))
    }
}
