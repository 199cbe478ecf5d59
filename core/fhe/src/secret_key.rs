//! Secret keys, and encryption under them: LWE and GLWE.

use crate::polynomial::{KeyPolynomial, ProductScratch};
use crate::random::{Seed, Stream};
use icicle_error::Result;
use icicle_error::reserve::filled;
use zeroize::Zeroizing;

/// The key of LWE ciphertexts: bits, one a word, wiped when dropped.
pub(crate) struct LweSecretKey(Zeroizing<Vec<u64>>);

impl LweSecretKey {
    /// Draw a key of so many bits.
    pub(crate) fn generate(op: &'static str, dimension: usize) -> Result<Self> {
        let mut bits = Zeroizing::new(filled(op, dimension, 0)?);
        Seed::new(op)?.stream(0).bits(&mut bits);
        Ok(Self(bits))
    }

    /// A key of given bits, one a word; none if a word is not a bit.
    pub(crate) fn of(bits: Zeroizing<Vec<u64>>) -> Option<Self> {
        // All are read, whatever they are.
        (bits.iter().fold(0, |any, word| any | word) < 2).then_some(Self(bits))
    }

    /// The bits.
    pub(crate) fn bits(&self) -> &[u64] {
        &self.0
    }

    /// The product of a mask and the key. Time does not depend on the key.
    fn product(&self, mask: &[u64]) -> u64 {
        mask.iter().zip(self.bits()).fold(0, |sum, (word, bit)| sum.wrapping_add(word.wrapping_mul(*bit)))
    }

    /// Encrypt an element of the torus, with noise TUniform(b).
    pub(crate) fn encrypt(&self, value: u64, b: u32, masks: &mut Stream, noise: &mut Stream, to: &mut [u64]) {
        let Some((body, mask)) = to.split_last_mut() else { return };
        masks.uniform(mask);
        *body = self.body(mask, value, b, noise);
    }

    /// The body of a ciphertext with a given mask, which encrypts an element of the torus, with noise TUniform(b).
    pub(crate) fn body(&self, mask: &[u64], value: u64, b: u32, noise: &mut Stream) -> u64 {
        self.product(mask).wrapping_add(value).wrapping_add(noise.tuniform(b))
    }

    /// What a ciphertext holds, noise included.
    pub(crate) fn phase(&self, ciphertext: &[u64]) -> u64 {
        ciphertext.split_last().map_or(0, |(body, mask)| body.wrapping_sub(self.product(mask)))
    }

    /// The same bits as the key of GLWE ciphertexts with one mask polynomial.
    pub(crate) fn polynomial(&self, op: &'static str) -> Result<GlweSecretKey> {
        Ok(GlweSecretKey(KeyPolynomial::new(op, self.bits())?))
    }
}

/// The key of GLWE ciphertexts, which are a mask polynomial and a body polynomial.
pub(crate) struct GlweSecretKey(KeyPolynomial);

impl GlweSecretKey {
    /// Memory for encryptions.
    pub(crate) fn scratch(&self, op: &'static str) -> Result<ProductScratch> {
        self.0.scratch(op)
    }

    /// The body of a ciphertext of zero with a given mask, with noise TUniform(b).
    pub(crate) fn zero(
        &self,
        mask: &[u64],
        b: u32,
        noise: &mut Stream,
        body: &mut [u64],
        scratch: &mut ProductScratch,
    ) {
        body.iter_mut().for_each(|word| *word = noise.tuniform(b));
        self.0.add_product(mask, body, scratch);
    }

    /// What a ciphertext holds, noise included.
    #[cfg(test)]
    pub(crate) fn phase(&self, ciphertext: &[u64]) -> Vec<u64> {
        let (mask, body) = ciphertext.split_at(ciphertext.len() / 2);
        let mut product = vec![0; mask.len()];
        self.0.add_product(mask, &mut product, &mut self.0.scratch("test").unwrap());
        body.iter().zip(product).map(|(body, product)| body.wrapping_sub(product)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polynomial::oracle;

    #[test]
    fn what_is_encrypted_comes_back_but_for_bounded_noise() {
        let (masks, noise) = (Seed::known(1), Seed::known(2));
        let key = LweSecretKey::generate("test", 256).unwrap();
        for (at, value) in [0, 1, 1 << 59, 1 << 63, u64::MAX].into_iter().enumerate() {
            let mut ciphertext = [0; 257];
            key.encrypt(value, 17, &mut masks.stream(at), &mut noise.stream(at), &mut ciphertext);
            let sum: u64 = (0..256).filter(|&i| key.bits()[i] == 1).fold(0, |sum, i| sum.wrapping_add(ciphertext[i]));
            let error = ciphertext[256].wrapping_sub(sum).wrapping_sub(value) as i64;
            assert!(error != 0 && error.abs() <= 1 << 17, "{error}");
            assert_eq!(key.phase(&ciphertext).wrapping_sub(value) as i64, error);
        }
        let polynomial = key.polynomial("test").unwrap();
        let mut ciphertext = vec![0; 512];
        let mut scratch = polynomial.scratch("test").unwrap();
        let (mask, body) = ciphertext.split_at_mut(256);
        masks.stream(9).uniform(mask);
        polynomial.zero(mask, 17, &mut noise.stream(9), body, &mut scratch);
        let product = oracle(key.bits(), &ciphertext[..256]);
        for (body, product) in ciphertext[256..].iter().zip(product) {
            assert!((body.wrapping_sub(product) as i64).abs() <= 1 << 17);
        }
    }

    #[test]
    fn keys_are_not_alike() {
        let [a, b] = [(); 2].map(|()| LweSecretKey::generate("test", 256).unwrap());
        assert_ne!(a.bits(), b.bits());
    }
}
