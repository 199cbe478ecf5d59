//! Words at eight addresses between memory and lanes.

use super::ifma::{Lanes, transpose};
use super::words::Words;
use core::arch::x86_64::*;

/// The words at eight addresses, as many as there are columns: word `i` of every address in column `i`.
///
/// # Safety
/// AVX-512 IFMA; so many words, at least eight, may be read at each address.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) unsafe fn gather(at: [*const u64; 8], columns: &mut [__m512i]) {
    for block in 0..columns.len().div_ceil(8) {
        // The last block begins earlier where words are not a multiple of eight.
        let first = (8 * block).min(columns.len() - 8);
        let mut rows = [_mm512_setzero_si512(); 8];
        for l in 0..8 {
            // SAFETY: eight of the words.
            rows[l] = unsafe { _mm512_loadu_si512(at[l].add(first).cast()) };
        }
        columns[first..first + 8].copy_from_slice(&transpose(rows));
    }
}

/// Write the words of columns to eight addresses.
///
/// # Safety
/// AVX-512 IFMA; so many words as there are columns, at least eight, may be written at each address.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) unsafe fn scatter(at: [*mut u64; 8], columns: &[__m512i]) {
    for block in 0..columns.len().div_ceil(8) {
        let first = (8 * block).min(columns.len() - 8);
        let mut words = [_mm512_setzero_si512(); 8];
        words.copy_from_slice(&columns[first..first + 8]);
        let rows = transpose(words);
        for l in 0..8 {
            // SAFETY: eight of the words.
            unsafe { _mm512_storeu_si512(at[l].add(first).cast(), rows[l]) };
        }
    }
}

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
    let mut pair = [[_mm512_setzero_si512(); N]; 2];
    // SAFETY: this function's.
    unsafe { gather(at, pair.as_flattened_mut()) };
    (Words(pair[0]), Words(pair[1]))
}

/// Write pairs to eight addresses; limbs are normalised.
///
/// # Safety
/// AVX-512 IFMA; `2N` words, `N` of 4 or 6, may be written at each address.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) unsafe fn store<const N: usize, const M: usize>(at: [*mut u64; 8], x: Lanes<M>, y: Lanes<M>) {
    let pair: [[__m512i; N]; 2] = [x.to_words(), y.to_words()];
    // SAFETY: this function's.
    unsafe { scatter(at, pair.as_flattened()) };
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
