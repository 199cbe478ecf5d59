//! The bootstrapping key: each bit of the LWE key as a GGSW ciphertext, transformed.

use crate::ciphertexts::check_count;
use crate::fourier::Fourier;
use crate::lines::Lines;
use crate::masks::MaskSeed;
use crate::parameters::Parameters;
use crate::random::Seed;
use crate::secret_key::LweSecretKey;
use icicle_cpu::parallel;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use icicle_error::reserve::filled;

/// GGSW ciphertexts of the bits of a key. Each is two rows, GLWE ciphertexts: the first of the bit, at the place of the digit, times
/// minus the key they are under, the second of the bit at the place of the digit.
pub(crate) struct BootstrappingKey {
    /// The rows' mask and body, transformed, and divided by N/2 as the inverse transform wants it.
    pub(crate) values: Lines<f64>,
    /// Values of a GGSW ciphertext.
    size: usize,
}

/// The same with a seed for the masks, as elements of the torus.
pub(crate) struct SeededBootstrappingKey {
    pub(crate) seed: MaskSeed,
    /// The bodies of the rows.
    pub(crate) bodies: Vec<u64>,
}

/// Polynomials of a GGSW ciphertext.
const POLYNOMIALS: usize = 4;

impl SeededBootstrappingKey {
    /// Encrypt the bits of a key under another.
    pub(crate) fn generate(
        op: &'static str,
        parameters: &'static Parameters,
        bits: &LweSecretKey,
        under: &LweSecretKey,
    ) -> Result<Self> {
        let (seed, noise) = (MaskSeed::new(op)?, Seed::new(op)?);
        let &Parameters { polynomial_size: n, pbs_base_log, glwe_noise, .. } = parameters;
        let key = under.polynomial(op)?;
        let mut bodies = filled(op, parameters.bootstrap_bodies(), 0)?;
        let scratch = PerThread::new(op, bits.bits().len(), || Ok((filled(op, n, 0)?, key.scratch(op)?)))?;
        let masks = seed.masks();
        parallel::chunks(&mut bodies, 2 * n, &|i, rows| {
            let mut noise = noise.stream(i);
            let scaled = bits.bits()[i] << (64 - pbs_base_log);
            let (first, second) = rows.split_at_mut(n);
            scratch.lend(|(mask, product)| {
                masks.write(2 * i * n, mask);
                key.zero(mask, glwe_noise, &mut noise, first, product);
                first
                    .iter_mut()
                    .zip(under.bits())
                    .for_each(|(to, bit)| *to = to.wrapping_sub(scaled.wrapping_mul(*bit)));
                masks.write((2 * i + 1) * n, mask);
                key.zero(mask, glwe_noise, &mut noise, second, product);
                second[0] = second[0].wrapping_add(scaled);
            });
        });
        Ok(Self { seed, bodies })
    }

    /// Write the masks out, and transform.
    pub(crate) fn decompress(&self, op: &'static str, parameters: &Parameters) -> Result<BootstrappingKey> {
        let n = parameters.polynomial_size;
        let masks = self.seed.masks();
        BootstrappingKey::transformed(op, parameters, &|at, to| match at % 2 {
            0 => masks.write(at / 2 * n, to),
            _ => to.copy_from_slice(&self.bodies[at / 2 * n..][..n]),
        })
    }
}

impl BootstrappingKey {
    /// Transform polynomials, each of which `write` gives: of each row its mask, then its body.
    fn transformed(
        op: &'static str,
        parameters: &Parameters,
        write: &(dyn Fn(usize, &mut [u64]) + Sync),
    ) -> Result<Self> {
        let n = parameters.polynomial_size;
        let fourier = Fourier::new(op, n)?;
        let mut values = Lines::filled(op, 2 * parameters.bootstrap_bodies(), 0.0)?;
        let scratch = PerThread::new(op, values.len() / n, || filled(op, n, 0))?;
        // A signed fraction of the torus.
        let scale = (-64f64).exp2() / (n / 2) as f64;
        parallel::chunks(&mut values, n, &|at, to| {
            scratch.lend(|words| {
                write(at, words);
                to.iter_mut().zip(words).for_each(|(to, word)| *to = *word as i64 as f64 * scale);
                fourier.forward(to);
            });
        });
        Ok(Self { values, size: POLYNOMIALS * n })
    }

    /// A key of given elements of the torus: the polynomials of each row, its mask and its body, one row after another.
    pub(crate) fn of(op: &'static str, parameters: &Parameters, words: &[u64]) -> Result<Self> {
        check_count(op, "bootstrap", words.len(), 2 * parameters.bootstrap_bodies())?;
        let n = parameters.polynomial_size;
        Self::transformed(op, parameters, &|at, to| to.copy_from_slice(&words[at * n..][..n]))
    }

    /// A key of values that are transformed already, `value(i)` at `i`.
    pub(crate) fn of_values(op: &'static str, parameters: &Parameters, value: impl Fn(usize) -> f64) -> Result<Self> {
        let mut values = Lines::filled(op, 2 * parameters.bootstrap_bodies(), 0.0)?;
        values.iter_mut().enumerate().for_each(|(at, to)| *to = value(at));
        Ok(Self { values, size: POLYNOMIALS * parameters.polynomial_size })
    }

    /// The GGSW ciphertexts: of each the two rows, which are a mask and a body.
    pub(crate) fn ciphertexts(&self) -> impl Iterator<Item = [[&[f64]; 2]; 2]> {
        let quarter = self.size / POLYNOMIALS;
        self.values.chunks(self.size).map(move |ggsw| {
            let part = |at| &ggsw[at * quarter..][..quarter];
            [[part(0), part(1)], [part(2), part(3)]]
        })
    }
}
