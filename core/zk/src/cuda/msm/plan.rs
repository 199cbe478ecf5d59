//! Windows: how wide they are on a GPU, and how many are done at a time.

use crate::args::msm::MsmArgs;
use crate::args::msm::windows::{Buckets, Windows};
use icicle_kernels::msm::Shape;

/// Widest window the library chooses or accepts here.
const WIDEST: u32 = 20;
/// Price of a bucket in additions of a point to one: two full additions of its reduction, its share of partial sums, and
/// what the other threads of a warp wait while one goes on to its next bucket. Measured at 2^20 to 2^24 points.
const BUCKET: f64 = 8.0;
/// Window bits whose buckets' places to write at stay in the cache, and what each bit more adds to an entry's price: where
/// additions are as short as BN254's (2^25 points took 124.8 ms with 20 bits on an H100, and twice what 2^24 take are 110.2 with
/// 17), and where they are longer (BLS12-381, 2^25 points: 239.5 ms with 20 bits, 228.9 with 19; 2^26 are fastest with 20).
const UNCACHED: (u32, f64) = (17, 0.05);
const UNCACHED_LONG: (u32, f64) = (19, 0.04);

/// How scalars are cut into digits, and the bytes of what comes of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Window bits, of the widest.
    pub c: u32,
    /// Windows of `c` bits, the lower ones; the others have one bit less, so that no window is left with few bits, whose
    /// buckets would overflow.
    pub wide: u32,
    /// Windows of a scalar; each has its own buckets.
    pub windows: u32,
    /// Bits between multiples of a base.
    pub step: u32,
    /// `Σ bias·2^start` of all digits (see `kernels/msm/digits.cuh`).
    pub shift: [u32; 12],
}

impl Plan {
    /// For `n` points at a time: the cheapest windows, none wider than requested. `point` is the size of an affine point.
    pub fn choose(args: &MsmArgs<'_>, n: usize, point: usize) -> Self {
        let buckets = Buckets {
            price: BUCKET,
            wide: if point <= 64 { UNCACHED } else { UNCACHED_LONG },
            bytes: 2 * point,
            free_bytes: 1 << 28,
            bytes_per_entry: 16 * point,
            widest: WIDEST,
        };
        let Windows { c, count: windows, span } = Windows::cheapest(args, n, &buckets);
        let mut plan = Self { c, wide: span - windows * (c - 1), windows, step: args.step, shift: [0; 12] };
        plan.shift = plan.biases(args.bits, args.precompute_factor as u64);
        plan
    }

    /// Bits of a window.
    pub fn width(&self, window: u32) -> u32 {
        self.c - u32::from(window >= self.wide)
    }

    /// The sum of the digits' biases: half the range of each, but for the topmost.
    fn biases(&self, bits: u32, factor: u64) -> [u32; 12] {
        let (top, mut out) = (u64::from(bits) + 1, [0u32; 12]);
        for j in 0..factor {
            let first = u64::from(self.step).saturating_mul(j).min(top);
            let end = if j + 1 == factor { top } else { (first + u64::from(self.step)).min(top) };
            let mut start = first;
            for w in 0..self.windows {
                let stop = (start + u64::from(self.width(w))).min(end);
                if start < stop && stop < top {
                    out[(stop - 1) as usize / 32] |= 1 << ((stop - 1) % 32);
                }
                start = stop;
            }
            if first == top {
                break;
            }
        }
        out
    }
}

/// How many points are taken at a time: all, unless their numbers would not fit 31 bits or one window of one
/// multiplication needs more than `budget` bytes of scratch memory.
pub(crate) fn points_at_once(args: &MsmArgs<'_>, point: u64, sms: u32, budget: u64) -> usize {
    let mut n = args.n;
    while n > 1 {
        let plan = Plan::choose(args, n, point as usize);
        let shape = shape(args, n, &plan, 1, 1, sms);
        if shape.is_countable() && shape.bytes(point) <= budget {
            break;
        }
        n = n.div_ceil(2);
    }
    n
}

/// Multiplications and windows done together: as many as `budget` bytes of scratch memory allow.
pub(crate) fn group(args: &MsmArgs<'_>, n: usize, plan: &Plan, point: u64, sms: u32, budget: u64) -> (u64, u32) {
    let (mut batch, mut windows) = (args.batch as u64, plan.windows);
    loop {
        let shape = shape(args, n, plan, batch, windows, sms);
        if shape.is_countable() && shape.bytes(point) <= budget {
            return (batch, windows);
        }
        if batch > 1 {
            batch = batch.div_ceil(2);
        } else if windows > 1 {
            windows = windows.div_ceil(2);
        } else {
            return (1, 1);
        }
    }
}

/// The launch set of some windows of some multiplications of `n` points.
pub(crate) fn shape(args: &MsmArgs<'_>, n: usize, plan: &Plan, batch: u64, windows: u32, sms: u32) -> Shape {
    let entries = (n as u64).saturating_mul(args.precompute_factor as u64);
    let sets = if args.shared_points { 1 } else { batch };
    Shape::new(batch.saturating_mul(u64::from(windows)), entries, sets, plan.c, sms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle_device::{Dst, Src};
    use icicle_params::CurveId;

    fn args(n: usize, c: u32, factor: usize, batch: usize) -> MsmArgs<'static> {
        of_bits(254, n, c, factor, batch)
    }

    fn of_bits(bits: u32, n: usize, c: u32, factor: usize, batch: usize) -> MsmArgs<'static> {
        let none: &[u8] = &[];
        MsmArgs {
            curve: CurveId::Bn254,
            n,
            batch,
            shared_points: true,
            precompute_factor: factor,
            c,
            step: crate::args::msm::step(bits, c, factor),
            bits,
            scalars_montgomery: false,
            points_montgomery: false,
            scalars: Src::from(none),
            bases: Src::from(none),
            out: Dst::from(&mut [0u8; 0][..]),
        }
    }

    #[test]
    fn windows_suit_the_size() {
        let width = |n, c| Plan::choose(&args(n, c, 1, 1), n, 64).c;
        assert!((7..=9).contains(&width(1 << 12, 0)));
        assert!((11..=13).contains(&width(1 << 16, 0)));
        assert!((16..=18).contains(&width(1 << 24, 0)));
        assert_eq!(width(1 << 26, 0), 17);
        let of_long = |log_n: u32| Plan::choose(&of_bits(255, 1 << log_n, 0, 1, 1), 1 << log_n, 96).c;
        assert_eq!([24, 25, 26].map(of_long), [19, 19, 20]);
        assert!(width(1 << 10, 24) <= 13);
        assert_eq!(width(1 << 16, 4), 4);
        assert!(width(1, 0) >= 1 && width(0, 0) >= 1);
    }

    /// Callers that ask for 16 bits at every size lose nothing, and who asks for fewer gets no more.
    #[test]
    fn a_requested_width_is_an_upper_bound() {
        for log_n in 10..=22 {
            for (bits, point) in [(254, 64), (255, 96)] {
                let of = |c| Plan::choose(&of_bits(bits, 1 << log_n, c, 1, 1), 1 << log_n, point);
                let (free, wide) = (of(0), of(16));
                assert!(wide.c <= 16, "{wide:?}");
                assert!(free.c > 16 || (free.c, free.windows) == (wide.c, wide.windows), "{free:?} {wide:?}");
                assert_eq!(of(4).c, 4);
            }
        }
        assert!(Plan::choose(&args(1 << 10, 16, 8, 1), 1 << 10, 64).c < 16);
    }

    /// Signed digits need a bit more than the scalar, whose place is above all multiples' shares where `c·factor` divides
    /// the scalar's bits: 128 = 2·64, so the upper multiple has 65 bits, and windows must cover them.
    #[test]
    fn windows_reach_the_carry_above_the_top_bit() {
        for c in [8, 16] {
            let args = of_bits(128, 1 << 10, c, 2, 1);
            let plan = Plan::choose(&args, 1 << 10, 64);
            assert_eq!(plan.step, 64);
            assert_eq!((0..plan.windows).map(|w| plan.width(w)).sum::<u32>(), 65, "{plan:?}");
            // The lower multiple's topmost digit is signed like all but the last of all.
            assert_eq!((plan.shift[1] >> 31, plan.shift[4]), (1, 0), "{plan:?}");
            // The upper one ends with its carry, not below it.
            assert_eq!(plan.shift[3] >> 31, 0, "{plan:?}");
        }
    }

    /// By hand: 21 bits of two multiples, 12 apart, in windows of four bits that end at 4, 8 and 12, 16, 20 and 21.
    #[test]
    fn the_shift_has_the_windows_of_every_multiple() {
        let plan = Plan::choose(&of_bits(20, 1 << 10, 4, 2, 1), 1 << 10, 64);
        assert_eq!((plan.c, plan.windows, plan.wide, plan.step), (4, 3, 3, 12));
        assert_eq!((plan.shift[0], &plan.shift[1..]), (0x8_8888, &[0; 11][..]));
    }

    #[test]
    fn the_shift_has_the_top_bit_of_every_window_but_the_topmost() {
        let plan = Plan::choose(&args(1 << 16, 8, 1, 1), 1 << 16, 64);
        assert_eq!((plan.c, plan.windows, plan.wide), (8, 32, 31));
        let bits: u32 = plan.shift.iter().map(|word| word.count_ones()).sum();
        assert_eq!(bits, 31);
        assert_eq!(plan.shift[0], 0x8080_8080);
    }

    #[test]
    fn windows_are_as_wide_as_each_other() {
        for (bits, c) in [(254, 10), (254, 1), (1, 20), (255, 17), (377, 13)] {
            let plan = Plan::choose(&of_bits(bits, 1 << 20, c, 1, 1), 1 << 20, 64);
            let widths: Vec<u32> = (0..plan.windows).map(|w| plan.width(w)).collect();
            assert_eq!(widths.iter().sum::<u32>(), bits + 1, "{plan:?}");
            assert!(widths.iter().all(|&w| w == plan.c || w + 1 == plan.c) && plan.c <= c, "{plan:?}");
        }
    }

    #[test]
    fn many_points_are_taken_in_parts() {
        let huge = args(1 << 27, 0, 32, 1);
        let n = points_at_once(&huge, 64, 132, u64::MAX);
        assert!(n < 1 << 26 && n * 32 >= 1 << 29, "{n}");
        assert_eq!(points_at_once(&args(1000, 0, 1, 1), 64, 132, 1 << 30), 1000);
        let part = points_at_once(&args(1 << 24, 0, 1, 1), 64, 132, 1 << 30);
        assert!(part < 1 << 24 && part > 1 << 18, "{part}");
    }

    #[test]
    fn groups_shrink_to_the_budget() {
        let args = args(1 << 16, 0, 1, 8);
        let plan = Plan::choose(&args, args.n, 64);
        assert_eq!(group(&args, args.n, &plan, 64, 132, u64::MAX), (8, plan.windows));
        let bytes = |batch, windows| shape(&args, args.n, &plan, batch, windows, 132).bytes(64);
        // First fewer multiplications, then fewer windows, and no fewer than need be.
        for (most, budget) in [(4, bytes(4, plan.windows)), (1, bytes(1, plan.windows)), (1, 16 << 20)] {
            let (batch, windows) = group(&args, args.n, &plan, 64, 132, budget);
            assert!(batch == most && bytes(batch, windows) <= budget, "{batch} {windows}");
            assert!(windows == plan.windows || bytes(1, (2 * windows).min(plan.windows)) > budget, "{windows}");
        }
        assert!(group(&args, args.n, &plan, 64, 132, 16 << 20).1 < plan.windows);
        assert_eq!(group(&args, args.n, &plan, 64, 132, 0), (1, 1));
    }
}
