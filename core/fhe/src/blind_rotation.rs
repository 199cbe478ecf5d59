//! Blind rotation: multiply a table by X to the power of what an LWE ciphertext holds, without knowing it.

use crate::bootstrapping_key::BootstrappingKey;
use crate::fourier::Fourier;
use crate::lines::Lines;
use crate::parameters::Parameters;
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_error::Result;

/// What blind rotations work in.
pub(crate) struct Scratch {
    /// The mask and the body of each rotated table, one table after another.
    pub(crate) accumulators: Lines<u64>,
    /// Digits of mask and body, and their transforms.
    factors: [Lines<f64>; 2],
    products: [Lines<f64>; 2],
}

impl Scratch {
    /// Memory for so many tables at a time, of polynomials of `n` coefficients.
    pub(crate) fn new(op: &'static str, n: usize, tables: usize) -> Result<Self> {
        let values = || Lines::filled(op, n, 0.0);
        Ok(Self {
            accumulators: Lines::filled(op, 2 * n * tables, 0)?,
            factors: [values()?, values()?],
            products: [values()?, values()?],
        })
    }
}

/// Switch the modulus of an LWE ciphertext to 2N, in place.
///
/// What rounding the mask adds to the phase is, over keys of random bits, half of the sum of the rounding errors in the mean:
/// taking it off the body halves the variance (de Ruijter, D'Anvers, Verbauwhede, eprint 2025/809). The body is rounded down, as
/// the boxes of a table reach as far below a value as above it, but for the upper end.
pub(crate) fn switch_modulus(ciphertext: &mut [u64], polynomial_size: usize) {
    let shift = 63 - polynomial_size.trailing_zeros();
    let Some((body, mask)) = ciphertext.split_last_mut() else { return };
    let mut errors = 0i64;
    for word in mask {
        let rounded = (*word >> (shift - 1)).wrapping_add(1) >> 1;
        errors = errors.wrapping_add(word.wrapping_sub(rounded << shift) as i64);
        *word = rounded & (2 * polynomial_size as u64 - 1);
    }
    *body = body.wrapping_sub((errors >> 1) as u64) >> shift;
}

/// Rotate the accumulators, whose masks are zero and whose bodies were rotated by the ciphertexts' bodies, by the elements of the
/// ciphertexts' masks times the key's bits: for each, add the GGSW ciphertext of the bit times what rotating by the element changes.
///
/// The ciphertexts follow each other, each of `words` words. All are rotated by one bit before the next: a GGSW ciphertext comes from
/// memory once.
pub(crate) fn rotate_by_masks(
    ciphertexts: &[u64],
    words: usize,
    key: &BootstrappingKey,
    parameters: &Parameters,
    fourier: &Fourier,
    scratch: &mut Scratch,
) {
    for (at, ggsw) in key.ciphertexts().enumerate() {
        for (i, ciphertext) in ciphertexts.chunks(words).enumerate() {
            // Rotating by nothing changes nothing.
            if ciphertext[at] != 0 {
                external_product(ciphertext[at] as usize, ggsw, parameters, fourier, scratch, i);
            }
        }
    }
}

/// Add the product of a GGSW ciphertext and `(Xᵈ - 1)·accumulator` to an accumulator: a CMux.
fn external_product(
    d: usize,
    ggsw: [[&[f64]; 2]; 2],
    parameters: &Parameters,
    fourier: &Fourier,
    scratch: &mut Scratch,
    accumulator: usize,
) {
    let n = parameters.polynomial_size;
    let Scratch { accumulators, factors, products } = scratch;
    let accumulator = &mut accumulators[2 * n * accumulator..][..2 * n];
    for (polynomial, factor) in accumulator.chunks(n).zip(factors.iter_mut()) {
        widest(Digits { polynomial, d, base_log: parameters.pbs_base_log, to: factor });
        fourier.forward(factor);
    }
    let [mask, body] = &*factors;
    let [mask_product, body_product] = &mut *products;
    fourier.products([mask, body], ggsw, [mask_product, body_product]);
    for (polynomial, product) in accumulator.chunks_mut(n).zip(products) {
        fourier.inverse_add(product, polynomial);
    }
}

/// The leading digit, to nearest, of what rotating a polynomial by `d` changes.
struct Digits<'a> {
    polynomial: &'a [u64],
    d: usize,
    base_log: u32,
    to: &'a mut [f64],
}

impl Kernel for Digits<'_> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { polynomial, base_log, .. } = self;
        let n = polynomial.len();
        let (shift, negative) = (self.d % n, self.d >= n);
        // Complement and carry negate where all bits are set.
        let (front_sign, back_sign) = if negative { (0, u64::MAX) } else { (u64::MAX, 0) };
        // To nearest, and all positive: 2ᵇ⁻¹ more.
        let half = (1u64 << 63) + (1u64 << (63 - base_log));
        // The mantissa of a number from 2⁵² on is an integer.
        let unit = (52f64).exp2();
        let (mantissa, offset) = (unit.to_bits(), unit + f64::from(1u32 << (base_log - 1)));
        let digit = |rotated: u64, sign: u64, word: u64| {
            let rounded = (rotated ^ sign).wrapping_sub(sign).wrapping_sub(word).wrapping_add(half);
            f64::from_bits(rounded >> (64 - base_log) | mantissa) - offset
        };
        let (kept, wrapped) = polynomial.split_at(n - shift);
        let (front, back) = self.to.split_at_mut(shift);
        let (front_words, back_words) = polynomial.split_at(shift);
        for ((to, &rotated), &word) in front.iter_mut().zip(wrapped).zip(front_words) {
            *to = digit(rotated, front_sign, word);
        }
        for ((to, &rotated), &word) in back.iter_mut().zip(kept).zip(back_words) {
            *to = digit(rotated, back_sign, word);
        }
    }
}

/// Take a coefficient out of a GLWE ciphertext, as an LWE ciphertext under the coefficients of its key.
pub(crate) fn extract_sample(glwe: &[u64], coefficient: usize, to: &mut [u64]) {
    let (mask, body) = glwe.split_at(glwe.len() / 2);
    let n = mask.len();
    for (j, to) in to[..n].iter_mut().enumerate() {
        *to = if j <= coefficient { mask[coefficient - j] } else { mask[n + coefficient - j].wrapping_neg() };
    }
    to[n] = body[coefficient];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrapping_key::SeededBootstrappingKey;
    use crate::parameters::TOY;
    use crate::polynomial::{oracle, rotate};
    use crate::random::Seed;
    use crate::secret_key::LweSecretKey;

    #[test]
    fn extracted_coefficients_are_those_of_the_phase() {
        let key = LweSecretKey::generate("test", 64).unwrap();
        let mut glwe = vec![0; 128];
        Seed::known(5).stream(0).uniform(&mut glwe);
        let product = oracle(key.bits(), &glwe[..64]);
        for at in [0, 1, 31, 63] {
            let mut sample = vec![0; 65];
            extract_sample(&glwe, at, &mut sample);
            assert_eq!(key.phase(&sample), glwe[64 + at].wrapping_sub(product[at]));
        }
    }

    #[test]
    fn a_switched_modulus_keeps_the_phase_and_has_no_bias() {
        let key = LweSecretKey::generate("test", 512).unwrap();
        let (masks, noise) = (Seed::known(6), Seed::known(7));
        let (mut sum, mut squares) = (0.0, 0.0);
        for at in 0..400 {
            let value = (at as u64) << 55;
            let mut ciphertext = vec![0; 513];
            key.encrypt(value, 17, &mut masks.stream(at), &mut noise.stream(at), &mut ciphertext);
            switch_modulus(&mut ciphertext, 2048);
            let phase = key.phase(&ciphertext) & 4095;
            let error = (phase.wrapping_sub(value >> 52) << 52) as i64 >> 52;
            // Of 512 errors, uniform in [-1/2, 1/2] and times +-1/2, the deviation is 3.3.
            assert!(error.abs() < 25, "{error}");
            let centred = error as f64 + 0.5;
            (sum, squares) = (sum + centred, squares + centred * centred);
        }
        assert!((sum / 400.0).abs() < 1.0, "{sum}");
        // Twice that where the mean of the errors is not taken off.
        let (variance, theory) = (squares / 400.0, 512.0 / 48.0 + 1.0 / 12.0);
        assert!((0.6..1.5).contains(&(variance / theory)), "{variance} {theory}");
    }

    #[test]
    fn a_cmux_rotates_where_the_bit_is_one() {
        let n = TOY.polynomial_size;
        let (bits, under) =
            (LweSecretKey::generate("test", TOY.lwe_dimension).unwrap(), LweSecretKey::generate("test", n).unwrap());
        let seeded = SeededBootstrappingKey::generate("test", &TOY, &bits, &under).unwrap();
        let key = seeded.decompress("test", &TOY).unwrap();
        let fourier = Fourier::new("test", n).unwrap();
        let mut scratch = Scratch::new("test", n, 2).unwrap();
        let mut start = vec![0; 2 * n];
        Seed::known(9).stream(0).uniform(&mut start);
        let under = under.polynomial("test").unwrap();
        let before = under.phase(&start);
        for (at, ggsw) in key.ciphertexts().enumerate() {
            for d in [1, 5, n - 1, n, n + 3, 2 * n - 1] {
                scratch.accumulators[2 * n..].copy_from_slice(&start);
                external_product(d, ggsw, &TOY, &fourier, &mut scratch, 1);
                let mut expected = vec![0; n];
                rotate(&before, if bits.bits()[at] == 1 { d } else { 0 }, &mut expected);
                let phase = under.phase(&scratch.accumulators[2 * n..]);
                for (phase, expected) in phase.iter().zip(expected) {
                    let error = phase.wrapping_sub(expected) as i64;
                    // The deviation is 2^43.6; digits that were rounded down would have a mean, of 2^47 at the ends.
                    assert!(error.unsigned_abs() < 3 << 45, "{at} {d}: {error}");
                }
            }
        }
    }
}
