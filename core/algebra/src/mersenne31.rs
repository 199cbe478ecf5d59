//! The Mersenne field `p = 2^31 - 1`, canonical.

use super::{Field, PrimeField, dot_halves, operators, reduce_words};
use icicle_params::Prime;
use icicle_params::prime::Mersenne31;

const P: u32 = 0x7fff_ffff;

/// An element modulo `2^31 - 1`, canonical.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct M31(u32);

impl M31 {
    /// `x mod p` for any `x`.
    #[inline(always)]
    fn reduce(x: u64) -> u32 {
        // 2^31 = 1, so the three pieces of 31, 31 and 2 bits add up; the sum is below 2^32.
        let sum = (x & P as u64) + ((x >> 31) & P as u64) + (x >> 62);
        let folded = (sum & P as u64) as u32 + (sum >> 31) as u32;
        folded.min(folded.wrapping_sub(P))
    }
    #[inline(always)]
    fn sum(a: Self, b: Self) -> Self {
        let s = a.0.wrapping_add(b.0);
        Self(s.min(s.wrapping_sub(P)))
    }
    #[inline(always)]
    fn difference(a: Self, b: Self) -> Self {
        let d = a.0.wrapping_sub(b.0);
        Self(d.min(d.wrapping_add(P)))
    }
    #[inline(always)]
    fn negated(a: Self) -> Self {
        Self::difference(Self(0), a)
    }
    #[inline(always)]
    fn product(a: Self, b: Self) -> Self {
        Self(Self::reduce(a.0 as u64 * b.0 as u64))
    }
}

operators!([] M31);

impl Field for M31 {
    type Raw = u32;
    type Prime = Self;
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const DEGREE: usize = 1;
    const VECTORS: bool = true;

    #[inline(always)]
    fn from_raw(raw: u32) -> Self {
        Self(Self::reduce(raw as u64))
    }
    #[inline(always)]
    fn to_raw(self) -> u32 {
        self.0
    }
    #[inline(always)]
    fn from_limbs(raw: u32) -> Self {
        Self(raw)
    }
    #[inline(always)]
    fn to_limbs(self) -> u32 {
        self.0
    }
    #[inline(always)]
    fn product_of_raw(a: u32, b: u32) -> u32 {
        Self::reduce(a as u64 * b as u64)
    }
    fn is_canonical(raw: &u32) -> bool {
        *raw < P
    }
    fn from_u64(value: u64) -> Self {
        Self(Self::reduce(value))
    }
    fn from_coefficients(mut at: impl FnMut(usize) -> Self) -> Self {
        at(0)
    }
    fn coefficient(self, _: usize) -> Self {
        self
    }
    #[inline(always)]
    fn scale(self, by: Self) -> Self {
        self * by
    }
    #[inline(always)]
    fn dot(a: &[Self], b: &[Self]) -> Self {
        // Each half sum has room for 2^32 terms; 2^32 = 2.
        a.chunks(1 << 31).zip(b.chunks(1 << 31)).fold(Self::ZERO, |sum, (a, b)| {
            let (low, high) = dot_halves(a.iter().map(|x| x.0), b.iter().map(|x| x.0));
            sum + Self(Self::reduce(low)) + Self(Self::reduce(high)).double()
        })
    }
    fn inverse(self) -> Option<Self> {
        (!self.is_zero()).then(|| self.pow(&[P as u64 - 2]))
    }
}

impl PrimeField for M31 {
    const WORDS: usize = 1;
    const BITS: u32 = 31;
    const TWO_ADICITY: u32 = 1;
    const MODULUS: &'static [u64] = &<Mersenne31 as Prime<1>>::MODULUS;

    fn two_adic_root() -> Self {
        -Self::ONE
    }
    fn words(self) -> [u64; 12] {
        let mut out = [0; 12];
        out[0] = self.0 as u64;
        out
    }
    fn from_words(words: &[u64]) -> Self {
        reduce_words(words)
    }
}

impl std::fmt::Debug for M31 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}
