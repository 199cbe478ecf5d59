//! 31-bit primes in vectors of eight 64-bit lanes: multiply-and-add of 52 bits leaves room for sums that nobody reduces.
//!
//! Values are numbers modulo `2^52`, fresh ones below `3p`; a number and a quotient `⌊w·2^52/p⌋` make a product below `2p`
//! in three operations, one of which adds. Bits above the 52nd are junk. What is subtracted is below [`Ifma31::MANY`].

use super::tile::ROW;
use super::word_vectors::{Job, Vectors};
use crate::Field;
use crate::fp31::Fp31;
use core::arch::x86_64::*;
use icicle_params::Prime;
use std::marker::PhantomData;

/// The arithmetic.
#[derive(Clone, Copy)]
pub struct Ifma31<P>(PhantomData<P>);

/// A number and its quotient.
#[derive(Clone, Copy)]
pub struct Constant {
    value: u64,
    quotient: u64,
}

impl<P: Prime<1>> Ifma31<P> {
    const P: u64 = Fp31::<P>::P as u64;
    /// `2^52 - p`.
    const COMPLEMENT: i64 = ((1 << 52) - Self::P) as i64;
    /// `⌊2^52/p⌋`.
    const INVERSE: i64 = ((1 << 52) / Self::P) as i64;
    /// `⌊2^82/p⌋`, below `2^52` as `p` is above `2^30`.
    const FINE: i64 = ((1u128 << 82) / Self::P as u128) as i64;
    /// A multiple of the modulus that no value subtracted reaches: sums of `2^12` numbers below `3p`.
    const MANY: i64 = (Self::P << 14) as i64;
    /// Odd words of 32 bits.
    const ODD: __mmask16 = 0xaaaa;

    /// Words `2l` and `2l + 1` into lane `l` of two vectors.
    #[inline(always)]
    fn apart(words: __m512i) -> [__m512i; 2] {
        // SAFETY: only called where a value of this type exists, so the processor has the features.
        unsafe { [_mm512_and_si512(words, _mm512_set1_epi64(0xffff_ffff)), _mm512_srli_epi64::<32>(words)] }
    }

    /// The reverse, numbers below `2p`, canonical if asked.
    #[inline(always)]
    fn together(row: [__m512i; 2], canonical: bool) -> __m512i {
        // SAFETY: as in `apart`.
        unsafe {
            let [even, odd] = [Self::below_two(row[0]), Self::below_two(row[1])];
            let words = _mm512_mask_blend_epi32(Self::ODD, even, _mm512_slli_epi64::<32>(odd));
            let reduced = _mm512_sub_epi32(words, _mm512_set1_epi32(Self::P as i32));
            if canonical { _mm512_min_epu32(words, reduced) } else { words }
        }
    }

    /// Any value, below `2p`.
    #[inline(always)]
    fn below_two(x: __m512i) -> __m512i {
        // SAFETY: as in `apart`.
        unsafe {
            let q = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, _mm512_set1_epi64(Self::INVERSE));
            _mm512_madd52lo_epu64(x, q, _mm512_set1_epi64(Self::COMPLEMENT))
        }
    }

    /// `sum + x·w`, the product below `2p`.
    #[inline(always)]
    fn add_product(sum: __m512i, x: __m512i, w: &[__m512i; 2]) -> __m512i {
        // SAFETY: as in `apart`.
        unsafe {
            let q = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, w[1]);
            let sum = _mm512_madd52lo_epu64(sum, x, w[0]);
            _mm512_madd52lo_epu64(sum, q, _mm512_set1_epi64(Self::COMPLEMENT))
        }
    }
}

/// # Safety
/// The features named.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
unsafe fn enter<J: Job>(job: J) {
    job.run();
}

impl<P: Prime<1>> Vectors<2> for Ifma31<P> {
    type Field = Fp31<P>;
    type Vector = __m512i;
    type Constant = Constant;
    type Factor = [__m512i; 2];
    const LOG_ROWS: u32 = 12;
    const LEVELS: u32 = 3;

    fn available() -> Option<Self> {
        super::available().then_some(Self(PhantomData))
    }

    #[inline(always)]
    fn constant(power: u32) -> Constant {
        let value = power as u64;
        // One or none short, from a reciprocal of 2^96: a division takes several times as long.
        let reciprocal = const { (1u128 << 96) / Self::P as u128 };
        Constant { value, quotient: ((value as u128 * reciprocal) >> 44) as u64 }
    }

    #[inline(always)]
    fn power(w: Fp31<P>) -> u32 {
        w.to_raw()
    }

    #[inline(always)]
    fn zero(self) -> __m512i {
        // SAFETY: the processor has the features, as this value exists.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn enter<J: Job>(self, job: J) {
        // SAFETY: the processor has the features, as this value exists.
        unsafe { enter(job) }
    }

    #[inline(always)]
    fn load(self, from: &[u32; ROW]) -> [__m512i; 2] {
        // SAFETY: the processor has the features, as this value exists; 16 words.
        Self::apart(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, row: [__m512i; 2], to: &mut [u32; ROW], canonical: bool) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), Self::together(row, canonical)) }
    }

    #[inline(always)]
    fn load_block(self, from: [&[u32; ROW]; ROW]) -> [[__m512i; 2]; ROW] {
        let mut words = [self.zero(); ROW];
        for i in 0..ROW {
            // SAFETY: as in `load`.
            words[i] = unsafe { _mm512_loadu_si512(from[i].as_ptr().cast()) };
        }
        words = transpose(words);
        let mut rows = [[self.zero(); 2]; ROW];
        for i in 0..ROW {
            rows[i] = Self::apart(words[i]);
        }
        rows
    }

    #[inline(always)]
    unsafe fn store_block(self, from: &[[__m512i; 2]; ROW], to: &[*mut u32; ROW], offset: usize, canonical: bool) {
        let mut words = [self.zero(); ROW];
        for i in 0..ROW {
            words[i] = Self::together(from[i], canonical);
        }
        words = transpose(words);
        for i in 0..ROW {
            // SAFETY: by contract.
            unsafe { _mm512_storeu_si512(to[i].add(offset).cast(), words[i]) }
        }
    }

    #[inline(always)]
    fn transposed(self, rows: [[__m512i; 2]; ROW]) -> [[__m512i; 2]; ROW] {
        let mut columns = rows;
        for i in 0..2 {
            for k in 0..2 {
                // Even or odd columns of even or odd rows.
                let mut square = [rows[i][k]; ROW / 2];
                for j in 1..ROW / 2 {
                    square[j] = rows[2 * j + i][k];
                }
                // SAFETY: the processor has the features, as this value exists.
                square = unsafe { super::ifma::transpose(square) };
                for j in 0..ROW / 2 {
                    columns[2 * j + k][i] = square[j];
                }
            }
        }
        columns
    }

    #[inline(always)]
    fn repeat(self, constant: &Constant) -> [__m512i; 2] {
        // SAFETY: the processor has the features, as this value exists.
        unsafe { [_mm512_set1_epi64(constant.value as i64), _mm512_set1_epi64(constant.quotient as i64)] }
    }

    #[inline(always)]
    fn one_of(self, factors: &[[__m512i; 2]; 2], i: usize) -> [__m512i; 2] {
        let [value, quotient] = &factors[i % 2];
        // SAFETY: the processor has the features, as this value exists; eight words each.
        unsafe {
            let at = |x: *const __m512i| *x.cast::<i64>().add(i / 2 % 8);
            [_mm512_set1_epi64(at(value)), _mm512_set1_epi64(at(quotient))]
        }
    }

    #[inline(always)]
    fn prepare(self, power: __m512i) -> [__m512i; 2] {
        // SAFETY: the processor has the features, as this value exists.
        unsafe {
            let zero = _mm512_setzero_si512();
            // Up to four short, which is harmless as operands are far below 2^52.
            let half = _mm512_madd52hi_epu64(zero, _mm512_slli_epi64::<21>(power), _mm512_set1_epi64(Self::FINE));
            [power, _mm512_slli_epi64::<1>(half)]
        }
    }

    #[inline(always)]
    fn times(self, x: __m512i, w: &[__m512i; 2]) -> __m512i {
        Self::add_product(self.zero(), x, w)
    }

    #[inline(always)]
    fn times_power(self, x: __m512i, power: __m512i) -> __m512i {
        // SAFETY: the processor has the features, as this value exists.
        unsafe {
            let zero = _mm512_setzero_si512();
            // x·power/2^30, and of that the share of p.
            let high = _mm512_madd52hi_epu64(zero, _mm512_slli_epi64::<20>(x), _mm512_slli_epi64::<2>(power));
            let q = _mm512_madd52hi_epu64(zero, high, _mm512_set1_epi64(Self::FINE));
            let low = _mm512_madd52lo_epu64(zero, x, power);
            _mm512_madd52lo_epu64(low, q, _mm512_set1_epi64(Self::COMPLEMENT))
        }
    }

    #[inline(always)]
    fn freshen(self, x: __m512i) -> __m512i {
        Self::below_two(x)
    }

    #[inline(always)]
    fn raise(self, x: __m512i) -> __m512i {
        // SAFETY: the processor has the features, as this value exists.
        unsafe { _mm512_add_epi64(x, _mm512_set1_epi64(Self::MANY)) }
    }

    #[inline(always)]
    fn down(self, x: __m512i, y: __m512i, w: &[__m512i; 2]) -> [__m512i; 2] {
        let sum = Self::add_product(x, y, w);
        // SAFETY: the processor has the features, as this value exists.
        unsafe { [sum, _mm512_sub_epi64(_mm512_add_epi64(x, x), sum)] }
    }

    #[inline(always)]
    fn up(self, x: __m512i, y: __m512i, w: &[__m512i; 2]) -> [__m512i; 2] {
        let [sum, difference] = self.one(x, y);
        [sum, self.times(difference, w)]
    }

    #[inline(always)]
    fn one(self, x: __m512i, y: __m512i) -> [__m512i; 2] {
        // SAFETY: the processor has the features, as this value exists.
        unsafe {
            let many = _mm512_set1_epi64(Self::MANY);
            [_mm512_add_epi64(x, y), _mm512_sub_epi64(_mm512_add_epi64(x, many), y)]
        }
    }
}

/// Transpose sixteen vectors of sixteen words.
#[inline(always)]
fn transpose(rows: [__m512i; 16]) -> [__m512i; 16] {
    // SAFETY: only called where a value of `Ifma31` exists, so the processor has the features.
    unsafe {
        let mut x = rows;
        for i in 0..8 {
            let (a, b) = (rows[2 * i], rows[2 * i + 1]);
            (x[2 * i], x[2 * i + 1]) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        }
        // y[4i + c]: in part l of 128 bits, column 4l + c of rows 4i to 4i + 3.
        let mut y = x;
        for i in 0..4 {
            for c in 0..2 {
                let (a, b) = (x[4 * i + c], x[4 * i + c + 2]);
                y[4 * i + 2 * c] = _mm512_unpacklo_epi64(a, b);
                y[4 * i + 2 * c + 1] = _mm512_unpackhi_epi64(a, b);
            }
        }
        let mut out = y;
        for c in 0..4 {
            let low = _mm512_shuffle_i32x4::<0x44>(y[c], y[4 + c]);
            let high = _mm512_shuffle_i32x4::<0xee>(y[c], y[4 + c]);
            let low_next = _mm512_shuffle_i32x4::<0x44>(y[8 + c], y[12 + c]);
            let high_next = _mm512_shuffle_i32x4::<0xee>(y[8 + c], y[12 + c]);
            out[c] = _mm512_shuffle_i32x4::<0x88>(low, low_next);
            out[4 + c] = _mm512_shuffle_i32x4::<0xdd>(low, low_next);
            out[8 + c] = _mm512_shuffle_i32x4::<0x88>(high, high_next);
            out[12 + c] = _mm512_shuffle_i32x4::<0xdd>(high, high_next);
        }
        out
    }
}
