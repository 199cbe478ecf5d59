//! Normal numbers by the transform of Box and Muller, whose functions are polynomials of our own: additions, products,
//! quotients and square roots, each rounded once, give the same bits on every processor and device, which libraries' do not.
//!
//! A pair of words gives `sqrt(-2 ln u)` times cosine and sine of a turn: `u` is the first word and a half, as a
//! fraction, rounded; the second is the turn's. Results are within 4 epsilon of the exact ones, relative to them however small
//! they are, since quarter turns are taken off as integers. The coefficients are those that `coefficients.py` derives.
#![allow(clippy::excessive_precision, clippy::approx_constant)] // as the script prints them

#[cfg(feature = "cuda")]
use super::philox::OnGpu;
use super::philox::{LANES, Rule, Words, wide};

/// The value of a polynomial, coefficients lowest first; no fused operations.
macro_rules! polynomial {
    ($x:expr, [$($coefficients:expr),*]) => {
        [$($coefficients),*].into_iter().rev().fold(0.0, |sum, c| sum * $x + c)
    };
}

macro_rules! pair {
    ($name:ident, $float:ident, $word:ident, $signed:ident, $mantissa:literal, $root_half:literal, $fraction:ident,
     ln2: $ln2:literal, $ln2_rest:literal, atanh: $atanh:tt, sine: $sine:tt, cosine: $cosine:tt) => {
        /// Two normal numbers of two words.
        #[inline(always)]
        fn $name(radius: $word, turn: $word) -> ($float, $float) {
            const BITS: u32 = $word::BITS;
            // ln u = exponent ln 2 + 2 atanh(s), s = (m - 1) / (m + 1), for m between sqrt(1/2) and sqrt(2).
            let u = $fraction(radius);
            let above = u.to_bits().wrapping_sub($root_half);
            let exponent = ((above as $signed) >> $mantissa) as $float;
            let m = $float::from_bits((above & ((1 << $mantissa) - 1)) + $root_half);
            let s = (m - 1.0) / (m + 1.0);
            let z = s * s;
            let rest: $float = polynomial!(z, $atanh);
            let twice = s + s;
            let log = exponent * $ln2 + (twice + (twice * (z * rest) + exponent * $ln2_rest));
            let r = ((0.0 - log) * 2.0).max(0.0).sqrt();
            // The nearest quarter turn, and what is left of one, from -1/2 to 1/2.
            let quarter = turn.wrapping_add(1 << (BITS - 3)) >> (BITS - 2);
            let left = turn.wrapping_sub(quarter << (BITS - 2)) as $signed;
            let t = left as $float * (1.0 / (1u64 << (BITS - 2)) as $float);
            let z = t * t;
            let sine: $float = polynomial!(z, $sine);
            let sine = t * sine;
            let cosine: $float = polynomial!(z, $cosine);
            let odd = quarter & 1 == 1;
            let (x, y) = if odd { (sine, cosine) } else { (cosine, sine) };
            let x = if quarter == 1 || quarter == 2 { -x } else { x };
            let y = if quarter >= 2 { -y } else { y };
            (r * x, r * y)
        }
    };
}

/// A word and a half, as a fraction of 2^32, at most 1.
#[inline(always)]
fn narrow_fraction(word: u32) -> f32 {
    (word as f32 + 0.5) * (1.0 / (1u64 << 32) as f32)
}

/// The upper 53 bits and a half, as a fraction of 2^53, at most 1.
#[inline(always)]
fn wide_fraction(word: u64) -> f64 {
    ((word >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
}

pair! {
    narrow_pair, f32, u32, i32, 23, 0x3f35_04f3, narrow_fraction,
    ln2: 0.693_145_75, 1.428_606_8e-6,
    atanh: [0.333_333_43, 0.199_943_9, 0.147_899_75],
    sine: [1.570_796_4, -0.645_964_1, 0.079_692_58, -0.004_681_266_4, 0.000_158_206_3],
    cosine: [1.0, -1.233_700_5, 0.253_669_2, -0.020_860_07, 0.000_903_628_07]
}
pair! {
    wide_pair, f64, u64, i64, 52, 0x3fe6_a09e_667f_3bcd, wide_fraction,
    ln2: 0.693_147_180_559_947_17, -1.864_188_673_724_303_3e-15,
    atanh: [
        0.333_333_333_333_333_48, 0.199_999_999_999_497_52, 0.142_857_143_129_877_43, 0.111_111_055_673_975_4,
        0.090_914_445_626_308_613, 0.076_658_608_002_780_21, 0.073_082_248_425_217_031
    ],
    sine: [
        1.570_796_326_794_896_6, -0.645_964_097_506_246_28, 0.079_692_626_246_167_048, -0.004_681_754_135_318_684_9,
        0.000_160_441_184_787_285_91, -3.598_843_234_357_742_8e-6, 5.692_172_341_843_131_7e-8,
        -6.687_805_467_511_221_1e-10, 6.017_883_124_040_911_5e-12
    ],
    cosine: [
        1.0, -1.233_700_550_136_169_7, 0.253_669_507_901_048_03, -0.020_863_480_763_352_916,
        0.000_919_260_274_838_533_09, -2.520_204_236_273_330_3e-5, 4.710_874_077_536_438_4e-7,
        -6.386_325_463_386_356_1e-9, 6.506_654_235_424_698_2e-11
    ]
}

/// Normal numbers of mean 0 and deviation 1: two of every two words.
pub(super) struct Narrow;

impl Rule for Narrow {
    type Out = f32;
    const GROUP: usize = 4 * LANES;
    #[inline(always)]
    fn group(&self, _: usize, words: &Words, out: &mut [f32]) {
        let mut lanes = [[0.0; LANES]; 4];
        for l in 0..LANES {
            (lanes[0][l], lanes[1][l]) = narrow_pair(words[0][l], words[1][l]);
        }
        for l in 0..LANES {
            (lanes[2][l], lanes[3][l]) = narrow_pair(words[2][l], words[3][l]);
        }
        for (l, out) in out.chunks_exact_mut(4).enumerate() {
            (0..4).for_each(|w| out[w] = lanes[w][l]);
        }
    }
    #[cfg(feature = "cuda")]
    fn on_gpu(&self) -> OnGpu {
        OnGpu::new::<Self>("Normal", [])
    }
}

/// As [`Narrow`], of words of 64 bits.
pub(super) struct Wide;

impl Rule for Wide {
    type Out = f64;
    const GROUP: usize = 2 * LANES;
    #[inline(always)]
    fn group(&self, _: usize, words: &Words, out: &mut [f64]) {
        let mut lanes = [[0.0; LANES]; 2];
        for l in 0..LANES {
            (lanes[0][l], lanes[1][l]) = wide_pair(wide(words, 0, l), wide(words, 1, l));
        }
        for (l, out) in out.chunks_exact_mut(2).enumerate() {
            (out[0], out[1]) = (lanes[0][l], lanes[1][l]);
        }
    }
    #[cfg(feature = "cuda")]
    fn on_gpu(&self) -> OnGpu {
        OnGpu::new::<Self>("Normal", [])
    }
}
