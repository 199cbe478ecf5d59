//! LWE ciphertexts of one key, one after another: what encrypted arrays are made of.

use crate::parameters::Parameters;
use icicle_error::reserve::{collected, filled};
use icicle_error::{Error, Result};

/// What tells the keys of one client from those of another: random, public, the same in keys and ciphertexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyTag(pub(crate) u128);

/// Ciphertexts of so many words each.
pub(crate) struct Ciphertexts {
    pub(crate) parameters: &'static Parameters,
    pub(crate) tag: KeyTag,
    pub(crate) words: Vec<u64>,
    /// Words of one.
    pub(crate) size: usize,
}

impl Ciphertexts {
    /// So many, of zeros.
    pub(crate) fn new(op: &'static str, parameters: &'static Parameters, tag: KeyTag, count: usize) -> Result<Self> {
        let size = parameters.ciphertext_words();
        let words = count.checked_mul(size).ok_or_else(|| icicle_error::reserve::refused(op, count, size))?;
        Ok(Self { parameters, tag, words: filled(op, words, 0)?, size })
    }

    /// How many.
    pub(crate) fn count(&self) -> usize {
        self.words.len() / self.size
    }

    /// One of them.
    pub(crate) fn get(&self, at: usize) -> &[u64] {
        &self.words[at * self.size..][..self.size]
    }

    /// A copy.
    pub(crate) fn copied(&self, op: &'static str) -> Result<Self> {
        Ok(Self { words: collected(op, self.words.iter().copied())?, ..*self })
    }

    /// Add a message to each body.
    pub(crate) fn add_to_bodies(&mut self, value: u64) {
        for body in self.words.iter_mut().skip(self.size - 1).step_by(self.size) {
            *body = body.wrapping_add(value);
        }
    }

    /// Negate all.
    pub(crate) fn negate(&mut self) {
        self.words.iter_mut().for_each(|word| *word = word.wrapping_neg());
    }

    /// Refuse ciphertexts of another client's key.
    pub(crate) fn check(&self, op: &'static str, argument: &str, tag: KeyTag) -> Result<()> {
        if self.tag == tag {
            return Ok(());
        }
        let detail = format!(
            "{argument} is encrypted under the key {:032x}, must be under that of the key it is used with, {:032x}",
            self.tag.0, tag.0
        );
        Err(Error::argument(op, detail))
    }
}

/// Refuse arrays of different lengths.
pub(crate) fn check_lengths(op: &'static str, names: [&str; 2], [a, b]: [usize; 2]) -> Result<()> {
    if a == b {
        return Ok(());
    }
    Err(Error::argument(op, format!("{} has {b} elements, {} {a}: must be as many", names[1], names[0])))
}

/// Refuse an array that has not as many elements as its parameters want.
pub(crate) fn check_count(op: &'static str, name: &str, got: usize, wanted: usize) -> Result<()> {
    if got == wanted {
        return Ok(());
    }
    Err(Error::argument(op, format!("{name} has {got} elements, must have {wanted}")))
}

/// Add a multiple of a ciphertext to another.
pub(crate) fn add_multiple(to: &mut [u64], of: &[u64], by: u64) {
    to.iter_mut().zip(of).for_each(|(to, of)| *to = to.wrapping_add(of.wrapping_mul(by)));
}

/// Add to the body.
pub(crate) fn add_constant(to: &mut [u64], value: u64) {
    if let Some(body) = to.last_mut() {
        *body = body.wrapping_add(value);
    }
}
