//! Transforms in lanes of vectors that keep the network's order: elements stay where they lie (see
//! [`simd::word_blocks`](icicle_algebra::simd::word_blocks)).
//!
//! A block goes through a few levels in one sequential pass, then its parts one by one, so that most of the work is on what
//! the caches hold, down to leaves. Nothing is gathered from columns, and the caches need not hold more than a part.

#![allow(unsafe_code)]

use super::domain::{Leaves, Table};
use super::plan::Plan;
use icicle_algebra::Field;
use icicle_algebra::simd::tile::{DOWN, Raw, UP};
use icicle_algebra::simd::word_blocks::{InPlace, LOG_LEAF, Place};
use icicle_cpu::memory::{In, Out};
use icicle_cpu::parallel::{indices, threads};
use icicle_error::Result;

/// Log of the elements of a block from which on several threads work on it.
const LOG_SHARED: u32 = 13;
/// Columns of a shared block that are one task.
const COLUMNS: usize = 1 << 9;

/// A transform of vectors of `2^log_n` elements, at least those of a leaf.
pub(super) struct Straight<'a, T: InPlace> {
    arithmetic: &'a T,
    plan: &'a Plan<T::Field>,
    table: Table<T::Field>,
    leaves: Leaves<T::Field>,
    common: T::Common,
    log_n: u32,
}

/// A way through all levels of vectors.
pub(super) trait Network<R>: Sync {
    /// Go it from a source to an output, which is to be read too.
    fn run(&self, from: [&In<'_, R>; 2], dst: &Out<'_, R>);
}

/// A block: where it begins, the log of its elements, and its number in its level of its vector.
#[derive(Clone, Copy)]
struct Block {
    start: usize,
    log: u32,
    number: usize,
}

impl<T: InPlace> Network<Raw<T>> for Straight<'_, T> {
    fn run(&self, [src, out]: [&In<'_, Raw<T>>; 2], dst: &Out<'_, Raw<T>>) {
        indices(src.len() >> self.log_n, threads() > 1, &|i| {
            let block = Block { start: i << self.log_n, log: self.log_n, number: 0 };
            if self.plan.down {
                self.walk::<DOWN>(block, [src, out], dst);
            } else {
                self.walk::<UP>(block, [src, out], dst);
            }
        });
    }
}

impl<'a, T: InPlace> Straight<'a, T> {
    /// Prepare, if a vector has the elements of a leaf.
    ///
    /// # Errors
    /// `OutOfMemory` for the twiddles.
    pub fn new(arithmetic: &'a T, plan: &'a Plan<T::Field>, log_n: u32) -> Result<Option<Self>> {
        if log_n < LOG_LEAF {
            return Ok(None);
        }
        let (table, leaves) = (plan.twiddles(LOG_LEAF.max(log_n - LOG_LEAF))?, plan.leaves()?);
        let one = T::Field::ONE;
        let generator = plan.shifts.first().copied().unwrap_or(one);
        let common = arithmetic.common(&table, generator, plan.scale().unwrap_or(one));
        Ok(Some(Self { arithmetic, plan, table, leaves, common, log_n }))
    }

    /// All levels of a block.
    fn walk<const WAY: bool>(&self, block: Block, [src, out]: [&In<'_, Raw<T>>; 2], dst: &Out<'_, Raw<T>>) {
        let Block { start, log, number } = block;
        let left = log - LOG_LEAF;
        if left == 0 {
            self.leaves::<WAY>(block, 1, src, dst);
            return;
        }
        let levels = left.div_ceil(left.div_ceil(T::LEVELS));
        let below = log - levels;
        let shared = log >= LOG_SHARED && threads() > 1;
        // Whoever comes first reads from the source.
        let (first, then) = if WAY == DOWN { (src, out) } else { (out, src) };
        if WAY == DOWN {
            self.step::<WAY>(block, levels, shared, first, dst);
        }
        let part = |i: usize| Block { start: start + (i << below), log: below, number: (number << levels) + i };
        if below == LOG_LEAF {
            self.leaves::<WAY>(part(0), 1 << levels, then, dst);
        } else {
            indices(1 << levels, shared, &|i| self.walk::<WAY>(part(i), [then, out], dst));
        }
        if WAY == UP {
            self.step::<WAY>(block, levels, shared, first, dst);
        }
    }

    /// The first levels of a block going down, the last going up.
    fn step<const WAY: bool>(
        &self,
        block: Block,
        levels: u32,
        shared: bool,
        from: &In<'_, Raw<T>>,
        to: &Out<'_, Raw<T>>,
    ) {
        let shifts = &self.plan.shifts;
        let mut twiddles = [T::Field::ONE; 1 << 3];
        for level in 0..levels {
            for i in 0..1 << level {
                let twiddle = self.table[(block.number << level) + i];
                let shift = shifts.get((block.log - level) as usize - 1);
                twiddles[(1 << level) + i] = shift.map_or(twiddle, |&shift| twiddle * shift);
            }
        }
        let (twiddles, stride) = (&twiddles[..1 << levels], 1 << (block.log - levels));
        let columns = if shared { COLUMNS.min(stride) } else { stride };
        let span = stride * (twiddles.len() - 1) + columns;
        let canonical = WAY == UP && block.log == self.log_n;
        indices(stride / columns, shared, &|i| {
            let start = block.start + i * columns;
            let place = Place { from: from.at(start, span), to: to.at(start, span), canonical };
            // SAFETY: all rows are within the spans, which are checked here; no other task has these columns.
            unsafe { self.arithmetic.step::<WAY>(twiddles, place, stride, columns) };
        });
    }

    /// All levels of leaves, from one on.
    fn leaves<const WAY: bool>(&self, first: Block, count: usize, from: &In<'_, Raw<T>>, to: &Out<'_, Raw<T>>) {
        let span = count << LOG_LEAF;
        let canonical = self.log_n == LOG_LEAF;
        let place = Place { from: from.at(first.start, span), to: to.at(first.start, span), canonical };
        let leaves = &self.leaves[first.number..first.number + count];
        // SAFETY: all elements are within the spans, which are checked here; no other task has them.
        unsafe { self.arithmetic.leaves::<WAY>(&self.common, leaves, place) };
    }
}
