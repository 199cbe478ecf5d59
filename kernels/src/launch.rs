//! How to launch each kernel: block, grid, scratch. Data for the host code; nothing here needs a GPU.

/// What a kernel's grid is over. All loops are grid-strided, so a smaller grid is always correct unless stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// x over all elements: a thread takes one, or 16 bytes of smaller ones.
    Elements,
    /// x over the elements of one vector as above, y over vectors.
    Rows,
    /// x over partial results of one vector, y over vectors; the number of blocks along x is part of the result's shape
    /// (`out[v·gridDim.x + block]`). A second launch with one block a vector finishes.
    Partials,
    /// x over `batch·segments` threads.
    Segments,
    /// x over threads that take `n / threads` elements each, 16 to 64 where there are enough.
    Runs,
    /// x over blocks: one a (vector, point, segment).
    Blocks,
    /// x over tiles of columns, y over tiles of rows of the result.
    Tiles,
    /// x over squares of one matrix or vector, y over matrices or vectors.
    Squares,
    /// x over tiles of a pass, blocks of exactly the pass's threads ([`crate::ntt`]).
    Passes,
    /// x over chunks of 2^12 rows, y over vectors.
    Chunks,
    /// x over positions: as many threads as have registers.
    Positions,
    /// x over coefficients of one division, y over divisions.
    Divisions,
}

/// How a kernel is launched. Pointers are to device memory, counts are `u64` unless stated.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// The kernel's name after the field.
    pub op: &'static str,
    /// Parameters in order, `name` or `name: type`; pointers first.
    pub parameters: &'static str,
    /// What the grid is over.
    pub grid: Grid,
    /// Elements of scratch memory: what the host allocates besides operands.
    pub scratch: &'static str,
}

const NONE: &str = "";
const PARTIALS: &str = "grid x · batch elements, if grid x > 1: the partial results";
const SEGMENTS: &str = "segments · batch elements, if segments > 1: the partial results";

/// Declare launches. Arguments: op, parameters, grid, scratch.
macro_rules! launches {
    ($($op:literal $parameters:literal $grid:ident $scratch:expr;)*) => {
        &[$(Launch { op: $op, parameters: $parameters, grid: Grid::$grid, scratch: $scratch }),*]
    };
}

/// Kernels of each field, `<field>_<op>` in the image [`crate::image_of`] the field.
///
/// `mul`, `div`, `inv`, `product`, `matmul`, `polynomial_evaluate`, `program`, `division` take and give canonical data; `add`, `sub`, `sum` work
/// on either form. `encode` multiplies by R, `decode` divides; arrays of points are vectors of coordinates.
pub const FIELD_LAUNCHES: &[Launch] = launches! {
    "add" "a, b, out, n" Elements NONE;
    "sub" "a, b, out, n" Elements NONE;
    "mul" "a, b, out, n" Elements NONE;
    "encode" "a, out, n" Elements NONE;
    "decode" "a, out, n" Elements NONE;
    "inv" "a, out, scratch, n" Runs "n elements";
    "div" "a, b, out, scratch, n" Runs "n elements";
    "scalar_add_row" "scalars, a, out, n, batch" Rows NONE;
    "scalar_add_flat" "scalars, a, out, n, batch, columns: u32" Elements NONE;
    "scalar_sub_row" "scalars, a, out, n, batch" Rows NONE;
    "scalar_sub_flat" "scalars, a, out, n, batch, columns: u32" Elements NONE;
    "scalar_mul_row" "scalars, a, out, n, batch" Rows NONE;
    "scalar_mul_flat" "scalars, a, out, n, batch, columns: u32" Elements NONE;
    "sum_block" "a, out, n, batch" Partials PARTIALS;
    "sum_thread" "a, out, n, batch, pitch, stride, segments" Segments SEGMENTS;
    "product_block" "a, out, n, batch" Partials PARTIALS;
    "product_thread" "a, out, n, batch, pitch, stride, segments" Segments SEGMENTS;
    "polynomial_evaluate" "coefficients, domain, out, n, points, batch, pitch, stride, segments, columns: u32" Blocks
        "segments · points · batch elements, if segments > 1: the partial results, for sum_block with n = segments";
    "matmul" "a, b, out, rows, inner, cols, a_row, a_col, b_row, b_col, out_row, out_col" Tiles NONE;
    "mixed_mul" "a, b, out, n" Elements NONE;
    "program" "code, registers, n, count" Positions "registers · threads elements";
    "division_prepare" "denominators, top: i64*, reversed, series, m, batch, pitch, stride" Divisions
        "(m + DIVISION_STEP) · batch elements: reversed and series";
    "division_step" "rest, reversed, series, top: i64*, quotient, step, m, batch, pitch, q_pitch, stride" Divisions
        "n · batch elements: rest, a copy of the numerators";
    "division_remainder" "rest, top: i64*, out, room, batch, pitch, out_pitch, stride" Divisions NONE;
};

/// Kernels that move elements of `w` words, `words<w>_<op>` in the image `layout`.
///
/// `bit_reverse_tiles` needs `log_n >= 2·log_side(w)`; both reversals work in place. `transpose` does not: the host
/// copies the input to scratch first. `out` of `highest_non_zero` must be filled with bytes 0xff before.
pub const LAYOUT_LAUNCHES: &[Launch] = launches! {
    "bit_reverse_tiles" "a, out, log_n: u32, batch" Squares NONE;
    "bit_reverse_pairs" "a, out, log_n: u32, batch, pitch, stride" Elements NONE;
    "slice" "a, out, n_out, batch, offset, step, pitch, out_pitch, stride" Elements NONE;
    "transpose" "a, out, rows, cols, batch" Squares "rows · cols · batch elements, if in place: a copy of the input";
    "transpose_columns" "a, out, rows, cols, batch" Elements "as transpose";
    "highest_non_zero" "a, out: i64*, n, batch, pitch, stride" Rows NONE;
};

/// Kernels of each scalar field with transforms, `<field>_<op>` in the image [`crate::image_of`] the field.
///
/// The `small` ones exist for elements of at least 8 words. A shape is `[log_n, lo, levels, log_cols, log_grps, by_level, mirrored, factor_mask]` ([`crate::ntt::Pass::shape`]);
/// bits are a factor and 32 elements, canonical.
pub const NTT_LAUNCHES: &[Launch] = launches! {
    "ntt_down" "a, out, table, factors, inner, groups, shape: NttShape" Passes "a copy, if mirrored in several passes";
    "ntt_up" "a, out, table, factors, inner, groups, shape: NttShape" Passes "a copy, if mirrored in place in several passes";
    "ntt_down_small" "as ntt_down" Passes "as ntt_down";
    "ntt_up_small" "as ntt_up" Passes "as ntt_up";
    "ntt_products" "out, count: u32, bits: NttBits" Chunks NONE;
    "ntt_multiply" "a, out, count: u32, width, batch, bits: NttBits" Chunks NONE;
    "ntt_shift" "table, out, log_n: u32, levels: u32, bits: NttBits" Elements NONE;
};

/// Threads of a block of a field's kernels, by words of an element. Reordering and matrix kernels always have 256.
pub const fn threads(words: usize) -> u32 {
    if words >= 24 { 128 } else { 256 }
}

/// Elements that one thread of an element-wise kernel takes at a time.
pub const fn per_thread(words: usize) -> u64 {
    if words < 4 { 4 / words as u64 } else { 1 }
}

/// Side of the square tiles of reorderings, as a power of two.
pub const fn log_side(words: usize) -> u32 {
    match words {
        0..=2 => 5,
        3..=8 => 4,
        _ => 3,
    }
}

/// Side of the tiles of a matrix product.
pub const fn matmul_tile(words: usize) -> u64 {
    match words {
        0..=2 => 64,
        3..=4 => 32,
        _ => 16,
    }
}

/// A grid and block. Shared memory is static in every kernel here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Blocks along x and y.
    pub grid: (u32, u32),
    /// Threads of a block.
    pub threads: u32,
}

/// Blocks a multiprocessor holds at most, for grids that stride: 2048 threads.
const fn resident(sms: u32, threads: u32) -> u64 {
    sms as u64 * (2048 / threads) as u64
}

const fn at_most(x: u64, limit: u64) -> u32 {
    let x = if x < limit { x } else { limit };
    if x == 0 { 1 } else { x as u32 }
}

/// For `Elements`, over `n` elements in all. Four times what the device holds at once evens out the tail.
pub const fn elements(words: usize, n: u64, sms: u32) -> Plan {
    let threads = threads(words);
    let blocks = n.div_ceil(threads as u64 * per_thread(words));
    Plan { grid: (at_most(blocks, 4 * resident(sms, threads)), 1), threads }
}

/// For `Rows`: `batch` vectors of `n`.
pub const fn rows(words: usize, n: u64, batch: u64, sms: u32) -> Plan {
    let one = elements(words, n, sms);
    Plan { grid: (one.grid.0, at_most(batch, 65535)), threads: one.threads }
}

/// For `Partials`: at least 8 elements a thread, at most what the device holds at once over all vectors.
pub const fn partials(words: usize, n: u64, batch: u64, sms: u32) -> Plan {
    let threads = threads(words);
    let blocks = n.div_ceil(8 * threads as u64 * per_thread(words));
    let share = resident(sms, threads).div_ceil(if batch == 0 { 1 } else { batch });
    Plan { grid: (at_most(blocks, share), at_most(batch, 65535)), threads }
}

/// For `Segments`: how many runs to cut each vector into, at least 16 elements each, so that the device is filled.
pub const fn segments(n: u64, batch: u64, sms: u32) -> u64 {
    let wanted = (resident(sms, 256) * 256).div_ceil(if batch == 0 { 1 } else { batch });
    let most = n.div_ceil(16);
    let s = if wanted < most { wanted } else { most };
    if s == 0 { 1 } else { s }
}

/// For `Segments`, over `batch·segments` threads.
pub const fn segment_threads(words: usize, batch: u64, segments: u64, sms: u32) -> Plan {
    let threads = threads(words);
    Plan { grid: (at_most((batch * segments).div_ceil(threads as u64), 4 * resident(sms, threads)), 1), threads }
}

/// For `Runs`: 32 elements a thread once the device is full, fewer before; blocks of 64 threads spread small inputs.
pub const fn runs(n: u64, sms: u32) -> Plan {
    let threads = 64;
    let full = sms as u64 * 1024;
    let count = if n / 32 > full {
        n / 32
    } else if n / 4 > full {
        full
    } else {
        n.div_ceil(4)
    };
    Plan { grid: (at_most(count.div_ceil(threads as u64), 1 << 30), 1), threads }
}

/// For `Blocks`: how many runs to cut each polynomial into, at least 16 coefficients a thread.
pub const fn polynomial_segments(words: usize, n: u64, values: u64, sms: u32) -> u64 {
    let threads = threads(words);
    let wanted = resident(sms, threads).div_ceil(if values == 0 { 1 } else { values });
    let most = n.div_ceil(16 * threads as u64);
    let s = if wanted < most { wanted } else { most };
    if s == 0 { 1 } else { s }
}

/// For `Blocks`, `values` being points times polynomials.
pub const fn blocks(words: usize, values: u64, segments: u64) -> Plan {
    Plan { grid: (at_most(values * segments, 1 << 30), 1), threads: threads(words) }
}

/// For `Tiles`: a product of `rows × cols`.
pub const fn tiles(words: usize, rows: u64, cols: u64) -> Plan {
    let tile = matmul_tile(words);
    Plan { grid: (at_most(cols.div_ceil(tile), 1 << 30), at_most(rows.div_ceil(tile), 65535)), threads: 256 }
}

/// For `transpose`.
pub const fn transpose(words: usize, rows: u64, cols: u64, batch: u64) -> Plan {
    let side = 1 << log_side(words);
    let squares = rows.div_ceil(side) * cols.div_ceil(side);
    Plan { grid: (at_most(squares, 1 << 30), at_most(batch, 65535)), threads: 256 }
}

/// For `bit_reverse_tiles`, if vectors are long enough and contiguous.
pub const fn bit_reverse(words: usize, log_n: u32, batch: u64) -> Option<Plan> {
    let both = 2 * log_side(words);
    if log_n < both {
        return None;
    }
    Some(Plan { grid: (at_most(1 << (log_n - both), 1 << 30), at_most(batch, 65535)), threads: 256 })
}

/// For `Chunks`: `batch` vectors of `2^count` rows.
pub const fn chunks(count: u32, batch: u64) -> Plan {
    let rows = 1u64 << count;
    Plan { grid: (at_most(rows.div_ceil(1 << 12), 1 << 30), at_most(batch, 65535)), threads: 256 }
}

/// Coefficients of a quotient that one `division_step` computes.
pub const DIVISION_STEP: u64 = 64;

/// For `Divisions`: `batch` vectors of `n`.
pub const fn divisions(words: usize, n: u64, batch: u64, sms: u32) -> Plan {
    let threads = threads(words);
    Plan { grid: (at_most(n.div_ceil(threads as u64), 2 * resident(sms, threads)), at_most(batch, 65535)), threads }
}

/// Bytes of registers that a program's threads have at most all together, unless it takes more to run one block.
const REGISTER_BYTES: u64 = 256 << 20;

/// For `Positions`: `n` of them, each with `registers`.
pub fn positions(words: usize, n: u64, registers: u64, sms: u32) -> Plan {
    let threads = threads(words);
    let block = registers * threads as u64 * words as u64 * 4;
    let fit = REGISTER_BYTES.checked_div(block).unwrap_or(u64::MAX).max(1);
    let most = fit.min(2 * resident(sms, threads));
    Plan { grid: (at_most(n.div_ceil(threads as u64), most), 1), threads }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_cover_small_and_large() {
        assert_eq!(elements(8, 1 << 24, 132).grid, (4224, 1));
        assert_eq!(elements(1, 1000, 132).grid, (1, 1));
        assert_eq!(elements(8, 0, 132).grid, (1, 1));
        assert_eq!(partials(8, 1 << 24, 1, 132).grid, (1056, 1));
        assert_eq!(runs(1, 132).grid, (1, 1));
        assert_eq!(runs(1 << 24, 132).grid, (8192, 1));
        assert!(bit_reverse(8, 7, 1).is_none());
        assert_eq!(divisions(8, 1 << 30, 1, 132).grid, (2112, 1));
        assert_eq!(divisions(24, 0, 1 << 20, 132).grid, (1, 65535));
        assert_eq!(positions(8, 1 << 24, 0, 132).grid, (2112, 1));
        assert_eq!(positions(8, 1 << 24, 1000, 132).grid, (32, 1));
        assert_eq!(positions(8, 1 << 24, 1 << 20, 132).grid, (1, 1));
    }
}
