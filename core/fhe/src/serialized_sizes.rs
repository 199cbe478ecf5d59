//! How many bytes keys and arrays are kept and sent as, known before they are written.

use crate::bytes::HEADER;
use crate::client_key::ClientKey;
use crate::compressed_ciphertexts::{CompressedShortints, SeededCiphertexts};
use crate::compressed_key::CompressedServerKey;
use crate::integer::{CompressedFheBool, CompressedFheUint, FheBool, FheUint};
use crate::server_key::ServerKey;
use crate::shortint::Shortints;

/// Of seeded ciphertexts, with 4 bytes for the width where integers are.
pub(crate) fn seeded_size(has_bits: bool, of: &SeededCiphertexts) -> usize {
    HEADER + if has_bits { 4 } else { 0 } + 8 + of.bytes()
}

macro_rules! sizes {
    ($($type:ident: |$of:ident| $size:expr;)*) => {
        $(impl $type {
            /// How many bytes [`to_bytes`](Self::to_bytes) gives.
            pub fn serialized_size(&self) -> usize {
                let $of = self;
                $size
            }
        })*
    };
}
sizes! {
    ClientKey: |key| HEADER + key.small.bits().len().div_ceil(8) + key.large.bits().len().div_ceil(8);
    CompressedServerKey: |key| HEADER + 2 * 16 + 8 * (key.key_switch.bodies.len() + key.bootstrap.bodies.len());
    // Of its parameters alone: wherever it lies, and however its transforms are ordered there.
    ServerKey: |key| {
        let of = key.parameters();
        HEADER + 8 * (of.key_switch_bodies() * of.small_words() + 2 * of.bootstrap_bodies())
    };
    Shortints: |x| HEADER + 4 + 4 + 8 + x.ciphertexts.bytes();
    FheUint: |x| HEADER + 4 + 4 + 8 + 8 + x.blocks.bytes();
    FheBool: |x| HEADER + 8 + 8 + x.blocks.bytes();
    CompressedShortints: |x| seeded_size(false, &x.0);
    CompressedFheUint: |x| seeded_size(true, &x.blocks);
    CompressedFheBool: |x| seeded_size(false, &x.blocks);
}
