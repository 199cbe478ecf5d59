//! Eight elements of a prime field side by side, in limbs of 52 bits.
//!
//! An element is `M` vectors; lane `l` of vector `j` is limb `j` of element `l`. Values are below a small multiple of
//! the modulus, not reduced: each function says which. A product divides by `2^(52M)`, while elements in memory carry
//! the factor `2^(64N)`; callers keep count of the difference and make it up by shifts ([`Lanes::shifted`]).
// Loops over limbs index several arrays at once.
#![allow(clippy::needless_range_loop)]

use core::arch::x86_64::*;
use icicle_params::Prime;

/// Bits of a limb.
pub(super) const LIMB: usize = 52;
const MASK: u64 = (1 << LIMB) - 1;

/// Eight elements.
#[derive(Clone, Copy)]
pub struct Lanes<const M: usize>(pub(super) [__m512i; M]);

/// The modulus, its double and `-p⁻¹ mod 2^52`, in every lane.
#[derive(Clone, Copy)]
pub struct Modulus<const M: usize> {
    pub(super) p: Lanes<M>,
    pub(super) twice: Lanes<M>,
    inv: __m512i,
}

/// Limbs of 52 bits of an integer.
pub(super) fn split<const M: usize>(words: &[u64]) -> [u64; M] {
    std::array::from_fn(|j| {
        let (index, offset) = (LIMB * j / 64, LIMB * j % 64);
        let word = |i: usize| words.get(i).copied().unwrap_or(0) as u128;
        ((word(index) | word(index + 1) << 64) >> offset) as u64 & MASK
    })
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn all(value: u64) -> __m512i {
    _mm512_set1_epi64(value as i64)
}

impl<const M: usize> Modulus<M> {
    /// Of a prime.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn of<P: Prime<N>, const N: usize>() -> Self {
        let mut twice = [0u64; 13];
        for i in 0..N {
            twice[i] |= P::MODULUS[i] << 1;
            twice[i + 1] = P::MODULUS[i] >> 63;
        }
        Self { p: Lanes::repeat(&P::MODULUS), twice: Lanes::repeat(&twice), inv: all(P::INV & MASK) }
    }
}

impl<const M: usize> Lanes<M> {
    /// The same integer in every lane.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn repeat(words: &[u64]) -> Self {
        let limbs = split::<M>(words);
        let mut out = [_mm512_setzero_si512(); M];
        for j in 0..M {
            out[j] = all(limbs[j]);
        }
        Self(out)
    }

    /// From 64-bit words, word `i` of every lane in `words[i]`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn from_words<const N: usize>(words: &[__m512i; N]) -> Self {
        let mut out = [_mm512_setzero_si512(); M];
        for j in 0..M {
            let (index, offset) = (LIMB * j / 64, (LIMB * j % 64) as u64);
            if index < N {
                let mut limb = _mm512_srlv_epi64(words[index], all(offset));
                if index + 1 < N && offset as usize + LIMB > 64 {
                    limb = _mm512_or_si512(limb, _mm512_sllv_epi64(words[index + 1], all(64 - offset)));
                }
                out[j] = _mm512_and_si512(limb, all(MASK));
            }
        }
        Self(out)
    }

    /// To 64-bit words; limbs are normalised.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn to_words<const N: usize>(self) -> [__m512i; N] {
        let mut out = [_mm512_setzero_si512(); N];
        for i in 0..N {
            for j in 0..M {
                let (limb, word) = (LIMB * j, 64 * i);
                if limb < word + 64 && limb + LIMB > word {
                    let part = if limb >= word {
                        _mm512_sllv_epi64(self.0[j], all((limb - word) as u64))
                    } else {
                        _mm512_srlv_epi64(self.0[j], all((word - limb) as u64))
                    };
                    out[i] = _mm512_or_si512(out[i], part);
                }
            }
        }
        out
    }

    /// Carry from limb to limb, signed; the top limb keeps its sign.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn carried(mut self) -> Self {
        for j in 0..M - 1 {
            let carry = _mm512_srai_epi64::<52>(self.0[j]);
            self.0[j] = _mm512_and_si512(self.0[j], all(MASK));
            self.0[j + 1] = _mm512_add_epi64(self.0[j + 1], carry);
        }
        self
    }

    /// Product over `2^(52M)`: below `(a·b/(2^(52M)·p) + 1)·p` for normalised operands below `2^(52M)`.
    ///
    /// Interleaved Montgomery multiplication (Koç, Acar, Kaliski 1996) with carries left in the upper 12 bits of each
    /// limb, as in Gueron and Krasnov, "Accelerating big integer arithmetic using Intel IFMA extensions" (2016).
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn times(&self, b: &Self, modulus: &Modulus<M>) -> Self {
        let zero = _mm512_setzero_si512();
        let mut t = [zero; M];
        for i in 0..M {
            let digit = b.0[i];
            for j in 0..M {
                t[j] = _mm512_madd52lo_epu64(t[j], self.0[j], digit);
            }
            let m = _mm512_madd52lo_epu64(zero, t[0], modulus.inv);
            let low = _mm512_madd52lo_epu64(t[0], m, modulus.p.0[0]);
            let carry = _mm512_srli_epi64::<52>(low);
            for j in 1..M {
                t[j - 1] = _mm512_madd52lo_epu64(t[j], m, modulus.p.0[j]);
            }
            t[M - 1] = zero;
            t[0] = _mm512_add_epi64(t[0], carry);
            for j in 0..M {
                t[j] = _mm512_madd52hi_epu64(t[j], self.0[j], digit);
                t[j] = _mm512_madd52hi_epu64(t[j], m, modulus.p.0[j]);
            }
        }
        Self(t).carried()
    }

    /// `a - b + p`, for `b` at most `p`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn minus(&self, b: &Self, modulus: &Modulus<M>) -> Self {
        let mut out = [_mm512_setzero_si512(); M];
        for j in 0..M {
            out[j] = _mm512_add_epi64(_mm512_sub_epi64(self.0[j], b.0[j]), modulus.p.0[j]);
        }
        Self(out).carried()
    }

    /// `a + b`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn plus(&self, b: &Self) -> Self {
        let mut out = [_mm512_setzero_si512(); M];
        for j in 0..M {
            out[j] = _mm512_add_epi64(self.0[j], b.0[j]);
        }
        Self(out).carried()
    }

    /// `2^bits·a`, for results below `2^(52M)`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn shifted(&self, bits: u64) -> Self {
        let mut out = self.0;
        for j in (0..M).rev() {
            out[j] = _mm512_sllv_epi64(self.0[j], all(bits));
            if j > 0 {
                out[j] = _mm512_or_si512(out[j], _mm512_srlv_epi64(self.0[j - 1], all(LIMB as u64 - bits)));
            }
            out[j] = _mm512_and_si512(out[j], all(MASK));
        }
        Self(out)
    }

    /// `a - k` where that is not negative, else `a`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn minus_if_larger(self, k: &Self) -> Self {
        let mut out = self.0;
        for j in 0..M {
            out[j] = _mm512_sub_epi64(self.0[j], k.0[j]);
        }
        let mut out = Self(out).carried();
        let negative = _mm512_cmplt_epi64_mask(out.0[M - 1], _mm512_setzero_si512());
        for j in 0..M {
            out.0[j] = _mm512_mask_mov_epi64(out.0[j], negative, self.0[j]);
        }
        out
    }

    /// Reduced below `p`, for values below `4p`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn reduced(self, modulus: &Modulus<M>) -> Self {
        self.minus_if_larger(&modulus.twice).minus_if_larger(&modulus.p)
    }

    /// Lanes that are equal; both reduced.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn equal(&self, b: &Self) -> __mmask8 {
        let mut different = _mm512_setzero_si512();
        for j in 0..M {
            different = _mm512_or_si512(different, _mm512_xor_si512(self.0[j], b.0[j]));
        }
        _mm512_testn_epi64_mask(different, different)
    }

    /// `a` where the mask is set, else `self`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn replaced(mut self, mask: __mmask8, a: &Self) -> Self {
        for j in 0..M {
            self.0[j] = _mm512_mask_mov_epi64(self.0[j], mask, a.0[j]);
        }
        self
    }
}

/// Rows to columns: lane `l` of vector `i` becomes lane `i` of vector `l`.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn transpose(r: [__m512i; 8]) -> [__m512i; 8] {
    let mut pairs = r;
    for i in 0..4 {
        pairs[2 * i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        pairs[2 * i + 1] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    let mut out = pairs;
    for parity in 0..2 {
        let [a, b, c, d] = [pairs[parity], pairs[2 + parity], pairs[4 + parity], pairs[6 + parity]];
        // 128-bit blocks: (a0 a2 b0 b2), (a1 a3 b1 b3), and so for c and d.
        let (ab_even, ab_odd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xdd>(a, b));
        let (cd_even, cd_odd) = (_mm512_shuffle_i64x2::<0x88>(c, d), _mm512_shuffle_i64x2::<0xdd>(c, d));
        out[parity] = _mm512_shuffle_i64x2::<0x88>(ab_even, cd_even);
        out[parity + 2] = _mm512_shuffle_i64x2::<0x88>(ab_odd, cd_odd);
        out[parity + 4] = _mm512_shuffle_i64x2::<0xdd>(ab_even, cd_even);
        out[parity + 6] = _mm512_shuffle_i64x2::<0xdd>(ab_odd, cd_odd);
    }
    out
}
