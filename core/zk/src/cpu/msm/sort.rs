//! Points of every window in the order of their buckets.

use super::plan::{OP, Plan};
use icicle_algebra::curve::pairs::NEGATE;
use icicle_cpu::parallel::chunks_with;
use icicle_error::Result;
use icicle_error::reserve::filled;

/// The points of a segment, sorted by bucket in each window by counting.
pub(super) struct Sorted {
    /// A row per window: indices of points, with [`NEGATE`] for those to subtract.
    entries: Vec<u32>,
    /// A row per window: where each bucket begins in the window's entries, and where the last one ends.
    starts: Vec<u32>,
    row: usize,
    buckets: usize,
}

impl Sorted {
    /// Room for segments of up to `row` points.
    pub fn new(plan: &Plan, row: usize) -> Result<Self> {
        let buckets = plan.buckets();
        Ok(Self {
            entries: filled(OP, plan.windows * row, 0)?,
            starts: filled(OP, plan.windows * (buckets + 1), 0)?,
            row,
            buckets,
        })
    }

    /// Sort a segment, given its shifted scalars.
    pub fn fill(&mut self, plan: &Plan, shifted: &[u64]) {
        let (entries, starts) = ((&mut self.entries[..], self.row), (&mut self.starts[..], self.buckets + 1));
        chunks_with(entries, starts, &|w, entries, starts| {
            starts.fill(0);
            for_each_digit(plan, w, shifted, |_, digit| starts[digit.unsigned_abs() as usize - 1] += 1);
            let mut end = 0;
            for start in starts.iter_mut() {
                end += *start;
                *start = end;
            }
            // Each bucket is filled from its end, which leaves its start behind.
            for_each_digit(plan, w, shifted, |index, digit| {
                let slot = &mut starts[digit.unsigned_abs() as usize - 1];
                *slot -= 1;
                entries[*slot as usize] = index | if digit < 0 { NEGATE } else { 0 };
            });
        });
    }

    /// Entries of a bucket; buckets are numbered through the windows.
    #[inline(always)]
    pub fn bucket(&self, g: usize) -> &[u32] {
        let (w, b) = (g / self.buckets, g % self.buckets);
        let starts = &self.starts[w * (self.buckets + 1) + b..];
        &self.entries[w * self.row..][starts[0] as usize..starts[1] as usize]
    }
}

/// Index and digit of every point whose digit in window `w` is not zero.
#[inline(always)]
fn for_each_digit(plan: &Plan, w: usize, shifted: &[u64], mut visit: impl FnMut(u32, i32)) {
    for (j, digit) in plan.digits[w * plan.factor..][..plan.factor].iter().enumerate() {
        if digit.width == 0 {
            continue;
        }
        for (i, words) in shifted.chunks_exact(plan.words).enumerate() {
            let value = digit.read(words);
            if value != 0 {
                visit((i * plan.factor + j) as u32, value);
            }
        }
    }
}
