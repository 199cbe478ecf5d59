//! Products of polynomials modulo Xᴺ + 1 by Fourier transforms.
//!
//! A real polynomial of N coefficients is folded into N/2 complex ones, `aⱼ + i aⱼ₊ₙ/₂`, and twisted by `exp(iπj/N)`: the
//! transform of N/2 values then evaluates it where `Xᴺ = -1`, and products there are products modulo `Xᴺ + 1`.

use icicle_cpu::dispatch::{Kernel, widest};
use icicle_error::Result;
use icicle_error::reserve::filled;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::f64::consts::PI;
use std::sync::Arc;

/// A complex number.
pub(crate) type C64 = Complex<f64>;

/// The transforms of one size.
pub(crate) struct Fourier {
    twist: Vec<C64>,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
}

impl Fourier {
    /// For polynomials of `n` coefficients.
    pub(crate) fn new(op: &'static str, n: usize) -> Result<Self> {
        let mut planner = FftPlanner::new();
        let mut twist = filled(op, n / 2, C64::default())?;
        for (j, w) in twist.iter_mut().enumerate() {
            *w = C64::cis(PI * j as f64 / n as f64);
        }
        Ok(Self { twist, forward: planner.plan_fft_forward(n / 2), inverse: planner.plan_fft_inverse(n / 2) })
    }

    /// Values of a transform, half the coefficients of a polynomial.
    pub(crate) fn len(&self) -> usize {
        self.twist.len()
    }

    /// Scratch that the transforms need.
    pub(crate) fn scratch(&self, op: &'static str) -> Result<Vec<C64>> {
        let len = self.forward.get_inplace_scratch_len().max(self.inverse.get_inplace_scratch_len());
        filled(op, len, C64::default())
    }

    /// Transform a polynomial.
    pub(crate) fn forward(&self, polynomial: &[f64], to: &mut [C64], scratch: &mut [C64]) {
        let (low, high) = polynomial.split_at(self.len());
        widest(Fold { low, high, twist: &self.twist, to });
        self.forward.process_with_scratch(to, scratch);
    }

    /// The polynomial of a transform, times N/2, still twisted, as [`add_to`](Self::add_to) and
    /// [`coefficients`](Self::coefficients) take it.
    pub(crate) fn inverse(&self, values: &mut [C64], scratch: &mut [C64]) {
        self.inverse.process_with_scratch(values, scratch);
    }

    /// Add the coefficients to a polynomial on the torus, rounded to 2⁻⁵². The values were divided by N/2 before.
    pub(crate) fn add_to(&self, values: &[C64], polynomial: &mut [u64]) {
        let (low, high) = polynomial.split_at_mut(self.len());
        widest(Unfold { values, twist: &self.twist, low, high });
    }

    /// The coefficients one after another: the real part of the pair is of the lower half.
    pub(crate) fn coefficients<'a>(&'a self, values: &'a [C64]) -> impl Iterator<Item = (f64, f64)> + 'a {
        let scale = 1.0 / self.len() as f64;
        values.iter().zip(&self.twist).map(move |(value, w)| {
            let untwisted = value * w.conj() * scale;
            (untwisted.re, untwisted.im)
        })
    }
}

struct Fold<'a> {
    low: &'a [f64],
    high: &'a [f64],
    twist: &'a [C64],
    to: &'a mut [C64],
}

impl Kernel for Fold<'_> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (((to, w), &re), &im) in self.to.iter_mut().zip(self.twist).zip(self.low).zip(self.high) {
            to.re = re * w.re - im * w.im;
            to.im = re * w.im + im * w.re;
        }
    }
}

struct Unfold<'a> {
    values: &'a [C64],
    twist: &'a [C64],
    low: &'a mut [u64],
    high: &'a mut [u64],
}

/// A real number modulo 1 as a word. Adding 3·2⁵¹ rounds to an integer (what is added to lies below 2⁵¹), and the rest plus 1.5
/// lies in [1, 2], whose mantissa is the rest plus a half.
#[inline(always)]
fn torus(x: f64) -> u64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let rest = x - ((x + ROUND) - ROUND);
    ((rest + 1.5).to_bits() << 12).wrapping_sub(1 << 63)
}

impl Kernel for Unfold<'_> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (((value, w), low), high) in self.values.iter().zip(self.twist).zip(self.low).zip(self.high) {
            *low = low.wrapping_add(torus(value.re * w.re + value.im * w.im));
            *high = high.wrapping_add(torus(value.im * w.re - value.re * w.im));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polynomial::oracle;
    use crate::random::Seed;

    #[test]
    fn a_word_is_the_fraction_of_a_number() {
        for (x, word) in
            [(0.0, 0), (0.25, 1 << 62), (-0.25, 3 << 62), (0.5, 1 << 63), (-0.5, 1 << 63), (1e9 + 0.125, 1 << 61)]
        {
            assert_eq!(torus(x), word, "{x}");
        }
        // One above the least step of the torus that is kept.
        assert_eq!(torus((-52f64).exp2()), 1 << 12);
    }

    #[test]
    fn products_are_those_of_integers() {
        for n in [8, 256, 2048] {
            let fourier = Fourier::new("test", n).unwrap();
            let mut scratch = fourier.scratch("test").unwrap();
            let mut stream = Seed::known(n as u8).stream(3);
            // Digits of 23 bits by torus elements that a double holds exactly, so that only the transforms round.
            let digits: Vec<i64> = (0..n).map(|_| stream.tuniform(22) as i64).collect();
            let mut words = vec![0; n];
            stream.uniform(&mut words);
            words.iter_mut().for_each(|word| *word &= !0xfff);
            let transform = |coefficients: Vec<f64>, scratch: &mut [C64]| {
                let mut to = vec![C64::default(); n / 2];
                fourier.forward(&coefficients, &mut to, scratch);
                to
            };
            let scale = (-64f64).exp2() * 2.0 / n as f64;
            let a = transform(digits.iter().map(|&d| d as f64).collect(), &mut scratch);
            let b = transform(words.iter().map(|&word| word as i64 as f64 * scale).collect(), &mut scratch);
            let mut product: Vec<C64> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
            fourier.inverse(&mut product, &mut scratch);
            let mut got = vec![7; n];
            fourier.add_to(&product, &mut got);
            let digits: Vec<u64> = digits.iter().map(|&d| d as u64).collect();
            let expected = oracle(&digits, &words);
            for (got, expected) in got.iter().zip(&expected) {
                let error = got.wrapping_sub(*expected).wrapping_sub(7) as i64;
                assert!(error.unsigned_abs() < 1 << 42, "{n}: {error}");
            }
        }
    }
}
