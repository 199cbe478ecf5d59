//! The Goldilocks field `p = 2^64 - 2^32 + 1`, canonical.

use super::{Field, Limbs, PrimeField, operators, reduce_words};
use icicle_params::Prime;
use icicle_params::prime::Goldilocks as Row;

const P: u64 = 0xffff_ffff_0000_0001;
/// `2^64 mod p`.
const EPSILON: u64 = 0xffff_ffff;

/// An element modulo `2^64 - 2^32 + 1`, canonical.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Goldilocks(u64);

impl Goldilocks {
    #[inline(always)]
    fn canonical(x: u64) -> u64 {
        x.min(x.wrapping_sub(P))
    }
    /// `x mod p`, from `2^64 = 2^32 - 1` and `2^96 = -1`.
    #[inline(always)]
    fn reduce(x: u128) -> u64 {
        let (low, high) = (x as u64, (x >> 64) as u64);
        let (top, middle) = (high >> 32, high & EPSILON);
        let (mut t, borrow) = low.overflowing_sub(top);
        t = t.wrapping_sub(if borrow { EPSILON } else { 0 });
        let (sum, carry) = t.overflowing_add(middle * EPSILON);
        Self::canonical(sum.wrapping_add(if carry { EPSILON } else { 0 }))
    }
    #[inline(always)]
    fn sum(a: Self, b: Self) -> Self {
        let (s, carry) = a.0.overflowing_sub(P.wrapping_sub(b.0));
        Self(if carry { s.wrapping_add(P) } else { s })
    }
    #[inline(always)]
    fn difference(a: Self, b: Self) -> Self {
        let (d, borrow) = a.0.overflowing_sub(b.0);
        Self(d.wrapping_sub(if borrow { EPSILON } else { 0 }))
    }
    #[inline(always)]
    fn negated(a: Self) -> Self {
        Self::difference(Self(0), a)
    }
    #[inline(always)]
    fn product(a: Self, b: Self) -> Self {
        Self(Self::reduce(a.0 as u128 * b.0 as u128))
    }
}

operators!([] Goldilocks);

impl Field for Goldilocks {
    type Raw = Limbs<1>;
    type Prime = Self;
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const DEGREE: usize = 1;
    const VECTORS: bool = true;

    #[inline(always)]
    fn from_raw(raw: Limbs<1>) -> Self {
        Self(Self::canonical(raw.0[0]))
    }
    #[inline(always)]
    fn to_raw(self) -> Limbs<1> {
        Limbs([self.0])
    }
    #[inline(always)]
    fn from_limbs(raw: Limbs<1>) -> Self {
        Self(raw.0[0])
    }
    #[inline(always)]
    fn to_limbs(self) -> Limbs<1> {
        Limbs([self.0])
    }
    fn is_canonical(raw: &Limbs<1>) -> bool {
        raw.0[0] < P
    }
    fn from_u64(value: u64) -> Self {
        Self(Self::canonical(value))
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
    fn inverse(self) -> Option<Self> {
        (!self.is_zero()).then(|| self.pow(&[P - 2]))
    }
}

impl PrimeField for Goldilocks {
    const WORDS: usize = 1;
    const BITS: u32 = 64;
    const TWO_ADICITY: u32 = <Row as Prime<1>>::TWO_ADICITY;
    const MODULUS: &'static [u64] = &<Row as Prime<1>>::MODULUS;

    fn two_adic_root() -> Self {
        let canonical = icicle_params::derive::montgomery_mul(
            <Row as Prime<1>>::ROOT,
            [1],
            <Row as Prime<1>>::MODULUS,
            <Row as Prime<1>>::INV,
        );
        Self(canonical[0])
    }
    fn words(self) -> [u64; 12] {
        let mut out = [0; 12];
        out[0] = self.0;
        out
    }
    fn from_words(words: &[u64]) -> Self {
        reduce_words(words)
    }
}

impl std::fmt::Debug for Goldilocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}
