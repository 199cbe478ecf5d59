//! 31-bit primes in vectors of eight 32-bit lanes, for AVX2: Montgomery products of even and odd lanes with the factor's
//! quotient known beforehand. Values are canonical throughout.

use super::tile::ROW;
use super::word_vectors::{Job, Vectors};
use crate::fp31::Fp31;
use crate::isa::{self, Isa};
use core::arch::x86_64::*;
use icicle_params::Prime;
use std::marker::PhantomData;

/// Elements of a vector.
const LANES: usize = 8;

/// The arithmetic.
#[derive(Clone, Copy)]
pub struct Montgomery31<P>(PhantomData<P>);

/// A number in Montgomery form, and that over `p`, modulo `2^32`.
#[derive(Clone, Copy)]
pub struct Constant {
    value: u32,
    quotient: u32,
}

/// # Safety
/// AVX2.
#[target_feature(enable = "avx2")]
unsafe fn enter<J: Job>(job: J) {
    job.run();
}

impl<P: Prime<1>> Montgomery31<P> {
    #[inline(always)]
    fn modulus() -> __m256i {
        // SAFETY: only called where a value of this type exists, so the processor has the features.
        unsafe { _mm256_set1_epi32(Fp31::<P>::P as i32) }
    }

    /// A number in `-p..p`, canonical.
    #[inline(always)]
    fn from_difference(x: __m256i) -> __m256i {
        // SAFETY: as in `modulus`.
        unsafe { _mm256_min_epu32(x, _mm256_add_epi32(x, Self::modulus())) }
    }

    /// Odd lanes in the place of even ones.
    #[inline(always)]
    fn odd(x: __m256i) -> __m256i {
        // SAFETY: as in `modulus`.
        unsafe { _mm256_srli_epi64::<32>(x) }
    }

    /// Of even lanes, `x·w - (x·q mod 2^32)·p`, a multiple of `2^32`.
    #[inline(always)]
    fn half(x: __m256i, w: __m256i, q: __m256i) -> __m256i {
        // SAFETY: as in `modulus`.
        unsafe { _mm256_sub_epi64(_mm256_mul_epu32(x, w), _mm256_mul_epu32(_mm256_mul_epu32(x, q), Self::modulus())) }
    }

    /// A product, canonical.
    #[inline(always)]
    fn product(x: __m256i, [even, odd]: [[__m256i; 2]; 2]) -> __m256i {
        let even = Self::half(x, even[0], even[1]);
        let odd = Self::half(Self::odd(x), odd[0], odd[1]);
        // SAFETY: as in `modulus`.
        Self::from_difference(unsafe { _mm256_blend_epi32::<0xaa>(Self::odd(even), odd) })
    }

    /// Transpose a square of elements.
    #[inline(always)]
    fn exchange(self, from: &[[__m256i; 2]; ROW], to: &mut [[__m256i; 2]; ROW]) {
        for (i, k) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let mut square = [from[0][0]; LANES];
            for j in 0..LANES {
                square[j] = from[k * LANES + j][i];
            }
            square = Self::transposed(square);
            for j in 0..LANES {
                to[i * LANES + j][k] = square[j];
            }
        }
    }

    #[inline(always)]
    fn transposed(rows: [__m256i; LANES]) -> [__m256i; LANES] {
        // SAFETY: as in `modulus`.
        unsafe {
            let mut x = rows;
            for i in 0..4 {
                let (a, b) = (rows[2 * i], rows[2 * i + 1]);
                (x[2 * i], x[2 * i + 1]) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            }
            let mut y = x;
            for i in 0..2 {
                for c in 0..2 {
                    let (a, b) = (x[4 * i + c], x[4 * i + c + 2]);
                    y[4 * i + 2 * c] = _mm256_unpacklo_epi64(a, b);
                    y[4 * i + 2 * c + 1] = _mm256_unpackhi_epi64(a, b);
                }
            }
            let mut out = y;
            for c in 0..4 {
                out[c] = _mm256_permute2x128_si256::<0x20>(y[c], y[4 + c]);
                out[4 + c] = _mm256_permute2x128_si256::<0x31>(y[c], y[4 + c]);
            }
            out
        }
    }
}

impl<P: Prime<1>> Vectors<2> for Montgomery31<P> {
    type Field = Fp31<P>;
    type Vector = __m256i;
    type Constant = Constant;
    /// Value and quotient for even and for odd lanes.
    type Factor = [[__m256i; 2]; 2];
    const LOG_ROWS: u32 = 12;
    const LEVELS: u32 = 2;

    fn available() -> Option<Self> {
        (isa::chosen() >= Isa::Avx2).then_some(Self(PhantomData))
    }

    #[inline(always)]
    fn constant(value: u32) -> Constant {
        Constant { value, quotient: value.wrapping_mul(Fp31::<P>::P_INVERSE) }
    }

    #[inline(always)]
    fn power(w: Fp31<P>) -> u32 {
        w.montgomery()
    }

    #[inline(always)]
    fn zero(self) -> __m256i {
        // SAFETY: the processor has the features, as this value exists.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn enter<J: Job>(self, job: J) {
        // SAFETY: the processor has the features, as this value exists.
        unsafe { enter(job) }
    }

    #[inline(always)]
    fn load(self, from: &[u32; ROW]) -> [__m256i; 2] {
        let mut row = [self.zero(); 2];
        for k in 0..2 {
            // SAFETY: the processor has the features, as this value exists; 8 words by the slice taken there.
            row[k] = unsafe { _mm256_loadu_si256(from[k * LANES..][..LANES].as_ptr().cast()) };
        }
        row
    }

    #[inline(always)]
    fn store(self, row: [__m256i; 2], to: &mut [u32; ROW], _: bool) {
        for k in 0..2 {
            // SAFETY: as in `load`.
            unsafe { _mm256_storeu_si256(to[k * LANES..][..LANES].as_mut_ptr().cast(), row[k]) }
        }
    }

    #[inline(always)]
    fn load_block(self, from: [&[u32; ROW]; ROW]) -> [[__m256i; 2]; ROW] {
        let mut rows = [[self.zero(); 2]; ROW];
        for j in 0..ROW {
            rows[j] = self.load(from[j]);
        }
        let mut out = rows;
        self.exchange(&rows, &mut out);
        out
    }

    #[inline(always)]
    unsafe fn store_block(self, from: &[[__m256i; 2]; ROW], to: &[*mut u32; ROW], offset: usize, canonical: bool) {
        let mut rows = *from;
        self.exchange(from, &mut rows);
        for j in 0..ROW {
            // SAFETY: by contract.
            self.store(rows[j], unsafe { &mut *to[j].add(offset).cast() }, canonical);
        }
    }

    #[inline(always)]
    fn repeat(self, constant: &Constant) -> [[__m256i; 2]; 2] {
        // SAFETY: the processor has the features, as this value exists.
        unsafe { [[_mm256_set1_epi32(constant.value as i32), _mm256_set1_epi32(constant.quotient as i32)]; 2] }
    }

    #[inline(always)]
    fn one_of(self, factors: &[[[__m256i; 2]; 2]; 2], i: usize) -> [[__m256i; 2]; 2] {
        let [value, quotient] = &factors[i / LANES % 2][i % 2];
        // SAFETY: the processor has the features, as this value exists; eight words each.
        unsafe {
            let at = |x: *const __m256i| *x.cast::<i32>().add(i / 2 * 2 % LANES);
            [[_mm256_set1_epi32(at(value)), _mm256_set1_epi32(at(quotient))]; 2]
        }
    }

    #[inline(always)]
    fn prepare(self, power: __m256i) -> [[__m256i; 2]; 2] {
        // SAFETY: the processor has the features, as this value exists.
        let quotient = unsafe { _mm256_mullo_epi32(power, _mm256_set1_epi32(Fp31::<P>::P_INVERSE as i32)) };
        [[power, quotient], [Self::odd(power), Self::odd(quotient)]]
    }

    #[inline(always)]
    fn times(self, x: __m256i, w: &[[__m256i; 2]; 2]) -> __m256i {
        Self::product(x, *w)
    }

    #[inline(always)]
    fn times_power(self, x: __m256i, power: __m256i) -> __m256i {
        self.times(x, &self.prepare(power))
    }

    #[inline(always)]
    fn freshen(self, x: __m256i) -> __m256i {
        x
    }

    #[inline(always)]
    fn raise(self, x: __m256i) -> __m256i {
        x
    }

    #[inline(always)]
    fn down(self, x: __m256i, y: __m256i, w: &[[__m256i; 2]; 2]) -> [__m256i; 2] {
        self.one(x, Self::product(y, *w))
    }

    #[inline(always)]
    fn up(self, x: __m256i, y: __m256i, w: &[[__m256i; 2]; 2]) -> [__m256i; 2] {
        let [sum, difference] = self.one(x, y);
        [sum, Self::product(difference, *w)]
    }

    #[inline(always)]
    fn one(self, x: __m256i, y: __m256i) -> [__m256i; 2] {
        // SAFETY: the processor has the features, as this value exists.
        unsafe {
            let sum = _mm256_sub_epi32(_mm256_add_epi32(x, y), Self::modulus());
            [Self::from_difference(sum), Self::from_difference(_mm256_sub_epi32(x, y))]
        }
    }
}
