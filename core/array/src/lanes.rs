//! What a quicksort of unsigned words does in vectors of AVX-512: a partition, and a network for runs that fit a few vectors.
//! Neither branches on the words.
#![allow(unsafe_code)] // loads and stores by address, and instructions that the processor was asked for

mod network;

use crate::radix::Word;
use core::arch::x86_64::*;
use icicle_algebra::isa::{self, Isa};

/// Vectors that a partition reads together, so that the choice of the end to read from costs little.
const TOGETHER: usize = 8;
/// Vectors of a run that [`Avx512::sort_few`] sorts in registers, at most.
const FEW: usize = 16;

/// AVX-512 F, BW, DQ and VL, and POPCNT; there is a value only where the processor has them and may use them.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

/// Words that are compared and moved in vectors.
pub(crate) trait Lane: Word {
    /// Words of a vector.
    const LANES: usize;
    /// The next word; the greatest has none.
    fn next(self) -> Option<Self>;
    /// # Safety
    /// For this and all below: the processor has AVX-512 F, BW, DQ and VL. There are so many words, or those whose bit is set.
    unsafe fn load(from: *const Self) -> __m512i;
    unsafe fn load_some(mask: u16, from: *const Self) -> __m512i;
    unsafe fn store(to: *mut Self, x: __m512i);
    unsafe fn store_some(to: *mut Self, mask: u16, x: __m512i);
    unsafe fn splat(x: Self) -> __m512i;
    unsafe fn lesser(x: __m512i, y: __m512i) -> __m512i;
    /// The greater words where a bit is set, else those of `z`.
    unsafe fn greater_some(z: __m512i, mask: u16, x: __m512i, y: __m512i) -> __m512i;
    unsafe fn greater(x: __m512i, y: __m512i) -> __m512i;
    unsafe fn below(x: __m512i, y: __m512i) -> u16;
    /// The words whose bit is set, together, and then the first of `rest`.
    unsafe fn compress(rest: __m512i, mask: u16, x: __m512i) -> __m512i;
    unsafe fn permute(places: __m512i, x: __m512i) -> __m512i;
    /// The numbers of lanes.
    unsafe fn iota() -> __m512i;
    /// The words whose bit is set, then the others, each as they follow each other.
    unsafe fn split(mask: u16, x: __m512i) -> __m512i;
    /// Lanes of `x` and then of `y` by their numbers.
    unsafe fn permute_two(x: __m512i, places: __m512i, y: __m512i) -> __m512i;
    unsafe fn xor(x: __m512i, y: __m512i) -> __m512i {
        // SAFETY: the caller's.
        unsafe { _mm512_xor_si512(x, y) }
    }
    /// A small number as a word.
    fn small(n: usize) -> Self;
}

macro_rules! lanes {
    ($t:ty, $signed:ty, $lanes:literal, $mask:ty: $loadu:ident $storeu:ident $masked_load:ident $masked_store:ident $splat:ident
        $min:ident $max:ident $mask_max:ident $below:ident $compress:ident $permute:ident $permute_two:ident
        $split:ident $set:ident($($k:literal)*)) => {
        impl Lane for $t {
            const LANES: usize = $lanes;
            #[inline(always)]
            fn next(self) -> Option<Self> {
                self.checked_add(1)
            }
            #[inline(always)]
            fn small(n: usize) -> Self {
                n as $t
            }
            #[inline(always)]
            unsafe fn load(from: *const Self) -> __m512i {
                // SAFETY: here and below, the caller's.
                unsafe { $loadu(from.cast()) }
            }
            #[inline(always)]
            unsafe fn load_some(mask: u16, from: *const Self) -> __m512i {
                // SAFETY: as above.
                unsafe { $masked_load($splat(-1), mask as $mask, from.cast()) }
            }
            #[inline(always)]
            unsafe fn store(to: *mut Self, x: __m512i) {
                // SAFETY: as above.
                unsafe { $storeu(to.cast(), x) }
            }
            #[inline(always)]
            unsafe fn store_some(to: *mut Self, mask: u16, x: __m512i) {
                // SAFETY: as above.
                unsafe { $masked_store(to.cast(), mask as $mask, x) }
            }
            #[inline(always)]
            unsafe fn splat(x: Self) -> __m512i {
                // SAFETY: as above.
                unsafe { $splat(x as $signed) }
            }
            #[inline(always)]
            unsafe fn lesser(x: __m512i, y: __m512i) -> __m512i {
                // SAFETY: as above.
                unsafe { $min(x, y) }
            }
            #[inline(always)]
            unsafe fn greater(x: __m512i, y: __m512i) -> __m512i {
                // SAFETY: as above.
                unsafe { $max(x, y) }
            }
            #[inline(always)]
            unsafe fn greater_some(z: __m512i, mask: u16, x: __m512i, y: __m512i) -> __m512i {
                // SAFETY: as above.
                unsafe { $mask_max(z, mask as $mask, x, y) }
            }
            #[inline(always)]
            unsafe fn below(x: __m512i, y: __m512i) -> u16 {
                // SAFETY: as above.
                unsafe { $below(x, y) as u16 }
            }
            #[inline(always)]
            unsafe fn compress(rest: __m512i, mask: u16, x: __m512i) -> __m512i {
                // SAFETY: as above.
                unsafe { $compress(rest, mask as $mask, x) }
            }
            #[inline(always)]
            unsafe fn permute(places: __m512i, x: __m512i) -> __m512i {
                // SAFETY: as above.
                unsafe { $permute(places, x) }
            }
            #[inline(always)]
            unsafe fn iota() -> __m512i {
                // SAFETY: as above.
                unsafe { $set($($k),*) }
            }
            #[inline(always)]
            unsafe fn permute_two(x: __m512i, places: __m512i, y: __m512i) -> __m512i {
                // SAFETY: as above.
                unsafe { $permute_two(x, places, y) }
            }
            #[inline(always)]
            unsafe fn split(mask: u16, x: __m512i) -> __m512i {
                // SAFETY: as above.
                unsafe { $split(mask, x) }
            }
        }
    };
}
lanes!(u32, i32, 16, u16: _mm512_loadu_si512 _mm512_storeu_si512 _mm512_mask_loadu_epi32 _mm512_mask_storeu_epi32 _mm512_set1_epi32
    _mm512_min_epu32 _mm512_max_epu32 _mm512_mask_max_epu32 _mm512_cmplt_epu32_mask _mm512_mask_compress_epi32
    _mm512_permutexvar_epi32 _mm512_permutex2var_epi32 split_by_compressing _mm512_setr_epi32(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15));
lanes!(u64, i64, 8, u8: _mm512_loadu_si512 _mm512_storeu_si512 _mm512_mask_loadu_epi64 _mm512_mask_storeu_epi64 _mm512_set1_epi64
    _mm512_min_epu64 _mm512_max_epu64 _mm512_mask_max_epu64 _mm512_cmplt_epu64_mask _mm512_mask_compress_epi64
    _mm512_permutexvar_epi64 _mm512_permutex2var_epi64 split_by_table _mm512_setr_epi64(0 1 2 3 4 5 6 7));

impl Avx512 {
    pub(crate) fn available() -> Option<Self> {
        (isa::chosen() == Isa::Avx512 && std::arch::is_x86_feature_detected!("popcnt")).then_some(Self(()))
    }

    /// Words that [`Avx512::sort_few`] takes at most.
    pub(crate) const fn few<W: Lane>() -> usize {
        FEW * W::LANES
    }

    /// Put the words below a pivot before the others; how many they are. There are more than [`Avx512::few`].
    pub(crate) fn partition<W: Lane>(self, data: &mut [W], pivot: W) -> usize {
        assert!(data.len() > Self::few::<W>(), "partition: {} words", data.len());
        // SAFETY: the processor has the instructions, as this value exists.
        unsafe { partition(data, pivot) }
    }
}

/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn split_by_compressing(mask: u16, x: __m512i) -> __m512i {
    /// The numbers of lanes twice, of which 16 begin anywhere.
    const LANES: [u32; 32] = {
        let mut lanes = [0; 32];
        let mut i = 0;
        while i < 32 {
            lanes[i] = i as u32 % 16;
            i += 1;
        }
        lanes
    };
    // SAFETY: the caller's; no more than 16 lanes are set.
    unsafe {
        // The others are moved up by as many lanes as are set.
        let places = <u32 as Lane>::load(LANES.as_ptr().add(16 - mask.count_ones() as usize));
        let others = _mm512_permutexvar_epi32(places, _mm512_maskz_compress_epi32(!mask, x));
        _mm512_mask_compress_epi32(others, mask, x)
    }
}

/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn split_by_table(mask: u16, x: __m512i) -> __m512i {
    /// For each set of lanes the numbers of those, then of the others.
    const LANES: [[u8; 8]; 256] = {
        let mut table = [[0; 8]; 256];
        let mut mask = 0;
        while mask < 256 {
            let (mut lane, mut set, mut clear) = (0, 0, (mask as u8).count_ones() as usize);
            while lane < 8 {
                let place = if mask >> lane & 1 == 1 { &mut set } else { &mut clear };
                table[mask][*place] = lane as u8;
                *place += 1;
                lane += 1;
            }
            mask += 1;
        }
        table
    };
    static TABLE: [[u8; 8]; 256] = LANES;
    // SAFETY: the caller's; rows of 8 bytes.
    unsafe {
        let places = _mm512_cvtepu8_epi64(_mm_loadl_epi64(TABLE[usize::from(mask & 255)].as_ptr().cast()));
        _mm512_permutexvar_epi64(places, x)
    }
}

/// A bit for each of the first `n` lanes.
#[inline(always)]
fn first(n: usize) -> u16 {
    if n < 16 { (1 << n) - 1 } else { u16::MAX }
}

/// The words below the pivot and the others, written at both ends of the gap that was read, which begins and ends there.
struct Gap<W> {
    start: *mut W,
    end: *mut W,
}

impl<W: Lane> Gap<W> {
    /// # Safety
    /// The gap has room for a vector at each end; the processor has the instructions.
    #[inline(always)]
    unsafe fn put(&mut self, x: __m512i, pivot: __m512i) {
        // SAFETY: the caller's.
        unsafe {
            let below = W::below(x, pivot);
            let n = below.count_ones() as usize;
            let both = W::split(below, x);
            W::store(self.start, both);
            W::store(self.end.sub(W::LANES), both);
            self.start = self.start.add(n);
            self.end = self.end.sub(W::LANES - n);
        }
    }

    /// As [`Gap::put`] for the first words of a vector, where the gap has room for them only.
    ///
    /// # Safety
    /// The gap has room for `n` words; the processor has the instructions.
    #[inline(always)]
    unsafe fn put_some(&mut self, x: __m512i, n: usize, pivot: __m512i) {
        // SAFETY: the caller's.
        unsafe {
            let below = W::below(x, pivot) & first(n);
            let (k, others) = (below.count_ones() as usize, !below & first(n));
            W::store_some(self.start, first(k), W::compress(x, below, x));
            self.start = self.start.add(k);
            self.end = self.end.sub(n - k);
            W::store_some(self.end, first(n - k), W::compress(x, others, x));
        }
    }
}

/// # Safety
/// The processor has the instructions; there are at least two groups of [`TOGETHER`] vectors.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
unsafe fn partition<W: Lane>(data: &mut [W], pivot: W) -> usize {
    let group = TOGETHER * W::LANES;
    let base = data.as_mut_ptr();
    // SAFETY: within the words, as there are at least two groups. What is written was read: the first and last group, and what
    // does not fill one, are held in registers and aside until the end. While groups remain the gap has two groups and the rest
    // of room; the next is read at the end that has less, so that each end has at least a group, of which each vector put takes
    // no more than one.
    unsafe {
        let pivot = W::splat(pivot);
        let (mut left, mut right) = (base.add(group), base.add(data.len() - group));
        let head: [__m512i; TOGETHER] = std::array::from_fn(|i| W::load(base.add(i * W::LANES)));
        let tail: [__m512i; TOGETHER] = std::array::from_fn(|i| W::load(right.add(i * W::LANES)));
        let rest = right.offset_from(left) as usize % group;
        let mut aside = [W::default(); 128];
        std::ptr::copy_nonoverlapping(left, aside.as_mut_ptr(), rest);
        left = left.add(rest);
        let mut gap = Gap { start: base, end: base.add(data.len()) };
        while left < right {
            let at_left = left.offset_from(gap.start) <= gap.end.offset_from(right);
            let from = if at_left { left } else { right.sub(group) };
            let following = if at_left {
                left = left.add(group);
                left
            } else {
                right = from;
                right.wrapping_sub(group)
            };
            for i in 0..TOGETHER {
                _mm_prefetch::<_MM_HINT_T0>(following.wrapping_add(i * W::LANES).cast());
            }
            let read: [__m512i; TOGETHER] = std::array::from_fn(|i| W::load(from.add(i * W::LANES)));
            for x in read {
                gap.put(x, pivot);
            }
        }
        for x in head.into_iter().chain(tail) {
            gap.put_some(x, W::LANES, pivot);
        }
        for start in (0..rest).step_by(W::LANES) {
            let n = W::LANES.min(rest - start);
            gap.put_some(W::load_some(first(n), aside.as_ptr().add(start)), n, pivot);
        }
        gap.start.offset_from(base) as usize
    }
}
