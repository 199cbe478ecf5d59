//! A radix sort of one run of elements, in passes over all of it.
//!
//! Digits are counted for all passes at once. A pass takes the elements in portions, of which each is a launch: within a launch
//! tiles agree on their places by look-back, and a portion leaves to the next where its digits go on.
#![allow(unsafe_code)]

use super::call::Call;
use icicle_cuda::copy::fill;
use icicle_error::Result;
use icicle_kernels::array_sort::{self as kernels, BlockTile, DIGIT_BITS, DIGITS, HISTOGRAM, OrderMasks};
use icicle_kernels::names::ARRAY_SORT;
use icicle_kernels::signature::Owner;

/// What is sorted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Number of elements, at least one.
    pub(super) n: u64,
    /// Bytes of a key.
    pub(super) key: usize,
    /// Bits of a key's word that differ, from the lowest on.
    pub(super) bits: u32,
    /// The keys' order.
    pub(super) order: OrderMasks,
}

/// Where passes read and write: the first reads `from`, each writes one of `buffers` in turns, beginning with the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    pub(super) from: u64,
    pub(super) buffers: [u64; 2],
}

impl Turns {
    /// What a pass reads and writes.
    fn of(self, pass: u32) -> (u64, u64) {
        let from = if pass == 0 { self.from } else { self.buffers[(pass - 1) as usize % 2] };
        (from, self.buffers[pass as usize % 2])
    }

    /// What the last of so many passes writes.
    pub(super) fn last(self, passes: u32) -> u64 {
        self.buffers[(passes - 1) as usize % 2]
    }
}

/// Numbers of elements below this are counted in 32 bits.
const WIDE: u64 = 1 << 32;

/// Bytes in which so many elements are counted and indexed.
pub(super) const fn index_bytes(n: u64) -> usize {
    if n < WIDE { 4 } else { 8 }
}

impl Run {
    pub(super) fn passes(self) -> u32 {
        self.bits.div_ceil(DIGIT_BITS)
    }

    fn tile(self, pairs: bool) -> BlockTile {
        let index = index_bytes(self.n);
        kernels::onesweep_tile(self.key, if pairs { index } else { 0 }, index)
    }

    /// Sort keys, and with them indices in 4 or 8 bytes, as [`index_bytes`] says.
    ///
    /// # Errors
    /// `OutOfMemory`; as [`Call::launch`].
    ///
    /// # Safety
    /// All addresses that passes use hold `n` keys or indices on the call's device, where nothing else writes or, in the
    /// buffers, reads until the stream has passed; the buffers are apart from each other, and from what the first pass reads.
    /// But the second of the indices' buffers may be where they come from.
    pub(super) unsafe fn sort(self, call: &Call, keys: Turns, indices: Option<Turns>) -> Result<()> {
        let (tile, index) = (self.tile(indices.is_some()), index_bytes(self.n));
        let (passes, portion) = (u64::from(self.passes()), kernels::portion(tile));
        let portions = self.n.div_ceil(portion);
        // Where the digits of each portion and pass go, the first portion's counted below; numbers of tiles that have begun.
        let row = (DIGITS * index) as u64;
        let bins = call.scratch((portions * passes * row) as usize)?;
        let counters = call.scratch((portions * passes * 4) as usize)?;
        let blocks = |n: u64| n.div_ceil(tile.size());
        let look_back = |n: u64| (blocks(n) as usize) * DIGITS * 4;
        let states = call.scratch(look_back(self.n.min(portion)))?;
        // SAFETY: scratch of these lengths.
        unsafe {
            fill(&call.exec, bins.address() as *mut u8, 0, (passes * row) as usize)?;
            fill(&call.exec, counters.address() as *mut u8, 0, (portions * passes * 4) as usize)?;
            self.count(call, bins.address(), keys.from)?;
        }
        for pass in 0..self.passes() {
            let ((keys_in, keys_out), bit) = (keys.of(pass), pass * DIGIT_BITS);
            let bits = DIGIT_BITS.min(self.bits - bit);
            for k in 0..portions {
                let (first, n) = (k * portion, portion.min(self.n - k * portion));
                let place = k * passes + u64::from(pass);
                let bins_in = bins.address() + place * row;
                let bins_out = if k + 1 < portions { bins_in + passes * row } else { 0 };
                let common = (states.address(), counters.address() + place * 4, bins_out, bins_in);
                let (lookback, counter, bins_out, bins_in) = common;
                let keys_in = keys_in + first * self.key as u64;
                let launch = ((blocks(n) as u32).into(), tile.threads);
                let (n, bit, bits) = (n as i32, bit as i32, bits as i32);
                let owner = Owner::Bytes(self.key);
                // SAFETY: scratch as long as the kernel says, the look-back's filled with 0; keys and indices are the caller's.
                // A portion has fewer than 2²⁸ elements.
                unsafe {
                    fill(&call.exec, lookback as *mut u8, 0, look_back(n as u64))?;
                    match indices.map(|indices| indices.of(pass)) {
                        None => {
                            let kernel = if index == 4 { kernels::KEYS32 } else { kernels::KEYS64 };
                            let arguments =
                                (lookback, counter, bins_out, bins_in, keys_out, keys_in, n, bit, bits, self.order);
                            call.launch(ARRAY_SORT, (owner, kernel), launch, arguments)?;
                        }
                        Some((from, to)) => {
                            let from = from + first * index as u64;
                            let kernel = if index == 4 { kernels::PAIRS32 } else { kernels::PAIRS64 };
                            let arguments = (
                                lookback, counter, bins_out, bins_in, keys_out, keys_in, to, from, n, bit, bits,
                                self.order,
                            );
                            call.launch(ARRAY_SORT, (owner, kernel), launch, arguments)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Count the digits of all passes, and say for each where it begins.
    ///
    /// # Safety
    /// `bins` has a row for each pass, of 0; `keys` holds `n` of them.
    unsafe fn count(self, call: &Call, bins: u64, keys: u64) -> Result<()> {
        let most = u64::from(call.sms * kernels::histogram_blocks(self.key));
        let blocks = self.n.div_ceil(HISTOGRAM.size()).min(most) as u32;
        let launch = (blocks.into(), HISTOGRAM.threads);
        let starts = (self.passes().into(), DIGITS as u32);
        let (owner, end) = (Owner::Bytes(self.key), self.bits as i32);
        // SAFETY: the caller's.
        unsafe {
            match index_bytes(self.n) {
                4 => {
                    let arguments = (bins, keys, self.n as u32, end, self.order);
                    call.launch(ARRAY_SORT, (owner, kernels::HISTOGRAM32), launch, arguments)?;
                    call.launch(ARRAY_SORT, (Owner::Any, kernels::DIGIT_STARTS32), starts, (bins,))
                }
                _ => {
                    let arguments = (bins, keys, self.n, end, self.order);
                    call.launch(ARRAY_SORT, (owner, kernels::HISTOGRAM64), launch, arguments)?;
                    call.launch(ARRAY_SORT, (Owner::Any, kernels::DIGIT_STARTS64), starts, (bins,))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle_kernels::array_sort::Bits;

    #[test]
    fn passes_write_in_turns() {
        let turns = Turns { from: 1, buffers: [2, 3] };
        assert_eq!([0, 1, 2, 3].map(|pass| turns.of(pass)), [(1, 2), (2, 3), (3, 2), (2, 3)]);
        assert_eq!([1, 2, 7, 8].map(|passes| turns.last(passes)), [2, 3, 2, 3]);
    }

    #[test]
    fn passes_cover_all_bits() {
        let run = |bits| Run { n: 1, key: 4, bits, order: Bits::Unsigned.order(4, false, false) };
        assert_eq!([1, 8, 9, 32].map(|bits| run(bits).passes()), [1, 1, 2, 4]);
    }

    #[test]
    fn indices_are_wide_where_they_must() {
        assert_eq!([1, WIDE - 1, WIDE, 1 << 40].map(index_bytes), [4, 4, 8, 8]);
    }
}
