//! A bitonic network: sorts words in registers, without a branch.
#![allow(unsafe_code)] // loads and stores by address, and instructions that the processor was asked for

use super::{Avx512, FEW, Lane, first};
use core::arch::x86_64::__m512i;

impl Avx512 {
    /// Put up to [`Avx512::few`] words in ascending order.
    pub(crate) fn sort_few<W: Lane>(self, data: &mut [W]) {
        assert!(data.len() <= Self::few::<W>(), "sort_few: {} words", data.len());
        // SAFETY: the processor has the instructions, as this value exists.
        unsafe {
            match data.len().div_ceil(W::LANES) {
                0 | 1 => network::<W, 1>(data),
                2 => network::<W, 2>(data),
                3 | 4 => network::<W, 4>(data),
                5..=8 => network::<W, 8>(data),
                _ => network::<W, FEW>(data),
            }
        }
    }
}

/// Sort words of up to `R` vectors, a power of 2, by a bitonic network: each lane's words, which are a column, then columns by
/// pairs, and at last turn columns into rows.
///
/// # Safety
/// The processor has the instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
unsafe fn network<W: Lane, const R: usize>(data: &mut [W]) {
    let base = data.as_mut_ptr();
    let filled = |i: usize| data.len().saturating_sub(i * W::LANES).min(W::LANES);
    // SAFETY: lanes within the words; behind them stand the greatest words.
    unsafe {
        let mut x = [W::splat(W::default()); R];
        for i in 0..R {
            x[i] = W::load_some(first(filled(i)), base.wrapping_add(i * W::LANES));
        }
        columns::<W, R, 1>(&mut x);
        columns::<W, R, 2>(&mut x);
        columns::<W, R, 4>(&mut x);
        columns::<W, R, 8>(&mut x);
        facing::<W, R, 1>(&mut x);
        halves::<W, R, R>(&mut x);
        facing::<W, R, 3>(&mut x);
        beside::<W, R, 1>(&mut x);
        halves::<W, R, R>(&mut x);
        facing::<W, R, 7>(&mut x);
        beside::<W, R, 2>(&mut x);
        beside::<W, R, 1>(&mut x);
        halves::<W, R, R>(&mut x);
        if W::LANES == 16 {
            facing::<W, R, 15>(&mut x);
            beside::<W, R, 4>(&mut x);
            beside::<W, R, 2>(&mut x);
            beside::<W, R, 1>(&mut x);
            halves::<W, R, R>(&mut x);
        }
        turn::<W, R>(&mut x, 2);
        turn::<W, R>(&mut x, 4);
        turn::<W, R>(&mut x, 8);
        turn::<W, R>(&mut x, 16);
        for (i, x) in x.into_iter().enumerate() {
            W::store_some(base.wrapping_add(i * W::LANES), first(filled(i)), x);
        }
    }
}

/// Put the words of two vectors in order, lane by lane.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn order<W: Lane, const R: usize>(x: &mut [__m512i; R], i: usize, j: usize) {
    // SAFETY: the caller's.
    unsafe { (x[i], x[j]) = (W::lesser(x[i], x[j]), W::greater(x[i], x[j])) };
}

/// Put the words of vectors in order whose numbers differ by `BY`.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn apart<W: Lane, const R: usize, const BY: usize>(x: &mut [__m512i; R]) {
    for i in 0..R {
        if i & BY == 0 && i + BY < R {
            // SAFETY: the caller's.
            unsafe { order::<W, R>(x, i, i + BY) };
        }
    }
}

/// Put the words of vectors in order whose numbers differ by half of `N`, then by a quarter, and so on.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn halves<W: Lane, const R: usize, const N: usize>(x: &mut [__m512i; R]) {
    // SAFETY: the caller's.
    unsafe {
        if N > 8 {
            apart::<W, R, 8>(x);
        }
        if N > 4 {
            apart::<W, R, 4>(x);
        }
        if N > 2 {
            apart::<W, R, 2>(x);
        }
        if N > 1 {
            apart::<W, R, 1>(x);
        }
    }
}

/// Merge runs of `N` words of each lane in pairs, if there are so many.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn columns<W: Lane, const R: usize, const N: usize>(x: &mut [__m512i; R]) {
    if 2 * N > R {
        return;
    }
    for i in 0..R {
        if i & N == 0 {
            // SAFETY: the caller's.
            unsafe { order::<W, R>(x, i, i ^ (2 * N - 1)) };
        }
    }
    // SAFETY: the caller's.
    unsafe { halves::<W, R, N>(x) };
}

/// Begin a merge of runs of columns in pairs: of those whose numbers differ in the bits of `APART`, the second run upside down.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn facing<W: Lane, const R: usize, const APART: usize>(x: &mut [__m512i; R]) {
    for i in 0..R.div_ceil(2) {
        let j = R - 1 - i;
        // SAFETY: the caller's.
        unsafe {
            let (a, b) = (across::<W, APART>(x[i], x[j]), across::<W, APART>(x[j], x[i]));
            (x[i], x[j]) = (a, b);
        }
    }
}

/// Put the words of columns in order whose numbers differ by `APART`.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn beside<W: Lane, const R: usize, const APART: usize>(x: &mut [__m512i; R]) {
    for x in x {
        // SAFETY: the caller's.
        unsafe { *x = across::<W, APART>(*x, *x) };
    }
}

/// The lesser words of lanes of `x` and of those of `y` whose numbers differ in the bits of `APART`, in the lower of the two lanes;
/// in the higher the greater.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn across<W: Lane, const APART: usize>(x: __m512i, y: __m512i) -> __m512i {
    const fn upper(apart: usize) -> u16 {
        let highest = 1 << apart.ilog2();
        let (mut mask, mut lane) = (0, 0);
        while lane < 16 {
            if lane & highest != 0 {
                mask |= 1 << lane;
            }
            lane += 1;
        }
        mask
    }
    // SAFETY: the caller's.
    unsafe {
        let y = W::permute(W::xor(W::iota(), W::splat(W::small(APART))), y);
        W::greater_some(W::lesser(x, y), const { upper(APART) }, x, y)
    }
}

/// Interleave the lanes of the first half of the vectors with those of the second, if there are at least so many vectors. Done
/// as often as the number of vectors can be halved, it turns columns into rows.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn turn<W: Lane, const R: usize>(x: &mut [__m512i; R], least: usize) {
    if R < least {
        return;
    }
    // SAFETY: the caller's.
    unsafe {
        let (mut low, mut high) = ([W::default(); 16], [W::default(); 16]);
        for lane in 0..W::LANES {
            low[lane] = W::small(lane / 2 + lane % 2 * W::LANES);
            high[lane] = W::small(W::LANES / 2 + lane / 2 + lane % 2 * W::LANES);
        }
        let (low, high) = (W::load(low.as_ptr()), W::load(high.as_ptr()));
        let from = *x;
        for i in 0..R / 2 {
            x[2 * i] = W::permute_two(from[i], low, from[i + R / 2]);
            x[2 * i + 1] = W::permute_two(from[i], high, from[i + R / 2]);
        }
    }
}
