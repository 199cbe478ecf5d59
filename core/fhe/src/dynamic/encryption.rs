//! Clear elements of any type to arrays, and back.

use super::arrays::{CompressedFheArray, FheArray};
use super::types::{Clear, Elements, FheType};
use crate::circuit::Evaluator;
use crate::client_key::ClientKey;
use crate::current::CurrentKey;
use crate::fhe_integers;
use icicle_error::Result;

macro_rules! of_types {
    ($($kind:ident $clear:ident $integer:ident $number:literal $name:literal $meaning:literal;)*) => {
        /// Encrypt elements of any type.
        ///
        /// # Errors
        /// Those of [`ClientKey::encrypt`].
        pub fn encrypt(key: &ClientKey, values: Clear<'_>) -> Result<FheArray> {
            Ok(match values {
                Clear::Bool(values) => FheArray::Bool(key.encrypt_bools(values)?),
                $(Clear::$clear(values) => FheArray::Uint(key.encrypt(values)?),)*
            })
        }

        /// Encrypt elements of any type, in the form to send.
        ///
        /// # Errors
        /// Those of [`ClientKey::encrypt_compressed`].
        pub fn encrypt_compressed(key: &ClientKey, values: Clear<'_>) -> Result<CompressedFheArray> {
            Ok(match values {
                Clear::Bool(values) => CompressedFheArray::Bool(key.encrypt_bools_compressed(values)?),
                $(Clear::$clear(values) => CompressedFheArray::Uint(key.encrypt_compressed(values)?),)*
            })
        }

        /// Elements that anyone can read, in the form of encrypted ones.
        ///
        /// # Errors
        /// `OutOfMemory`.
        pub fn trivial(key: &CurrentKey, values: Clear<'_>) -> Result<FheArray> {
            let key = key.key();
            Ok(match values {
                Clear::Bool(values) => FheArray::Bool(key.trivial_bools(values)?),
                $(Clear::$clear(values) => FheArray::Uint(key.trivial(values)?),)*
            })
        }

        /// Decrypt an array.
        ///
        /// # Errors
        /// Those of [`ClientKey::decrypt`].
        pub fn decrypt(key: &ClientKey, x: &FheArray) -> Result<Elements> {
            match (x, x.kind()) {
                $((FheArray::Uint(x), FheType::$kind) => key.decrypt(x).map(Elements::$clear),)*
                // `decrypt` of this type, as of every other, refuses integers of another width.
                (FheArray::Uint(x), FheType::Bool) => key.decrypt(x).map(Elements::U64),
                (FheArray::Bool(x), _) => key.decrypt_bools(x).map(Elements::Bool),
            }
        }
    };
}
fhe_integers!(of_types);
