//! Eight elements of a prime field side by side, in words of 64 bits as in memory: sums and differences.

use core::arch::x86_64::*;

/// Eight elements, word `i` of every one in vector `i`.
#[derive(Clone, Copy)]
pub(super) struct Words<const N: usize>(pub [__m512i; N]);

/// `a + b + carry` and the lanes that carry.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn add_carry(a: __m512i, b: __m512i, carry: __mmask8) -> (__m512i, __mmask8) {
    let sum = _mm512_add_epi64(a, b);
    let over = _mm512_cmplt_epu64_mask(sum, a);
    let sum = _mm512_mask_sub_epi64(sum, carry, sum, _mm512_set1_epi64(-1));
    (sum, over | _mm512_mask_testn_epi64_mask(carry, sum, sum))
}

/// `a - b - borrow` and the lanes that borrow.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn sub_borrow(a: __m512i, b: __m512i, borrow: __mmask8) -> (__m512i, __mmask8) {
    let difference = _mm512_sub_epi64(a, b);
    let under = _mm512_cmplt_epu64_mask(a, b) | _mm512_mask_testn_epi64_mask(borrow, difference, difference);
    (_mm512_mask_add_epi64(difference, borrow, difference, _mm512_set1_epi64(-1)), under)
}

impl<const N: usize> Words<N> {
    /// The same integer in every lane.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn repeat(words: &[u64; N]) -> Self {
        let mut out = [_mm512_setzero_si512(); N];
        for i in 0..N {
            out[i] = _mm512_set1_epi64(words[i] as i64);
        }
        Self(out)
    }

    /// `a + b mod p`, for canonical numbers and a modulus of less than `64N` bits.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn sum(&self, b: &Self, p: &Self) -> Self {
        let (mut sum, mut carry) = (self.0, 0);
        for i in 0..N {
            (sum[i], carry) = add_carry(self.0[i], b.0[i], carry);
        }
        let (mut reduced, mut borrow) = (sum, 0);
        for i in 0..N {
            (reduced[i], borrow) = sub_borrow(sum[i], p.0[i], borrow);
        }
        for i in 0..N {
            reduced[i] = _mm512_mask_mov_epi64(reduced[i], borrow, sum[i]);
        }
        Self(reduced)
    }

    /// `a - b mod p`, as [`Words::sum`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn difference(&self, b: &Self, p: &Self) -> Self {
        let (mut out, mut borrow) = (self.0, 0);
        for i in 0..N {
            (out[i], borrow) = sub_borrow(self.0[i], b.0[i], borrow);
        }
        let mut carry = 0;
        for i in 0..N {
            (out[i], carry) = add_carry(out[i], _mm512_maskz_mov_epi64(borrow, p.0[i]), carry);
        }
        Self(out)
    }
}
