//! Grids and blocks of the kernels of fields. Data for the host code; nothing here needs a GPU.

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

/// For element-wise kernels, over `n` elements in all. Four times what the device holds at once evens out the tail.
pub const fn elements(words: usize, n: u64, sms: u32) -> Plan {
    let threads = threads(words);
    let blocks = n.div_ceil(threads as u64 * per_thread(words));
    Plan { grid: (at_most(blocks, 4 * resident(sms, threads)), 1), threads }
}

/// For `scalar_*_row` and `highest_non_zero`: `batch` vectors of `n`.
pub const fn rows(words: usize, n: u64, batch: u64, sms: u32) -> Plan {
    let one = elements(words, n, sms);
    Plan { grid: (one.grid.0, at_most(batch, 65535)), threads: one.threads }
}

/// For `*_block`, whose number of blocks along x is part of the result's shape (`out[v·gridDim.x + block]`; a second
/// launch with one block a vector finishes): at least 8 elements a thread, at most what the device holds at once over all vectors.
pub const fn partials(words: usize, n: u64, batch: u64, sms: u32) -> Plan {
    let threads = threads(words);
    let blocks = n.div_ceil(8 * threads as u64 * per_thread(words));
    let share = resident(sms, threads).div_ceil(if batch == 0 { 1 } else { batch });
    Plan { grid: (at_most(blocks, share), at_most(batch, 65535)), threads }
}

/// For `*_thread`: how many runs to cut each vector into, at least 16 elements each, so that the device is filled.
pub const fn segments(n: u64, batch: u64, sms: u32) -> u64 {
    let wanted = (resident(sms, 256) * 256).div_ceil(if batch == 0 { 1 } else { batch });
    let most = n.div_ceil(16);
    let s = if wanted < most { wanted } else { most };
    if s == 0 { 1 } else { s }
}

/// For `*_thread`, over `batch·segments` threads.
pub const fn segment_threads(words: usize, batch: u64, segments: u64, sms: u32) -> Plan {
    let threads = threads(words);
    Plan { grid: (at_most((batch * segments).div_ceil(threads as u64), 4 * resident(sms, threads)), 1), threads }
}

/// For `inv` and `div`: 32 elements a thread once the device is full, fewer before; blocks of 64 threads spread small inputs.
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

/// For `polynomial_evaluate`: how many runs to cut each polynomial into, at least 16 coefficients a thread.
pub const fn polynomial_segments(words: usize, n: u64, values: u64, sms: u32) -> u64 {
    let threads = threads(words);
    let wanted = resident(sms, threads).div_ceil(if values == 0 { 1 } else { values });
    let most = n.div_ceil(16 * threads as u64);
    let s = if wanted < most { wanted } else { most };
    if s == 0 { 1 } else { s }
}

/// For `polynomial_evaluate`, `values` being points times polynomials.
pub const fn blocks(words: usize, values: u64, segments: u64) -> Plan {
    Plan { grid: (at_most(values * segments, 1 << 30), 1), threads: threads(words) }
}

/// For `matmul`: a product of `rows × cols`.
pub const fn tiles(words: usize, rows: u64, cols: u64) -> Plan {
    let tile = matmul_tile(words);
    Plan { grid: (at_most(cols.div_ceil(tile), 1 << 30), at_most(rows.div_ceil(tile), 65535)), threads: 256 }
}

/// For `transpose`: logs of a tile's height and width, `Rectangle` in `vec/layout.cuh`.
const fn transpose_tile(words: usize, rows: u64, cols: u64) -> (u32, u32) {
    const fn log_up(extent: u64, most: u32) -> u32 {
        let mut log = 0;
        while log < most && 1 << log < extent {
            log += 1;
        }
        log
    }
    const fn longer(side: u32, thin: u32, extent: u64) -> u32 {
        let most = if side + 3 < 2 * side - thin { side + 3 } else { 2 * side - thin };
        log_up(extent, most)
    }
    let side = log_side(words);
    let (height, width) = (log_up(rows, side), log_up(cols, side));
    if height < side {
        (height, longer(side, height, cols))
    } else if width < side {
        (longer(side, width, rows), width)
    } else {
        (height, width)
    }
}

/// For `transpose`.
pub const fn transpose(words: usize, rows: u64, cols: u64, batch: u64) -> Plan {
    let (height, width) = transpose_tile(words, rows, cols);
    let tiles = rows.div_ceil(1 << height) * cols.div_ceil(1 << width);
    Plan { grid: (at_most(tiles, 1 << 30), at_most(batch, 65535)), threads: 256 }
}

/// For `bit_reverse_tiles`, if vectors are long enough and contiguous.
pub const fn bit_reverse(words: usize, log_n: u32, batch: u64) -> Option<Plan> {
    let both = 2 * log_side(words);
    if log_n < both {
        return None;
    }
    Some(Plan { grid: (at_most(1 << (log_n - both), 1 << 30), at_most(batch, 65535)), threads: 256 })
}

/// For `ntt_products` and `ntt_multiply`: `batch` vectors of `2^count` rows.
pub const fn chunks(count: u32, batch: u64) -> Plan {
    let rows = 1u64 << count;
    Plan { grid: (at_most(rows.div_ceil(1 << 12), 1 << 30), at_most(batch, 65535)), threads: 256 }
}

/// Coefficients of a quotient that one `division_step` computes.
pub const DIVISION_STEP: u64 = 64;

/// For `division_*`: `batch` vectors of `n`.
pub const fn divisions(words: usize, n: u64, batch: u64, sms: u32) -> Plan {
    let threads = threads(words);
    Plan { grid: (at_most(n.div_ceil(threads as u64), 2 * resident(sms, threads)), at_most(batch, 65535)), threads }
}

/// Bytes of registers that a program's threads have at most all together, unless it takes more to run one block.
const REGISTER_BYTES: u64 = 256 << 20;

/// For `program`: `n` of them, each with `registers`.
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
