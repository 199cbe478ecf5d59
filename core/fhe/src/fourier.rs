//! Products of polynomials modulo Xᴺ + 1 by Fourier transforms in doubles.
//!
//! A real polynomial of N coefficients is folded into N/2 complex ones, `aⱼ + i aⱼ₊ₙ/₂`, and twisted by `exp(iπj/N)`: the
//! transform of N/2 values then evaluates it where `Xᴺ = -1`, and products there are products modulo `Xᴺ + 1`.
//!
//! Values lie as real parts, then imaginary parts: N numbers, too. Transforms are our own as their error is noise: roots of unity
//! are reduced to the first eighth of the circle in integers, so that none is off by more than its rounding.

use crate::radix4::Radix4;
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_error::Result;
use icicle_error::reserve::{filled, with_capacity};
use std::f64::consts::FRAC_PI_2;

/// The transforms of one size.
pub(crate) struct Fourier {
    /// `exp(iπj/N)`, as values lie.
    twist: Vec<f64>,
    /// For each pass of radix 4, the powers 1, 2 and 3 of its roots: real and imaginary parts of each power.
    roots: Vec<Vec<f64>>,
}

/// `exp(2πi k/m)` for a power of two `m`.
fn unit(k: usize, m: usize) -> (f64, f64) {
    let (quadrant, rest) = (4 * k / m % 4, 4 * k % m);
    let angle = |rest: usize| FRAC_PI_2 * (rest as f64 / m as f64);
    let (sin, cos) = if 2 * rest <= m {
        angle(rest).sin_cos()
    } else {
        let (cos, sin) = angle(m - rest).sin_cos();
        (sin, cos)
    };
    match quadrant {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}

impl Fourier {
    /// For polynomials of `n` coefficients, a power of two.
    pub(crate) fn new(op: &'static str, n: usize) -> Result<Self> {
        let mut twist = filled(op, n, 0.0)?;
        for j in 0..n / 2 {
            (twist[j], twist[n / 2 + j]) = unit(j, 2 * n);
        }
        let mut roots = with_capacity(op, n.ilog2() as usize)?;
        let mut size = n / 2;
        while size >= 4 {
            let quarter = size / 4;
            let mut of_pass = filled(op, 6 * quarter, 0.0)?;
            for (power, to) in (1..4).zip(of_pass.chunks_mut(2 * quarter)) {
                for p in 0..quarter {
                    // The forward transform turns backwards.
                    (to[p], to[quarter + p]) = unit((size - p) * power % size, size);
                }
            }
            roots.push(of_pass);
            size = quarter;
        }
        Ok(Self { twist, roots })
    }

    /// Coefficients of a polynomial, as many numbers as its transform.
    pub(crate) fn len(&self) -> usize {
        self.twist.len()
    }

    /// Transform a polynomial. `spare` is as long and may hold anything.
    pub(crate) fn forward(&self, polynomial: &[f64], to: &mut Vec<f64>, spare: &mut Vec<f64>) {
        widest(Fold { polynomial, twist: &self.twist, to });
        self.passes(to, spare, false);
    }

    /// The polynomial of a transform, times N/2, still twisted, as [`add_to`](Self::add_to) and
    /// [`coefficients`](Self::coefficients) take it.
    pub(crate) fn inverse(&self, values: &mut Vec<f64>, spare: &mut Vec<f64>) {
        self.passes(values, spare, true);
    }

    /// Passes of radix 4 from one vector to the other, and one of radix 2 where a factor of 2 remains; the order of the values
    /// is kept (Stockham's form). With real and imaginary parts exchanged, the transform turns the other way.
    fn passes(&self, values: &mut Vec<f64>, spare: &mut Vec<f64>, exchanged: bool) {
        let half = self.len() / 2;
        let mut stride = 1;
        for roots in &self.roots {
            widest(Radix4 { from: halves(values, exchanged), to: halves_mut(spare, exchanged), roots, stride });
            std::mem::swap(values, spare);
            stride *= 4;
        }
        if stride < half {
            for part in values.chunks_mut(half) {
                let (low, high) = part.split_at_mut(half / 2);
                low.iter_mut().zip(high).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b));
            }
        }
    }

    /// Add the coefficients to a polynomial on the torus, rounded to 2⁻⁵². The values were divided by N/2 before.
    pub(crate) fn add_to(&self, values: &[f64], polynomial: &mut [u64]) {
        widest(Unfold { values, twist: &self.twist, polynomial });
    }

    /// The coefficients: pairs of one of the lower half and the one at the same place of the upper half.
    pub(crate) fn coefficients<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
        let half = self.len() / 2;
        let scale = 1.0 / half as f64;
        (0..half).map(move |j| {
            let (re, im, w_re, w_im) = (values[j], values[half + j], self.twist[j], self.twist[half + j]);
            ((re * w_re + im * w_im) * scale, (im * w_re - re * w_im) * scale)
        })
    }
}

fn halves(values: &[f64], exchanged: bool) -> [&[f64]; 2] {
    let (re, im) = values.split_at(values.len() / 2);
    if exchanged { [im, re] } else { [re, im] }
}

fn halves_mut(values: &mut [f64], exchanged: bool) -> [&mut [f64]; 2] {
    let (re, im) = values.split_at_mut(values.len() / 2);
    if exchanged { [im, re] } else { [re, im] }
}

struct Fold<'a> {
    polynomial: &'a [f64],
    twist: &'a [f64],
    to: &'a mut [f64],
}

impl Kernel for Fold<'_> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let half = self.twist.len() / 2;
        let (low, high) = (&self.polynomial[..half], &self.polynomial[half..][..half]);
        let (w_re, w_im) = (&self.twist[..half], &self.twist[half..][..half]);
        let (re, im) = self.to.split_at_mut(half);
        let im = &mut im[..half];
        for j in 0..half {
            re[j] = low[j] * w_re[j] - high[j] * w_im[j];
            im[j] = low[j] * w_im[j] + high[j] * w_re[j];
        }
    }
}

struct Unfold<'a> {
    values: &'a [f64],
    twist: &'a [f64],
    polynomial: &'a mut [u64],
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
        let half = self.twist.len() / 2;
        let (re, im) = (&self.values[..half], &self.values[half..][..half]);
        let (w_re, w_im) = (&self.twist[..half], &self.twist[half..][..half]);
        let (low, high) = self.polynomial.split_at_mut(half);
        let high = &mut high[..half];
        for j in 0..half {
            low[j] = low[j].wrapping_add(torus(re[j] * w_re[j] + im[j] * w_im[j]));
            high[j] = high[j].wrapping_add(torus(im[j] * w_re[j] - re[j] * w_im[j]));
        }
    }
}

/// Real and imaginary parts, so many each.
#[inline(always)]
fn parts(x: &[f64], half: usize) -> [&[f64]; 2] {
    [&x[..half], &x[half..][..half]]
}

/// The product of two transforms.
pub(crate) struct Product<'a> {
    pub(crate) a: &'a [f64],
    pub(crate) b: &'a [f64],
    pub(crate) to: &'a mut [f64],
}

impl Kernel for Product<'_> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let half = self.to.len() / 2;
        let ([a_re, a_im], [b_re, b_im]) = (parts(self.a, half), parts(self.b, half));
        let (re, im) = self.to.split_at_mut(half);
        let im = &mut im[..half];
        for j in 0..half {
            re[j] = a_re[j] * b_re[j] - a_im[j] * b_im[j];
            im[j] = a_re[j] * b_im[j] + a_im[j] * b_re[j];
        }
    }
}

/// The sum of the products of two pairs of transforms.
pub(crate) struct SumOfProducts<'a> {
    pub(crate) a: [&'a [f64]; 2],
    pub(crate) b: [&'a [f64]; 2],
    pub(crate) to: &'a mut [f64],
}

impl Kernel for SumOfProducts<'_> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let half = self.to.len() / 2;
        let ([a_re, a_im], [c_re, c_im]) = (parts(self.a[0], half), parts(self.a[1], half));
        let ([b_re, b_im], [d_re, d_im]) = (parts(self.b[0], half), parts(self.b[1], half));
        let (re, im) = self.to.split_at_mut(half);
        let im = &mut im[..half];
        for j in 0..half {
            re[j] = a_re[j] * b_re[j] - a_im[j] * b_im[j] + (c_re[j] * d_re[j] - c_im[j] * d_im[j]);
            im[j] = a_re[j] * b_im[j] + a_im[j] * b_re[j] + (c_re[j] * d_im[j] + c_im[j] * d_re[j]);
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
        let halves = [(0.5, 1 << 63), (-0.5, 1 << 63)];
        for (x, word) in [(0.0, 0), (0.25, 1 << 62), (-0.25, 3 << 62), (1e9 + 0.125, 1 << 61)].into_iter().chain(halves)
        {
            assert_eq!(torus(x), word, "{x}");
        }
        // The least step of the torus that is kept.
        assert_eq!(torus((-52f64).exp2()), 1 << 12);
    }

    #[test]
    fn roots_of_unity_are_where_they_belong() {
        for k in 0..16 {
            let (sin, cos) = (k as f64 * std::f64::consts::PI / 8.0).sin_cos();
            let (re, im) = unit(k, 16);
            assert!((re - cos).abs() < 1e-15 && (im - sin).abs() < 1e-15, "{k}: {re} {im}");
        }
        assert_eq!(
            [unit(0, 8), unit(2, 8), unit(4, 8), unit(6, 8)],
            [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]
        );
    }

    #[test]
    fn products_are_those_of_integers() {
        for n in [8, 16, 256, 512, 2048] {
            let fourier = Fourier::new("test", n).unwrap();
            let mut spare = vec![0.0; n];
            let mut stream = Seed::known(n as u8).stream(3);
            // Digits of 23 bits by torus elements, two products as in an external product.
            let (mut factors, mut expected) = (vec![], vec![7u64; n]);
            for _ in 0..2 {
                let digits: Vec<u64> = (0..n).map(|_| stream.tuniform(22)).collect();
                let mut words = vec![0; n];
                stream.uniform(&mut words);
                for (x, scale) in [(&digits, 1.0), (&words, (-64f64).exp2() * 2.0 / n as f64)] {
                    let real: Vec<f64> = x.iter().map(|&word| word as i64 as f64 * scale).collect();
                    let mut to = vec![0.0; n];
                    fourier.forward(&real, &mut to, &mut spare);
                    factors.push(to);
                }
                expected.iter_mut().zip(oracle(&digits, &words)).for_each(|(sum, term)| *sum = sum.wrapping_add(term));
            }
            let mut product = vec![0.0; n];
            widest(SumOfProducts { a: [&factors[0], &factors[2]], b: [&factors[1], &factors[3]], to: &mut product });
            fourier.inverse(&mut product, &mut spare);
            let mut got = vec![7; n];
            fourier.add_to(&product, &mut got);
            for (got, expected) in got.iter().zip(&expected) {
                let error = got.wrapping_sub(*expected) as i64;
                assert!(error.unsigned_abs() < 1 << 42, "{n}: {error}");
            }
        }
    }
}
