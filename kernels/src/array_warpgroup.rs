//! Products of large matrices by warpgroups (`array/product_warpgroup.cuh`), in the image
//! [`crate::names::ARRAY_WARPGROUP`], for GPUs of capability 9.0 alone.

use crate::array_product::{Number, Tile};
use crate::signature::{Address, Entry, kernels};

/// A matrix as tiles of it are copied: the driver's `CUtensorMap`.
pub type TensorMap = [u64; 16];

/// What a block computes: `WarpgroupTile` of `array/product_warpgroup.cuh`, and of the sums at a time 128 bytes of a line.
pub const fn tile(number: Number) -> Tile {
    Tile { m: 128, n: 256, k: LINE / number.bytes() as u64 }
}

/// Bytes of a tile's line.
pub const LINE: u64 = 128;

/// Threads of a block.
pub const THREADS: u32 = 384;

/// Dynamic shared memory: four tiles of both operands, and what it takes for the first to begin at a multiple of eight lines.
pub const SHARED: u32 = (4 * (128 + 256) + 8) * LINE as u32;

kernels! {
    /// Kernels for numbers of one type ([`Owner::Number`](crate::signature::Owner::Number)). The names say whether rows or
    /// columns of the operands are dense.
    ARRAY_WARPGROUP_KERNELS: ArrayWarpgroup {
        ROWS_ROWS = "multiply_rows_rows"(x: TensorMap, y: TensorMap, out: Address, m: u64, n: u64, k: u64);
        ROWS_COLUMNS = "multiply_rows_columns"(x: TensorMap, y: TensorMap, out: Address, m: u64, n: u64, k: u64);
        COLUMNS_ROWS = "multiply_columns_rows"(x: TensorMap, y: TensorMap, out: Address, m: u64, n: u64, k: u64);
        COLUMNS_COLUMNS = "multiply_columns_columns"(x: TensorMap, y: TensorMap, out: Address, m: u64, n: u64, k: u64);
    }
}

/// The kernel for operands whose rows are dense or else whose columns are.
pub const fn kernel(x_rows: bool, y_rows: bool) -> Entry<(TensorMap, TensorMap, Address, u64, u64, u64)> {
    match (x_rows, y_rows) {
        (true, true) => ROWS_ROWS,
        (true, false) => ROWS_COLUMNS,
        (false, true) => COLUMNS_ROWS,
        (false, false) => COLUMNS_COLUMNS,
    }
}

/// Whether there are kernels for such numbers, and of operands that lie so: the tensor cores take float32, as TF32, along the
/// sums alone.
pub const fn has(number: Number, x_rows: bool, y_rows: bool) -> bool {
    matches!(number, Number::F16 | Number::BF16) || matches!(number, Number::F32) && x_rows && !y_rows
}
