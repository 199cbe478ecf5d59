//! What noise the parameters give: variances, as fractions of the torus squared, and the rate of failures.
//!
//! Formulas are those of Chillotti, Gama, Georgieva, Izabachène (eprint 2018/421) for binary keys, whose bits have a mean of 1/2
//! and a variance of 1/4; of the centred modulus switch, those of eprint 2025/809.

use crate::parameters::Parameters;
use icicle_algebra::doubles::Width;

/// The variance, for sizes of 2048, of the error that transforms in doubles make in a coefficient of a product with a GGSW
/// ciphertext, as a fraction of the torus squared, at most: measured, as a test sees to. It is less where products are added without
/// being rounded before.
fn transform_log2(rounds_once: bool) -> f64 {
    if rounds_once { -51.4 } else { -50.9 }
}

/// The variance of TUniform(b).
fn tuniform(b: u32) -> f64 {
    ((2.0 * f64::from(b) + 1.0).exp2() + 1.0) / 6.0 * (-128f64).exp2()
}

/// The variance of digits of so many bits: uniform on B + 1 values, the ends half as likely.
fn digits(base_log: u32) -> f64 {
    ((2.0 * f64::from(base_log)).exp2() + 2.0) / 12.0
}

/// The variance of rounding to so many bits.
fn rounding(bits: u32) -> f64 {
    (-2.0 * f64::from(bits)).exp2() / 12.0
}

impl Parameters {
    /// The variance of a bootstrap's output: noise of the bootstrapping key times digits, rounding to digits where the bit is
    /// one, and what transforms add, a little more of which on processors of x86-64 without FMA.
    pub fn bootstrap_variance(&self) -> f64 {
        let (n, size) = (self.lwe_dimension as f64, self.polynomial_size as f64);
        let key = 2.0 * size * digits(self.pbs_base_log) * tuniform(self.glwe_noise);
        let rounded = 0.5 * (1.0 + size / 2.0) * rounding(self.pbs_base_log);
        let rounds_once = Width::within(self.polynomial_size / 2).rounds_once();
        let transformed = (1.0 + size / 2.0) * transform_log2(rounds_once).exp2();
        n * (key + rounded + transformed)
    }

    /// The variance that the key switch adds: noise of its key times digits, and rounding.
    pub(crate) fn key_switch_variance(&self) -> f64 {
        let (size, levels) = (self.polynomial_size as f64, self.ks_levels as f64);
        let key = size * levels * digits(self.ks_base_log) * tuniform(self.lwe_noise);
        key + size / 2.0 * rounding(self.ks_base_log * self.ks_levels as u32)
    }

    /// The variance that the modulus switch of the mask adds, centred: of each rounding a quarter.
    pub(crate) fn modulus_switch_variance(&self) -> f64 {
        self.lwe_dimension as f64 / 4.0 * rounding(self.polynomial_size.trailing_zeros() + 1)
    }

    /// The binary logarithm of the probability that a bootstrap reads a wrong value, of an input whose squared norm is `norm2`:
    /// that a normal variable of the sum of the variances, and the uniform one of rounding the body, are together beyond half a
    /// box, 2⁻⁶.
    pub fn failure_log2(&self, norm2: u32) -> f64 {
        let input = f64::from(norm2) * self.bootstrap_variance();
        let deviation = (input + self.key_switch_variance() + self.modulus_switch_variance()).sqrt();
        let z = (-6f64).exp2() / deviation;
        // Both tails of the normal distribution: the first terms of its asymptotic series.
        let tail = 2.0 / (z * (2.0 * std::f64::consts::PI).sqrt()) * (1.0 - 1.0 / (z * z));
        // Where that tail falls off like exp(-t x), a uniform variable on [-h, h] multiplies it by sinh(th)/(th).
        let th = z / deviation / (4 * self.polynomial_size) as f64;
        (tail * th.sinh() / th).log2() - z * z / 2.0 * std::f64::consts::LOG2_E
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fourier::Fourier;
    use crate::parameters::MESSAGE_2_CARRY_2;
    use crate::polynomial::oracle;
    use crate::random::Seed;

    #[test]
    fn failures_are_as_rare_as_published() {
        let p = &MESSAGE_2_CARRY_2;
        assert!((p.key_switch_variance().log2() + 22.03).abs() < 0.02, "{}", p.key_switch_variance().log2());
        assert!((p.modulus_switch_variance().log2() + 19.74).abs() < 0.02, "{}", p.modulus_switch_variance().log2());
        let less = if Width::within(1024).rounds_once() { 0.0 } else { 0.4 };
        assert!((p.bootstrap_variance().log2() + 29.65).abs() < 0.1 + less / 2.0, "{}", p.bootstrap_variance().log2());
        // The published rate leaves out the rounding of the body.
        assert!((p.failure_log2(25) + 129.58).abs() < 0.6 + less, "{}", p.failure_log2(25));
        assert!(p.failure_log2(p.max_norm2) < -128.0 + less, "{}", p.failure_log2(p.max_norm2));
    }

    /// The variance of what transforms of a width err by, in a sum of two products of digits of 23 bits and torus elements, of 2048
    /// coefficients each.
    fn transform_variance(width: Width, seed: u8) -> f64 {
        let n = 2048;
        let fourier = Fourier::with_width("test", n, width).unwrap();
        let mut stream = Seed::known(seed).stream(0);
        let (mut factors, mut exact) = (vec![], vec![0u64; n]);
        for _ in 0..2 {
            let digits: Vec<u64> = (0..n).map(|_| stream.tuniform(22)).collect();
            let mut words = vec![0; n];
            stream.uniform(&mut words);
            for (x, scale) in [(&digits, 1.0), (&words, (-74f64).exp2())] {
                let mut values: Vec<f64> = x.iter().map(|&word| word as i64 as f64 * scale).collect();
                fourier.forward(&mut values);
                factors.push(values);
            }
            exact.iter_mut().zip(oracle(&digits, &words)).for_each(|(sum, term)| *sum = sum.wrapping_add(term));
        }
        let [mut product, mut other] = [vec![0.0; n], vec![0.0; n]];
        let [a, b, c, d] = std::array::from_fn(|at| &factors[at][..]);
        fourier.products([a, c], [[b, b], [d, d]], [&mut product, &mut other]);
        let mut got = vec![0; n];
        fourier.inverse_add(&mut product, &mut got);
        let errors =
            got.iter().zip(&exact).map(|(got, exact)| got.wrapping_sub(*exact) as i64 as f64 * (-64f64).exp2());
        errors.map(|error| error * error).sum::<f64>() / n as f64
    }

    #[test]
    fn transforms_err_as_is_said() {
        for width in Width::all() {
            let log2 = (0..4).map(|seed| transform_variance(width, seed)).sum::<f64>().log2() - 2.0;
            let (said, text) = (transform_log2(width.rounds_once()), format!("{width:?}: 2^{log2:.2}"));
            assert!(log2 < said && log2 > said - 0.2, "{text}");
        }
    }
}
