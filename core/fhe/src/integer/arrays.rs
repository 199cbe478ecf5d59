//! Parts of arrays, and arrays put together: without bootstraps, and without a key. What lies on GPUs stays there.

use super::{FheBool, FheUint};
use crate::ciphertexts::Ciphertexts;
use crate::circuit::Polarity;
use icicle_error::reserve::filled;
use icicle_error::{Error, Result};
use std::ops::Range;

/// Ciphertexts of elements of so many.
fn part(op: &'static str, from: &Ciphertexts, per: usize, range: Range<usize>) -> Result<Ciphertexts> {
    let n = from.count() / per;
    if range.start > range.end || range.end > n {
        let detail = format!("range is {}..{}, must lie within 0..{n}", range.start, range.end);
        return Err(Error::argument(op, detail));
    }
    from.range(op, range.start * per..range.end * per)
}

/// Ciphertexts again and again.
fn repeated(op: &'static str, from: &Ciphertexts, times: usize) -> Result<Ciphertexts> {
    match times {
        0 => from.range(op, 0..0),
        // None stay none.
        _ if from.count() == 0 => from.copied(op),
        _ => Ciphertexts::joined(op, &filled(op, times, from)?),
    }
}

impl FheUint {
    /// The elements of a range, in the same memory, which is kept as long as either array is.
    ///
    /// # Errors
    /// `InvalidArgument` for a range beyond the array, `OutOfMemory`.
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        Ok(Self { blocks: part("fhe_slice", &self.blocks, self.per_integer(), range)?, ..*self })
    }

    /// The elements of arrays, one array after another: copied where all lie on the host, else in the same memory.
    ///
    /// # Errors
    /// `InvalidArgument` if there are none, or of other keys or widths; `OutOfMemory`.
    pub fn concatenate(arrays: &[&Self]) -> Result<Self> {
        const OP: &str = "fhe_concatenate";
        let blocks: Vec<&Ciphertexts> = arrays.iter().map(|array| &array.blocks).collect();
        let blocks = Ciphertexts::joined(OP, &blocks)?;
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

    /// The array so many times, one after another, on a GPU in the same memory: what makes one element an operand for all of another
    /// array.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn repeat(&self, times: usize) -> Result<Self> {
        Ok(Self { blocks: repeated("fhe_repeat", &self.blocks, times)?, repeats: true, ..*self })
    }
}

impl FheBool {
    /// The elements of a range, in the same memory, which is kept as long as either array is.
    ///
    /// # Errors
    /// `InvalidArgument` for a range beyond the array, `OutOfMemory`.
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        Ok(Self { blocks: part("fhe_slice", &self.blocks, 1, range)?, ..*self })
    }

    /// The elements of arrays, one array after another: copied where all lie on the host, else in the same memory.
    ///
    /// # Errors
    /// `InvalidArgument` if there are none, or of other keys; `OutOfMemory`.
    pub fn concatenate(arrays: &[&Self]) -> Result<Self> {
        let blocks: Vec<&Ciphertexts> = arrays.iter().map(|array| &array.blocks).collect();
        let blocks = Ciphertexts::joined("fhe_concatenate", &blocks)?;
        let full = || arrays.iter().filter(|array| !array.is_empty());
        let polarity = full().map(|array| array.polarity).reduce(Polarity::joined).unwrap_or(Polarity::Plain);
        Ok(Self { blocks, polarity, repeats: full().count() > 1 || full().any(|array| array.repeats) })
    }

    /// The array so many times, one after another: on a GPU in the same memory.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn repeat(&self, times: usize) -> Result<Self> {
        Ok(Self { blocks: repeated("fhe_repeat", &self.blocks, times)?, repeats: true, ..*self })
    }
}
