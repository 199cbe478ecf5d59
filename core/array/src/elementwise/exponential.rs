//! The exponential function in straight-line code, which compilers make vector code of: the same bits on every processor.
//!
//! `exp x = 2^n exp r`, where `n` is the integer nearest to `x / ln 2` and `r` what is left, at most `ln 2 / 2` in size; `ln 2` is
//! taken off in two parts, of which the first times `n` is exact. `exp r` is the beginning of its series, whose rest is below a
//! tenth of the last place. Within 1.05 units in the last place of the exact value, also of subnormal results, as 2^n is
//! multiplied in two halves, of which only the last can round.

/// Floats with an exponential function of our own.
pub(super) trait Exponential {
    /// e to the number.
    fn exponential(self) -> Self;
}

/// The value of a polynomial, whose coefficients are 1 by these numbers, lowest first; no fused operations.
macro_rules! polynomial {
    ($x:expr, [$last:expr]) => { 1.0 / $last };
    ($x:expr, [$lowest:expr, $($rest:expr),+]) => { polynomial!($x, [$($rest),+]) * $x + 1.0 / $lowest };
}

macro_rules! exponential {
    ($float:ident, $mantissa:literal, $bias:literal, round: $round:literal, ln2: $high:literal, $low:literal,
     range: $least:literal, $most:literal, factorials: $factorials:tt) => {
        impl Exponential for $float {
            #[inline(always)]
            fn exponential(self) -> Self {
                // Beyond these, results are 0 and infinite. NaN stays, whatever is made of the bits of sums with it.
                let x = if self > $most { $most } else { self };
                let x = if x < $least { $least } else { x };
                // Added, a number of this size leaves the nearest integer in the lowest bits of the sum.
                let power = |sum: $float| {
                    $float::from_bits(
                        (sum.to_bits().wrapping_sub($float::to_bits($round)).wrapping_add($bias)) << $mantissa,
                    )
                };
                let n = (x * std::$float::consts::LOG2_E + $round) - $round;
                let half = n * 0.5 + $round;
                let other = (n - (half - $round)) + $round;
                let r = (x - n * $high) - n * $low;
                let rest: $float = polynomial!(r, $factorials);
                let value = 1.0 + (r + r * r * rest);
                value * power(half) * power(other)
            }
        }
    };
}

exponential! {
    f32, 23, 127, round: 12_582_912.0, ln2: 0.693_359_4, -2.121_944_4e-4, range: -104.0, 89.0,
    factorials: [2.0, 6.0, 24.0, 120.0, 720.0, 5040.0]
}
exponential! {
    f64, 52, 1023, round: 6_755_399_441_055_744.0, ln2: 0.693_145_751_953_125, 1.428_606_820_309_417_2e-6, range: -746.0, 710.0,
    factorials: [
        2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40_320.0, 362_880.0, 3_628_800.0, 39_916_800.0, 479_001_600.0, 6_227_020_800.0
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every 101st number of single precision, of either sign, infinities and NaN among them, beside double precision's.
    #[test]
    fn single_precision_is_within_its_bound() {
        let mut worst = 0.0f64;
        for bits in (0..=u32::MAX).step_by(101) {
            let x = f32::from_bits(bits);
            let (got, want) = (x.exponential(), f64::from(x).exp());
            if x.is_nan() {
                assert!(got.is_nan());
                continue;
            }
            let nearest = want as f32;
            if !nearest.is_finite() || want == 0.0 {
                assert_eq!(got, nearest, "{x}");
                continue;
            }
            // The distance from a number to the next at this size.
            let unit = 2f64.powi((want.log2().floor() as i32 - 23).max(-149));
            worst = worst.max((f64::from(got) - want).abs() / unit);
        }
        assert!(worst < 1.05, "{worst} units");
    }

    /// Double precision beside the library's, which is within 0.6 units.
    #[test]
    fn double_precision_is_within_one_unit_of_the_librarys() {
        let mut state = 1u64;
        let check = |x: f64| {
            let (got, want) = (x.exponential(), x.exp());
            let apart = (got.to_bits() as i64).abs_diff(want.to_bits() as i64);
            assert!(apart <= 1 || got.is_nan() && want.is_nan(), "{x:e}: {got:e} for {want:e}");
        };
        for _ in 0..2_000_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let fraction = (state >> 11) as f64 / (1u64 << 53) as f64;
            check(fraction * 1456.0 - 746.0);
            check((fraction - 0.5) * 1e-3);
        }
        for x in [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN, 5e-324, -5e-324, 1e-300] {
            check(x);
        }
        // Around where results overflow, become subnormal, and vanish.
        for edge in [709.782_712_893_384, 710.0, -708.396_418_532_264_1, -745.133_219_101_941_1, -746.0] {
            let mut x: f64 = edge - 1e-11;
            for _ in 0..400 {
                check(x);
                x = x.next_up();
            }
            (0..100).for_each(|i| check(edge + f64::from(i - 50) * 1e-13));
        }
    }

    #[test]
    fn edges() {
        assert_eq!(
            [0.0f32, -0.0, f32::NEG_INFINITY, f32::INFINITY].map(f32::exponential),
            [1.0, 1.0, 0.0, f32::INFINITY]
        );
        // The largest finite result, the one above, and the least that is not 0.
        assert!(88.722_84f32.next_down().exponential().is_finite() && 88.722_85f32.exponential().is_infinite());
        assert_eq!(
            [-103.9f32, -103.972_07, -104.0, -1e30].map(f32::exponential),
            [f32::from_bits(1), f32::from_bits(1), 0.0, 0.0]
        );
    }
}
