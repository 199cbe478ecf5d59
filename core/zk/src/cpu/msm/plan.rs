//! Windows: how scalars become digits, and how wide they are.

use crate::args::msm::MsmArgs;
use crate::args::msm::windows::{Buckets, Windows};
use icicle_algebra::PrimeField;
use icicle_algebra::curve::{Affine, Curve};
use icicle_error::Result;
use icicle_error::reserve::with_capacity;

pub(super) const OP: &str = "msm";

/// Bytes of points a segment holds: with digits and buckets they share the cache.
const SEGMENT_BYTES: usize = 1 << 24;
/// Bytes all buckets may take where the points take less; above, four times the
/// points. Nor are there more than four buckets for each point.
const BUCKET_BYTES: usize = 1 << 26;
/// Widest window where the caller sets no bound.
const WIDEST: u32 = 20;
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
    /// The cheapest windows, none wider than requested.
    ///
    /// # Errors
    /// `OutOfMemory` for the digits.
    pub fn choose<C: Curve>(args: &MsmArgs) -> Result<Self> {
        let point = size_of::<Affine<C>>();
        let buckets = Buckets {
            price: REDUCTION,
            wide: (WIDEST, 0.0),
            bytes: point,
            free_bytes: BUCKET_BYTES,
            bytes_per_entry: 4 * point,
            widest: WIDEST,
        };
        Self::new(args, Windows::cheapest(args, args.n, &buckets), C::Scalar::WORDS, SEGMENT_BYTES / point)
    }

    fn new(args: &MsmArgs, of: Windows, words: usize, entries: usize) -> Result<Self> {
        let (bits, factor, step) = (args.bits, args.precompute_factor, args.step);
        let Windows { c, count: windows, .. } = of;
        let mut digits = with_capacity(OP, windows as usize * factor)?;
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
        Ok(Self { c, windows: windows as usize, factor, words, segment, digits, shift })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msm::{MsmConfig, msm, precompute};
    use icicle_algebra::Field;
    use icicle_algebra::curve::{Bls12_381, Bn254, Group, Jacobian, Projective};
    use icicle_device::{Dst, Src};
    use icicle_params::CurveId;

    fn plan<C: Curve>(curve: CurveId, n: usize, c: u32, (bits, factor): (u32, usize)) -> Plan {
        let none: &[u8] = &[];
        Plan::choose::<C>(&MsmArgs {
            curve,
            n,
            batch: 1,
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
        })
        .unwrap()
    }

    /// Callers that ask for 16 bits at every size lose nothing, and who asks for fewer gets no more.
    #[test]
    fn a_requested_width_is_an_upper_bound() {
        for n in (10..=20).map(|log_n| 1 << log_n) {
            let [free, wide] = [0, 16].map(|c| plan::<Bn254>(CurveId::Bn254, n, c, (254, 1)));
            assert!(wide.c <= 16 && (free.c > 16 || (free.c, free.windows) == (wide.c, wide.windows)), "{n}");
            let [free, wide] = [0, 16].map(|c| plan::<Bls12_381>(CurveId::Bls12_381, n, c, (255, 1)));
            assert!(wide.c <= 16 && (free.c > 16 || (free.c, free.windows) == (wide.c, wide.windows)), "{n}");
            assert_eq!(plan::<Bn254>(CurveId::Bn254, n, 4, (254, 1)).c, 4);
        }
        let widths = [10, 12, 14, 16].map(|log_n| plan::<Bn254>(CurveId::Bn254, 1 << log_n, 16, (254, 1)).c);
        assert!(widths.is_sorted() && widths[0] < 10 && widths[3] > 10, "{widths:?}");
        // As many multiples as there are make a scalar that much shorter, not the windows wider.
        assert!(plan::<Bn254>(CurveId::Bn254, 1 << 10, 16, (254, 8)).c < 16);
    }

    /// Signed digits need a bit more than the scalar, whose place is above all multiples' shares where `c·factor` divides
    /// the scalar's bits: 128 = 2·64, so the upper multiple has 65 bits.
    #[test]
    fn digits_reach_the_carry_above_the_top_bit() {
        for c in [8, 16] {
            let plan = plan::<Bn254>(CurveId::Bn254, 1 << 10, c, (128, 2));
            let of = |j: usize| plan.digits.iter().skip(j).step_by(2).filter(|d| d.width > 0);
            assert_eq!(of(0).map(|d| d.width).sum::<u32>(), 64, "{plan:?}");
            assert_eq!(of(1).map(|d| d.width).sum::<u32>(), 65, "{plan:?}");
            assert_eq!(of(0).chain(of(1)).map(|d| d.start + d.width).max(), Some(129), "{plan:?}");
        }
    }

    /// Scalars whose every bit is set carry out of every digit.
    #[test]
    fn scalars_of_ones_match_double_and_add() {
        type C = Bn254;
        let points: Vec<_> = std::iter::successors(Some(Jacobian::<C>::from(C::GENERATOR)), |p| Some(p.double()))
            .take(40)
            .map(|p| p.to_affine())
            .collect();
        let bases: Vec<_> = points.iter().map(|p| p.to_raw()).collect();
        for (bits, factor, c) in [(128, 1, 0), (128, 2, 8), (128, 2, 16), (128, 8, 16), (252, 3, 7), (64, 2, 16)] {
            let mut ones = [0u64; 4];
            (0..bits).for_each(|bit: usize| ones[bit / 64] |= 1 << (bit % 64));
            let scalars = vec![<C as Curve>::Scalar::from_words(&ones).to_raw(); points.len()];
            let config = MsmConfig { bitsize: bits as u32, precompute_factor: factor, c, ..MsmConfig::default() };
            let mut multiples = vec![Affine::<C>::NEUTRAL.to_raw(); points.len() * factor];
            precompute(C::ID, points.len(), Src::from(&bases), &config, Dst::from(&mut multiples)).unwrap();
            let mut out = [Projective::<C>::NEUTRAL.to_raw()];
            msm(C::ID, points.len(), Src::from(&scalars), Src::from(&multiples), &config, Dst::from(&mut out[..]))
                .unwrap();
            let expected = points.iter().fold(Jacobian::NEUTRAL, |sum, &p| sum + Jacobian::from(p).times(&ones));
            let got = Projective::<C>::from_raw(out[0]).to_affine();
            assert_eq!(got, expected.to_affine(), "bitsize {bits} factor {factor} c {c}");
        }
    }
}
