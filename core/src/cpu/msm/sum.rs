//! Sums of the points of every bucket, as trees of independent affine additions.

use super::filled;
use super::plan::Plan;
use super::sort::Sorted;
use crate::Result;
use crate::algebra::curve::pairs::{Adder, Pair, named};
use crate::algebra::curve::{Affine, Curve};
use crate::cpu::parallel::{self, run_length};

/// Points a task sums: large enough to share an inversion widely, small enough for the second-level cache.
pub(super) const CHUNK: usize = 1 << 12;

/// Points left of a part of a long run.
pub(super) const LEFT: usize = 1 << 6;

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
    fn new() -> Self {
        Self {
            runs: Vec::new(),
            points: Vec::new(),
            filled: 0,
            pairs: Vec::with_capacity(CHUNK),
            next: Vec::new(),
            adder: Adder::default(),
        }
    }

    /// Add a run: what the target holds, and points of the segment, which are read when they are added by pairs.
    fn push(&mut self, target: usize, held: Affine<C>, points: &[Affine<C>], entries: &[u32]) {
        let (pairs, odd) = entries.as_chunks::<2>();
        let first = self.filled;
        self.pairs.extend(pairs.iter().zip(first as u32..).map(|(&[a, b], out)| Pair { a, b, out }));
        self.filled += pairs.len() + odd.len() + usize::from(!held.is_neutral());
        grow(&mut self.points, self.filled);
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
            grow(&mut self.next, self.filled.div_ceil(2) + self.runs.len());
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

/// Room for `n` points.
fn grow<C: Curve>(points: &mut Vec<Affine<C>>, n: usize) {
    if points.len() < n {
        points.resize(n.next_power_of_two(), Affine::NEUTRAL);
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
    let mut chunks = Vec::new();
    let mut long = Vec::new();
    let (mut first, mut held) = (0, 0);
    for g in 0..total {
        let length = sorted.bucket(g).len();
        if length > CHUNK {
            long.push(g);
            continue;
        }
        held += length;
        if held >= CHUNK {
            chunks.push(first..g + 1);
            (first, held) = (g + 1, 0);
        }
    }
    chunks.push(first..total);
    for &g in &long {
        buckets[g] = sum_long(sorted.bucket(g), buckets[g], points)?;
    }
    let mut rest = buckets;
    let mut tasks = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let (mine, others) = rest.split_at_mut(chunk.len());
        rest = others;
        tasks.push((chunk, mine));
    }
    let length = run_length(tasks.len(), 1);
    parallel::chunks(&mut tasks, length, &|_, tasks| {
        let mut runs = Runs::new();
        for (chunk, targets) in tasks {
            for (target, g) in chunk.clone().enumerate() {
                let entries = sorted.bucket(g);
                if !entries.is_empty() && entries.len() <= CHUNK {
                    runs.push(target, targets[target], points, entries);
                }
            }
            runs.sum(points, 1, targets);
        }
    });
    Ok(())
}

/// Sum of a run too long for one task, and of what its bucket holds. Parts of it are summed until few points are left, as
/// inversions of few denominators are dear, and those are the next run.
pub(super) fn sum_long<C: Curve>(entries: &[u32], held: Affine<C>, points: &[Affine<C>]) -> Result<Affine<C>> {
    let tasks = entries.len().div_ceil(CHUNK);
    if tasks <= 1 {
        let mut out = [Affine::NEUTRAL];
        let mut runs = Runs::new();
        runs.push(0, held, points, entries);
        runs.sum(points, 1, &mut out);
        return Ok(out[0]);
    }
    let mut parts = filled(tasks * LEFT, Affine::<C>::NEUTRAL)?;
    let length = run_length(tasks, 1);
    parallel::chunks(&mut parts, length * LEFT, &|i, parts| {
        let mut runs = Runs::new();
        for (part, entries) in parts.chunks_mut(LEFT).zip(entries[i * length * CHUNK..].chunks(CHUNK)) {
            runs.push(0, Affine::NEUTRAL, points, entries);
            runs.sum(points, LEFT as u32, part);
        }
    });
    let all: Vec<u32> = (0..parts.len() as u32).collect();
    sum_long(&all, held, &parts)
}
