//! Bit reversal of rows, block by block so that both sides are read and written in whole cache lines.
//!
//! An index is `a·2^(m+q) + mid·2^q + b`; the rows with the same `mid` are a tile of `2^q` runs of `2^q` rows, which lands
//! transposed and with both sides reversed at the mirrored `mid` (Carter, Gatlin, "Towards an optimal bit-reversal
//! permutation program", 1998).

use bytemuck::Pod;
use icicle_cpu::blocks::Block;
use icicle_cpu::memory::{In, Out};
use icicle_cpu::parallel::{indices, run_length};

/// Bytes of a run, if rows are not longer.
const RUN_BYTES: usize = 128;
/// Bytes moved by one task.
const TASK_BYTES: usize = 1 << 16;

/// The low `bits` bits of `i` in reversed order.
pub(super) fn reversed(i: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) }
}

/// Runs of a tile, at most: of elements of four bytes, which are the shortest.
const SIDE: usize = RUN_BYTES / 4;

struct Shape {
    log_n: u32,
    log_side: u32,
    /// Elements of a row.
    width: usize,
    /// Reversed `log_side`-bit indices.
    mirror: [usize; SIDE],
}

/// Copy every group of `2^log_n` rows of `width` elements with its rows in bit-reversed order; `dst` may be `src`.
pub(super) fn rows<T: Pod + Send + Sync>(src: &In<'_, T>, dst: &Out<'_, T>, log_n: u32, width: usize) {
    let row_bytes = width * size_of::<T>();
    let log_side = (RUN_BYTES / row_bytes).max(1).ilog2().min(log_n / 2);
    let shape = Shape { log_n, log_side, width, mirror: std::array::from_fn(|i| reversed(i, log_side)) };
    let log_tiles = log_n - 2 * log_side;
    let tile = width << (2 * log_side);
    // A tile fits a block; of a row that does not, columns that do are taken at a time.
    let columns = width.min(Block::len::<T>());
    let groups = src.len() / (width << log_n);
    let tasks = groups << log_tiles;
    let length = run_length(tasks, TASK_BYTES / (tile * size_of::<T>()));
    indices(tasks.div_ceil(length), true, &|run| {
        let mut blocks = [Block::default(), Block::default(), Block::default()];
        let [left, right, turned] = blocks.each_mut().map(Block::of::<T>);
        for i in run * length..tasks.min((run + 1) * length) {
            let (group, mid) = (i >> log_tiles, i & ((1 << log_tiles) - 1));
            let mirrored = reversed(mid, log_tiles);
            // The pair is exchanged by its lower half.
            if mid > mirrored {
                continue;
            }
            for column in (0..width).step_by(columns) {
                let base = group * (width << log_n) + column;
                // All of a tile, or these columns of its one row.
                let taken = columns.min(width - column) << (2 * log_side);
                let [left, right, turned] = [&mut *left, &mut *right, &mut *turned].map(|tile| &mut tile[..taken]);
                shape.read(src, base, mid, left);
                if mid != mirrored {
                    shape.read(src, base, mirrored, right);
                    shape.turn(right, turned);
                    shape.write(dst, base, mid, turned);
                }
                shape.turn(left, turned);
                shape.write(dst, base, mirrored, turned);
            }
        }
    });
}

impl Shape {
    fn side(&self) -> usize {
        1 << self.log_side
    }
    /// Where run `a` of a tile starts.
    fn start(&self, mid: usize, a: usize) -> usize {
        ((a << (self.log_n - self.log_side)) + (mid << self.log_side)) * self.width
    }
    fn read<T: Pod>(&self, src: &In<'_, T>, base: usize, mid: usize, tile: &mut [T]) {
        let run = tile.len() / self.side();
        for (a, run) in tile.chunks_exact_mut(run).enumerate() {
            src.read(base + self.start(mid, a), run);
        }
    }
    fn write<T: Pod>(&self, dst: &Out<'_, T>, base: usize, mid: usize, tile: &[T]) {
        let run = tile.len() / self.side();
        for (a, run) in tile.chunks_exact(run).enumerate() {
            dst.write(base + self.start(mid, a), run);
        }
    }
    /// Transpose a tile, reversing both sides.
    fn turn<T: Pod>(&self, tile: &[T], turned: &mut [T]) {
        let (side, mirror) = (self.side(), &self.mirror[..self.side()]);
        let run = tile.len() / side;
        let width = run / side;
        for (run, &column) in turned.chunks_exact_mut(run).zip(mirror) {
            if width == 1 {
                for (slot, &row) in run.iter_mut().zip(mirror) {
                    *slot = tile[(row << self.log_side) + column];
                }
            } else {
                for (slot, &row) in run.chunks_exact_mut(width).zip(mirror) {
                    let from = ((row << self.log_side) + column) * width;
                    slot.copy_from_slice(&tile[from..from + width]);
                }
            }
        }
    }
}
