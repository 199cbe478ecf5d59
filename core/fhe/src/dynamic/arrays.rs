//! Arrays of any type: to compute with and to send, and what both forms have.

use super::types::FheType;
use crate::bytes::{Kind, Reader};
use crate::integer::{CompressedFheBool, CompressedFheUint, FheBool, FheUint};
use icicle_error::{Error, Result};
use std::ops::Range;

/// An encrypted array of any type, in the memory of the device that computed it, or of the host.
#[derive(Debug)]
pub enum FheArray {
    /// Of integers.
    Uint(FheUint),
    /// Of truth values.
    Bool(FheBool),
}

/// An array of freshly encrypted elements of any type, in the form to send.
#[derive(Debug)]
pub enum CompressedFheArray {
    /// Of integers.
    Uint(CompressedFheUint),
    /// Of truth values.
    Bool(CompressedFheBool),
}

impl CompressedFheArray {
    /// The array to compute with; this one stays as it is.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn decompress(&self) -> Result<FheArray> {
        Ok(match self {
            Self::Uint(x) => FheArray::Uint(x.decompress()?),
            Self::Bool(x) => FheArray::Bool(x.decompress()?),
        })
    }
}

impl FheArray {
    /// A copy.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn try_clone(&self) -> Result<Self> {
        Ok(match self {
            Self::Uint(x) => Self::Uint(x.try_clone()?),
            Self::Bool(x) => Self::Bool(x.try_clone()?),
        })
    }

    /// The elements of a range, in the same memory, which is kept as long as either array is.
    ///
    /// # Errors
    /// `InvalidArgument` for a range beyond the array, `OutOfMemory`.
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        Ok(match self {
            Self::Uint(x) => Self::Uint(x.slice(range)?),
            Self::Bool(x) => Self::Bool(x.slice(range)?),
        })
    }

    /// The array so many times, one after another: on a GPU in the same memory.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn repeat(&self, times: usize) -> Result<Self> {
        Ok(match self {
            Self::Uint(x) => Self::Uint(x.repeat(times)?),
            Self::Bool(x) => Self::Bool(x.repeat(times)?),
        })
    }

    /// The elements of arrays, one array after another: copied where all lie on the host, else in the same memory.
    ///
    /// # Errors
    /// `InvalidArgument` if there are none, or of other keys or types; `OutOfMemory`.
    pub fn concatenate(arrays: &[&Self]) -> Result<Self> {
        const OP: &str = "fhe_concatenate";
        let other = |at: usize| {
            let (got, first) = (arrays[at].kind().name(), arrays[0].kind().name());
            Error::argument(OP, format!("arrays[{at}] holds {got}, arrays[0] {first}: must be the same"))
        };
        match arrays.first() {
            Some(Self::Bool(_)) => {
                let each = arrays.iter().enumerate();
                let bools: Result<Vec<&FheBool>> = each.map(|(at, x)| x.bools().ok_or_else(|| other(at))).collect();
                Ok(Self::Bool(FheBool::concatenate(&bools?)?))
            }
            _ => {
                let each = arrays.iter().enumerate();
                let integers: Result<Vec<&FheUint>> =
                    each.map(|(at, x)| x.integers().ok_or_else(|| other(at))).collect();
                Ok(Self::Uint(FheUint::concatenate(&integers?)?))
            }
        }
    }

    pub(super) fn integers(&self) -> Option<&FheUint> {
        match self {
            Self::Uint(x) => Some(x),
            Self::Bool(_) => None,
        }
    }

    pub(super) fn bools(&self) -> Option<&FheBool> {
        match self {
            Self::Bool(x) => Some(x),
            Self::Uint(_) => None,
        }
    }
}

/// What both kinds of arrays have: of integers and of truth values, and how errors name reading them.
macro_rules! of_any_type {
    ($($array:ident: $uint:ident $bool:ident $reading:literal;)*) => {
        $(impl $array {
            /// What the elements are.
            pub fn kind(&self) -> FheType {
                match self {
                    Self::Uint(x) => FheType::of_bits(x.bits()),
                    Self::Bool(_) => FheType::Bool,
                }
            }

            /// How many elements.
            pub fn len(&self) -> usize {
                match self {
                    Self::Uint(x) => x.len(),
                    Self::Bool(x) => x.len(),
                }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// How many bytes [`to_bytes`](Self::to_bytes) gives.
            pub fn serialized_size(&self) -> usize {
                match self {
                    Self::Uint(x) => x.serialized_size(),
                    Self::Bool(x) => x.serialized_size(),
                }
            }

            #[doc = concat!(
                "The array as bytes: those of [`", stringify!($uint), "::to_bytes`] or [`", stringify!($bool), "::to_bytes`]."
            )]
            ///
            /// # Errors
            /// `OutOfMemory`.
            pub fn to_bytes(&self) -> Result<Vec<u8>> {
                match self {
                    Self::Uint(x) => x.to_bytes(),
                    Self::Bool(x) => x.to_bytes(),
                }
            }

            /// The array that bytes of [`to_bytes`](Self::to_bytes) hold; they say of which type.
            ///
            /// # Errors
            /// `InvalidArgument` for bytes that are no such array, or one of another version; `OutOfMemory`.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
                let (from, whose, kind) = Reader::one_of($reading, &[Kind::$uint, Kind::$bool], bytes)?;
                match kind {
                    Kind::$bool => $bool::read(from, whose).map(Self::Bool),
                    _ => $uint::read(from, whose).map(Self::Uint),
                }
            }
        })*
    };
}
of_any_type! {
    FheArray: FheUint FheBool "fhe_array_from_bytes";
    CompressedFheArray: CompressedFheUint CompressedFheBool "fhe_compressed_array_from_bytes";
}
