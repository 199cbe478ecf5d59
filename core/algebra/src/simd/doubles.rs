//! Vectors of doubles in registers of 256 and of 512 bits.

use crate::doubles::{Doubles, Kernel};
use core::arch::x86_64::*;

/// AVX2 and FMA; only a processor that has them has a value of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

/// AVX-512 F, DQ and VL; only a processor that has them has a value of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

impl Avx2 {
    /// The instructions, if the processor has them.
    pub fn available() -> Option<Self> {
        let has = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
        has.then_some(Self(()))
    }

    /// Run a kernel, compiled for them.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,fma")]
        fn compiled<K: Kernel>(kernel: K, with: Avx2) -> K::Output {
            kernel.run(with)
        }
        // SAFETY: the processor has the features, as this value exists.
        unsafe { compiled(kernel, self) }
    }
}

impl Avx512 {
    /// The instructions, if the processor has them.
    pub fn available() -> Option<Self> {
        let has = std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512dq")
            && std::arch::is_x86_feature_detected!("avx512vl");
        has.then_some(Self(()))
    }

    /// Run a kernel, compiled for them.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
        fn compiled<K: Kernel>(kernel: K, with: Avx512) -> K::Output {
            kernel.run(with)
        }
        // SAFETY: the processor has the features, as this value exists.
        unsafe { compiled(kernel, self) }
    }
}

/// Adding it rounds a number below 2⁵¹ to an integer.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// What both widths have in common: the names of their instructions.
macro_rules! doubles {
    ($name:ident, $count:literal, $radix_log:literal, $vector:ident: $load:ident $store:ident $splat:ident $add:ident $sub:ident
        $mul:ident $mul_add:ident $mul_sub:ident $sub_mul:ident; $words:ident: $load_words:ident $store_words:ident $cast:ident
        $splat_words:ident $add_words:ident $shift:ident, $exchange:ident) => {
        impl Doubles for $name {
            const COUNT: usize = $count;
            const RADIX_LOG: u32 = $radix_log;
            type V = $vector;
            type Block = [f64; $count];
            type Words = [u64; $count];

            #[inline(always)]
            fn blocks(from: &[f64]) -> &[[f64; $count]] {
                from.as_chunks().0
            }
            #[inline(always)]
            fn blocks_mut(from: &mut [f64]) -> &mut [[f64; $count]] {
                from.as_chunks_mut().0
            }
            #[inline(always)]
            fn words_mut(from: &mut [u64]) -> &mut [[u64; $count]] {
                from.as_chunks_mut().0
            }
            #[inline(always)]
            fn load(self, from: &[f64; $count]) -> $vector {
                // SAFETY: a vector's numbers; the processor has the features, as this value exists.
                unsafe { $load(from.as_ptr()) }
            }
            #[inline(always)]
            fn store(self, x: $vector, to: &mut [f64; $count]) {
                // SAFETY: a vector's numbers; the processor has the features, as this value exists.
                unsafe { $store(to.as_mut_ptr(), x) }
            }
            #[inline(always)]
            fn splat(self, x: f64) -> $vector {
                // SAFETY: the processor has the features, as this value exists.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            fn add(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: the processor has the features, as this value exists.
                unsafe { $add(a, b) }
            }
            #[inline(always)]
            fn sub(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: the processor has the features, as this value exists.
                unsafe { $sub(a, b) }
            }
            #[inline(always)]
            fn mul(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: the processor has the features, as this value exists.
                unsafe { $mul(a, b) }
            }
            #[inline(always)]
            fn mul_add(self, a: $vector, b: $vector, c: $vector) -> $vector {
                // SAFETY: the processor has the features, as this value exists.
                unsafe { $mul_add(a, b, c) }
            }
            #[inline(always)]
            fn mul_sub(self, a: $vector, b: $vector, c: $vector) -> $vector {
                // SAFETY: the processor has the features, as this value exists.
                unsafe { $mul_sub(a, b, c) }
            }
            #[inline(always)]
            fn sub_mul(self, a: $vector, b: $vector, c: $vector) -> $vector {
                // SAFETY: the processor has the features, as this value exists.
                unsafe { $sub_mul(a, b, c) }
            }
            #[inline(always)]
            fn exchange(self, run: usize, a: $vector, b: $vector) -> [$vector; 2] {
                // SAFETY: the processor has the features, as this value exists.
                unsafe { $exchange(run, a, b) }
            }
            #[inline(always)]
            fn add_fraction(self, x: $vector, to: &mut [u64; $count]) {
                // SAFETY: the processor has the features, as this value exists; a vector's words are read and written. The rest
                // plus 1.5 lies in [1, 2]: its mantissa is the rest plus a half.
                unsafe {
                    let rest = $sub(x, $sub($add(x, $splat(ROUND)), $splat(ROUND)));
                    let word = $shift::<12>($cast($add(rest, $splat(1.5))));
                    let before = $add_words($load_words(to.as_ptr().cast()), $splat_words(i64::MIN));
                    $store_words(to.as_mut_ptr().cast(), $add_words(before, word));
                }
            }
        }
    };
}

doubles!(Avx2, 4, 2, __m256d: _mm256_loadu_pd _mm256_storeu_pd _mm256_set1_pd _mm256_add_pd _mm256_sub_pd
    _mm256_mul_pd _mm256_fmadd_pd _mm256_fmsub_pd _mm256_fnmadd_pd; __m256i: _mm256_loadu_si256 _mm256_storeu_si256
    _mm256_castpd_si256 _mm256_set1_epi64x _mm256_add_epi64 _mm256_slli_epi64, exchange4);

doubles!(Avx512, 8, 3, __m512d: _mm512_loadu_pd _mm512_storeu_pd _mm512_set1_pd _mm512_add_pd _mm512_sub_pd
    _mm512_mul_pd _mm512_fmadd_pd _mm512_fmsub_pd _mm512_fnmadd_pd; __m512i: _mm512_loadu_si512 _mm512_storeu_si512
    _mm512_castpd_si512 _mm512_set1_epi64 _mm512_add_epi64 _mm512_slli_epi64, exchange8);

#[target_feature(enable = "avx2")]
#[inline]
fn exchange4(run: usize, a: __m256d, b: __m256d) -> [__m256d; 2] {
    match run {
        1 => [_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)],
        _ => [_mm256_permute2f128_pd::<0x20>(a, b), _mm256_permute2f128_pd::<0x31>(a, b)],
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn exchange8(run: usize, a: __m512d, b: __m512d) -> [__m512d; 2] {
    match run {
        1 => [_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)],
        2 => {
            let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
            let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
            [_mm512_permutex2var_pd(a, low, b), _mm512_permutex2var_pd(a, high, b)]
        }
        _ => [_mm512_shuffle_f64x2::<0x44>(a, b), _mm512_shuffle_f64x2::<0xee>(a, b)],
    }
}
