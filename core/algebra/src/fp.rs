//! Prime fields of several limbs, in Montgomery form with `R = 2^(64N)`.
// Loops over limbs index several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::{Field, Limbs, PrimeField, operators, reduce_words};
use icicle_params::Prime;
use icicle_params::derive::less;
use std::marker::PhantomData;

/// An element of the prime field `P`: `N` limbs below the modulus, holding `x·R mod p`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Fp<P, const N: usize>([u64; N], PhantomData<P>);

#[inline(always)]
fn add_carry(a: u64, b: u64, carry: &mut bool) -> u64 {
    let (sum, c1) = a.overflowing_add(b);
    let (sum, c2) = sum.overflowing_add(*carry as u64);
    *carry = c1 | c2;
    sum
}

#[inline(always)]
fn sub_borrow(a: u64, b: u64, borrow: &mut bool) -> u64 {
    let (diff, b1) = a.overflowing_sub(b);
    let (diff, b2) = diff.overflowing_sub(*borrow as u64);
    *borrow = b1 | b2;
    diff
}

/// `acc + a·b + carry`, the low word returned, the high one left in `carry`.
#[inline(always)]
fn mul_add(acc: u64, a: u64, b: u64, carry: &mut u64) -> u64 {
    let wide = acc as u128 + a as u128 * b as u128 + *carry as u128;
    *carry = (wide >> 64) as u64;
    wide as u64
}

impl<P: Prime<N>, const N: usize> Fp<P, N> {
    // The product skips a carry word and sums stay below 2^(64N): true when the top bit of the modulus is free.
    const SPARE_BIT: () = assert!(P::BITS < 64 * N as u32, "modulus needs a spare top bit");

    /// From limbs already in Montgomery form.
    pub const fn from_montgomery(limbs: [u64; N]) -> Self {
        Self(limbs, PhantomData)
    }

    /// The limbs, in Montgomery form.
    pub const fn montgomery(self) -> [u64; N] {
        self.0
    }

    /// From a canonical integer below the modulus, at compile time.
    pub const fn from_canonical(limbs: [u64; N]) -> Self {
        Self(icicle_params::derive::montgomery_mul(limbs, P::R2, P::MODULUS, P::INV), PhantomData)
    }

    /// `t` if below the modulus, else `t - p`.
    #[inline(always)]
    fn reduced(t: [u64; N]) -> Self {
        let mut borrow = false;
        let mut out = [0u64; N];
        for i in 0..N {
            out[i] = sub_borrow(t[i], P::MODULUS[i], &mut borrow);
        }
        // A sum is as often above the modulus as below: a branch would be mispredicted half the time.
        Self(std::array::from_fn(|i| std::hint::select_unpredictable(borrow, t[i], out[i])), PhantomData)
    }

    #[inline(always)]
    fn sum(a: Self, b: Self) -> Self {
        let () = Self::SPARE_BIT;
        let mut carry = false;
        let mut out = [0u64; N];
        for i in 0..N {
            out[i] = add_carry(a.0[i], b.0[i], &mut carry);
        }
        Self::reduced(out)
    }

    #[inline(always)]
    fn difference(a: Self, b: Self) -> Self {
        let mut borrow = false;
        let mut out = [0u64; N];
        for i in 0..N {
            out[i] = sub_borrow(a.0[i], b.0[i], &mut borrow);
        }
        let mask = (borrow as u64).wrapping_neg();
        let mut carry = false;
        for i in 0..N {
            out[i] = add_carry(out[i], P::MODULUS[i] & mask, &mut carry);
        }
        Self(out, PhantomData)
    }

    #[inline(always)]
    fn negated(a: Self) -> Self {
        Self::difference(Self::ZERO, a)
    }

    /// Interleaved (CIOS) Montgomery product: Koç, Acar, Kaliski, "Analyzing and comparing Montgomery multiplication
    /// algorithms" (1996), with the carry word left out, which a free top bit of the modulus allows.
    #[inline(always)]
    fn interleaved(a: &Self, b: &Self) -> Self {
        let () = Self::SPARE_BIT;
        let mut t = [0u64; N];
        for i in 0..N {
            let mut carry = 0;
            let low = mul_add(t[0], a.0[0], b.0[i], &mut carry);
            let m = low.wrapping_mul(P::INV);
            let mut fold = 0;
            mul_add(low, m, P::MODULUS[0], &mut fold);
            for j in 1..N {
                let word = mul_add(t[j], a.0[j], b.0[i], &mut carry);
                t[j - 1] = mul_add(word, m, P::MODULUS[j], &mut fold);
            }
            t[N - 1] = carry.wrapping_add(fold);
        }
        Self::reduced(t)
    }

    /// Long products are called: some hundred instructions each, dozens in a curve formula, crowd out the cache.
    #[inline(never)]
    fn called(a: &Self, b: &Self) -> Self {
        Self::interleaved(a, b)
    }

    #[inline(always)]
    fn product(a: Self, b: Self) -> Self {
        if N > 4 { Self::called(&a, &b) } else { Self::interleaved(&a, &b) }
    }
}

operators!([P: Prime<N>, const N: usize] Fp<P, N>);

impl<P: Prime<N>, const N: usize> Field for Fp<P, N> {
    type Raw = Limbs<N>;
    type Prime = Self;
    const ZERO: Self = Self([0; N], PhantomData);
    const ONE: Self = Self(P::R, PhantomData);
    const DEGREE: usize = 1;

    #[inline(always)]
    fn from_raw(raw: Limbs<N>) -> Self {
        Self(raw.0, PhantomData) * Self(P::R2, PhantomData)
    }
    #[inline(always)]
    fn to_raw(self) -> Limbs<N> {
        let mut one = [0u64; N];
        one[0] = 1;
        Limbs((self * Self(one, PhantomData)).0)
    }
    #[inline(always)]
    fn from_limbs(raw: Limbs<N>) -> Self {
        Self(raw.0, PhantomData)
    }
    #[inline(always)]
    fn to_limbs(self) -> Limbs<N> {
        Limbs(self.0)
    }
    fn is_canonical(raw: &Limbs<N>) -> bool {
        let limbs = raw.0;
        less(&limbs, &P::MODULUS)
    }
    fn from_u64(value: u64) -> Self {
        let mut limbs = [0u64; N];
        limbs[0] = value;
        Self::from_raw(Limbs(limbs))
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
        // (x·R)⁻¹ times R³ over R is x⁻¹·R.
        let cube = Self(P::R2, PhantomData).square();
        super::inverse::inverse(&self.0, &P::MODULUS, P::INV).map(|limbs| Self(limbs, PhantomData) * cube)
    }
}

impl<P: Prime<N>, const N: usize> PrimeField for Fp<P, N> {
    const WORDS: usize = N;
    const BITS: u32 = P::BITS;
    const TWO_ADICITY: u32 = P::TWO_ADICITY;
    const MODULUS: &'static [u64] = &P::MODULUS;

    fn two_adic_root() -> Self {
        Self(P::ROOT, PhantomData)
    }
    fn words(self) -> [u64; 12] {
        let limbs = self.to_raw().0;
        let mut out = [0; 12];
        out[..N].copy_from_slice(&limbs);
        out
    }
    fn from_words(words: &[u64]) -> Self {
        reduce_words(words)
    }
}

impl<P: Prime<N>, const N: usize> Default for Fp<P, N> {
    fn default() -> Self {
        Self([0; N], PhantomData)
    }
}

impl<P: Prime<N>, const N: usize> std::fmt::Debug for Fp<P, N> {
    /// The canonical value in hexadecimal.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let limbs = self.to_raw().0;
        f.write_str("0x")?;
        limbs.iter().rev().try_for_each(|limb| write!(f, "{limb:016x}"))
    }
}
