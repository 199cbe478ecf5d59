//! LWE ciphertexts of one key, one after another: what encrypted arrays are made of.

use crate::parameters::Parameters;
use icicle_error::reserve::{filled, refused, with_capacity};
use icicle_error::{Error, Result};
#[cfg(feature = "cuda")]
use icicle_runtime::Buffer;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// What tells the keys of one client from those of another: random, public, the same in keys and ciphertexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyTag(pub(crate) u128);

/// Ciphertexts of so many words each, which never change: in parts, each in the host's memory or a GPU's. Copies and ranges share them.
pub(crate) struct Ciphertexts {
    pub(crate) parameters: &'static Parameters,
    pub(crate) tag: KeyTag,
    /// Words of one.
    pub(crate) size: usize,
    /// None is empty.
    parts: Vec<Part>,
}

/// A range of the ciphertexts in some memory.
#[derive(Clone)]
struct Part {
    memory: Arc<Memory>,
    range: Range<usize>,
}

/// Words of ciphertexts, one after another.
enum Memory {
    Host(Vec<u64>),
    #[cfg(feature = "cuda")]
    Gpu(Buffer<u64>),
}

impl Ciphertexts {
    /// Those of words on the host.
    pub(crate) fn new(
        op: &'static str,
        (parameters, tag): (&'static Parameters, KeyTag),
        words: Vec<u64>,
    ) -> Result<Self> {
        let count = words.len() / parameters.ciphertext_words();
        Self::one(op, (parameters, tag), Memory::Host(words), count)
    }

    /// Those of words on a GPU.
    #[cfg(feature = "cuda")]
    pub(crate) fn on_gpu(
        op: &'static str,
        (parameters, tag): (&'static Parameters, KeyTag),
        words: Buffer<u64>,
    ) -> Result<Self> {
        let count = words.len() / parameters.ciphertext_words();
        Self::one(op, (parameters, tag), Memory::Gpu(words), count)
    }

    fn one(
        op: &'static str,
        (parameters, tag): (&'static Parameters, KeyTag),
        memory: Memory,
        count: usize,
    ) -> Result<Self> {
        let mut parts = with_capacity(op, 1)?;
        if count > 0 {
            parts.push(Part { memory: Arc::new(memory), range: 0..count });
        }
        Ok(Self { parameters, tag, size: parameters.ciphertext_words(), parts })
    }

    /// How many.
    pub(crate) fn count(&self) -> usize {
        self.parts.iter().map(|part| part.range.len()).sum()
    }

    /// Bytes of their words.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.size * self.count()
    }

    /// The same ciphertexts.
    pub(crate) fn copied(&self, op: &'static str) -> Result<Self> {
        self.range(op, 0..self.count())
    }

    /// Some of them, which there are.
    pub(crate) fn range(&self, op: &'static str, range: Range<usize>) -> Result<Self> {
        let mut parts = with_capacity(op, self.parts.len())?;
        parts.extend(self.parts_of(range).map(|(_, memory, range)| Part { memory: Arc::clone(memory), range }));
        Ok(Self { parts, ..*self })
    }

    /// The parts of a range, and where in the range each begins.
    fn parts_of(&self, wanted: Range<usize>) -> impl Iterator<Item = (usize, &Arc<Memory>, Range<usize>)> {
        let mut first = 0;
        self.parts.iter().filter_map(move |Part { memory, range }| {
            let (from, to) = (wanted.start.max(first), wanted.end.min(first + range.len()));
            let start = range.start.wrapping_add(from).wrapping_sub(first);
            first += range.len();
            (from < to).then(|| (from - wanted.start, memory, start..start + (to - from)))
        })
    }

    /// Ciphertexts one after another, of one key: those on the host are brought together, so that they are not again and again.
    pub(crate) fn joined(op: &'static str, all: &[&Self]) -> Result<Self> {
        let [first, ..] = all else { return Err(Error::argument(op, "arrays: must be at least one")) };
        for (at, other) in all.iter().enumerate() {
            other.check(op, &format!("arrays[{at}]"), first.tag)?;
        }
        let mut parts = with_capacity(op, all.iter().map(|ciphertexts| ciphertexts.parts.len()).sum())?;
        parts.extend(all.iter().flat_map(|ciphertexts| ciphertexts.parts.iter().cloned()));
        let joined = Self { parts, ..**first };
        if joined.parts.len() > 1 && joined.parts.iter().all(|part| matches!(*part.memory, Memory::Host(_))) {
            let words = joined.words(op, 0..joined.count())?.into_owned();
            return Self::new(op, (joined.parameters, joined.tag), words);
        }
        Ok(joined)
    }

    /// The words of some of them, on the host: copied unless they lie there, one after another.
    pub(crate) fn words(&self, op: &'static str, range: Range<usize>) -> Result<Cow<'_, [u64]>> {
        let words = |range: &Range<usize>| range.start * self.size..range.end * self.size;
        if let [Part { memory, range: of }] = &self.parts[..]
            && let Memory::Host(all) = &**memory
        {
            return Ok(Cow::Borrowed(&all[words(&(of.start + range.start..of.start + range.end))]));
        }
        let mut out = zeros(op, self.parameters, range.len())?;
        for (at, memory, part) in self.parts_of(range) {
            let to = &mut out[words(&(at..at + part.len()))];
            match &**memory {
                Memory::Host(all) => to.copy_from_slice(&all[words(&part)]),
                #[cfg(feature = "cuda")]
                Memory::Gpu(all) => all.slice(words(&part))?.copy_to_slice(to)?,
            }
        }
        Ok(Cow::Owned(out))
    }

    /// The words of all, on the host.
    pub(crate) fn all_words(&self, op: &'static str) -> Result<Cow<'_, [u64]>> {
        self.words(op, 0..self.count())
    }

    /// Where some of them lie, and where among these each part begins.
    #[cfg(feature = "cuda")]
    pub(crate) fn places(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Place<'_>)> {
        self.parts_of(range).map(|(at, memory, range)| {
            let words = range.start * self.size..range.end * self.size;
            let place = match &**memory {
                Memory::Host(all) => Place::Host(&all[words]),
                Memory::Gpu(all) => Place::Gpu(all, words),
            };
            (at, place)
        })
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

/// Where words of ciphertexts lie: on the host, or in a range of a GPU's memory.
#[cfg(feature = "cuda")]
pub(crate) enum Place<'a> {
    Host(&'a [u64]),
    Gpu(&'a Buffer<u64>, Range<usize>),
}

/// Words of so many ciphertexts of zeros.
pub(crate) fn zeros(op: &'static str, parameters: &Parameters, count: usize) -> Result<Vec<u64>> {
    let size = parameters.ciphertext_words();
    filled(op, count.checked_mul(size).ok_or_else(|| refused(op, count, size))?, 0)
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
