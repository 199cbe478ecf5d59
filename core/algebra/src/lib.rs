//! Fields and curves on the CPU.
//!
//! An element has two forms. [`Field::Raw`] is its *memory form*: what crosses the boundary and lies in buffers, canonical
//! little-endian 32-bit limbs aligned to 4 bytes. The field type itself is the *working form*, whatever is fastest to
//! compute with (Montgomery for most). [`Field::from_raw`] and [`Field::to_raw`] convert; [`Field::from_limbs`] and
//! [`Field::to_limbs`] only reinterpret, which is all that linear operations need: addition does not care which form
//! both operands are in, and (canonical data) × (working-form constant) is canonical data.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod batch;
pub mod curve;
pub mod doubles;
pub mod extension;
pub mod fields;
pub mod fp;
pub mod fp31;
pub mod goldilocks;
mod inverse;
pub mod isa;
pub mod mersenne31;
#[cfg(target_arch = "x86_64")]
pub mod simd;

use bytemuck::Pod;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// Memory form of an element of `N` 64-bit limbs: canonical, little endian, aligned to 4 bytes as ICICLE's clients expect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, packed(4))]
pub struct Limbs<const N: usize>(pub [u64; N]);

// SAFETY: one array field, so no padding; all bit patterns are valid integers.
#[allow(unsafe_code)]
unsafe impl<const N: usize> bytemuck::Zeroable for Limbs<N> {}
// SAFETY: as above; `repr(C)`, `Copy`, `'static`, no interior mutability.
#[allow(unsafe_code)]
unsafe impl<const N: usize> Pod for Limbs<N> {}

/// A commutative ring with as many inverses as it has: every field of the table, and `m31`'s compatibility ring.
pub trait Field:
    Copy
    + Debug
    + Default
    + Eq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// Memory form.
    type Raw: Pod + PartialEq + Debug + Send + Sync;
    /// The prime field below; itself for prime fields.
    type Prime: PrimeField;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Degree over the prime field.
    const DEGREE: usize;
    /// Whether loops over elements become vector code.
    const VECTORS: bool = false;

    /// Convert from the memory form. A value not below the modulus gives some element, never a fault.
    fn from_raw(raw: Self::Raw) -> Self;
    /// Convert to the memory form, canonical.
    fn to_raw(self) -> Self::Raw;
    /// Take a memory form's limbs as they are (see the module's head).
    fn from_limbs(raw: Self::Raw) -> Self;
    /// The limbs as they are.
    fn to_limbs(self) -> Self::Raw;
    /// The product of two memory forms.
    #[inline(always)]
    fn product_of_raw(a: Self::Raw, b: Self::Raw) -> Self::Raw {
        (Self::from_limbs(a) * Self::from_raw(b)).to_limbs()
    }
    /// Whether the memory form is reduced.
    fn is_canonical(raw: &Self::Raw) -> bool;
    /// An integer, reduced.
    fn from_u64(value: u64) -> Self;
    /// Coefficients over the prime field, `c0` first; `at(i)` is asked for `i < DEGREE`.
    fn from_coefficients(at: impl FnMut(usize) -> Self::Prime) -> Self;
    /// The `i`-th coefficient over the prime field.
    fn coefficient(self, i: usize) -> Self::Prime;
    /// `2·self`.
    fn double(self) -> Self {
        self + self
    }
    /// `self²`.
    fn square(self) -> Self {
        self * self
    }
    /// Product with an element of the prime field.
    fn scale(self, by: Self::Prime) -> Self;
    /// Multiplicative inverse, if there is one.
    fn inverse(self) -> Option<Self>;
    /// `Σ a[i]·b[i]`, over the shorter of the two.
    #[inline(always)]
    fn dot(a: &[Self], b: &[Self]) -> Self {
        a.iter().zip(b).fold(Self::ZERO, |sum, (&x, &y)| sum + x * y)
    }
    /// Whether this is zero.
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }
    /// `self` to the power of a little-endian integer.
    fn pow(self, exponent: &[u64]) -> Self {
        let mut out = Self::ONE;
        for &limb in exponent.iter().rev() {
            for bit in (0..64).rev() {
                out = out.square();
                if limb >> bit & 1 == 1 {
                    out *= self;
                }
            }
        }
        out
    }
}

/// A prime field.
pub trait PrimeField: Field<Prime = Self> {
    /// Number of 64-bit words [`PrimeField::words`] and [`PrimeField::from_words`] use.
    const WORDS: usize;
    /// Significant bits of the modulus.
    const BITS: u32;
    /// Bytes of the memory form; Montgomery form at the boundary has `R = 2^(8·BYTES)`.
    const BYTES: usize = size_of::<Self::Raw>();
    /// Largest `s` with `2^s | p - 1`.
    const TWO_ADICITY: u32;
    /// The modulus, `WORDS` little-endian words.
    const MODULUS: &'static [u64];

    /// A primitive `2^TWO_ADICITY`-th root of unity.
    fn two_adic_root() -> Self;
    /// The canonical value, at most 12 words, zero-padded.
    fn words(self) -> [u64; 12];
    /// The element of an integer of any length, reduced.
    fn from_words(words: &[u64]) -> Self;
    /// `x ↦ x·R`, `R = 2^(8·BYTES)`: what "Montgomery form" means at the boundary.
    fn montgomery_factor() -> Self {
        let mut words = [0u64; 13];
        words[Self::BYTES / 8] = if Self::BYTES % 8 == 0 { 1 } else { 1 << 32 };
        Self::from_words(&words)
    }
}

/// Horner's rule in base `2^64`, for reductions that are not hot.
pub fn reduce_words<F: Field>(words: &[u64]) -> F {
    let shift = {
        let half = F::from_u64(1 << 32);
        half * half
    };
    words.iter().rev().fold(F::ZERO, |acc, &w| acc * shift + F::from_u64(w))
}

/// `Σ a[i]·b[i]` of words of 31 bits, unreduced: the sums of the products' low halves and of their high halves.
#[inline(always)]
pub fn dot_halves(a: impl Iterator<Item = u32>, b: impl Iterator<Item = u32>) -> (u64, u64) {
    a.zip(b).fold((0, 0), |(low, high), (x, y)| {
        let product = x as u64 * y as u64;
        (low + (product & 0xffff_ffff), high + (product >> 32))
    })
}

/// The operator traits of a field from its `add`, `sub`, `mul`, `neg` functions. Arguments: generics, type.
macro_rules! operators {
    ([$($generics:tt)*] $ty:ty) => {
        impl<$($generics)*> std::ops::Add for $ty {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self { Self::sum(self, o) }
        }
        impl<$($generics)*> std::ops::Sub for $ty {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self { Self::difference(self, o) }
        }
        impl<$($generics)*> std::ops::Mul for $ty {
            type Output = Self;
            #[inline(always)]
            fn mul(self, o: Self) -> Self { Self::product(self, o) }
        }
        impl<$($generics)*> std::ops::Neg for $ty {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self { Self::negated(self) }
        }
        impl<$($generics)*> std::ops::AddAssign for $ty {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) { *self = *self + o }
        }
        impl<$($generics)*> std::ops::SubAssign for $ty {
            #[inline(always)]
            fn sub_assign(&mut self, o: Self) { *self = *self - o }
        }
        impl<$($generics)*> std::ops::MulAssign for $ty {
            #[inline(always)]
            fn mul_assign(&mut self, o: Self) { *self = *self * o }
        }
    };
}
pub(crate) use operators;

/// What tests of several packages share.
#[cfg(test)]
#[path = "../testing"]
mod testing {
    pub mod ark;
    pub mod samples;
}
#[cfg(test)]
extern crate self as icicle_algebra;

#[cfg(test)]
mod tests;
