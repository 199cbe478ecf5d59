//! Windows of an MSM: how wide the digits of its scalars are, by what buckets cost where it runs.

use crate::args::msm::MsmArgs;

/// What a side's buckets cost.
pub(crate) struct Buckets {
    /// Price of one, in additions of a point to one.
    pub price: f64,
    /// What every bit of a window above so many adds to an entry's price, in additions: where sorting by bucket has more places
    /// to write at than the cache holds.
    pub wide: (u32, f64),
    /// Its bytes.
    pub bytes: usize,
    /// Bytes that all may take in any case.
    pub free_bytes: usize,
    /// Bytes that all may take for each point and multiple, where that is more.
    pub bytes_per_entry: usize,
    /// Widest window.
    pub widest: u32,
}

/// Windows of equal width; a side may give the upper ones a bit less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    /// Bits of a window.
    pub c: u32,
    /// How many; each has its own buckets.
    pub count: u32,
    /// Bits that they cover: of a scalar, or of the share of each multiple.
    pub span: u32,
}

impl Windows {
    /// The cheapest windows for `n` points at a time, none wider than requested: `count·(n·factor + price·2^(c-1))` is least,
    /// with what wide windows add. Nor are there more than four buckets for each point. Any width gives the same sum.
    pub fn cheapest(args: &MsmArgs<'_>, n: usize, of: &Buckets) -> Self {
        // Signed digits need one bit more than the scalar; the last multiple has the bits that the others leave.
        let top = args.bits + 1;
        let before_last = args.step.saturating_mul(args.precompute_factor as u32 - 1);
        let span = args.step.max(top.saturating_sub(before_last));
        let entries = n.saturating_mul(args.precompute_factor).max(1);
        let most = entries.saturating_mul(of.bytes_per_entry).max(of.free_bytes);
        let fits = |c: &u32| {
            let buckets = 1usize << (c - 1);
            let bytes = (span.div_ceil(*c) as usize * of.bytes).saturating_mul(buckets);
            buckets / 4 <= entries && bytes <= most
        };
        let entry = |c: u32| 1.0 + of.wide.1 * f64::from(c.saturating_sub(of.wide.0));
        let bucket = |c: u32| of.price * (1u64 << (c - 1)) as f64;
        let cost = |c: u32| span.div_ceil(c) as f64 * (entries as f64 * entry(c) + bucket(c));
        let widest = if args.c == 0 { of.widest } else { args.c.min(of.widest) };
        let c = (1..=widest).filter(fits).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1);
        let count = span.div_ceil(c).max(1);
        // Balanced: as many, but no wider than needed.
        Self { c: span.div_ceil(count).max(1), count, span }
    }
}
