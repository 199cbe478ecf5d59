//! What the tasks of a pass in lanes work on: which elements are in their tiles, and room for these.

#![allow(unsafe_code)]

use super::reverse::reversed;
use icicle_algebra::simd::tile::{LINE, ROW, Strided, Tiles};
use icicle_cpu::memory::Scratch;
use icicle_cpu::parallel::indices;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use std::marker::PhantomData;
use std::ops::Range;

/// A task: its number, and rows of tiles.
pub(super) type Task<'a, T> = &'a (dyn Fn(usize, &mut [<T as Tiles>::Row]) + Sync);

/// Room for the rows of tiles, for each thread.
pub(super) struct TileBuffers<T> {
    scratch: PerThread<Scratch>,
    tiles: PhantomData<T>,
}

impl<T: Tiles> TileBuffers<T> {
    /// For so many rows, of up to `tasks` tasks.
    pub fn new(rows: usize, tasks: usize) -> Result<Self> {
        // A row more than there are, so that they can be aligned.
        let words = (rows + 1) * size_of::<T::Row>() / size_of::<u64>();
        let scratch = PerThread::new("ntt", tasks, || Scratch::new::<u64>("ntt", words))?;
        Ok(Self { scratch, tiles: PhantomData })
    }

    /// Do tasks with room for `rows` rows, which hold anything before.
    pub fn tasks(&self, count: usize, rows: usize, task: Task<'_, T>) {
        let one = |i: usize, scratch: &mut Scratch| {
            // SAFETY: rows are of any bits, as the trait says.
            let (_, aligned, _) = unsafe { scratch.elements::<u64>().align_to_mut::<T::Row>() };
            task(i, &mut aligned[..rows]);
        };
        indices(count, true, &|i| self.scratch.lend(|scratch| one(i, scratch)));
    }
}

/// How many columns precede the first that begins a cache line, if rows of `columns` can begin there: a line written in
/// halves is read from memory twice.
pub(super) fn shift<R>(start: *const R, columns: usize, beside: usize) -> usize {
    let past = LINE - 1 - (start.addr() + LINE - 1) % LINE;
    let whole = columns.is_multiple_of(beside * ROW) && columns > beside * ROW && past.is_multiple_of(size_of::<R>());
    if whole { past / size_of::<R>() % ROW } else { 0 }
}

/// Columns of a matrix of `stride` columns that are the columns of tiles, `beside` of them; the first follow the last.
#[derive(Clone, Copy)]
pub(super) struct Strip {
    /// Where the matrix begins.
    pub first: usize,
    pub stride: usize,
    pub column: usize,
    pub used: usize,
    pub beside: usize,
    /// Whether the rows are bit-reversed.
    pub reverse: bool,
}

impl Strip {
    /// Where the columns begin and what their `n` rows span, if every tile is full and no row comes in two runs.
    pub fn together(&self, n: usize) -> Option<(usize, usize)> {
        let is_one = self.used == self.beside * ROW && self.column + self.used <= self.stride;
        is_one.then(|| (self.first + self.column, (n - 1) * self.stride + self.used))
    }

    /// The matrix in memory, from its first column here.
    pub fn at<P>(&self, start: P) -> Strided<P> {
        Strided { start, stride: self.stride, reverse: self.reverse, beside: self.beside }
    }

    /// Where the two runs of row `j` of `n` of tile `k` begin, and their lanes.
    pub fn runs(&self, k: usize, j: usize, n: usize) -> [(usize, Range<usize>); 2] {
        let row = self.first + self.stride * if self.reverse { reversed(j, n.trailing_zeros()) } else { j };
        let (column, used) = ((self.column + k * ROW) % self.stride, ROW.min(self.used - k * ROW));
        let head = used.min(self.stride - column);
        [(row + column, 0..head), (row, head..used)]
    }
}

/// Sixteen blocks that are one tile.
pub(super) struct Group {
    /// Which; the last ones past the end repeat.
    pub blocks: [usize; ROW],
    pub used: usize,
    pub levels: u32,
}

impl Group {
    /// Blocks from the `first` to the `end`; or, `across`, those that follow each other bit-reversed, that many places
    /// on, in a ring.
    pub fn new(first: usize, end: usize, log_blocks: u32, levels: u32, across: Option<usize>) -> Self {
        let last = (1 << log_blocks) - 1;
        let blocks = std::array::from_fn(|i| match across {
            Some(shift) => (first & !last) + reversed((first + shift + i) & last, log_blocks),
            None => (first + i).min(end - 1),
        });
        Self { blocks, used: ROW.min(end - first), levels }
    }
}
