//! The bootstrapping key: each bit of the LWE key as a GGSW ciphertext, transformed.

use crate::fourier::Fourier;
use crate::lines::Lines;
use crate::parameters::Parameters;
use crate::random::Seed;
use crate::secret_key::LweSecretKey;
use icicle_cpu::parallel;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use icicle_error::reserve::filled;

/// GGSW ciphertexts of the bits of a key. Each is two rows, GLWE ciphertexts of zero with the bit added, at the place of the
/// digit, to the mask of the first and to the body of the second.
pub(crate) struct BootstrappingKey {
    /// The rows' mask and body, transformed, and divided by N/2 as the inverse transform wants it.
    values: Lines<f64>,
    /// Values of a GGSW ciphertext.
    size: usize,
}

/// Polynomials of a GGSW ciphertext.
const POLYNOMIALS: usize = 4;

impl BootstrappingKey {
    /// Encrypt the bits of a key under another.
    pub(crate) fn generate(
        op: &'static str,
        parameters: &'static Parameters,
        bits: &LweSecretKey,
        under: &LweSecretKey,
    ) -> Result<Self> {
        let (masks, noise) = (Seed::new(op)?, Seed::new(op)?);
        let &Parameters { polynomial_size: n, pbs_base_log, glwe_noise, .. } = parameters;
        let key = under.polynomial(op)?;
        let fourier = Fourier::new(op, n)?;
        let scratch = PerThread::new(op, bits.bits().len(), || {
            Ok((filled(op, 2 * n, 0)?, key.scratch(op)?))
        })?;
        let size = POLYNOMIALS * fourier.len();
        let mut values = Lines::filled(op, bits.bits().len() * size, 0.0)?;
        parallel::chunks(&mut values, size, &|i, ggsw| {
            let (mut masks, mut noise) = (masks.stream(i), noise.stream(i));
            let scaled = bits.bits()[i] << (64 - pbs_base_log);
            scratch.lend(|(row, product)| {
                for (at, to) in ggsw.chunks_mut(2 * fourier.len()).enumerate() {
                    key.encrypt_zero(glwe_noise, (&mut masks, &mut noise), row, product);
                    row[at * n] = row[at * n].wrapping_add(scaled);
                    for (polynomial, to) in row.chunks(n).zip(to.chunks_mut(fourier.len())) {
                        // A signed fraction of the torus.
                        let scale = (-64f64).exp2() / (n / 2) as f64;
                        to.iter_mut().zip(polynomial).for_each(|(to, &word)| *to = word as i64 as f64 * scale);
                        fourier.forward(to);
                    }
                }
            });
        });
        Ok(Self { values, size })
    }

    /// The GGSW ciphertexts: of each the two rows, which are a mask and a body.
    pub(crate) fn ciphertexts(&self) -> impl Iterator<Item = [[&[f64]; 2]; 2]> {
        let quarter = self.size / POLYNOMIALS;
        let part = move |ggsw, at| -> &[f64] { &<&[f64]>::from(ggsw)[at * quarter..][..quarter] };
        self.values.chunks(self.size).map(move |ggsw| [[part(ggsw, 0), part(ggsw, 1)], [part(ggsw, 2), part(ggsw, 3)]])
    }
}
