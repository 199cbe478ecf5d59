//! Arrays of any type: the form to send, and what both forms have.

use super::{FheArray, FheType};
use crate::bytes::{Kind, Reader};
use crate::integer::{CompressedFheBool, CompressedFheUint, FheBool, FheUint};
use icicle_error::Result;

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
