//! The types of elements: one table, from which the types, the clear elements of each, and what other languages read follow.

use icicle_error::Result;
use icicle_error::reserve::{collected, with_capacity};

/// Give a macro the table of integers' types: variants of [`FheType`], of [`Clear`] and [`Elements`], types of Rust, numbers,
/// names, and meanings. Truth values, whose ciphertexts are others, are number 0 and stand beside it.
///
/// `$then` is called once, with a row for each. Numbers are those of C: new rows go to the end.
#[macro_export]
macro_rules! fhe_integers {
    ($then:ident) => {
        $then! {
            Uint8 U8 u8 1 "uint8" "Integers of 8 bits.";
            Uint16 U16 u16 2 "uint16" "Integers of 16 bits.";
            Uint32 U32 u32 3 "uint32" "Integers of 32 bits.";
            Uint64 U64 u64 4 "uint64" "Integers of 64 bits.";
        }
    };
}

macro_rules! types {
    ($($kind:ident $clear:ident $integer:ident $number:literal $name:literal $meaning:literal;)*) => {
        /// What the elements of an array are.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FheType {
            /// Truth values.
            Bool = 0,
            $(#[doc = $meaning] $kind = $number,)*
        }

        impl FheType {
            /// All, by number.
            pub const ALL: &[Self] = &[Self::Bool, $(Self::$kind,)*];

            /// Its name, which is that of the clear elements' type.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::Bool => "bool",
                    $(Self::$kind => $name,)*
                }
            }

            /// What it is.
            pub const fn meaning(self) -> &'static str {
                match self {
                    Self::Bool => "Truth values.",
                    $(Self::$kind => $meaning,)*
                }
            }

            /// Bits of an integer; none of truth values.
            pub const fn bits(self) -> Option<u32> {
                match self {
                    Self::Bool => None,
                    $(Self::$kind => Some($integer::BITS),)*
                }
            }
        }

        /// Clear elements of any type.
        #[derive(Clone, Copy, Debug)]
        pub enum Clear<'a> {
            /// Truth values.
            Bool(&'a [bool]),
            $(#[doc = $meaning] $clear(&'a [$integer]),)*
        }

        /// Clear elements of any type that were decrypted, or are held for a call.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Elements {
            /// Truth values.
            Bool(Vec<bool>),
            $(#[doc = $meaning] $clear(Vec<$integer>),)*
        }

        impl Elements {
            /// The elements, to encrypt or compute with.
            pub fn as_clear(&self) -> Clear<'_> {
                match self {
                    Self::Bool(values) => Clear::Bool(values),
                    $(Self::$clear(values) => Clear::$clear(values),)*
                }
            }

            /// The elements' memory, in the processor's order of bytes; truth values are bytes 0 or 1.
            ///
            /// # Errors
            /// `OutOfMemory`.
            pub fn to_memory(&self) -> Result<Vec<u8>> {
                const OP: &str = "fhe_decrypt";
                match self {
                    Self::Bool(values) => collected(OP, values.iter().map(|&value| u8::from(value))),
                    $(Self::$clear(values) => {
                        let mut memory = with_capacity(OP, size_of_val(values.as_slice()))?;
                        values.iter().for_each(|value| memory.extend(value.to_ne_bytes()));
                        Ok(memory)
                    })*
                }
            }
        }
    };
}
fhe_integers!(types);

impl FheType {
    /// The type of a number.
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The type of integers of so many bits, of which every array has one of the table's.
    pub(super) fn of_bits(bits: u32) -> Self {
        Self::ALL.iter().copied().find(|kind| kind.bits() == Some(bits)).unwrap_or(Self::Uint64)
    }
}
