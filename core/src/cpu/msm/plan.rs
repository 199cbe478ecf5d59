//! Windows: how scalars become digits, and how wide they are.

use crate::algebra::PrimeField;
use crate::algebra::curve::{Affine, Curve};
use crate::ops::msm::{MsmArgs, PRECOMPUTE_C, precompute_shift};

/// Bytes of points a segment holds: with digits and buckets they share the cache.
const SEGMENT_BYTES: usize = 1 << 24;
/// Bytes all buckets may take where the points take less; above, four times the
/// points. Nor are there more than four buckets for each point.
const BUCKET_BYTES: usize = 1 << 26;
/// Price of reducing a bucket, in additions of a point to one: two batched additions and its share of the rest.
const REDUCTION: f64 = 2.6;

/// One digit of a scalar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digit {
    /// First bit.
    pub start: u32,
    /// Bits; 0 where there is no such digit.
    pub width: u32,
    /// Subtracted from the bits of the shifted scalar; half the range but for the topmost digit.
    pub bias: u32,
}

/// How a multiplication is done.
#[derive(Debug)]
pub(super) struct Plan {
    /// Window bits.
    pub c: u32,
    /// Windows; each has its own buckets.
    pub windows: usize,
    /// Multiples held of each point.
    pub factor: usize,
    /// 64-bit words of a shifted scalar.
    pub words: usize,
    /// Scalars taken at a time.
    pub segment: usize,
    /// Digit of multiple `j` in window `w` at `w·factor + j`: of weight `2^(w·c)` with base `j`.
    pub digits: Vec<Digit>,
    /// `Σ bias·2^start`.
    shift: [u64; 12],
}

impl Plan {
    /// Windows of the requested width, else of the cheapest one.
    pub fn choose<C: Curve>(args: &MsmArgs) -> Self {
        let factor = args.precompute_factor;
        // Signed digits need one bit more than the scalar.
        let span = match factor {
            1 => args.bits + 1,
            _ => {
                let c = if args.c == 0 { PRECOMPUTE_C } else { args.c };
                let shift = precompute_shift(args.bits, c, factor);
                shift.max((args.bits + 1).saturating_sub(shift.saturating_mul(factor as u32 - 1)))
            }
        };
        let entries = args.n.saturating_mul(factor).max(1);
        let point = size_of::<Affine<C>>();
        let fits = |c: &u32| {
            let buckets = 1usize << (c - 1);
            let bytes = span.div_ceil(*c) as usize * point * buckets;
            buckets / 4 <= entries && bytes <= BUCKET_BYTES.max(entries.saturating_mul(4 * point))
        };
        let cost = |c: u32| span.div_ceil(c) as f64 * (entries as f64 + REDUCTION * (1u64 << (c - 1)) as f64);
        let cheapest = || (1..=20).filter(fits).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1);
        // A wider window than memory allows is narrowed: any width gives the same sum. The multiples' distance stays.
        let c = match args.c {
            0 => cheapest(),
            c => (1..=c).rev().find(fits).unwrap_or(1),
        };
        Self::new(args.bits, factor, args, span, c, C::Scalar::WORDS, SEGMENT_BYTES / point)
    }

    fn new(bits: u32, factor: usize, args: &MsmArgs, span: u32, c: u32, words: usize, entries: usize) -> Self {
        let windows = span.div_ceil(c).max(1);
        // Balance the windows: as many, but no wider than needed.
        let c = span.div_ceil(windows).max(1);
        let step = match factor {
            1 => span,
            _ => precompute_shift(bits, if args.c == 0 { PRECOMPUTE_C } else { args.c }, factor),
        };
        let mut digits = Vec::with_capacity(windows as usize * factor);
        let mut shift = [0u64; 12];
        for w in 0..windows {
            for j in 0..factor as u32 {
                let digit = digit(bits, factor as u32, step, j, w * c, c);
                if digit.bias > 0 {
                    let bit = digit.start + digit.width - 1;
                    shift[bit as usize / 64] |= 1 << (bit % 64);
                }
                digits.push(digit);
            }
        }
        let segment = (entries / factor).max(1 << 10);
        Self { c, windows: windows as usize, factor, words, segment, digits, shift }
    }

    /// Buckets of a window.
    pub fn buckets(&self) -> usize {
        1 << (self.c - 1)
    }

    /// Add the biases to a scalar: every signed digit can then be read on its own, without a carry.
    pub fn shift_digits(&self, scalar: &[u64; 12], out: &mut [u64]) {
        let mut carry = false;
        for (i, word) in out.iter_mut().enumerate() {
            let (sum, c1) = scalar[i].overflowing_add(self.shift[i]);
            let (sum, c2) = sum.overflowing_add(carry as u64);
            (*word, carry) = (sum, c1 | c2);
        }
    }
}

/// The digit of multiple `j` (bits from `j·step` on) at `offset` from there, of up to `c` bits.
fn digit(bits: u32, factor: u32, step: u32, j: u32, offset: u32, c: u32) -> Digit {
    let top = bits + 1;
    let first = step.saturating_mul(j).min(top);
    let end = if j + 1 == factor { top } else { first.saturating_add(step).min(top) };
    let start = (first + offset).min(end);
    let width = c.min(end - start);
    let topmost = start + width == top;
    Digit { start, width, bias: if width == 0 || topmost { 0 } else { 1 << (width - 1) } }
}

impl Digit {
    /// The digit of a shifted scalar: magnitude at most `2^(width-1)`.
    #[inline(always)]
    pub fn read(&self, words: &[u64]) -> i32 {
        let (index, offset) = (self.start as usize / 64, self.start % 64);
        let low = words[index] >> offset;
        // The second shift in two steps, so that an offset of 0 gives 0.
        let high = words.get(index + 1).map_or(0, |word| word << 1 << (63 - offset));
        ((low | high) & ((1 << self.width) - 1)) as i32 - self.bias as i32
    }
}
