//! 31-bit prime fields, in Montgomery form with `R = 2^32`.

use super::{Field, PrimeField, dot_halves, operators, reduce_words};
use icicle_params::Prime;
use std::marker::PhantomData;

/// An element of a prime field below `2^31`: one word below the modulus, holding `x·2^32 mod p`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Fp31<P>(u32, PhantomData<P>);

impl<P: Prime<1>> Fp31<P> {
    /// The modulus.
    pub const P: u32 = {
        assert!(P::BITS == 31, "a 31-bit prime");
        P::MODULUS[0] as u32
    };
    /// `p⁻¹ mod 2^32`.
    pub const P_INVERSE: u32 = (P::INV as u32).wrapping_neg();
    const R: u32 = ((1u64 << 32) % P::MODULUS[0]) as u32;
    const R2: u32 = (((1u128 << 64) % P::MODULUS[0] as u128) as u64) as u32;

    /// `⌊2^62/p⌋`.
    const QUOTIENT: u64 = (1 << 62) / P::MODULUS[0];
    /// `⌊⌊x/2^30⌋·⌊2^62/p⌋/2^32⌋` is the quotient of `x < p²` or one less: what the two inner floors leave out makes less
    /// than `2^30/p + (2^62/p - ⌊2^62/p⌋)·p²/2^62`, which is below 1.
    const ONE_UNIT_SHORT: () = {
        let (p, rest) = (P::MODULUS[0] as u128, (1 << 62) % P::MODULUS[0] as u128);
        assert!((1 << 92) + rest * p * p < p << 62);
    };

    /// From a word already in Montgomery form.
    pub const fn from_montgomery(word: u32) -> Self {
        Self(word, PhantomData)
    }

    /// The word, in Montgomery form.
    pub const fn montgomery(self) -> u32 {
        self.0
    }

    /// `x·2^-32 mod p` for `x < 2^32·p`.
    #[inline(always)]
    fn redc(x: u64) -> u32 {
        let m = (x as u32).wrapping_mul(Self::P_INVERSE);
        let fold = ((m as u64 * Self::P as u64) >> 32) as u32;
        let (difference, borrow) = ((x >> 32) as u32).overflowing_sub(fold);
        difference.wrapping_add(if borrow { Self::P } else { 0 })
    }

    #[inline(always)]
    fn sum(a: Self, b: Self) -> Self {
        let s = a.0.wrapping_add(b.0);
        Self(s.min(s.wrapping_sub(Self::P)), PhantomData)
    }
    #[inline(always)]
    fn difference(a: Self, b: Self) -> Self {
        let d = a.0.wrapping_sub(b.0);
        Self(d.min(d.wrapping_add(Self::P)), PhantomData)
    }
    #[inline(always)]
    fn negated(a: Self) -> Self {
        Self::difference(Self(0, PhantomData), a)
    }
    #[inline(always)]
    fn product(a: Self, b: Self) -> Self {
        Self(Self::redc(a.0 as u64 * b.0 as u64), PhantomData)
    }
}

operators!([P: Prime<1>] Fp31<P>);

impl<P: Prime<1>> Field for Fp31<P> {
    type Raw = u32;
    type Prime = Self;
    const ZERO: Self = Self(0, PhantomData);
    const ONE: Self = Self(Self::R, PhantomData);
    const DEGREE: usize = 1;
    const VECTORS: bool = true;

    #[inline(always)]
    fn from_raw(raw: u32) -> Self {
        Self(Self::redc(raw as u64 * Self::R2 as u64), PhantomData)
    }
    #[inline(always)]
    fn to_raw(self) -> u32 {
        Self::redc(self.0 as u64)
    }
    #[inline(always)]
    fn from_limbs(raw: u32) -> Self {
        Self(raw, PhantomData)
    }
    #[inline(always)]
    fn to_limbs(self) -> u32 {
        self.0
    }
    /// Barrett's reduction (1986): half the products of two in Montgomery form.
    #[inline(always)]
    fn product_of_raw(a: u32, b: u32) -> u32 {
        let () = Self::ONE_UNIT_SHORT;
        let x = a as u64 * b as u64;
        // Cut to 32 bits, so that the compiler multiplies words in lanes.
        let quotient = (((x >> 30) as u32 as u64 * Self::QUOTIENT) >> 32) as u32;
        let t = (x as u32).wrapping_sub(quotient.wrapping_mul(Self::P));
        t.min(t.wrapping_sub(Self::P))
    }
    fn is_canonical(raw: &u32) -> bool {
        *raw < Self::P
    }
    fn from_u64(value: u64) -> Self {
        Self::from_raw((value % Self::P as u64) as u32)
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
        // Each half sum has room for 2^32 terms.
        a.chunks(1 << 31).zip(b.chunks(1 << 31)).fold(Self::ZERO, |sum, (a, b)| {
            let (low, high) = dot_halves(a.iter().map(|x| x.0), b.iter().map(|x| x.0));
            let [low, high] = [low, high].map(|half| (half % Self::P as u64) as u32);
            sum + Self(Self::redc(low as u64), PhantomData) + Self(high, PhantomData)
        })
    }
    fn inverse(self) -> Option<Self> {
        (!self.is_zero()).then(|| self.pow(&[Self::P as u64 - 2]))
    }
}

impl<P: Prime<1>> PrimeField for Fp31<P> {
    const WORDS: usize = 1;
    const BITS: u32 = 31;
    const TWO_ADICITY: u32 = P::TWO_ADICITY;
    const MODULUS: &'static [u64] = &P::MODULUS;

    fn two_adic_root() -> Self {
        // The table's root is in Montgomery form with R = 2^64.
        let canonical = icicle_params::derive::montgomery_mul(P::ROOT, [1], P::MODULUS, P::INV);
        Self::from_u64(canonical[0])
    }
    fn words(self) -> [u64; 12] {
        let mut out = [0; 12];
        out[0] = self.to_raw() as u64;
        out
    }
    fn from_words(words: &[u64]) -> Self {
        reduce_words(words)
    }
}

impl<P: Prime<1>> Default for Fp31<P> {
    fn default() -> Self {
        Self(0, PhantomData)
    }
}

impl<P: Prime<1>> std::fmt::Debug for Fp31<P> {
    /// The canonical value.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.to_raw())
    }
}
