//! Encrypted integers on icicle's devices: TFHE with programmable bootstrapping.
//!
//! A [`ClientKey`] encrypts and decrypts arrays, [`FheUint`], [`FheBool`] and [`Shortints`]; its [`ServerKey`] computes on them
//! without reading them, on a CPU or a GPU. `docs/FHE.md` says what there is, how sure it is, and what it costs.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![deny(unsafe_code)]

mod blind_rotation;
mod bootstrapping_key;
mod butterflies;
mod bytes;
mod ciphertexts;
mod circuit;
mod client_key;
mod compressed_ciphertexts;
mod compressed_key;
#[cfg(feature = "cuda")]
mod cuda;
mod current;
pub mod dynamic;
mod fourier;
mod host_key;
mod integer;
mod key_set;
mod key_switch;
#[cfg(test)]
mod known_answers;
mod lines;
mod lookup_table;
mod masks;
mod noise;
mod parameters;
mod polynomial;
mod random;
mod raw_parts;
mod secret_key;
mod serialized;
mod serialized_arrays;
mod serialized_sizes;
#[cfg(test)]
mod serialized_tests;
mod server_key;
mod shortint;
#[cfg(test)]
mod test_keys;

pub use client_key::ClientKey;
pub use compressed_ciphertexts::CompressedShortints;
pub use compressed_key::CompressedServerKey;
pub use current::{CurrentKey, ServerKeyGuard, current_server_key, server_key, set_server_key, unset_server_key};
pub use integer::{CompressedFheBool, CompressedFheUint, FheBool, FheUint, Operand, Unsigned};
pub use key_set::KeySet;
pub use parameters::{MESSAGE_2_CARRY_2, Parameters};
pub use server_key::ServerKey;
pub use shortint::Shortints;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/FHE.md")]
struct Guide;
