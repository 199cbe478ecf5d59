//! The client's key: it encrypts, decrypts, and makes the server's key.

use crate::ciphertexts::{Ciphertexts, KeyTag, zeros};
use crate::compressed_key::CompressedServerKey;
use crate::parameters::{DELTA, Parameters};
use crate::random::{Seed, system_bytes};
use crate::secret_key::LweSecretKey;
use crate::server_key::ServerKey;
use icicle_cpu::parallel;
use icicle_device::Device;
use icicle_error::Result;
use icicle_error::reserve::filled;
use std::fmt;

/// The secret key. It stays in the host's memory and is wiped when it is dropped.
///
/// Whoever has it can decrypt everything that was encrypted under it or computed with its [`ServerKey`].
pub struct ClientKey {
    pub(crate) parameters: &'static Parameters,
    pub(crate) tag: KeyTag,
    /// The key that blind rotation reads.
    pub(crate) small: LweSecretKey,
    /// The key of messages, whose bits are also the GLWE key's.
    pub(crate) large: LweSecretKey,
}

impl fmt::Debug for ClientKey {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ClientKey")
            .field("parameters", &self.parameters.name)
            .field("tag", &self.tag)
            .finish_non_exhaustive()
    }
}

/// Ciphertexts that a task encrypts or decrypts.
pub(crate) const PER_TASK: usize = 32;

impl ClientKey {
    /// Draw a key, from the operating system's random numbers.
    ///
    /// # Errors
    /// `OutOfMemory`; `Internal` where the system gives no random numbers.
    pub fn generate(parameters: &'static Parameters) -> Result<Self> {
        const OP: &str = "fhe_client_key";
        Ok(Self {
            parameters,
            tag: KeyTag(u128::from_le_bytes(*system_bytes(OP)?)),
            small: LweSecretKey::generate(OP, parameters.lwe_dimension)?,
            large: LweSecretKey::generate(OP, parameters.polynomial_size)?,
        })
    }

    /// The set of parameters.
    pub fn parameters(&self) -> &'static Parameters {
        self.parameters
    }

    /// Make the key to compute with on a device. It may be given to whoever computes.
    ///
    /// # Errors
    /// `Unsupported` for a GPU that has too little shared memory, or without CUDA; `InvalidDevice`, `OutOfMemory`.
    pub fn server_key(&self, device: Device) -> Result<ServerKey> {
        const OP: &str = "fhe_server_key";
        ServerKey::check_device(OP, device)?;
        self.compressed(OP)?.decompress(device)
    }

    /// Make the server's key with seeds for its masks, a quarter of the size: to be kept or sent, and decompressed where it is used.
    ///
    /// # Errors
    /// `OutOfMemory`; `Internal` where the system gives no random numbers.
    pub fn compressed_server_key(&self) -> Result<CompressedServerKey> {
        self.compressed("fhe_compressed_server_key")
    }

    fn compressed(&self, op: &'static str) -> Result<CompressedServerKey> {
        CompressedServerKey::generate(op, (self.parameters, self.tag), &self.large, &self.small)
    }

    /// Encrypt messages, `message(i)` at `i`, each at `DELTA`.
    pub(crate) fn encrypt_messages(
        &self,
        op: &'static str,
        count: usize,
        message: &(dyn Fn(usize) -> u64 + Sync),
    ) -> Result<Ciphertexts> {
        let (masks, noise) = (Seed::new(op)?, Seed::new(op)?);
        let size = self.parameters.ciphertext_words();
        let mut words = zeros(op, self.parameters, count)?;
        parallel::chunks(&mut words, PER_TASK * size, &|task, chunk| {
            let (mut masks, mut noise) = (masks.stream(task), noise.stream(task));
            for (at, ciphertext) in chunk.chunks_mut(size).enumerate() {
                let value = DELTA.wrapping_mul(message(task * PER_TASK + at));
                self.large.encrypt(value, self.parameters.glwe_noise, &mut masks, &mut noise, ciphertext);
            }
        });
        Ciphertexts::new(op, (self.parameters, self.tag), words)
    }

    /// Decrypt messages: the five leading bits of each phase, rounded.
    pub(crate) fn decrypt_messages(&self, op: &'static str, from: &Ciphertexts) -> Result<Vec<u8>> {
        let (mut out, words) = (filled(op, from.count(), 0)?, from.all_words(op)?);
        let get = |at: usize| &words[at * from.size..][..from.size];
        parallel::chunks(&mut out, PER_TASK, &|task, messages| {
            for (at, message) in messages.iter_mut().enumerate() {
                let phase = self.large.phase(get(task * PER_TASK + at));
                *message = (phase.wrapping_add(DELTA / 2) / DELTA) as u8;
            }
        });
        Ok(out)
    }

    /// How far the phase of each ciphertext is from the message it decrypts to, as a fraction of the torus.
    pub(crate) fn phase_errors(&self, op: &'static str, from: &Ciphertexts) -> Result<Vec<f64>> {
        let (mut out, words) = (filled(op, from.count(), 0.0)?, from.all_words(op)?);
        let get = |at: usize| &words[at * from.size..][..from.size];
        parallel::chunks(&mut out, PER_TASK, &|task, errors| {
            for (at, error) in errors.iter_mut().enumerate() {
                let phase = self.large.phase(get(task * PER_TASK + at));
                let message = (phase.wrapping_add(DELTA / 2) / DELTA).wrapping_mul(DELTA);
                *error = phase.wrapping_sub(message) as i64 as f64 * (-64f64).exp2();
            }
        });
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::TOY;
    use std::collections::HashSet;

    #[test]
    fn no_mask_and_no_noise_comes_twice() {
        let client = ClientKey::generate(&TOY).unwrap();
        // Of several tasks, in two calls.
        let [a, b] = [(); 2].map(|()| client.encrypt_messages("test", 3 * PER_TASK, &|_| 0).unwrap());
        let [a, b] = [a, b].map(|all| all.all_words("test").unwrap().into_owned());
        let ciphertexts = || a.chunks(TOY.ciphertext_words()).chain(b.chunks(TOY.ciphertext_words()));
        assert_eq!(ciphertexts().map(|ciphertext| ciphertext[0]).collect::<HashSet<_>>().len(), 6 * PER_TASK);
        // Eighteen bits of noise may meet by chance, but not all of a task.
        let noise: Vec<u64> = ciphertexts().map(|ciphertext| client.large.phase(ciphertext)).collect();
        assert_eq!(noise.chunks(PER_TASK).collect::<HashSet<_>>().len(), 6);
    }

    #[test]
    fn debug_output_holds_no_key() {
        let client = ClientKey::generate(&TOY).unwrap();
        let tag = client.tag.0;
        assert_eq!(format!("{client:?}"), format!("ClientKey {{ parameters: \"TOY\", tag: KeyTag({tag}), .. }}"));
    }
}
