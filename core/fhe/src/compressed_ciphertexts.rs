//! Ciphertexts with a seed for their masks: what clients send, a two-thousandth of the size.

use crate::bytes::{Reader, Writer};
use crate::ciphertexts::{Ciphertexts, KeyTag, zeros};
use crate::client_key::{ClientKey, PER_TASK};
use crate::masks::MaskSeed;
use crate::parameters::{DELTA, Parameters};
use crate::random::Seed;
use crate::shortint::Shortints;
use icicle_cpu::parallel;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use icicle_error::reserve::filled;

/// Fresh ciphertexts of one key: the masks follow each other under the seed.
pub(crate) struct SeededCiphertexts {
    pub(crate) parameters: &'static Parameters,
    pub(crate) tag: KeyTag,
    pub(crate) seed: MaskSeed,
    pub(crate) bodies: Vec<u64>,
}

impl SeededCiphertexts {
    /// Write the masks out.
    pub(crate) fn decompress(&self, op: &'static str) -> Result<Ciphertexts> {
        let mut words = zeros(op, self.parameters, self.bodies.len())?;
        let (size, masks) = (self.parameters.ciphertext_words(), self.seed.masks());
        parallel::chunks(&mut words, size, &|at, ciphertext| {
            masks.write(at * (size - 1), &mut ciphertext[..size - 1]);
            ciphertext[size - 1] = self.bodies[at];
        });
        Ciphertexts::new(op, (self.parameters, self.tag), words)
    }

    /// Bytes of the seed and the bodies.
    pub(crate) fn bytes(&self) -> usize {
        16 + 8 * self.bodies.len()
    }

    /// Write the seed and the bodies.
    pub(crate) fn write(&self, to: &mut Writer) {
        to.u128(self.seed.0);
        to.words(self.bodies.iter().copied());
    }

    /// Read them, so many.
    pub(crate) fn read(
        from: &mut Reader<'_>,
        (parameters, tag): (&'static Parameters, KeyTag),
        count: usize,
    ) -> Result<Self> {
        Ok(Self { parameters, tag, seed: MaskSeed(from.u128()?), bodies: from.words(count)? })
    }
}

impl ClientKey {
    /// Encrypt messages, `message(i)` at `i`, each at `DELTA`, with a seed for the masks.
    pub(crate) fn encrypt_seeded(
        &self,
        op: &'static str,
        count: usize,
        message: &(dyn Fn(usize) -> u64 + Sync),
    ) -> Result<SeededCiphertexts> {
        let (seed, noise) = (MaskSeed::new(op)?, Seed::new(op)?);
        let (masks, n) = (seed.masks(), self.parameters.polynomial_size);
        let mut bodies = filled(op, count, 0)?;
        let scratch = PerThread::new(op, count.div_ceil(PER_TASK), || filled(op, n, 0))?;
        parallel::chunks(&mut bodies, PER_TASK, &|task, bodies| {
            let mut noise = noise.stream(task);
            scratch.lend(|mask| {
                for (i, body) in bodies.iter_mut().enumerate() {
                    let at = task * PER_TASK + i;
                    masks.write(at * n, mask);
                    let value = DELTA.wrapping_mul(message(at));
                    *body = self.large.body(mask, value, self.parameters.glwe_noise, &mut noise);
                }
            });
        });
        Ok(SeededCiphertexts { parameters: self.parameters, tag: self.tag, seed, bodies })
    }

    /// Encrypt values from 0 to 3, in the form to send.
    ///
    /// # Errors
    /// Those of [`encrypt_shortints`](Self::encrypt_shortints).
    pub fn encrypt_shortints_compressed(&self, values: &[u8]) -> Result<CompressedShortints> {
        const OP: &str = "fhe_encrypt_compressed";
        Shortints::check_messages(OP, values)?;
        Ok(CompressedShortints(self.encrypt_seeded(OP, values.len(), &|i| u64::from(values[i]))?))
    }
}

/// An array of freshly encrypted values from 0 to 3, in the form to send: 8 bytes each.
pub struct CompressedShortints(pub(crate) SeededCiphertexts);

impl std::fmt::Debug for CompressedShortints {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "CompressedShortints {{ len: {} }}", self.len())
    }
}

impl CompressedShortints {
    /// How many elements.
    pub fn len(&self) -> usize {
        self.0.bodies.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The array to compute with; this one stays as it is.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn decompress(&self) -> Result<Shortints> {
        Ok(Shortints::fresh(self.0.decompress("fhe_decompress")?))
    }
}
