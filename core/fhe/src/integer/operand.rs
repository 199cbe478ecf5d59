//! Operands: encrypted integers, or clear ones, which cost no ciphertexts.

use super::{FheBool, FheUint, Unsigned};
use crate::ciphertexts::KeyTag;
use crate::circuit::{Input, Noise, Polarity, Source, Values};
use crate::parameters::{MESSAGE_BITS, MESSAGES};
use icicle_error::{Error, Result};

/// An operand of an operation: encrypted integers, clear integers of the same width, or one clear integer for all elements.
///
/// Functions take `impl Into<Operand>`: `&x`, `&[1u8, 2][..]`, `&vec` or `5u64`. At least one operand of an operation is encrypted.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a>(pub(crate) Kind<'a>);

/// What an operand is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'a> {
    Encrypted(&'a FheUint),
    Clear { values: Values<'a>, bits: u32 },
}

impl<'a> From<&'a FheUint> for Operand<'a> {
    fn from(x: &'a FheUint) -> Self {
        Self(Kind::Encrypted(x))
    }
}

macro_rules! clear {
    ($($type:ty, $values:ident;)*) => {
        $(
            impl From<$type> for Operand<'_> {
                fn from(value: $type) -> Self {
                    Self(Kind::Clear { values: Values::One(value.into()), bits: <$type as Unsigned>::BITS })
                }
            }
            impl<'a> From<&'a [$type]> for Operand<'a> {
                fn from(values: &'a [$type]) -> Self {
                    Self(Kind::Clear { values: Values::$values(values), bits: <$type as Unsigned>::BITS })
                }
            }
            impl<'a, const N: usize> From<&'a [$type; N]> for Operand<'a> {
                fn from(values: &'a [$type; N]) -> Self {
                    values[..].into()
                }
            }
            impl<'a> From<&'a Vec<$type>> for Operand<'a> {
                fn from(values: &'a Vec<$type>) -> Self {
                    values[..].into()
                }
            }
        )*
    };
}
clear!(u8, U8; u16, U16; u32, U32; u64, U64;);

impl<'a> Operand<'a> {
    /// Clear integers of so many bits.
    pub(crate) fn clear_of(values: Values<'a>, bits: u32) -> Self {
        Self(Kind::Clear { values, bits })
    }

    /// Bits of an integer.
    pub(crate) fn bits(&self) -> u32 {
        match self.0 {
            Kind::Encrypted(x) => x.bits,
            Kind::Clear { bits, .. } => bits,
        }
    }

    /// How many; none for a clear one that stands for all.
    pub(crate) fn len(&self) -> Option<usize> {
        match self.0 {
            Kind::Encrypted(x) => Some(x.len()),
            Kind::Clear { values, .. } => values.len(),
        }
    }

    /// The integers, if they are encrypted.
    pub(crate) fn encrypted(&self) -> Option<&'a FheUint> {
        match self.0 {
            Kind::Encrypted(x) => Some(x),
            Kind::Clear { .. } => None,
        }
    }

    /// The clear integer that stands for all, if it is one.
    pub(crate) fn scalar(&self) -> Option<u64> {
        match self.0 {
            Kind::Clear { values: Values::One(value), .. } => Some(value),
            _ => None,
        }
    }

    /// The clear integers, if they are that.
    pub(crate) fn clear(&self) -> Option<Values<'a>> {
        match self.0 {
            Kind::Clear { values, .. } => Some(values),
            Kind::Encrypted(_) => None,
        }
    }

    /// What circuits read.
    pub(crate) fn argument(&self) -> Argument<'a> {
        match self.0 {
            Kind::Encrypted(x) => Argument::Integers(x),
            Kind::Clear { values, bits } => Argument::Clear { values, bits },
        }
    }

    fn check_key(&self, op: &'static str, name: &str, tag: KeyTag) -> Result<()> {
        self.encrypted().map_or(Ok(()), |x| x.blocks.check(op, name, tag))
    }
}

/// Refuse operands of other keys, widths or lengths. Returns how many elements there are, and their bits.
pub(crate) fn check_pair(op: &'static str, tag: KeyTag, x: &Operand<'_>, y: &Operand<'_>) -> Result<(usize, u32)> {
    if x.encrypted().is_none() && y.encrypted().is_none() {
        return Err(Error::argument(op, "x and y are clear: one must be encrypted"));
    }
    let n = check_alike(op, tag, x, y)?;
    Ok((n.unwrap_or(0), x.bits()))
}

/// As `check_pair`, where both may be clear. Returns how many elements they have, if they say so.
pub(crate) fn check_alike(op: &'static str, tag: KeyTag, x: &Operand<'_>, y: &Operand<'_>) -> Result<Option<usize>> {
    x.check_key(op, "x", tag)?;
    y.check_key(op, "y", tag)?;
    if x.bits() != y.bits() {
        let detail = format!("y has integers of {} bits, x of {}: must be the same", y.bits(), x.bits());
        return Err(Error::argument(op, detail));
    }
    if let (Some(x), Some(y)) = (x.len(), y.len()) {
        crate::ciphertexts::check_lengths(op, ["x", "y"], [x, y])?;
    }
    Ok(x.len().or(y.len()))
}

/// What a circuit reads.
pub(crate) enum Argument<'a> {
    Integers(&'a FheUint),
    /// Integers whose blocks were bootstrapped, as they had too much noise.
    Refreshed(FheUint),
    Bools(&'a FheBool),
    Clear {
        values: Values<'a>,
        bits: u32,
    },
}

impl Argument<'_> {
    /// Its noise, and the largest value of a block, in elements of so many integers.
    pub(crate) fn noise(&self, integers: usize) -> Noise {
        let (norm2, polarity, high) = match self {
            Self::Integers(FheUint { norm2, polarity, .. }) | Self::Refreshed(FheUint { norm2, polarity, .. }) => {
                (*norm2, *polarity, MESSAGES as i64 - 1)
            }
            Self::Bools(x) => (1, x.polarity, 1),
            Self::Clear { .. } => (0, Polarity::Plain, MESSAGES as i64 - 1),
        };
        // Blocks of one integer are never the same ciphertext.
        Noise { norm2, polarity, repeats: integers > 1 && self.repeats(), high }
    }

    /// Whether elements may have the same ciphertexts.
    pub(crate) fn repeats(&self) -> bool {
        match self {
            Self::Integers(x) => x.repeats,
            Self::Bools(x) => x.repeats,
            Self::Refreshed(_) | Self::Clear { .. } => false,
        }
    }

    /// Where its blocks are, in elements of so many integers.
    pub(crate) fn input(&self, integers: usize) -> Input<'_> {
        let encrypted = |x: &FheUint| integers * x.per_integer();
        match self {
            Self::Integers(x) => Input { source: Source::Encrypted(&x.blocks), per: encrypted(x) },
            Self::Refreshed(x) => Input { source: Source::Encrypted(&x.blocks), per: encrypted(x) },
            Self::Bools(x) => Input { source: Source::Encrypted(&x.blocks), per: integers },
            Self::Clear { values, bits } => {
                Input { source: Source::Clear(*values), per: integers * (bits / MESSAGE_BITS) as usize }
            }
        }
    }

    /// How much there is to gain from bootstrapping its blocks: nothing, for what was bootstrapped or has no noise.
    fn gain(&self) -> u32 {
        match self {
            Self::Integers(x) if x.norm2 > 1 => 2 * x.norm2,
            Self::Integers(x) if x.polarity != Polarity::Plain && x.norm2 > 0 => 1,
            _ => 0,
        }
    }
}

/// The argument whose blocks should be bootstrapped first, if there is one left.
pub(crate) fn noisiest(arguments: &[Argument<'_>]) -> Option<usize> {
    let candidates = arguments.iter().enumerate().filter(|(_, argument)| argument.gain() > 0);
    candidates.max_by_key(|(_, argument)| argument.gain()).map(|(at, _)| at)
}
