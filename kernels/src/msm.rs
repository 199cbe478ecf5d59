//! Multi-scalar multiplication: kernels, constants of `msm/*.cuh`, and how much of what a launch needs. Data for the host
//! code; nothing here needs a GPU.

use crate::signature::{Address, kernels};

kernels! {
    /// Kernels of each curve group, `<curve>_<op>` in the image `<curve>_msm`.
    MSM_KERNELS: Msm {
        CONVERT = "msm_convert"(a: Address, out: Address, n: u64, montgomery: u32);
        PRECOMPUTE = "msm_precompute"(a: Address, out: Address, n: u64, factor: u64, shift: u32, montgomery: u32);
        DIGITS = "msm_digits"(
            scalars: Address, keys: Address, counts: Address, n: u64, batch: u64, bits: u32, factor: u32, step: u32, c: u32,
            wide: u32, first_window: u32, windows: u32, montgomery: u32, shift: [u32; 12],
        );
        ACCUMULATE = "msm_accumulate"(
            starts: Address, entries: Address, points: Address, sums: Address, head: Address, tail: Address, cross: Address,
            buckets: u32, chunk: u32, chunks: u32,
        );
        GATHER = "msm_gather"(starts: Address, sums: Address, head: Address, tail: Address, buckets: u32, chunk: u32);
        MERGE = "msm_merge"(
            cross: Address, sums: Address, head: Address, tail: Address, count: u32, stride: u32, span: u32,
        );
        LANES = "msm_lanes"(
            starts: Address, sums: Address, plain: Address, weighted: Address, lanes: u64, log_lane: u32,
        );
        PARTS = "msm_parts"(plain: Address, weighted: Address, parts: Address, log_lanes: u32, rows: u64);
        ROWS = "msm_rows"(
            parts: Address, sums: Address, rows: u64, log_lanes: u32, log_lane: u32, first_window: u32, windows: u32,
            all_windows: u32, more: u32,
        );
        FINISH = "msm_finish"(rows: Address, out: Address, batch: u64, windows: u32, c: u32, wide: u32);
    }
}

/// Threads of a block of the tree over chunks, `msm_merge`.
pub const MERGE_THREADS: u32 = 128;
/// Nodes of that tree that a block makes one of, where there are many and few: in the first case a thread does an addition,
/// in the second a group of threads, which takes less time and more work.
const SPANS: (u32, u32) = (256, 32);
/// Nodes that count as many: more additions than groups of threads find room for at once.
const MANY_NODES: u32 = 1 << 16;
/// Threads of `msm_merge`, `msm_rows` and `msm_finish` that work on one sum.
pub const TOGETHER: u64 = 8;
/// Counts that a block of the scan takes.
pub const SCAN_BLOCK: u64 = 2048;
/// Entries, points and buckets of a launch set are numbered in 31 bits.
pub const MOST: u64 = 1 << 31;

/// The shape of one launch set: some windows of some multiplications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows: windows times multiplications.
    pub rows: u64,
    /// Entries of a row: points times multiples.
    pub entries: u64,
    /// Sets of points.
    pub sets: u64,
    /// Window bits; a row has `2^(c-1)` buckets.
    pub c: u32,
    /// Entries that one thread sums.
    pub chunk: u64,
    /// Buckets, as a power of two, whose weighted sum one thread computes.
    pub log_lane: u32,
}

impl Shape {
    /// Chunks and lanes so that the device is filled, if there is enough work. Short chunks leave buckets in more pieces,
    /// long lanes make threads wait for each other: the bounds are what took least time at 2^10 to 2^20 points.
    pub fn new(rows: u64, entries: u64, sets: u64, c: u32, sms: u32) -> Self {
        let each = (rows * entries).div_ceil(u64::from(sms) * 2048).next_power_of_two();
        let lanes = (rows << (c - 1)) / (u64::from(sms) * 256);
        let log_lane = lanes.max(1).ilog2().clamp(1, 6).min(c - 1);
        Self { rows, entries, sets, c, chunk: each.clamp(16, 64), log_lane }
    }

    /// Buckets of all rows.
    pub fn buckets(&self) -> u64 {
        self.rows << (self.c - 1)
    }

    /// Chunks of all entries.
    pub fn chunks(&self) -> u64 {
        (self.rows * self.entries).div_ceil(self.chunk)
    }

    /// Whether a bucket may have more partial sums than one thread should add, so that the tree is needed.
    pub fn may_be_heavy(&self) -> bool {
        let light = if self.chunk <= 16 { 4 } else { 8 };
        self.entries > light * self.chunk
    }

    /// The launches of the tree: nodes, chunks of each, and how many of them a block makes one of.
    pub fn merges(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let (mut nodes, mut stride) = (self.chunks() as u32, 1u32);
        std::iter::from_fn(move || {
            let span = if nodes > MANY_NODES { SPANS.0 } else { SPANS.1 };
            let launch = (nodes > 1).then_some((nodes, stride, span));
            (nodes, stride) = (nodes.div_ceil(span), stride.saturating_mul(span));
            launch
        })
    }

    /// Lanes of all rows.
    pub fn lanes(&self) -> u64 {
        self.buckets() >> self.log_lane
    }

    /// Lanes of a row, as a power of two.
    pub fn log_lanes(&self) -> u32 {
        self.c - 1 - self.log_lane
    }

    /// Whether every number fits its type.
    pub fn is_countable(&self) -> bool {
        let below = |x: Option<u64>| x.is_some_and(|x| x < MOST);
        below(self.rows.checked_mul(self.entries))
            && below(self.sets.checked_mul(self.entries))
            && below(self.rows.checked_mul(1 << (self.c - 1)))
    }

    /// Bytes of the regions of scratch memory, in the order of [`Regions`]; `point` is the size of an affine one.
    pub fn region_bytes(&self, point: u64) -> [u64; REGIONS] {
        let (sum, chunks) = (2 * point, self.chunks());
        let partials = chunks * sum;
        [
            self.sets * self.entries * point,
            4 * self.rows * self.entries,
            4 * self.rows * self.entries,
            4 * (self.buckets() + 1),
            4 * self.buckets(),
            4 * self.buckets().div_ceil(SCAN_BLOCK),
            4 * chunks,
            partials,
            partials,
            self.buckets() * sum,
            self.lanes() * sum,
            self.lanes() * sum,
            self.rows * u64::from(1 + self.log_lanes()) * sum,
        ]
    }

    /// Bytes of scratch memory.
    pub fn bytes(&self, point: u64) -> u64 {
        self.region_bytes(point).iter().map(|bytes| bytes.next_multiple_of(ALIGN)).sum()
    }

    /// Addresses of the regions in scratch memory that starts at `base`.
    pub fn regions(&self, base: u64, point: u64) -> Regions {
        let mut at = base;
        let [points, keys, entries, starts, cursor, scan, cross, head, tail, sums, plain, weighted, parts] =
            self.region_bytes(point).map(|bytes| {
                let start = at;
                at += bytes.next_multiple_of(ALIGN);
                start
            });
        Regions { points, keys, entries, starts, cursor, scan, cross, head, tail, sums, plain, weighted, parts }
    }
}

/// How many regions there are.
const REGIONS: usize = 13;
/// Regions start at multiples of this.
const ALIGN: u64 = 256;

/// Where what lies in scratch memory.
#[derive(Clone, Copy, Debug)]
pub struct Regions {
    /// Points in working form.
    pub points: u64,
    /// Digits' buckets, rows of entries.
    pub keys: u64,
    /// Point numbers, sorted by bucket.
    pub entries: u64,
    /// First entry of each bucket, and the end; counts before the scan.
    pub starts: u64,
    /// Next entry of each bucket.
    pub cursor: u64,
    /// Sums of the scan's blocks.
    pub scan: u64,
    /// Heavy bucket that crosses into each chunk.
    pub cross: u64,
    /// Partial sums of buckets that began before the chunk; the tree works in place.
    pub head: u64,
    /// Partial sums of buckets that begin in the chunk and go on.
    pub tail: u64,
    /// Bucket sums.
    pub sums: u64,
    /// Lanes' sums.
    pub plain: u64,
    /// Lanes' weighted sums.
    pub weighted: u64,
    /// Rows' tree sums.
    pub parts: u64,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test's way to fail
    use super::*;

    #[test]
    fn the_tree_ends_in_one_node() {
        let merges = |rows, entries, c| Shape::new(rows, entries, 1, c, 132).merges().collect::<Vec<_>>();
        assert_eq!(merges(26, 1 << 14, 10), [(26624, 1, 32), (832, 32, 32), (26, 1024, 32)]);
        assert_eq!(merges(16, 1 << 22, 16), [(1 << 20, 1, 256), (4096, 256, 32), (128, 1 << 13, 32), (4, 1 << 18, 32)]);
        let heavy = |entries| Shape::new(20, entries, 1, 8, 132).may_be_heavy();
        assert!(!heavy(64) && heavy(65) && heavy(1 << 20));
        assert_eq!(merges(1, 16, 4), []);
        assert_eq!(merges(1, 17, 4), [(2, 1, 32)]);
        for last in [(13, (1 << 24) - 1, 20), (100, 77, 5), (15, 1 << 26, 20)].map(|(r, e, c)| merges(r, e, c)) {
            let &(nodes, _, span) = last.last().unwrap();
            assert!(nodes <= span);
        }
    }

    #[test]
    fn regions_hold_every_partial_sum() {
        for (rows, entries, c) in [(32, 1, 1), (32, 4096, 8), (13, 1 << 24, 20), (3, 77, 5)] {
            let shape = Shape::new(rows, entries, 1, c, 132);
            let regions = shape.regions(0, 64);
            assert!(shape.chunks() * 128 <= regions.tail - regions.head, "{shape:?}");
            assert!(regions.parts < shape.bytes(64));
            assert!(shape.is_countable() && shape.lanes() << shape.log_lane == shape.buckets());
        }
        assert!(!Shape::new(16, 1 << 28, 1, 16, 132).is_countable());
    }
}
