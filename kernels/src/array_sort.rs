//! Sorting of arrays (`array/radix.cuh`, `array/lines.cuh`, `array/indices.cuh`), in the image [`crate::names::ARRAY_SORT`]: its
//! kernels, their shapes, and the masks by which elements are ordered.

use crate::signature::{Address, Entry, kernels};

/// How elements are ordered: `OrderMasks` of `array/order.cuh`, which says what each means.
pub type OrderMasks = [u64; 7];

/// Elements by what their bits mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// An unsigned integer, or bool.
    Unsigned,
    /// An integer in two's complement.
    Signed,
    /// An IEEE float, with the bits of infinity.
    Float(u64),
}

impl Bits {
    /// The masks of elements of so many bytes, in descending order if so; `ranked` if elements that are equal are to have equal
    /// words: -0.0 and 0.0, and all NaN.
    pub const fn order(self, bytes: usize, descending: bool, ranked: bool) -> OrderMasks {
        let all = u64::MAX >> (64 - 8 * bytes);
        let sign = 1 << (8 * bytes - 1);
        let (magnitude, infinity, negative, positive) = match self {
            Self::Unsigned => (all, all, 0, 0),
            Self::Signed => (all, all, sign, sign),
            Self::Float(infinity) => (all ^ sign, infinity, all, sign),
        };
        let turn = if descending { all } else { 0 };
        // In descending order the words of NaN with a sign, which none has, are the highest.
        let shift = if descending { magnitude - infinity } else { 0 };
        let nan = if ranked { magnitude } else { 0 };
        [magnitude, infinity, nan, ranked as u64, negative ^ turn, positive ^ turn, shift]
    }
}

/// Bits of a digit, and how many digits there are.
pub const DIGIT_BITS: u32 = 8;
/// Digits.
pub const DIGITS: usize = 1 << DIGIT_BITS;

/// Threads of a block, and elements of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockTile {
    /// Threads.
    pub threads: u32,
    /// Elements of a thread.
    pub items: u32,
}

impl BlockTile {
    const fn new(threads: u32, items: u32) -> Self {
        Self { threads, items }
    }

    /// Elements of the block.
    pub const fn size(self) -> u64 {
        self.threads as u64 * self.items as u64
    }
}

/// The tile of a pass over keys of so many bytes with values of so many (none: 0), which count in `offset` bytes:
/// `onesweep_tile` of `array/shape.cuh`.
pub const fn onesweep_tile(key: usize, value: usize, offset: usize) -> BlockTile {
    match (value, key) {
        (0, 1 | 2) => BlockTile::new(512, 19),
        (0, 4) => BlockTile::new(384, if offset == 4 { 20 } else { 19 }),
        (0, _) => BlockTile::new(384, 15),
        (4, 1 | 2) => BlockTile::new(512, 17),
        (4, 4) => BlockTile::new(384, 23),
        (4, _) => BlockTile::new(384, 15),
        (_, 1) => BlockTile::new(384, 9),
        (_, 2) => BlockTile::new(512, 11),
        (_, 4) => BlockTile::new(384, 14),
        _ => BlockTile::new(384, 12),
    }
}

/// Elements that one launch of a pass takes at most, in whole tiles: its look-back counts in 30 bits, and CUB's own launches
/// take as many (`cub/device/dispatch/dispatch_radix_sort.cuh`: `PORTION_SIZE`).
pub const fn portion(tile: BlockTile) -> u64 {
    ((1 << 28) - 1) / tile.size() * tile.size()
}

/// Of the kernels that count digits.
pub const HISTOGRAM: BlockTile = BlockTile::new(128, 16);

/// Blocks of such a kernel that a multiprocessor holds at once, by its registers on architecture 9.0 (`report.txt` of
/// `cargo xtask kernels`), for keys of so many bytes.
pub const fn histogram_blocks(key: usize) -> u32 {
    match key {
        4 => 16,
        8 => 12,
        _ => 9,
    }
}

/// Lines that fit are sorted by so many threads, in blocks of [`LANES_BLOCK`] where those are lanes of a warp.
pub const LINE_TILES: [BlockTile; 4] =
    [BlockTile::new(4, 4), BlockTile::new(32, 4), BlockTile::new(128, 8), BlockTile::new(256, 16)];

/// Threads of a block where lanes of a warp sort a line.
pub const LANES_BLOCK: u32 = 128;

kernels! {
    /// Kernels for keys of so many bytes ([`Owner::Bytes`](crate::signature::Owner::Bytes)). Numbers of elements, and indices,
    /// have the bits that a name ends with.
    ARRAY_SORT_KERNELS: ArraySort {
        HISTOGRAM32 = "histogram32"(bins: Address, keys: Address, n: u32, end_bit: i32, order: OrderMasks);
        HISTOGRAM64 = "histogram64"(bins: Address, keys: Address, n: u64, end_bit: i32, order: OrderMasks);
        KEYS32 = "keys32"(
            lookback: Address, counter: Address, bins_out: Address, bins_in: Address, keys_out: Address, keys_in: Address,
            n: i32, bit: i32, bits: i32, order: OrderMasks,
        );
        KEYS64 = "keys64"(
            lookback: Address, counter: Address, bins_out: Address, bins_in: Address, keys_out: Address, keys_in: Address,
            n: i32, bit: i32, bits: i32, order: OrderMasks,
        );
        PAIRS32 = "pairs32"(
            lookback: Address, counter: Address, bins_out: Address, bins_in: Address, keys_out: Address, keys_in: Address,
            values_out: Address, values_in: Address, n: i32, bit: i32, bits: i32, order: OrderMasks,
        );
        PAIRS64 = "pairs64"(
            lookback: Address, counter: Address, bins_out: Address, bins_in: Address, keys_out: Address, keys_in: Address,
            values_out: Address, values_in: Address, n: i32, bit: i32, bits: i32, order: OrderMasks,
        );
        GATHER32 = "gather32"(keys: Address, indices: Address, out: Address, n: u32, order: OrderMasks);
        GATHER64 = "gather64"(keys: Address, indices: Address, out: Address, n: u64, order: OrderMasks);
        LINES0 = "lines0"(keys: Address, out: Address, lines: u64, length: u32, order: OrderMasks);
        LINES1 = "lines1"(keys: Address, out: Address, lines: u64, length: u32, order: OrderMasks);
        LINES2 = "lines2"(keys: Address, out: Address, lines: u64, length: u32, order: OrderMasks);
        LINES3 = "lines3"(keys: Address, out: Address, lines: u64, length: u32, order: OrderMasks);
        LINE_INDICES0 = "line_indices0"(keys: Address, out: Address, lines: u64, length: u32, order: OrderMasks);
        LINE_INDICES1 = "line_indices1"(keys: Address, out: Address, lines: u64, length: u32, order: OrderMasks);
        LINE_INDICES2 = "line_indices2"(keys: Address, out: Address, lines: u64, length: u32, order: OrderMasks);
        LINE_INDICES3 = "line_indices3"(keys: Address, out: Address, lines: u64, length: u32, order: OrderMasks);
    }
}

/// A kernel that sorts lines.
pub type LineKernel = Entry<(Address, Address, u64, u32, OrderMasks)>;

/// For lines of each of [`LINE_TILES`]: the kernel that leaves elements, and the one that leaves indices.
pub const LINE_KERNELS: [[LineKernel; 2]; 4] =
    [[LINES0, LINE_INDICES0], [LINES1, LINE_INDICES1], [LINES2, LINE_INDICES2], [LINES3, LINE_INDICES3]];

kernels! {
    /// Kernels for any keys.
    ARRAY_INDEX_KERNELS: ArrayIndex {
        DIGIT_STARTS32 = "digit_starts32"(bins: Address);
        DIGIT_STARTS64 = "digit_starts64"(bins: Address);
        NUMBER32 = "number32"(out: Address, n: u32);
        NUMBER64 = "number64"(out: Address, n: u64);
        LINE_NUMBERS32 = "line_numbers32"(indices: Address, out: Address, n: u32, length: u32);
        LINE_NUMBERS64 = "line_numbers64"(indices: Address, out: Address, n: u64, length: u64);
        PLACES32 = "places32"(indices: Address, out: Address, n: u32, length: u32);
        PLACES64 = "places64"(indices: Address, out: Address, n: u64, length: u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_are_whole_tiles_whose_numbers_fit() {
        for key in [1, 2, 4, 8] {
            for (value, offset) in [(0, 4), (0, 8), (4, 4), (8, 8)] {
                let tile = onesweep_tile(key, value, offset);
                let portion = portion(tile);
                assert!(portion.is_multiple_of(tile.size()) && portion + tile.size() >= 1 << 28 && portion < 1 << 28);
                // Keys or values of a tile, and where its digits go, in 48 KiB.
                assert!(tile.size() as usize * key.max(value) + DIGITS * offset <= 48 << 10, "{key} {value}");
                assert!(tile.threads.is_multiple_of(32) && tile.threads as usize >= DIGITS);
            }
        }
    }

    #[test]
    fn tiles_of_lines_grow() {
        assert_eq!(LINE_TILES.map(BlockTile::size), [16, 128, 1024, 4096]);
        assert!(LINE_KERNELS.as_flattened().iter().all(|entry| ARRAY_SORT_KERNELS[entry.index].op.contains("line")));
    }
}
