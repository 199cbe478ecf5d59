//! How a reduction goes through memory: partial results by pieces of a fixed size, which are then merged pairwise.
#![allow(unsafe_code)] // memory by address

use super::fold::Loops;
use crate::DType;
use crate::array::{Array, Fresh, computing};
use crate::job::Order;
use crate::layout::{self, Layout, count};
use crate::source::{Draft, Memory, Source};
use icicle_cpu::blocks::{Work, for_ranges};
use icicle_error::Result;

/// Elements of a piece where elements of one result follow each other.
const PIECE: usize = 1 << 14;
/// Rows of a piece where elements of several results follow each other.
const PIECE_ROWS: usize = 256;
/// Columns that are folded at once where rows lie in memory: what they are folded into stays in the first-level cache, and pieces of
/// rows are long enough to be prefetched.
const COLUMNS: usize = 2048;
/// Elements that follow each other from which on several results are folded at once.
const WIDE: usize = 8;

/// Elements that are folded at once where the order matters.
const RUN: usize = 512;
/// Elements of a line up to which many are folded by one call, which would cost more than they do.
const SHORT: usize = 128;

impl Loops {
    /// Fold `n` elements into one. Where the order matters they are folded by so many at once, however many a source gives.
    ///
    /// # Safety
    /// They are dense, of the loops' dtypes.
    unsafe fn fold(&self, n: usize, x: *const u8, acc: *mut u8) {
        let run = if self.commutes { n.max(1) } else { RUN };
        for at in (0..n).step_by(run) {
            // SAFETY: the caller's.
            unsafe { (self.run)(run.min(n - at), x.wrapping_add(at * self.from.bytes()), acc) };
        }
    }
}

/// The axes that are reduced: those named, or all.
pub(super) fn reduced(op: &'static str, x: &Array, axes: Option<&[isize]>) -> Result<Vec<usize>> {
    match axes {
        None => Ok((0..x.rank()).collect()),
        Some(axes) => layout::axes(op, axes, x.rank()),
    }
}

/// The shape of a result: without the reduced axes, or with extent 1 for each.
pub(super) fn result_shape(x: &Array, axes: &[usize], keepdims: bool) -> Vec<usize> {
    let extent = |(k, &extent): (usize, &usize)| match (axes.contains(&k), keepdims) {
        (true, true) => Some(1),
        (true, false) => None,
        _ => Some(extent),
    };
    x.shape().iter().enumerate().filter_map(extent).collect()
}

/// Fold the elements along axes to a dtype, in the shape that [`result_shape`] says. On GPUs kernels do so by this name.
pub(super) fn fold(
    op: &'static str,
    x: &Array,
    axes: &[usize],
    keepdims: bool,
    (kernel, loops): (&'static str, Loops),
    to: DType,
) -> Result<Array> {
    let device = computing(op, &[x])?;
    #[cfg(not(feature = "cuda"))]
    let _ = kernel;
    let shape = result_shape(x, axes, keepdims);
    // Results whose elements follow each other in memory stay innermost; of the reduced axes the densest comes last.
    let is_reduced = |k: usize| axes.contains(&k);
    let mut by_stride: Vec<_> = (0..x.rank()).collect();
    by_stride.sort_by_key(|&k| std::cmp::Reverse(x.strides()[k].unsigned_abs()));
    let kept: Vec<_> = (0..x.rank()).filter(|&k| !is_reduced(k)).collect();
    let tail = by_stride.iter().rev().take_while(|&&k| !is_reduced(k) || x.shape()[k] == 1);
    let mut inner: Vec<_> = tail.copied().filter(|&k| !is_reduced(k)).collect();
    inner.reverse();
    let extents = |list: &[usize]| list.iter().map(|&k| x.shape()[k]).product::<usize>();
    if extents(&inner) < WIDE {
        inner.clear();
    }
    let outer: Vec<_> = by_stride.iter().copied().filter(|&k| !is_reduced(k) && !inner.contains(&k)).collect();
    let middle: Vec<_> = by_stride.iter().copied().filter(|&k| is_reduced(k)).collect();
    let order: Vec<_> = outer.iter().chain(&middle).chain(&inner).copied().collect();
    let (length, width) = (extents(&middle), extents(&inner));
    let order = Order { shape: x.shape().to_vec(), axes: Some(order) };
    // Results' axes are outer and inner; back to the order they have in `x`.
    let places: Vec<_> = outer.iter().chain(&inner).copied().collect();
    let found: Vec<_> = places.iter().map(|&k| x.shape()[k]).collect();
    let back: Vec<_> = kept.iter().map(|k| places.iter().position(|p| p == k).unwrap_or(0)).collect();
    let layout = Layout::dense(op, &found)?.permuted(&back);
    let dense = layout.is_dense();
    #[cfg(feature = "cuda")]
    if device.kind == icicle_device::DeviceKind::Cuda {
        let (name, from, acc, outer) = (kernel, loops.from, loops.acc, extents(&outer));
        let fold = crate::cuda::fold::Fold { op, name, from, acc, to, order: &order, outer, length, width };
        let result = fold.run(device, x)?.done();
        let result = if dense { result } else { crate::conversion::convert_in_order(op, &result.with_layout(layout))? };
        return Ok(result.with_layout(Layout::dense(op, &shape)?));
    }
    let (draft, source) = Draft::reading(op, &order, x, loops.from)?;

    let through = Through { outer: extents(&outer), length, width, loops, draft };
    let pieces = through.length.div_ceil(if inner.is_empty() { PIECE } else { PIECE_ROWS }).max(1);
    let held = count(op, &[pieces, through.outer, through.width])?;
    let mut partial = Fresh::new(op, device, loops.acc, &[held])?;
    let memory = Partial(Memory(partial.start()), loops.acc.bytes());
    if held > 0 {
        // SAFETY: it holds so many.
        unsafe { (loops.start)(held, memory.at(0)) };
        match inner.is_empty() {
            true => through.runs(&source, &memory, pieces),
            false => through.rows(&source, &memory, pieces),
        }
        through.merge(&memory, pieces);
    }
    // The first of the partial results is the result.
    let result = partial.done().with_layout(layout);
    if pieces == 1 && dense {
        return result.with_layout(Layout::dense(op, &shape)?).astype(to);
    }
    // A copy, so that the other partial results are freed.
    let result = crate::conversion::convert_in_order(op, &result)?;
    result.with_layout(Layout::dense(op, &shape)?).astype(to)
}

/// Partial results: `[pieces][outer][width]`.
struct Partial(Memory, usize);
impl Partial {
    fn at(&self, index: usize) -> *mut u8 {
        self.0.at(index * self.1)
    }
}

/// The extents an array is folded by: `[outer][length][width]`.
struct Through {
    outer: usize,
    length: usize,
    width: usize,
    loops: Loops,
    draft: Draft,
}

impl Through {
    /// Elements of one result follow each other.
    fn runs(&self, source: &Source, memory: &Partial, pieces: usize) {
        let bytes = self.length.min(PIECE) * self.loops.from.bytes();
        let step = self.draft.at_once();
        for_ranges(self.outer * pieces, bytes.max(1), Work::Light, |range| {
            self.draft.with(|scratch| {
                if (1..=SHORT).contains(&self.length) && self.draft.is_direct() {
                    let (first, count) = (range.start, range.len());
                    // SAFETY: lines of the source, which needs no blocks, and this task's own results.
                    unsafe {
                        let x = source.block(first * self.length, count * self.length, scratch);
                        (self.loops.lines)(count, self.length, x, memory.at(first));
                    }
                    return;
                }
                for task in range {
                    let (outer, piece) = (task / pieces, task % pieces);
                    let (mut at, end) = (piece * PIECE, self.length.min((piece + 1) * PIECE));
                    let acc = memory.at(piece * self.outer + outer);
                    while at < end {
                        let n = step.min(end - at);
                        // SAFETY: elements of the source, no more than a step, and this task's own partial result.
                        unsafe { self.loops.fold(n, source.block(outer * self.length + at, n, scratch), acc) };
                        at += n;
                    }
                }
            });
        });
    }

    /// Elements of several results follow each other: rows are folded into a row of partial results.
    fn rows(&self, source: &Source, memory: &Partial, pieces: usize) {
        let direct = self.draft.is_direct();
        let most = self.draft.at_once().min(COLUMNS);
        let columns = self.width.div_ceil(most);
        let bytes = self.length.min(PIECE_ROWS) * self.width.min(most) * self.loops.from.bytes();
        for_ranges(self.outer * pieces * columns, bytes.max(1), Work::Light, |range| {
            self.draft.with(|scratch| {
                for task in range {
                    let (column, task) = (task % columns * most, task / columns);
                    let (outer, piece) = (task / pieces, task % pieces);
                    let n = most.min(self.width - column);
                    let acc = memory.at((piece * self.outer + outer) * self.width + column);
                    let rows = piece * PIECE_ROWS..self.length.min((piece + 1) * PIECE_ROWS);
                    // Where they lie in memory, one behind another, all at once.
                    let together = if direct { rows.len().max(1) } else { 1 };
                    let pitch = self.width * self.loops.from.bytes();
                    for row in rows.step_by(together) {
                        let start = (outer * self.length + row) * self.width + column;
                        // SAFETY: as above, of `n` partial results.
                        unsafe { (self.loops.rows)(n, (together, pitch), source.block(start, n, scratch), acc) };
                    }
                }
            });
        });
    }

    /// Merge all pieces into the first, pairwise.
    fn merge(&self, memory: &Partial, pieces: usize) {
        let n = self.outer * self.width;
        let mut apart = 1;
        while apart < pieces {
            for piece in (0..pieces - apart).step_by(2 * apart) {
                // SAFETY: two different pieces, each of `n`.
                unsafe { (self.loops.merge)(n, memory.at((piece + apart) * n), memory.at(piece * n)) };
            }
            apart *= 2;
        }
    }
}
