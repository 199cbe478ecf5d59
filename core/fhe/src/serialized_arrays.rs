//! Arrays of ciphertexts as bytes, and back.
//!
//! How much noise elements have, and how large they may be, stands in the bytes, and nobody without the key could check it: who
//! alters it, or the ciphertexts, gets other results, or wrong ones.

use crate::bytes::{Kind, Reader, Whose, Writer};
use crate::ciphertexts::Ciphertexts;
use crate::circuit::Polarity;
use crate::compressed_ciphertexts::{CompressedShortints, SeededCiphertexts};
use crate::integer::{CompressedFheBool, CompressedFheUint, FheBool, FheUint, blocks_of};
use crate::parameters::{Parameters, VALUES};
use crate::serialized_sizes::seeded_size;
use crate::shortint::Shortints;
use icicle_error::Result;

/// Read so many ciphertexts.
fn read(from: &mut Reader<'_>, (parameters, tag): Whose, count: usize) -> Result<Ciphertexts> {
    let size = parameters.ciphertext_words();
    Ciphertexts::new(from.op, (parameters, tag), from.words(count.saturating_mul(size))?)
}

/// Read a squared norm that results may have.
fn norm2(from: &mut Reader<'_>, parameters: &Parameters) -> Result<u32> {
    let (norm2, most) = (from.u32()?, parameters.max_norm2);
    if norm2 > most {
        return Err(from.refused(format!("say a squared norm of {norm2}, must be at most {most}")));
    }
    Ok(norm2)
}

/// Read the bits of an integer.
fn bits(from: &mut Reader<'_>) -> Result<u32> {
    let bits = from.u32()?;
    if !matches!(bits, 8 | 16 | 32 | 64) {
        return Err(from.refused(format!("hold integers of {bits} bits, must be 8, 16, 32 or 64")));
    }
    Ok(bits)
}

/// What elements' noise has in common with that of others: a number for the polarity, and whether ciphertexts repeat.
fn write_common(to: &mut Writer, polarity: Polarity, repeats: bool) {
    to.u32(match polarity {
        Polarity::Plain => 0,
        Polarity::Negated => 1,
        Polarity::Mixed => 2,
    });
    to.u32(u32::from(repeats));
}

/// Read that.
fn common(from: &mut Reader<'_>) -> Result<(Polarity, bool)> {
    let polarity = match from.u32()? {
        0 => Polarity::Plain,
        1 => Polarity::Negated,
        2 => Polarity::Mixed,
        other => return Err(from.refused(format!("say {other} of the polarity, must say 0, 1 or 2"))),
    };
    match from.u32()? {
        0 => Ok((polarity, false)),
        1 => Ok((polarity, true)),
        other => Err(from.refused(format!("say {other} of repetitions, must say 0 or 1"))),
    }
}

impl Shortints {
    /// The array as bytes, 16 kB for each element.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        const OP: &str = "fhe_shortints_to_bytes";
        let of = &self.ciphertexts;
        let mut out = Writer::new(OP, Kind::Shortints, of.parameters, of.tag, self.serialized_size())?;
        out.u32(self.degree as u32);
        out.u32(self.norm2);
        out.u64(of.count() as u64);
        out.words(of.all_words(OP)?.iter().copied());
        Ok(out.finish())
    }

    /// The array that bytes of [`to_bytes`](Self::to_bytes) hold.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no such array, or one of another version; `OutOfMemory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (mut from, parameters, tag) = Reader::new("fhe_shortints_from_bytes", Kind::Shortints, bytes)?;
        let degree = u64::from(from.u32()?);
        if degree >= VALUES as u64 {
            return Err(from.refused(format!("say that elements may be {degree}, must be below {VALUES}")));
        }
        let norm2 = norm2(&mut from, parameters)?;
        let count = from.count(8 * parameters.ciphertext_words())?;
        let ciphertexts = read(&mut from, (parameters, tag), count)?;
        from.end()?;
        Ok(Self { ciphertexts, degree, norm2 })
    }
}

impl FheUint {
    /// The array as bytes, 8 kB for each bit.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        const OP: &str = "fhe_uint_to_bytes";
        let of = &self.blocks;
        let mut out = Writer::new(OP, Kind::FheUint, of.parameters, of.tag, self.serialized_size())?;
        out.u32(self.bits());
        out.u32(self.norm2);
        write_common(&mut out, self.polarity, self.repeats);
        out.u64(self.len() as u64);
        out.words(of.all_words(OP)?.iter().copied());
        Ok(out.finish())
    }

    /// The array that bytes of [`to_bytes`](Self::to_bytes) hold.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no such array, or one of another version; `OutOfMemory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (from, parameters, tag) = Reader::new("fhe_uint_from_bytes", Kind::FheUint, bytes)?;
        Self::read(from, (parameters, tag))
    }

    /// Read what comes after the header.
    pub(crate) fn read(mut from: Reader<'_>, whose: Whose) -> Result<Self> {
        let bits = bits(&mut from)?;
        let norm2 = norm2(&mut from, whose.0)?;
        let (polarity, repeats) = common(&mut from)?;
        let per = blocks_of(bits);
        let count = from.count(8 * per * whose.0.ciphertext_words())?;
        let blocks = read(&mut from, whose, count * per)?;
        from.end()?;
        Ok(Self { blocks, bits, norm2, polarity, repeats })
    }
}

impl FheBool {
    /// The array as bytes, 16 kB for each element.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        const OP: &str = "fhe_bool_to_bytes";
        let of = &self.blocks;
        let mut out = Writer::new(OP, Kind::FheBool, of.parameters, of.tag, self.serialized_size())?;
        write_common(&mut out, self.polarity, self.repeats);
        out.u64(of.count() as u64);
        out.words(of.all_words(OP)?.iter().copied());
        Ok(out.finish())
    }

    /// The array that bytes of [`to_bytes`](Self::to_bytes) hold.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no such array, or one of another version; `OutOfMemory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (from, parameters, tag) = Reader::new("fhe_bool_from_bytes", Kind::FheBool, bytes)?;
        Self::read(from, (parameters, tag))
    }

    /// Read what comes after the header.
    pub(crate) fn read(mut from: Reader<'_>, whose: Whose) -> Result<Self> {
        let (polarity, repeats) = common(&mut from)?;
        let count = from.count(8 * whose.0.ciphertext_words())?;
        let blocks = read(&mut from, whose, count)?;
        from.end()?;
        Ok(Self { blocks, polarity, repeats })
    }
}

/// Seeded ciphertexts after a header of their kind, `first` if there is one, and their count.
fn seeded_bytes(op: &'static str, kind: Kind, first: Option<u32>, of: &SeededCiphertexts) -> Result<Vec<u8>> {
    let mut out = Writer::new(op, kind, of.parameters, of.tag, seeded_size(first.is_some(), of))?;
    if let Some(first) = first {
        out.u32(first);
    }
    out.u64(of.bodies.len() as u64);
    of.write(&mut out);
    Ok(out.finish())
}

/// Seeded ciphertexts that are left of bytes.
fn read_seeded(from: &mut Reader<'_>, whose: Whose) -> Result<SeededCiphertexts> {
    let count = from.count(8)?;
    let ciphertexts = SeededCiphertexts::read(from, whose, count)?;
    from.end()?;
    Ok(ciphertexts)
}

impl CompressedShortints {
    /// The array as bytes, 8 for each element.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        seeded_bytes("fhe_compressed_shortints_to_bytes", Kind::CompressedShortints, None, &self.0)
    }

    /// The array that bytes of [`to_bytes`](Self::to_bytes) hold.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no such array, or one of another version; `OutOfMemory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const OP: &str = "fhe_compressed_shortints_from_bytes";
        let (mut from, parameters, tag) = Reader::new(OP, Kind::CompressedShortints, bytes)?;
        Ok(Self(read_seeded(&mut from, (parameters, tag))?))
    }
}

impl CompressedFheUint {
    /// The array as bytes, 4 for each bit.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        seeded_bytes("fhe_compressed_uint_to_bytes", Kind::CompressedFheUint, Some(self.bits), &self.blocks)
    }

    /// The array that bytes of [`to_bytes`](Self::to_bytes) hold.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no such array, or one of another version; `OutOfMemory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const OP: &str = "fhe_compressed_uint_from_bytes";
        let (from, parameters, tag) = Reader::new(OP, Kind::CompressedFheUint, bytes)?;
        Self::read(from, (parameters, tag))
    }

    /// Read what comes after the header.
    pub(crate) fn read(mut from: Reader<'_>, whose: Whose) -> Result<Self> {
        let bits = bits(&mut from)?;
        let blocks = read_seeded(&mut from, whose)?;
        let (count, per) = (blocks.bodies.len(), blocks_of(bits));
        if !count.is_multiple_of(per) {
            return Err(from.refused(format!("hold {count} blocks, must hold {per} for each integer")));
        }
        Ok(Self { blocks, bits })
    }
}

impl CompressedFheBool {
    /// The array as bytes, 8 for each element.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        seeded_bytes("fhe_compressed_bool_to_bytes", Kind::CompressedFheBool, None, &self.blocks)
    }

    /// The array that bytes of [`to_bytes`](Self::to_bytes) hold.
    ///
    /// # Errors
    /// `InvalidArgument` for bytes that are no such array, or one of another version; `OutOfMemory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        const OP: &str = "fhe_compressed_bool_from_bytes";
        let (from, parameters, tag) = Reader::new(OP, Kind::CompressedFheBool, bytes)?;
        Self::read(from, (parameters, tag))
    }

    /// Read what comes after the header.
    pub(crate) fn read(mut from: Reader<'_>, whose: Whose) -> Result<Self> {
        Ok(Self { blocks: read_seeded(&mut from, whose)? })
    }
}
