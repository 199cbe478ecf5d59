//! Scans, compaction and search of arrays, sequences, and a few bytes for the host (`array/scan.cuh`, `array/compact.cuh`,
//! `array/search.cuh`, `array/sequence.cuh`, `array/to_host.cuh`), in the image [`crate::names::ARRAY_SCAN`].

use crate::array_sort::{BlockTile, OrderMasks};
use crate::signature::{Address, Entry, kernels};

/// A block's part of a scan.
pub const SCAN: BlockTile = BlockTile { threads: 256, items: 8 };

/// The longest line that a warp scans.
pub const WARP_LINE: u64 = 1024;

/// A block's part of a mask.
pub const COMPACT: BlockTile = BlockTile { threads: 256, items: 16 };

kernels! {
    /// Kernels for elements of one type.
    ARRAY_SCAN_KERNELS: ArrayScan {
        LINES_U64 = "scan_lines_u64"(x: Address, out: Address, lines: u64, length: u64, first: u64, product: u32);
        LINES_F32 = "scan_lines_f32"(x: Address, out: Address, lines: u64, length: u64, first: u64, product: u32);
        LINES_F64 = "scan_lines_f64"(x: Address, out: Address, lines: u64, length: u64, first: u64, product: u32);
        LINES_C128 = "scan_lines_c128"(x: Address, out: Address, lines: u64, length: u64, first: u64, product: u32);
        TOTALS_U64 = "scan_totals_u64"(x: Address, totals: Address, lines: u64, length: u64, tiles: u64, product: u32);
        TOTALS_F32 = "scan_totals_f32"(x: Address, totals: Address, lines: u64, length: u64, tiles: u64, product: u32);
        TOTALS_F64 = "scan_totals_f64"(x: Address, totals: Address, lines: u64, length: u64, tiles: u64, product: u32);
        TOTALS_C128 = "scan_totals_c128"(x: Address, totals: Address, lines: u64, length: u64, tiles: u64, product: u32);
        TILES_U64 = "scan_tiles_u64"(
            x: Address, before: Address, out: Address, lines: u64, length: u64, tiles: u64, first: u64, product: u32,
        );
        TILES_F32 = "scan_tiles_f32"(
            x: Address, before: Address, out: Address, lines: u64, length: u64, tiles: u64, first: u64, product: u32,
        );
        TILES_F64 = "scan_tiles_f64"(
            x: Address, before: Address, out: Address, lines: u64, length: u64, tiles: u64, first: u64, product: u32,
        );
        TILES_C128 = "scan_tiles_c128"(
            x: Address, before: Address, out: Address, lines: u64, length: u64, tiles: u64, first: u64, product: u32,
        );
        MASK_COUNTS = "mask_counts"(mask: Address, counts: Address, n: u64, tiles: u64);
        MASK_PLACES = "mask_places"(mask: Address, starts: Address, out: Address, n: u64, tiles: u64);
        RUN_LENGTHS = "run_lengths"(starts: Address, out: Address, runs: u64, n: u64);
        RUN_NUMBERS = "run_numbers"(order: Address, starts: Address, out: Address, runs: u64, n: u64);
        SEQUENCE_INTEGERS = "sequence_integers"(out: Address, n: u64, from: u64, by: u64);
        SEQUENCE_REALS = "sequence_reals"(out: Address, n: u64, stride: u64, from: f64, by: f64, ends: u32, to: f64);
        FEW_TO_HOST = "few_to_host"(from: Address, to: Address, bytes: u64);
    }
}

/// What a scan of tiles takes: elements, what is before each tile, results; lines, their length, tiles of each, whether results
/// begin with what no elements have, and whether elements are multiplied.
pub type Tiles = (Address, Address, Address, u64, u64, u64, u64, u32);

/// The kernels that scan elements of one type.
#[derive(Clone, Copy)]
pub struct ScanKernels {
    /// Bytes of a total.
    pub bytes: usize,
    /// Short lines.
    pub lines: Entry<(Address, Address, u64, u64, u64, u32)>,
    /// Totals of tiles.
    pub totals: Entry<(Address, Address, u64, u64, u64, u32)>,
    /// Tiles, from what is before each.
    pub tiles: Entry<Tiles>,
}

/// Of 64-bit integers, which wrap.
pub const SCAN_U64: ScanKernels = ScanKernels { bytes: 8, lines: LINES_U64, totals: TOTALS_U64, tiles: TILES_U64 };
/// Of `float32`, with totals in `float64`.
pub const SCAN_F32: ScanKernels = ScanKernels { bytes: 8, lines: LINES_F32, totals: TOTALS_F32, tiles: TILES_F32 };
/// Of `float64`.
pub const SCAN_F64: ScanKernels = ScanKernels { bytes: 8, lines: LINES_F64, totals: TOTALS_F64, tiles: TILES_F64 };
/// Of `complex128`.
pub const SCAN_C128: ScanKernels = ScanKernels { bytes: 16, lines: LINES_C128, totals: TOTALS_C128, tiles: TILES_C128 };

kernels! {
    /// Kernels for keys of so many bytes ([`Owner::Bytes`](crate::signature::Owner::Bytes)).
    ARRAY_SEARCH_KERNELS: ArraySearch {
        SEARCH = "search"(
            sorted: Address, values: Address, out: Address, length: u64, count: u64, right: u32, order: OrderMasks,
        );
        RUN_STARTS = "run_starts"(sorted: Address, out: Address, n: u64, order: OrderMasks);
    }
}
