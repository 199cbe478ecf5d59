//! Rows of arrays by their places (`array/rows.cuh`), in the image [`crate::names::ARRAY_SCAN`].

use crate::signature::{Address, kernels};

/// Bytes of the words in which rows are moved.
pub const WORDS: [usize; 5] = [1, 2, 4, 8, 16];

/// Words of a row that a thread moves at once.
pub const ITEMS: u64 = 4;

/// Bytes in which a row is entered with the last place that names it. Free ones have all bits set.
pub const SLOT: usize = 16;

kernels! {
    /// Kernels for places.
    ARRAY_PLACES_KERNELS: ArrayPlaces {
        ROW_PLACES = "row_places"(
            indices: Address, rows: Address, bad: Address, n: u64, extent: u64, first: u32, wraps: u32,
        );
        AXIS_INDICES = "axis_indices"(places: Address, out: Address, n: u64, step: u64, extent: u64);
        ENTER_ROWS = "enter_rows"(rows: Address, slots: Address, n: u64, mask: u64);
        KEEP_LAST_ROWS = "keep_last_rows"(rows: Address, slots: Address, n: u64, mask: u64);
    }
}

kernels! {
    /// Kernels for rows of words of so many bytes ([`Owner::Bytes`](crate::signature::Owner::Bytes)).
    ARRAY_ROWS_KERNELS: ArrayRows {
        TAKE_ROWS = "take_rows"(
            x: Address, places: Address, out: Address, outer: u64, extent: u64, taken: u64, width: u64, each: u32,
            log_lanes: u32,
        );
        SET_ROWS = "set_rows"(
            x: Address, rows: Address, values: Address, n: u64, width: u64, log_lanes: u32,
        );
    }
}

/// The widest word in which rows of so many bytes, at addresses that are multiples of what divides `addresses`, can be moved.
pub fn word(row_bytes: usize, addresses: u64) -> usize {
    let all = row_bytes as u64 | addresses | WORDS[WORDS.len() - 1] as u64;
    1 << all.trailing_zeros()
}

/// How many neighbouring threads share a row of so many words, as a power of two: a warp at most.
pub fn log_lanes(width: u64) -> u32 {
    width.clamp(1, 32).next_power_of_two().trailing_zeros()
}

/// Threads that move a row of so many words.
pub fn threads(width: u64) -> u64 {
    let lanes = 1 << log_lanes(width);
    width.div_ceil(lanes * ITEMS) * lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_divide_rows_and_addresses() {
        assert_eq!([1, 2, 3, 12, 16, 24, 48].map(|bytes| word(bytes, 1 << 40)), [1, 2, 1, 4, 16, 8, 16]);
        assert_eq!([1, 6, 20, 0x100].map(|address| word(1 << 20, address)), [1, 2, 4, 16]);
        assert!((1..100).all(|bytes| WORDS.contains(&word(bytes, 0))));
    }

    #[test]
    fn threads_have_work() {
        assert_eq!([1, 2, 3, 32, 33, 1 << 40].map(log_lanes), [0, 1, 2, 5, 5, 5]);
        assert_eq!([1, 2, 3, 32, 128, 129].map(threads), [1, 2, 4, 32, 32, 64]);
    }
}
