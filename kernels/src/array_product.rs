//! Products of matrices and vectors (`array/product_tiles.cuh`, `array/product_tensor.cuh`, `array/product_vector.cuh`), in the
//! image [`crate::names::ARRAY_PRODUCT`].

pub use crate::number::Number;

use crate::signature::{Address, Entry, kernels};

impl Number {
    /// Bytes of a sum of products: `AccOf` of `array/product.cuh`.
    pub const fn sum_bytes(self) -> usize {
        if self.bytes() < 4 { 4 } else { self.bytes() }
    }

    /// Whether large tiles are computed on tensor cores, where an architecture has them.
    pub const fn on_tensor_cores(self) -> bool {
        matches!(self, Self::F16 | Self::BF16)
    }

    /// Numbers that one access of a tile takes, from multiples of which on they are aligned.
    pub const fn aligned(self) -> usize {
        if self.on_tensor_cores() { 8 } else { 16 / self.sum_bytes() }
    }

    /// The tile of a block: `Tile` of `array/product_tiles.cuh`, and `TensorTile` of `array/product_tensor.cuh`.
    pub const fn tile(self, large: bool) -> Tile {
        let (m, n, k) = match (self.sum_bytes(), large) {
            (_, true) if self.on_tensor_cores() => (128, 128, 32),
            (4, true) => (128, 128, 16),
            (4, false) => (64, 64, 16),
            (8, true) => (128, 64, 8),
            (8, false) => (64, 32, 8),
            (_, true) => (64, 64, 8),
            (_, false) => (32, 32, 8),
        };
        Tile { m, n, k }
    }
}

/// Rows and columns of results that a block computes, and what it takes of the sums at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Rows.
    pub m: u64,
    /// Columns.
    pub n: u64,
    /// Depth.
    pub k: u64,
}

/// Threads of the kernels' blocks.
pub const THREADS: u32 = 256;

/// Rows that a warp of `rows_times_vector` takes.
pub const ROWS: u64 = 4;

/// Bits of `aligned` of the kernels of tiles.
pub const X_ALIGNED: u32 = 1;
/// As [`X_ALIGNED`].
pub const Y_ALIGNED: u32 = 2;

/// Products, `m`, `n`, `k`, parts and the length of a part: `Sizes` of `array/product.cuh`.
pub type Sizes = [u64; 6];

/// Axes that a stack of products has.
pub const STACK_AXES: usize = 4;

/// Extents, and the strides of both operands: `Stack` of `array/product.cuh`.
pub type Stack = [i64; 3 * STACK_AXES];

kernels! {
    /// Kernels for numbers of one type ([`Owner::Number`](crate::signature::Owner::Number)). Of the products of matrices, the
    /// names say whether rows or columns of the operands are dense.
    ARRAY_PRODUCT_KERNELS: ArrayProduct {
        LARGE_ROWS_ROWS = "large_rows_rows"(
            x: Address, y: Address, out: Address, sizes: Sizes, x_stride: i64, y_stride: i64, stack: Stack, aligned: u32,
        );
        LARGE_ROWS_COLUMNS = "large_rows_columns"(
            x: Address, y: Address, out: Address, sizes: Sizes, x_stride: i64, y_stride: i64, stack: Stack, aligned: u32,
        );
        LARGE_COLUMNS_ROWS = "large_columns_rows"(
            x: Address, y: Address, out: Address, sizes: Sizes, x_stride: i64, y_stride: i64, stack: Stack, aligned: u32,
        );
        LARGE_COLUMNS_COLUMNS = "large_columns_columns"(
            x: Address, y: Address, out: Address, sizes: Sizes, x_stride: i64, y_stride: i64, stack: Stack, aligned: u32,
        );
        SMALL_ROWS_ROWS = "small_rows_rows"(
            x: Address, y: Address, out: Address, sizes: Sizes, x_stride: i64, y_stride: i64, stack: Stack, aligned: u32,
        );
        SMALL_ROWS_COLUMNS = "small_rows_columns"(
            x: Address, y: Address, out: Address, sizes: Sizes, x_stride: i64, y_stride: i64, stack: Stack, aligned: u32,
        );
        SMALL_COLUMNS_ROWS = "small_columns_rows"(
            x: Address, y: Address, out: Address, sizes: Sizes, x_stride: i64, y_stride: i64, stack: Stack, aligned: u32,
        );
        SMALL_COLUMNS_COLUMNS = "small_columns_columns"(
            x: Address, y: Address, out: Address, sizes: Sizes, x_stride: i64, y_stride: i64, stack: Stack, aligned: u32,
        );
        ROW_TIMES_VECTOR = "row_times_vector"(
            matrix: Address, vector: Address, out: Address, sizes: Sizes, pitch: i64, stack: Stack, aligned: u32,
        );
        ROWS_TIMES_VECTOR = "rows_times_vector"(
            matrix: Address, vector: Address, out: Address, sizes: Sizes, pitch: i64, stack: Stack, aligned: u32,
        );
        COLUMNS_TIMES_VECTOR = "columns_times_vector"(
            matrix: Address, vector: Address, out: Address, sizes: Sizes, pitch: i64, stack: Stack, width: u32, aligned: u32,
        );
        SUM_PARTS = "sum_parts"(sums: Address, out: Address, n: u64, parts: u64);
    }
}

/// A kernel that multiplies matrices.
pub type TileKernel = Entry<(Address, Address, Address, Sizes, i64, i64, Stack, u32)>;

/// The kernel for small or large tiles, and operands whose rows are dense or else whose columns are.
pub const fn tile_kernel(large: bool, x_rows: bool, y_rows: bool) -> TileKernel {
    match (large, x_rows, y_rows) {
        (true, true, true) => LARGE_ROWS_ROWS,
        (true, true, false) => LARGE_ROWS_COLUMNS,
        (true, false, true) => LARGE_COLUMNS_ROWS,
        (true, false, false) => LARGE_COLUMNS_COLUMNS,
        (false, true, true) => SMALL_ROWS_ROWS,
        (false, true, false) => SMALL_ROWS_COLUMNS,
        (false, false, true) => SMALL_COLUMNS_ROWS,
        (false, false, false) => SMALL_COLUMNS_COLUMNS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_those_of_their_names() {
        for (large, size) in [(true, "large"), (false, "small")] {
            for (x, of_x) in [(true, "rows"), (false, "columns")] {
                for (y, of_y) in [(true, "rows"), (false, "columns")] {
                    let entry = tile_kernel(large, x, y);
                    assert_eq!(ARRAY_PRODUCT_KERNELS[entry.index].op, format!("{size}_{of_x}_{of_y}"));
                }
            }
        }
    }
}
