//! Parts of arrays, and arrays put together: without bootstraps, and without a key.

use super::{FheBool, FheUint};
use crate::ciphertexts::Ciphertexts;
use crate::circuit::Polarity;
use icicle_error::reserve::{filled, with_capacity};
use icicle_error::{Error, Result};
use std::ops::Range;

/// Ciphertexts of elements of so many.
fn part(op: &'static str, from: &Ciphertexts, per: usize, range: Range<usize>) -> Result<Ciphertexts> {
    let n = from.count() / per;
    if range.start > range.end || range.end > n {
        let detail = format!("range is {}..{}, must lie within 0..{n}", range.start, range.end);
        return Err(Error::argument(op, detail));
    }
    let words = &from.words[range.start * per * from.size..range.end * per * from.size];
    let mut copy = with_capacity(op, words.len())?;
    copy.extend_from_slice(words);
    Ok(Ciphertexts { words: copy, ..*from })
}

/// Ciphertexts one after another, of one key.
fn joined(op: &'static str, parts: &[&Ciphertexts]) -> Result<Ciphertexts> {
    let first = parts.first().ok_or_else(|| Error::argument(op, "arrays: must be at least one"))?;
    let mut words = with_capacity(op, parts.iter().map(|part| part.words.len()).sum())?;
    for (at, part) in parts.iter().enumerate() {
        part.check(op, &format!("arrays[{at}]"), first.tag)?;
        words.extend_from_slice(&part.words);
    }
    Ok(Ciphertexts { words, ..**first })
}

/// Ciphertexts of elements of so many, again and again.
fn repeated(op: &'static str, from: &Ciphertexts, times: usize) -> Result<Ciphertexts> {
    let total =
        from.words.len().checked_mul(times).ok_or_else(|| icicle_error::reserve::refused(op, times, from.size))?;
    let mut words = filled(op, total, 0)?;
    if !from.words.is_empty() {
        words.chunks_mut(from.words.len()).for_each(|to| to.copy_from_slice(&from.words));
    }
    Ok(Ciphertexts { words, ..*from })
}

impl FheUint {
    /// A copy of the elements of a range.
    ///
    /// # Errors
    /// `InvalidArgument` for a range beyond the array, `OutOfMemory`.
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        Ok(Self { blocks: part("fhe_slice", &self.blocks, self.per_integer(), range)?, ..*self })
    }

    /// The elements of arrays, one array after another.
    ///
    /// # Errors
    /// `InvalidArgument` if there are none, or of other keys or widths; `OutOfMemory`.
    pub fn concatenate(arrays: &[&Self]) -> Result<Self> {
        const OP: &str = "fhe_concatenate";
        let blocks: Vec<&Ciphertexts> = arrays.iter().map(|array| &array.blocks).collect();
        let blocks = joined(OP, &blocks)?;
        let bits = arrays[0].bits;
        if let Some((at, other)) = arrays.iter().enumerate().find(|(_, array)| array.bits != bits) {
            let detail =
                format!("arrays[{at}] has integers of {} bits, arrays[0] of {bits}: must be the same", other.bits);
            return Err(Error::argument(OP, detail));
        }
        // Empty arrays have no noise.
        let full = || arrays.iter().filter(|array| !array.is_empty());
        let norm2 = full().map(|array| array.norm2).max().unwrap_or(0);
        let polarity = full().map(|array| array.polarity).reduce(Polarity::joined).unwrap_or(Polarity::Plain);
        Ok(Self { blocks, bits, norm2, polarity, repeats: full().count() > 1 || full().any(|array| array.repeats) })
    }

    /// The array so many times, one after another: what makes one element an operand for all of another array.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn repeat(&self, times: usize) -> Result<Self> {
        Ok(Self { blocks: repeated("fhe_repeat", &self.blocks, times)?, repeats: true, ..*self })
    }
}

impl FheBool {
    /// A copy of the elements of a range.
    ///
    /// # Errors
    /// `InvalidArgument` for a range beyond the array, `OutOfMemory`.
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        Ok(Self { blocks: part("fhe_slice", &self.blocks, 1, range)?, ..*self })
    }

    /// The elements of arrays, one array after another.
    ///
    /// # Errors
    /// `InvalidArgument` if there are none, or of other keys; `OutOfMemory`.
    pub fn concatenate(arrays: &[&Self]) -> Result<Self> {
        let blocks: Vec<&Ciphertexts> = arrays.iter().map(|array| &array.blocks).collect();
        let blocks = joined("fhe_concatenate", &blocks)?;
        let full = || arrays.iter().filter(|array| !array.is_empty());
        let polarity = full().map(|array| array.polarity).reduce(Polarity::joined).unwrap_or(Polarity::Plain);
        Ok(Self { blocks, polarity, repeats: full().count() > 1 || full().any(|array| array.repeats) })
    }

    /// The array so many times, one after another.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn repeat(&self, times: usize) -> Result<Self> {
        Ok(Self { blocks: repeated("fhe_repeat", &self.blocks, times)?, repeats: true, ..*self })
    }
}
