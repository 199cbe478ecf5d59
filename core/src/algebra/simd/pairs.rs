//! Eight pairs of neighbouring elements between memory and lanes.

use super::ifma::{Lanes, transpose};
use super::words::Words;
use core::arch::x86_64::*;

/// The first and the second elements of the pairs at eight addresses.
///
/// # Safety
/// AVX-512 IFMA; `2N` words, `N` of 4 or 6, may be read at each address.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) unsafe fn load<const N: usize, const M: usize>(at: [*const u64; 8]) -> (Lanes<M>, Lanes<M>) {
    // SAFETY: this function's.
    let (x, y) = unsafe { load_words::<N>(at) };
    (Lanes::from_words(&x.0), Lanes::from_words(&y.0))
}

/// As [`load`], in words.
///
/// # Safety
/// As there.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) unsafe fn load_words<const N: usize>(at: [*const u64; 8]) -> (Words<N>, Words<N>) {
    let zero = _mm512_setzero_si512();
    let (mut low, mut high) = ([zero; 8], [zero; 8]);
    for l in 0..8 {
        // SAFETY: the first and the last 8 of the 2N words of a pair.
        unsafe {
            low[l] = _mm512_loadu_si512(at[l].cast());
            high[l] = _mm512_loadu_si512(at[l].add(2 * N - 8).cast());
        }
    }
    let low = transpose(low);
    let high = if N == 4 { low } else { transpose(high) };
    let (mut x, mut y) = ([zero; N], [zero; N]);
    for i in 0..N {
        x[i] = low[i];
        y[i] = high[8 - N + i];
    }
    (Words(x), Words(y))
}

/// Write pairs to eight addresses; limbs are normalised.
///
/// # Safety
/// AVX-512 IFMA; `2N` words, `N` of 4 or 6, may be written at each address.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) unsafe fn store<const N: usize, const M: usize>(at: [*mut u64; 8], x: Lanes<M>, y: Lanes<M>) {
    let (low, high) = to_rows::<N>(Words(x.to_words()), Words(y.to_words()));
    for l in 0..8 {
        // SAFETY: the first and the last 8 of the 2N words of a pair.
        unsafe {
            _mm512_storeu_si512(at[l].cast(), low[l]);
            if N != 4 {
                _mm512_storeu_si512(at[l].add(2 * N - 8).cast(), high[l]);
            }
        }
    }
}

/// The first and the last 8 words of each pair.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn to_rows<const N: usize>(x: Words<N>, y: Words<N>) -> ([__m512i; 8], [__m512i; 8]) {
    let zero = _mm512_setzero_si512();
    let (x, y) = (x.0, y.0);
    let (mut low, mut high) = ([zero; 8], [zero; 8]);
    for i in 0..8 {
        low[i] = if i < N { x[i] } else { y[i - N] };
        let word = 2 * N - 8 + i;
        high[i] = if word < N { x[word] } else { y[word - N] };
    }
    let low = transpose(low);
    let high = if N == 4 { low } else { transpose(high) };
    (low, high)
}
