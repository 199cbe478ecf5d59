//! Write the known answers of TFHE-rs that our own tests read: `cargo run --release --bin vectors -- ../../tests/vectors/fhe`.
//!
//! Keys drawn once; a run writes others, which tests read as well.

use std::fs;
use std::path::Path;
use tfhe::core_crypto::commons::math::random::CompressionSeed;
use tfhe::core_crypto::prelude::*;
use tfhe::integer;
use tfhe::shortint::atomic_pattern::compressed::CompressedAtomicPatternServerKey;
use tfhe::shortint::server_key::ShortintCompressedBootstrappingKey;
use tfhe_bench::{THEIRS, client_key};
use tfhe_csprng::seeders::SeedKind;

/// Integers of 8 bits that are encrypted.
const VALUES: [u8; 4] = [0, 1, 0x6c, 0xff];
/// Bits of the LWE key whose part of the bootstrapping key is kept.
const KEPT: [usize; 3] = [0, 1, 917];

fn seed(of: &CompressionSeed) -> u128 {
    match of.inner.seed {
        SeedKind::Ctr(seed) => seed.0,
        _ => panic!("a seed of another kind"),
    }
}

fn bytes(words: impl IntoIterator<Item = u64>) -> Vec<u8> {
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

fn main() {
    let folder = std::env::args().nth(1).expect("the folder to write to");
    let write = |name: &str, parts: &[&[u8]]| {
        fs::write(Path::new(&folder).join(name), parts.concat()).unwrap();
    };
    let client = integer::ClientKey::new(THEIRS);
    let compressed = integer::CompressedServerKey::new_radix_compressed_server_key(&client);
    let ours = client_key(&client, 0).unwrap();
    write("client_key", &[&ours.lwe_key().iter().chain(ours.glwe_key()).map(|&bit| bit as u8).collect::<Vec<u8>>()]);

    let (pattern, ..) = compressed.into_raw_parts().into_raw_parts();
    let CompressedAtomicPatternServerKey::Standard(standard) = pattern else { unreachable!() };
    let (key_switch, bootstrap, _) = standard.into_raw_parts();
    let ShortintCompressedBootstrappingKey::Classic { bsk, .. } = bootstrap else { unreachable!() };
    write(
        "key_switch",
        &[&seed(&key_switch.compression_seed()).to_le_bytes(), &bytes(key_switch.as_ref().iter().copied())],
    );
    let rows = KEPT.iter().flat_map(|bit| bsk.as_ref()[bit * 4096..][..4096].iter().copied());
    write("bootstrap", &[&seed(&bsk.compression_seed()).to_le_bytes(), &bytes(rows)]);

    // Integers whose blocks have a seed and a body each; then the whole first block after the key switch.
    let mut seeded = Vec::new();
    let mut first = None;
    for value in VALUES {
        let shortint: &tfhe::shortint::ClientKey = client.as_ref();
        for at in 0..4 {
            let block = shortint.encrypt_compressed(u64::from(value) >> (2 * at) & 3);
            first.get_or_insert_with(|| block.decompress());
            let (block, ..) = block.into_raw_parts();
            seeded.extend(seed(&block.compression_seed()).to_le_bytes());
            seeded.extend(block.get_body().data.to_le_bytes());
        }
    }
    write("integers", &[&seeded]);
    let mut switched = LweCiphertext::new(0u64, THEIRS.lwe_dimension.to_lwe_size(), CiphertextModulus::new_native());
    keyswitch_lwe_ciphertext(&key_switch.decompress_into_lwe_keyswitch_key(), &first.unwrap().ct, &mut switched);
    write("switched", &[&bytes(switched.as_ref().iter().copied())]);
}
