//! The bytes that keys and ciphertexts are kept and sent as.
//!
//! All begin with 32 bytes: eight that say whose format it is, its version (2), what it holds (2), the parameters (4), the key's tag
//! (16). What follows has the length that the parameters and the counts before it give, and nothing comes after. Numbers are little
//! endian. A version or a kind is never given another meaning.

use crate::ciphertexts::KeyTag;
use crate::parameters::Parameters;
use icicle_error::reserve::{filled, with_capacity};
use icicle_error::{Error, Result};

const MAGIC: [u8; 8] = *b"icicle\xf4\xe1";
const VERSION: u16 = 1;
/// Bytes before what a kind has of its own.
pub(crate) const HEADER: usize = 32;

/// Whose keys or ciphertexts bytes hold.
pub(crate) type Whose = (&'static Parameters, KeyTag);

/// What bytes hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Kind {
    ClientKey = 1,
    ServerKey = 2,
    CompressedServerKey = 3,
    Shortints = 4,
    FheUint = 5,
    FheBool = 6,
    CompressedShortints = 7,
    CompressedFheUint = 8,
    CompressedFheBool = 9,
}

/// Bytes being written, into memory that was reserved for all of them.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// Begin, with room for so many bytes in all.
    pub(crate) fn new(op: &'static str, kind: Kind, parameters: &Parameters, tag: KeyTag, all: usize) -> Result<Self> {
        let mut out = Self(with_capacity(op, all)?);
        out.0.extend(MAGIC);
        out.0.extend(VERSION.to_le_bytes());
        out.0.extend((kind as u16).to_le_bytes());
        out.0.extend(parameters.id.to_le_bytes());
        out.u128(tag.0);
        Ok(out)
    }
    pub(crate) fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }
    pub(crate) fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }
    pub(crate) fn u128(&mut self, value: u128) {
        self.0.extend(value.to_le_bytes());
    }
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }
    pub(crate) fn words(&mut self, words: impl Iterator<Item = u64>) {
        words.for_each(|word| self.u64(word));
    }
    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Bytes being read, which may be anything.
pub(crate) struct Reader<'a> {
    pub(crate) op: &'static str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Begin with bytes of a kind: what is left, the parameters, and the key's tag.
    pub(crate) fn new(op: &'static str, kind: Kind, bytes: &'a [u8]) -> Result<(Self, &'static Parameters, KeyTag)> {
        let (from, whose, _) = Self::one_of(op, &[kind], bytes)?;
        Ok((from, whose.0, whose.1))
    }

    /// Begin with bytes of one of several kinds: what is left, whose they are, and the kind.
    pub(crate) fn one_of(op: &'static str, kinds: &[Kind], bytes: &'a [u8]) -> Result<(Self, Whose, Kind)> {
        let mut from = Self { op, rest: bytes };
        if from.array()? != MAGIC {
            return Err(from.refused("are not of this library's format".to_owned()));
        }
        let version = u16::from_le_bytes(from.array()?);
        if version != VERSION {
            return Err(from.refused(format!("are of version {version}, must be of {VERSION}")));
        }
        let got = u16::from_le_bytes(from.array()?);
        let Some(&kind) = kinds.iter().find(|&&kind| kind as u16 == got) else {
            let names: Vec<String> = kinds.iter().map(|&kind| format!("{}, {kind:?}", kind as u16)).collect();
            return Err(from.refused(format!("are of kind {got}, must be of {}", names.join(", or "))));
        };
        let id = from.u32()?;
        let Some(parameters) = Parameters::of_id(id) else {
            return Err(from.refused(format!("are under parameters {id}, which this version does not have")));
        };
        let tag = KeyTag(from.u128()?);
        Ok((from, (parameters, tag), kind))
    }

    /// An error about the bytes.
    pub(crate) fn refused(&self, what: String) -> Error {
        Error::argument(self.op, format!("bytes {what}"))
    }
    /// The next bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(
                self.refused(format!("end too early: {count} more were expected, there are {}", self.rest.len()))
            );
        };
        self.rest = rest;
        Ok(taken)
    }
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }
    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    pub(crate) fn u128(&mut self) -> Result<u128> {
        Ok(u128::from_le_bytes(self.array()?))
    }
    /// A number of things of which each takes so many bytes: no more than there are bytes for.
    pub(crate) fn count(&mut self, each: usize) -> Result<usize> {
        let count = self.u64()?;
        match usize::try_from(count).ok().filter(|count| *count <= self.rest.len() / each) {
            Some(count) => Ok(count),
            None => Err(self.refused(format!("end too early for {count} elements of {each} bytes"))),
        }
    }
    /// So many words, of bytes that are there before memory is asked for.
    pub(crate) fn words(&mut self, count: usize) -> Result<Vec<u64>> {
        let bytes = self.take(count.saturating_mul(8))?;
        let mut words = filled(self.op, count, 0)?;
        words.iter_mut().zip(bytes.as_chunks().0).for_each(|(to, bytes)| *to = u64::from_le_bytes(*bytes));
        Ok(words)
    }
    /// Nothing may be left.
    pub(crate) fn end(&self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            more => Err(self.refused(format!("go on after their end: {more} too many"))),
        }
    }
}
