//! Encrypted integers.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![forbid(unsafe_code)]
#![allow(dead_code)] // what integers will use

mod blind_rotation;
mod bootstrapping_key;
mod ciphertexts;
mod client_key;
mod fourier;
mod key_switch;
mod lookup_table;
mod parameters;
mod polynomial;
mod random;
mod secret_key;
mod server_key;
mod shortint;
#[cfg(test)]
mod test_keys;

pub use client_key::ClientKey;
pub use parameters::{MESSAGE_2_CARRY_2, Parameters};
pub use server_key::ServerKey;
pub use shortint::Shortints;
