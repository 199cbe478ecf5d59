//! Products of polynomials modulo Xᴺ + 1 by Fourier transforms in doubles.
//!
//! A real polynomial of N coefficients is read as N/2 complex ones, `aⱼ + i aⱼ₊ₙ/₂`, modulo `X^(N/2) - i`: that is all a product needs to
//! know. The forward transform splits it by the Chinese remainder theorem, `X^2m - w²` into `X^m - w` and `X^m + w`, down to values; the
//! inverse is the usual one of N/2 values that stand in bit-reversed order, with a twist at the end. In between, values are where the
//! last butterflies, within vectors, leave them: the same place in all transforms of one [`Fourier`].
//!
//! Values lie as real parts, then imaginary parts: N numbers, too. Transforms are our own as their error is noise: roots of unity
//! are reduced to the first eighth of the circle in integers, so that none is off by more than its rounding.

use crate::butterflies::{
    InverseRoots, forward, forward_last, inverse, inverse_first, inverse_last, load, parts, parts_mut,
};
use crate::lines::Lines;
use icicle_algebra::doubles::{Doubles, Kernel, Width};
use icicle_error::Result;
use icicle_error::reserve::filled;
use std::f64::consts::FRAC_PI_2;

/// The transforms of one size.
pub(crate) struct Fourier {
    width: Width,
    /// Complex values of a transform.
    half: usize,
    /// Roots of the forward transform's blocks: those of a level of `b` blocks at `b` and on.
    forward: Lines<f64>,
    /// Roots of the forward transform's levels within vectors, as they are used.
    forward_within: Lines<f64>,
    /// Roots of the inverse transform: those of blocks with halves of `m` values at `m` and on.
    inverse: Lines<f64>,
    /// Those of its levels within vectors, but for the first, which needs none.
    inverse_within: Lines<f64>,
    /// `exp(iπj/N)`, as values lie.
    twist: Lines<f64>,
    /// Where the values would be that are at each place, if vectors were one number wide.
    order: Lines<u32>,
}

/// `exp(2πi k/m)` for a power of two `m`.
pub(crate) fn unit(k: usize, m: usize) -> (f64, f64) {
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

/// A root of unity as butterflies take it: its cosine and its tangent. Where the cosine is zero, it is one that makes no difference.
pub(crate) fn cosine_and_tangent((cos, sin): (f64, f64)) -> (f64, f64) {
    let cos = if cos == 0.0 { (-70f64).exp2() } else { cos };
    (cos, sin / cos)
}

/// Of two vectors of places, exchange runs as [`Doubles::exchange`] does.
fn exchange(run: usize, a: &mut [usize], b: &mut [usize]) {
    for i in (0..a.len()).filter(|i| i / run % 2 == 1) {
        std::mem::swap(&mut a[i], &mut b[i - run]);
    }
}

/// Levels of each pass, of so many and at most `most` in one: as few passes as can be, none of one level if that can be.
fn passes(mut levels: u32, most: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let log = if levels == most + 1 && most > 2 { levels / 2 } else { levels.min(most) };
        levels -= log;
        (log > 0).then_some(log)
    })
}

impl Fourier {
    /// For polynomials of `n` coefficients, a power of two of at least 8.
    pub(crate) fn new(op: &'static str, n: usize) -> Result<Self> {
        Self::with_width(op, n, Width::within(n / 2))
    }

    /// As `new`, with vectors of a width of which pairs fit in.
    pub(crate) fn with_width(op: &'static str, n: usize, width: Width) -> Result<Self> {
        let (half, count) = (n / 2, width.count());
        let numbers = |len| Lines::filled(op, len, 0.0);
        let mut twist = numbers(n)?;
        for j in 0..half {
            (twist[j], twist[half + j]) = unit(j, 2 * n);
        }
        // The forward roots: of a block modulo X^2m - exp(2πi t/2n), exp(2πi (t/2)/2n). For the last levels each, too.
        let mut angles = Lines::filled(op, half, 0)?;
        angles[1] = n / 2;
        for node in 1..half / 2 {
            let angle = angles[node] / 2;
            (angles[2 * node], angles[2 * node + 1]) = (angle, angle + n);
        }
        let root = |node: usize| cosine_and_tangent(unit(angles[node] / 2, 2 * n));
        let mut forward = numbers(n)?;
        for node in 1..half {
            (forward[node], forward[half + node]) = root(node);
        }
        let levels = count.ilog2() as usize;
        let mut forward_within = numbers(half / (2 * count) * levels * 2 * count)?;
        let mut inverse_within = numbers(levels.saturating_sub(1) * 2 * count)?;
        let mut inverse = numbers(n)?;
        for m in (0..half.ilog2()).map(|log| 1 << log) {
            for j in 0..m {
                // Backwards.
                (inverse[m + j], inverse[half + m + j]) = cosine_and_tangent(unit((2 * m - j) % (2 * m), 2 * m));
            }
        }
        let (mut a, mut b) = (Lines::filled(op, count, 0)?, Lines::filled(op, count, 0)?);
        let mut to = forward_within.chunks_exact_mut(2 * count);
        let mut order = Lines::filled(op, half, 0)?;
        for pair in 0..half / (2 * count) {
            for i in 0..count {
                (a[i], b[i]) = (2 * count * pair + i, 2 * count * pair + count + i);
            }
            let mut run = count / 2;
            while run > 0 {
                exchange(run, &mut a, &mut b);
                if let Some([re, im]) = to.next().map(parts_mut) {
                    for i in 0..count {
                        // The block of a level whose blocks are two runs.
                        (re[i], im[i]) = root(half / (2 * run) + a[i] / (2 * run));
                        if pair == 0 && run > 1 {
                            let at = 2 * count * (run.ilog2() as usize - 1) + i;
                            let j = run + a[i] % run;
                            (inverse_within[at], inverse_within[count + at]) = (inverse[j], inverse[half + j]);
                        }
                    }
                }
                run /= 2;
            }
            let places = a.iter().chain(&b[..]).map(|&place| place as u32);
            order[2 * count * pair..].iter_mut().zip(places).for_each(|(to, place)| *to = place);
        }
        Ok(Self { width, half, forward, forward_within, inverse, inverse_within, twist, order })
    }

    /// Coefficients of a polynomial, as many numbers as its transform.
    pub(crate) fn len(&self) -> usize {
        self.twist.len()
    }

    /// Where values of a transform are, in an order that does not depend on the width of vectors: all real parts, in bit-reversed order
    /// of what they are values at, then all imaginary parts.
    pub(crate) fn places(&self, op: &'static str) -> Result<Vec<usize>> {
        let mut places = filled(op, 2 * self.half, 0)?;
        for (place, &at) in self.order.iter().enumerate() {
            (places[at as usize], places[self.half + at as usize]) = (place, self.half + place);
        }
        Ok(places)
    }

    /// Transform a polynomial in place.
    pub(crate) fn forward(&self, polynomial: &mut [f64]) {
        self.width.run(Forward(self, polynomial));
    }

    /// The polynomial of a transform, in place, times N/2 and still twisted, as [`coefficients`](Self::coefficients) takes it.
    pub(crate) fn inverse(&self, values: &mut [f64]) {
        self.width.run(Inverse(self, values, None));
    }

    /// Add the polynomial of a transform, whose values were divided by N/2 before, to one on the torus, rounded to 2⁻⁵². The values
    /// are lost.
    pub(crate) fn inverse_add(&self, values: &mut [f64], polynomial: &mut [u64]) {
        self.width.run(Inverse(self, values, Some(polynomial)));
    }

    /// The coefficients: pairs of one of the lower half and the one at the same place of the upper half.
    pub(crate) fn coefficients<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
        let half = self.half;
        let scale = 1.0 / half as f64;
        (0..half).map(move |j| {
            let (re, im, w_re, w_im) = (values[j], values[half + j], self.twist[j], self.twist[half + j]);
            ((re * w_re + im * w_im) * scale, (im * w_re - re * w_im) * scale)
        })
    }

    /// The product of two transforms.
    pub(crate) fn product(&self, a: &[f64], b: &[f64], to: &mut [f64]) {
        self.width.run(SumsOfProducts { a: [a], b: [[b]], to: [to] });
    }

    /// The products of a pair of transforms and a matrix of two rows.
    pub(crate) fn products(&self, a: [&[f64]; 2], b: [[&[f64]; 2]; 2], to: [&mut [f64]; 2]) {
        self.width.run(SumsOfProducts { a, b, to });
    }
}

struct Forward<'a>(&'a Fourier, &'a mut [f64]);

impl Kernel for Forward<'_> {
    type Output = ();
    #[inline(always)]
    fn run<D: Doubles>(self, d: D) {
        let Self(fourier, values) = self;
        let roots = parts(&fourier.forward, fourier.half);
        let mut blocks = 1;
        for log in passes((fourier.half / D::COUNT).ilog2().saturating_sub(2), D::RADIX_LOG) {
            forward(d, log, blocks, roots, values);
            blocks <<= log;
        }
        forward_last(d, roots, &fourier.forward_within, values);
    }
}

struct Inverse<'a>(&'a Fourier, &'a mut [f64], Option<&'a mut [u64]>);

impl Kernel for Inverse<'_> {
    type Output = ();
    #[inline(always)]
    fn run<D: Doubles>(self, d: D) {
        let Self(fourier, values, mut words) = self;
        let roots = InverseRoots::<D>::new(parts(&fourier.inverse, fourier.half));
        inverse_first(d, &roots, &fourier.inverse_within, values);
        let mut m = fourier.half.min(4 * D::COUNT);
        for log in passes((fourier.half / m).ilog2(), D::RADIX_LOG) {
            match words.take_if(|_| m << log == fourier.half) {
                Some(words) => inverse_last(d, log, &roots, parts(&fourier.twist, fourier.half), values, words),
                None => inverse(d, log, m, &roots, values),
            }
            m <<= log;
        }
        // Where a transform is no longer than that, there was no last pass.
        if let Some(words) = words {
            inverse_last(d, 0, &roots, parts(&fourier.twist, fourier.half), values, words);
        }
    }
}

/// The products of a row of transforms and a matrix of them.
struct SumsOfProducts<'a, const ROWS: usize, const COLUMNS: usize> {
    a: [&'a [f64]; ROWS],
    b: [[&'a [f64]; COLUMNS]; ROWS],
    to: [&'a mut [f64]; COLUMNS],
}

impl<const ROWS: usize, const COLUMNS: usize> Kernel for SumsOfProducts<'_, ROWS, COLUMNS> {
    type Output = ();
    #[inline(always)]
    fn run<D: Doubles>(self, d: D) {
        let Self { a, b, to } = self;
        let half = a[0].len() / 2;
        let vectors = half / D::COUNT;
        macro_rules! cut {
            ($values:expr) => {{
                let [re, im] = parts($values, half);
                [&D::blocks(re)[..vectors], &D::blocks(im)[..vectors]]
            }};
        }
        let (x, y) = (a.map(|values| cut!(values)), b.map(|row| row.map(|values| cut!(values))));
        let mut to = to.map(|values| parts_mut(values).map(|part| &mut D::blocks_mut(part)[..vectors]));
        for j in 0..vectors {
            let mut sums = [[d.splat(0.0); 2]; COLUMNS];
            for row in 0..ROWS {
                let [x_re, x_im] = load(d, &x[row][0][j], &x[row][1][j]);
                for column in 0..COLUMNS {
                    let [y_re, y_im] = load(d, &y[row][column][0][j], &y[row][column][1][j]);
                    let [re, im] = &mut sums[column];
                    (*re, *im) = match row {
                        0 => (d.mul(x_re, y_re), d.mul(x_re, y_im)),
                        _ => (d.mul_add(x_re, y_re, *re), d.mul_add(x_re, y_im, *im)),
                    };
                    (*re, *im) = (d.sub_mul(x_im, y_im, *re), d.mul_add(x_im, y_re, *im));
                }
            }
            for column in 0..COLUMNS {
                let [re, im] = &mut to[column];
                d.store(sums[column][0], &mut re[j]);
                d.store(sums[column][1], &mut im[j]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polynomial::oracle;
    use crate::random::Seed;

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
    fn passes_make_up_the_levels() {
        for levels in 0..12 {
            for most in [2, 3] {
                let logs: Vec<u32> = passes(levels, most).collect();
                assert!(
                    logs.iter().sum::<u32>() == levels && logs.iter().all(|&log| log <= most),
                    "{levels}: {logs:?}"
                );
            }
        }
        assert_eq!(passes(7, 3).collect::<Vec<u32>>(), [3, 2, 2]);
    }

    #[test]
    fn the_order_of_values_does_not_depend_on_the_width() {
        let n = 64;
        let mut words = vec![0; n];
        Seed::known(3).stream(0).uniform(&mut words);
        let polynomial: Vec<f64> = words.iter().map(|&word| word as i64 as f64 * (-64f64).exp2()).collect();
        for width in Width::all() {
            let fourier = Fourier::with_width("test", n, width).unwrap();
            let mut values = polynomial.clone();
            fourier.forward(&mut values);
            let places = fourier.places("test").unwrap();
            for at in 0..n / 2 {
                // What position `at` is the value at: exp(2πi (1/4 + reversed)/(n/2)).
                let reversed = at.reverse_bits() >> (usize::BITS - (n / 2).ilog2());
                let (mut re, mut im) = (0.0, 0.0);
                for j in 0..n / 2 {
                    let (w_re, w_im) = unit(j * (4 * reversed + 1) % (2 * n), 2 * n);
                    let (a, b) = (polynomial[j], polynomial[j + n / 2]);
                    (re, im) = (re + a * w_re - b * w_im, im + a * w_im + b * w_re);
                }
                let error = (values[places[at]] - re).hypot(values[places[n / 2 + at]] - im);
                assert!(error < 1e-13, "{width:?}, {at}: {error}");
            }
        }
    }

    #[test]
    fn products_are_those_of_integers() {
        for (n, width) in
            [8, 16, 32, 64, 256, 512, 1024, 2048].into_iter().flat_map(|n| Width::all().map(move |w| (n, w)))
        {
            if 2 * width.count() > n / 2 {
                continue;
            }
            let fourier = Fourier::with_width("test", n, width).unwrap();
            let mut stream = Seed::known(n as u8).stream(3);
            // Digits of 23 bits by torus elements, two products as in an external product; then those of the digits alone.
            let (mut factors, mut expected) = (vec![], vec![7u64; n]);
            for _ in 0..2 {
                let digits: Vec<u64> = (0..n).map(|_| stream.tuniform(22)).collect();
                let mut words = vec![0; n];
                stream.uniform(&mut words);
                for (x, scale) in [(&digits, 1.0), (&words, (-64f64).exp2() * 2.0 / n as f64)] {
                    let mut values: Vec<f64> = x.iter().map(|&word| word as i64 as f64 * scale).collect();
                    fourier.forward(&mut values);
                    factors.push(values);
                }
                expected.iter_mut().zip(oracle(&digits, &words)).for_each(|(sum, term)| *sum = sum.wrapping_add(term));
            }
            let [mut product, mut twice] = [vec![0.0; n], vec![0.0; n]];
            let doubled: Vec<f64> = factors[3].iter().map(|x| 2.0 * x).collect();
            fourier.products(
                [&factors[0], &factors[2]],
                [[&factors[1], &factors[1]], [&factors[3], &doubled]],
                [&mut product, &mut twice],
            );
            let [mut got, mut more] = [vec![7; n], vec![7; n]];
            fourier.inverse_add(&mut product, &mut got);
            fourier.inverse_add(&mut twice, &mut more);
            let mut other = vec![0.0; n];
            fourier.product(&factors[2], &factors[3], &mut other);
            fourier.inverse(&mut other);
            let mut second = vec![0u64; n];
            let word = |x: f64| ((x * (n / 2) as f64).rem_euclid(1.0) * (64f64).exp2()) as u128 as u64;
            for (j, (re, im)) in fourier.coefficients(&other).enumerate() {
                for (at, x) in [(j, re), (j + n / 2, im)] {
                    second[at] = word(x);
                }
            }
            let near = |a: u64, b: u64| (a.wrapping_sub(b) as i64).unsigned_abs() < 1 << 42;
            for j in 0..n {
                assert!(near(got[j], expected[j]), "{n}, {width:?}: {:x} {:x}", got[j], expected[j]);
                assert!(near(more[j], expected[j].wrapping_add(second[j])), "{n}, {width:?}");
            }
        }
    }
}
