//! Products of eight elements with one number known beforehand, and sums left unreduced between them.
//!
//! Values here are integers modulo `2^(52M)` in limbs of 64 bits that may be negative or too large ("loose"); each
//! function says of which multiple of the modulus its result is below. Nothing wraps around as long as no value reaches
//! `2^(52M)`, which is [`Lazy::room`] times the modulus.

use super::ifma::{LIMB, Lanes, Modulus, all, split};
use crate::Field;
use crate::fp::Fp;
use core::arch::x86_64::*;
use icicle_params::Prime;

/// A number `w` below `p` and `⌊w·2^(52M)/p⌋`, in limbs of 52 bits.
#[derive(Clone, Copy)]
pub struct Constant<const M: usize> {
    value: [u64; M],
    quotient: [u64; M],
}

impl<const M: usize> Constant<M> {
    /// Of a field element.
    pub fn new<P: Prime<N>, const N: usize>(w: Fp<P, N>) -> Self {
        // r = w·2^(52M) mod p: the Montgomery form, doubled as often as 52M exceeds 64N.
        let r = (64 * N..LIMB * M).fold(w, |x, _| x.double()).montgomery();
        // w·2^(52M) - r is the quotient times p; modulo 2^(64(N+1)) that is -r over p, word by word.
        let (mut rest, mut quotient) = ([0u64; 13], [0u64; 13]);
        rest[..N].copy_from_slice(&r);
        for i in 0..=N {
            let digit = rest[i].wrapping_mul(P::INV);
            let mut carry = 0u64;
            for j in i..=N {
                let limb = if j - i < N { P::MODULUS[j - i] } else { 0 };
                let sum = u128::from(limb) * u128::from(digit) + u128::from(rest[j]) + u128::from(carry);
                (rest[j], carry) = (sum as u64, (sum >> 64) as u64);
            }
            quotient[i] = digit;
        }
        let words = w.to_raw().0;
        Self { value: split(&words), quotient: split(&quotient) }
    }
}

/// What loose values of a field are reduced with.
#[derive(Clone, Copy)]
pub struct Lazy<const M: usize> {
    pub(super) modulus: Modulus<M>,
    /// `2^(52M) - p`.
    complement: Lanes<M>,
    /// `⌊2^(52M + e)/p⌋`, just below `2^52`, and `e`.
    inverse: __m512i,
    excess: __m512i,
}

/// Quotients of one unit in the last place, at most: products below `2p`.
pub(super) const FINE: bool = true;
/// Quotients short of up to `2M` units, for a tenth less work: products below `(2M + 1)p`.
pub(super) const COARSE: bool = false;

impl<const M: usize> Lazy<M> {
    /// How often the modulus fits below `2^(52M)`.
    pub fn room<P: Prime<N>, const N: usize>() -> u64 {
        Constant::<M>::new(Fp::<P, N>::ONE).quotient[0]
    }

    /// Of a prime.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub(crate) fn of<P: Prime<N>, const N: usize>() -> Self {
        let mut complement = [0u64; 13];
        let mut borrow = false;
        for i in 0..=N {
            let limb = if i < N { P::MODULUS[i] } else { 0 };
            let (x, b) = 0u64.overflowing_sub(limb);
            let (x, c) = x.overflowing_sub(u64::from(borrow));
            (complement[i], borrow) = (x, b | c);
        }
        let excess = P::BITS - 1 - (LIMB * (M - 1)) as u32;
        let inverse = Constant::<M>::new(Fp::<P, N>::from_u64(1 << excess)).quotient[0];
        let (inverse, excess) = (all(inverse), all(u64::from(excess)));
        Self { modulus: Modulus::of::<P, N>(), complement: Lanes::repeat(&complement), inverse, excess }
    }
}

impl<const M: usize> Lanes<M> {
    /// `k·p`, in every lane; `k·p` below `2^(52M)`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn multiple<P: Prime<N>, const N: usize>(k: u64) -> Self {
        let mut words = [0u64; 13];
        let mut carry = 0u64;
        for i in 0..=N {
            let limb = if i < N { P::MODULUS[i] } else { 0 };
            let wide = u128::from(limb) * u128::from(k) + u128::from(carry);
            (words[i], carry) = (wide as u64, (wide >> 64) as u64);
        }
        Self::repeat(&words)
    }

    /// `a + b`, loose.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn loose_sum(&self, b: &Self) -> Self {
        let mut out = self.0;
        for j in 0..M {
            out[j] = _mm512_add_epi64(out[j], b.0[j]);
        }
        Self(out)
    }

    /// `a - b + k` for a multiple `k` of the modulus not below `b`, loose.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn loose_difference(&self, b: &Self, k: &Self) -> Self {
        let mut out = self.0;
        for j in 0..M {
            out[j] = _mm512_add_epi64(_mm512_sub_epi64(out[j], b.0[j]), k.0[j]);
        }
        Self(out)
    }

    /// Carry from limb to limb, leaving behind what was carried: the low 52 bits of each limb are right, and multipliers
    /// read no others.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn carried_low(mut self) -> Self {
        for j in 0..M - 1 {
            self.0[j + 1] = _mm512_add_epi64(self.0[j + 1], _mm512_srai_epi64::<52>(self.0[j]));
        }
        self
    }

    /// `a·w` by the quotient's method (Shoup, NTL; Harvey 2014, §3): `a·w - ⌊a·⌊w·2^(52M)/p⌋/2^(52M)⌋·p`, where the
    /// quotient is made of the upper columns of that product only. `a` is loose; so is the result, below `2p` with
    /// [`FINE`], else `(2M + 1)p`: the columns left out are worth `2M - 1` units, the two floors one each.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn times_constant<const QUOTIENT: bool>(self, w: &Constant<M>, lazy: &Lazy<M>) -> Self {
        let a = self.carried_low();
        let mut t = [_mm512_setzero_si512(); M];
        for i in 0..M {
            for j in 0..M - i {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.0[i], all(w.value[j]));
                if i + j + 1 < M {
                    t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.0[i], all(w.value[j]));
                }
            }
        }
        a.remainder::<QUOTIENT>(w, lazy, t)
    }

    /// `t - ⌊a·w'/2^(52M)⌋·p` for the quotient `w'` of `w`; only the low 52 bits of `a`'s limbs count.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn remainder<const QUOTIENT: bool>(self, w: &Constant<M>, lazy: &Lazy<M>, mut t: [__m512i; M]) -> Self {
        let (zero, a) = (_mm512_setzero_si512(), self.0);
        let (mut below, mut q) = (zero, [zero; M]);
        for i in 0..M {
            for j in M - 1 - i..M {
                let digit = all(w.quotient[j]);
                if i + j >= M {
                    q[i + j - M] = _mm512_madd52lo_epu64(q[i + j - M], a[i], digit);
                } else if QUOTIENT == FINE {
                    below = _mm512_madd52lo_epu64(below, a[i], digit);
                }
                q[i + j + 1 - M] = _mm512_madd52hi_epu64(q[i + j + 1 - M], a[i], digit);
            }
            if QUOTIENT == FINE && i < M - 1 {
                below = _mm512_madd52hi_epu64(below, a[i], all(w.quotient[M - 2 - i]));
            }
        }
        q[0] = _mm512_add_epi64(q[0], _mm512_srli_epi64::<52>(below));
        let q = Self(q).carried_low().0;
        for i in 0..M {
            for j in 0..M - i {
                t[i + j] = _mm512_madd52lo_epu64(t[i + j], q[i], lazy.complement.0[j]);
                if i + j + 1 < M {
                    t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], q[i], lazy.complement.0[j]);
                }
            }
        }
        Self(t)
    }

    /// Below `2p`, and hardly ever as large as `p`, of a loose value; loose. The top limb tells the quotient, but for values
    /// that close to a multiple of `p`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn below_two(self, lazy: &Lazy<M>) -> Self {
        let mut t = self.carried().0;
        let q = _mm512_madd52hi_epu64(_mm512_setzero_si512(), t[M - 1], lazy.inverse);
        let q = _mm512_srlv_epi64(q, lazy.excess);
        for j in 0..M {
            t[j] = _mm512_madd52lo_epu64(t[j], q, lazy.complement.0[j]);
            if j + 1 < M {
                t[j + 1] = _mm512_madd52hi_epu64(t[j + 1], q, lazy.complement.0[j]);
            }
        }
        Self(t)
    }

    /// Limbs of 52 bits, of a loose value.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn tight(self) -> Self {
        let mut out = self.carried();
        out.0[M - 1] = _mm512_and_si512(out.0[M - 1], all((1 << LIMB) - 1));
        out
    }

    /// The canonical number, of a loose value below `2p`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn canonical(self, lazy: &Lazy<M>) -> Self {
        let (x, p) = (self.tight(), &lazy.modulus.p);
        // After `below_two` a branch foretold: but for numbers next to the modulus, no lane reaches its top limb.
        if _mm512_cmpge_epu64_mask(x.0[M - 1], p.0[M - 1]) == 0 { x } else { x.minus_if_larger(p) }
    }
}
