//! Sixteen neighbouring elements between memory and lanes, in whatever order takes the fewest steps.

use super::pairs;
use super::words::Words;
use core::arch::x86_64::*;

/// Elements taken together.
pub const GROUP: usize = 16;
/// Bytes that loops ask for memory ahead.
const AHEAD: usize = 1024;

/// Addresses of the pairs of neighbours.
fn places<const N: usize>(at: *const u64) -> [*const u64; 8] {
    std::array::from_fn(|l| at.wrapping_add(2 * N * l))
}

/// The elements, and a request for memory further on.
///
/// # Safety
/// AVX-512 IFMA; `16N` words, `N` of 4 or 6, may be read.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) unsafe fn load<const N: usize>(at: *const u64) -> [Words<N>; 2] {
    for line in 0..2 * N {
        _mm_prefetch::<_MM_HINT_T0>(at.wrapping_byte_add(AHEAD + 64 * line).cast());
    }
    if N != 4 {
        // SAFETY: pairs of elements.
        let (x, y) = unsafe { pairs::load_words::<N>(places::<N>(at)) };
        return [x, y];
    }
    let mut halves = [Words([_mm512_setzero_si512(); N]); 2];
    for h in 0..2 {
        let mut r = [_mm512_setzero_si512(); 4];
        for i in 0..4 {
            // SAFETY: two of the elements.
            r[i] = unsafe { _mm512_loadu_si512(at.add(32 * h + 8 * i).cast()) };
        }
        // Word 0 of elements 0, 2, 1, 3 and so on.
        let (even, odd) = (_mm512_unpacklo_epi64(r[0], r[1]), _mm512_unpackhi_epi64(r[0], r[1]));
        let (even_2, odd_2) = (_mm512_unpacklo_epi64(r[2], r[3]), _mm512_unpackhi_epi64(r[2], r[3]));
        halves[h].0[0] = _mm512_shuffle_i64x2::<0x88>(even, even_2);
        halves[h].0[1] = _mm512_shuffle_i64x2::<0x88>(odd, odd_2);
        halves[h].0[2] = _mm512_shuffle_i64x2::<0xdd>(even, even_2);
        halves[h].0[3] = _mm512_shuffle_i64x2::<0xdd>(odd, odd_2);
    }
    halves
}

/// Write what came from [`load`] back to its places, by streaming stores if asked: then the address is a multiple of 16, and
/// [`store_fence`] must follow.
///
/// # Safety
/// AVX-512 IFMA; `16N` words, `N` of 4 or 6, may be written.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) unsafe fn store<const N: usize>(at: *mut u64, halves: [Words<N>; 2], streaming: bool) {
    if N != 4 {
        let (low, high) = pairs::to_rows(halves[0], halves[1]);
        for l in 0..8 {
            // SAFETY: the first 8 and the last 4 words of a pair of elements.
            unsafe {
                let pair = at.add(2 * N * l);
                write(pair, low[l], streaming);
                write_half(pair.add(8), _mm512_extracti64x4_epi64::<1>(high[l]), streaming);
            }
        }
        return;
    }
    // Blocks of 128 bits: of the first vector, then of the second.
    let (first, second) = (_mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4));
    for h in 0..2 {
        let w = halves[h].0;
        let (even, odd) = (_mm512_unpacklo_epi64(w[0], w[1]), _mm512_unpackhi_epi64(w[0], w[1]));
        let (even_2, odd_2) = (_mm512_unpacklo_epi64(w[2], w[3]), _mm512_unpackhi_epi64(w[2], w[3]));
        // SAFETY: two of the elements each.
        unsafe {
            write(at.add(32 * h), _mm512_permutex2var_epi64(even, first, even_2), streaming);
            write(at.add(32 * h + 8), _mm512_permutex2var_epi64(odd, first, odd_2), streaming);
            write(at.add(32 * h + 16), _mm512_permutex2var_epi64(even, second, even_2), streaming);
            write(at.add(32 * h + 24), _mm512_permutex2var_epi64(odd, second, odd_2), streaming);
        }
    }
}

/// # Safety
/// AVX-512 IFMA; 8 words may be written, at a multiple of 16 if by streaming stores.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
unsafe fn write(at: *mut u64, words: __m512i, streaming: bool) {
    // SAFETY: this function's.
    unsafe {
        if streaming {
            write_half(at, _mm512_castsi512_si256(words), true);
            write_half(at.add(4), _mm512_extracti64x4_epi64::<1>(words), true);
        } else {
            _mm512_storeu_si512(at.cast(), words);
        }
    }
}

/// # Safety
/// As [`write`], of 4 words.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
unsafe fn write_half(at: *mut u64, words: __m256i, streaming: bool) {
    // SAFETY: this function's.
    unsafe {
        if streaming {
            // Vectors of 16 bytes: elements need not lie at multiples of more.
            _mm_stream_si128(at.cast(), _mm256_castsi256_si128(words));
            _mm_stream_si128(at.add(2).cast(), _mm256_extracti128_si256::<1>(words));
        } else {
            _mm256_storeu_si256(at.cast(), words);
        }
    }
}

/// What was written by streaming (non-temporal) stores is seen by whoever learns that this thread is done.
pub(super) fn store_fence() {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { _mm_sfence() };
}
