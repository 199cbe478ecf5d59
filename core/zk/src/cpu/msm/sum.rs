//! Sums of the points of every bucket, as trees of independent affine additions.

use super::plan::{OP, Plan};
use super::sort::Sorted;
use icicle_algebra::curve::pairs::{Adder, Pair, named};
use icicle_algebra::curve::{Affine, Curve};
use icicle_cpu::parallel;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use icicle_error::reserve::{collected, filled, with_capacity};
use std::ops::Range;

/// Points a task sums: large enough to share an inversion widely, small enough for the second-level cache.
pub(super) const CHUNK: usize = 1 << 12;

/// Points left of a part of a long run.
pub(super) const PARTIALS_PER_CHUNK: usize = 1 << 6;

/// What runs come to.
#[derive(Clone, Copy, Default)]
struct Size {
    runs: usize,
    entries: usize,
    /// Points left once each run's pairs have been added, what the target holds among them.
    points: usize,
}

impl Size {
    /// One more run.
    fn with(self, entries: usize) -> Self {
        let points = self.points + entries.div_ceil(2) + 1;
        Self { runs: self.runs + 1, entries: self.entries + entries, points }
    }
    /// The larger of each.
    fn max(self, o: Self) -> Self {
        Self { runs: self.runs.max(o.runs), entries: self.entries.max(o.entries), points: self.points.max(o.points) }
    }
}

/// The runs of points a task sums, and where their sums go.
struct Runs<C: Curve> {
    /// Target of each run, and how many points are left of it once `pairs` have been added.
    runs: Vec<(u32, u32)>,
    /// The points left, run by run: the first `filled`.
    points: Vec<Affine<C>>,
    filled: usize,
    pairs: Vec<Pair>,
    next: Vec<Affine<C>>,
    adder: Adder<C>,
}

impl<C: Curve> Runs<C> {
    /// For runs that come to no more than this.
    fn new(size: Size) -> Result<Self> {
        let pairs = size.entries.max(size.points) / 2;
        Ok(Self {
            runs: with_capacity(OP, size.runs)?,
            points: filled(OP, size.points, Affine::NEUTRAL)?,
            filled: 0,
            pairs: with_capacity(OP, pairs)?,
            next: filled(OP, size.points, Affine::NEUTRAL)?,
            adder: Adder::new(OP, pairs)?,
        })
    }

    /// Add a run: what the target holds, and points of the segment, which are read when they are added by pairs.
    fn push(&mut self, target: usize, held: Affine<C>, points: &[Affine<C>], entries: &[u32]) {
        let (pairs, odd) = entries.as_chunks::<2>();
        let first = self.filled;
        self.pairs.extend(pairs.iter().zip(first as u32..).map(|(&[a, b], out)| Pair { a, b, out }));
        self.filled += pairs.len() + odd.len() + usize::from(!held.is_neutral());
        let others = odd.iter().map(|&e| named(points, e)).chain([held]);
        for (slot, point) in self.points[first + pairs.len()..self.filled].iter_mut().zip(others) {
            *slot = point;
        }
        self.runs.push((target as u32, (self.filled - first) as u32));
    }

    /// Sum every run by pairing neighbours until at most `left` points are left of it, which are written from its target
    /// on; then forget the runs.
    fn sum(&mut self, points: &[Affine<C>], left: u32, targets: &mut [Affine<C>]) {
        self.adder.add(points, &self.pairs, &mut self.points);
        while !self.runs.is_empty() {
            self.pairs.clear();
            let (mut from, mut to) = (0u32, 0u32);
            let (points, next, pairs) = (&self.points, &mut self.next, &mut self.pairs);
            self.runs.retain_mut(|(target, length)| {
                if *length <= left {
                    let count = *length as usize;
                    targets[*target as usize..][..count].copy_from_slice(&points[from as usize..][..count]);
                    from += *length;
                    return false;
                }
                let half = *length / 2;
                pairs.extend((0..half).map(|k| Pair { a: from + 2 * k, b: from + 2 * k + 1, out: to + k }));
                if *length % 2 == 1 {
                    next[(to + half) as usize] = points[(from + *length - 1) as usize];
                }
                from += *length;
                *length -= half;
                to += *length;
                true
            });
            self.adder.add(points, pairs, next);
            self.filled = to as usize;
            std::mem::swap(&mut self.points, &mut self.next);
        }
        self.pairs.clear();
        self.filled = 0;
    }
}

/// Add the points of a segment to the buckets.
pub(super) fn accumulate<C: Curve>(
    plan: &Plan,
    sorted: &Sorted,
    points: &[Affine<C>],
    buckets: &mut [Affine<C>],
) -> Result<()> {
    let total = plan.windows * plan.buckets();
    // Each chunk but the last, and each long run, has CHUNK points at least.
    let most = plan.windows * points.len() / CHUNK + 1;
    let (mut chunks, mut long) = (with_capacity(OP, most)?, with_capacity(OP, most)?);
    let (mut first, mut held, mut largest) = (0, Size::default(), Size::default());
    for g in 0..total {
        let length = sorted.bucket(g).len();
        if length > CHUNK {
            long.push(g);
            continue;
        }
        if length > 0 {
            held = held.with(length);
            largest = largest.max(held);
        }
        if held.entries >= CHUNK {
            chunks.push(first..g + 1);
            (first, held) = (g + 1, Size::default());
        }
    }
    chunks.push(first..total);
    for &g in &long {
        buckets[g] = sum_long(sorted.bucket(g), buckets[g], points)?;
    }
    let mut rest = buckets;
    let mut tasks = with_capacity(OP, chunks.len())?;
    for chunk in chunks {
        let (mine, others) = rest.split_at_mut(chunk.len());
        rest = others;
        tasks.push((chunk, mine));
    }
    let runs = PerThread::new(OP, tasks.len(), || Runs::new(largest))?;
    let one = |chunk: Range<usize>, targets: &mut [Affine<C>], runs: &mut Runs<C>| {
        for (target, g) in chunk.enumerate() {
            let entries = sorted.bucket(g);
            if !entries.is_empty() && entries.len() <= CHUNK {
                runs.push(target, targets[target], points, entries);
            }
        }
        runs.sum(points, 1, targets);
    };
    parallel::chunks(&mut tasks, 1, &|_, tasks| {
        runs.lend(|runs| tasks.iter_mut().for_each(|(chunk, targets)| one(chunk.clone(), targets, runs)));
    });
    Ok(())
}

/// Sum of a run too long for one task, and of what its bucket holds. Parts of it are summed until few points are left, as
/// inversions of few denominators cost much, and those are the next run.
pub(super) fn sum_long<C: Curve>(entries: &[u32], held: Affine<C>, points: &[Affine<C>]) -> Result<Affine<C>> {
    let tasks = entries.len().div_ceil(CHUNK);
    if tasks <= 1 {
        let mut out = [Affine::NEUTRAL];
        let mut runs = Runs::new(Size::default().with(entries.len()))?;
        runs.push(0, held, points, entries);
        runs.sum(points, 1, &mut out);
        return Ok(out[0]);
    }
    let mut parts = filled(OP, tasks * PARTIALS_PER_CHUNK, Affine::<C>::NEUTRAL)?;
    let runs = PerThread::new(OP, tasks, || Runs::new(Size::default().with(CHUNK)))?;
    parallel::chunks(&mut parts, PARTIALS_PER_CHUNK, &|i, part| {
        let entries = &entries[i * CHUNK..];
        runs.lend(|runs| {
            runs.push(0, Affine::NEUTRAL, points, &entries[..entries.len().min(CHUNK)]);
            runs.sum(points, PARTIALS_PER_CHUNK as u32, part);
        });
    });
    let all = collected(OP, 0..parts.len() as u32)?;
    sum_long(&all, held, &parts)
}
