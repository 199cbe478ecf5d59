//! What TFHE-rs made, and earlier versions of ours, read by us: `tests/vectors/fhe` says how. It sees layouts, signs and masks that are not TFHE-rs's.

use crate::bootstrapping_key::SeededBootstrappingKey;
use crate::dynamic::{self, CompressedFheArray, Elements, FheArray};
use crate::key_switch::SeededKeySwitchKey;
use crate::masks::MaskSeed;
use crate::parameters::{DELTA, MESSAGE_2_CARRY_2};
use crate::secret_key::LweSecretKey;
use crate::{ClientKey, CompressedServerKey, FheUint};

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../tests/vectors/fhe/", $name)).as_slice()
    };
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

fn seeded(bytes: &[u8]) -> (MaskSeed, Vec<u64>) {
    let (seed, bodies) = bytes.split_at(16);
    (MaskSeed(u128::from_le_bytes(seed.try_into().unwrap())), words(bodies))
}

fn client() -> ClientKey {
    let bits: Vec<u64> = file!("client_key").iter().map(|&bit| u64::from(bit)).collect();
    let (small, large) = bits.split_at(918);
    ClientKey::from_raw(&MESSAGE_2_CARRY_2, 1, small, large).unwrap()
}

/// The blocks of their compressed integers, the masks written out.
fn integers() -> Vec<u64> {
    let blocks = file!("integers").chunks(24).map(|block| {
        let (seed, body) = seeded(block);
        let mut words = vec![0; 2049];
        seed.masks().write(0, &mut words[..2048]);
        words[2048] = body[0];
        words
    });
    blocks.collect::<Vec<_>>().concat()
}

#[test]
fn their_integers_are_decrypted() {
    let client = client();
    let x = FheUint::from_raw(&MESSAGE_2_CARRY_2, 1, 8, integers()).unwrap();
    assert_eq!(client.decrypt::<u8>(&x).unwrap(), [0, 1, 0x6c, 0xff]);
    // Noise, and not only values: TUniform(17).
    for (at, block) in integers().chunks(2049).enumerate() {
        let message = [0, 1, 0x6c, 0xff][at / 4] >> (2 * (at % 4)) & 3;
        let noise = client.large.phase(block).wrapping_sub(DELTA * message) as i64;
        assert!(noise.unsigned_abs() <= 1 << 17, "{at}: {noise}");
    }
}

#[test]
fn their_key_switches_as_they_do() {
    let client = client();
    let (seed, bodies) = seeded(file!("key_switch"));
    let key = SeededKeySwitchKey { seed, bodies }.decompress("test", &MESSAGE_2_CARRY_2).unwrap();
    for (at, row) in key.words.chunks(919).enumerate() {
        let value = client.glwe_key()[at / 4] << (48 + 4 * (at % 4));
        let noise = client.small.phase(row).wrapping_sub(value) as i64;
        assert!(noise.unsigned_abs() <= 1 << 45, "{at}: {noise}");
    }
    let mut switched = vec![0; 919];
    key.switch(&integers()[..2049], &mut switched);
    assert!(switched == words(file!("switched")));
}

#[test]
fn their_bootstrapping_key_holds_the_bits_as_ours_does() {
    let client = client();
    let (seed, bodies) = seeded(file!("bootstrap"));
    // The rest of it is not kept: zeros.
    let mut all = vec![0; MESSAGE_2_CARRY_2.bootstrap_bodies()];
    for (at, bit) in [0, 1, 917].into_iter().enumerate() {
        all[bit * 4096..][..4096].copy_from_slice(&bodies[at * 4096..][..4096]);
    }
    let masks = seed.masks();
    let key = client.large.polynomial("test").unwrap();
    for bit in [0, 1, 917] {
        let place = client.lwe_key()[bit] << 41;
        for row in 0..2 {
            let mut ciphertext = vec![0; 4096];
            masks.write((2 * bit + row) * 2048, &mut ciphertext[..2048]);
            ciphertext[2048..].copy_from_slice(&all[(2 * bit + row) * 2048..][..2048]);
            for (at, phase) in key.phase(&ciphertext).into_iter().enumerate() {
                // Minus the key times the bit, and the bit.
                let value = match row {
                    0 => place.wrapping_mul(client.glwe_key()[at]).wrapping_neg(),
                    _ if at == 0 => place,
                    _ => 0,
                };
                let noise = phase.wrapping_sub(value) as i64;
                assert!(noise.unsigned_abs() <= 1 << 17, "{bit} {row} {at}: {noise}");
            }
        }
    }
    // Both keys of theirs make a key of ours, which goes on to be bytes.
    let switch = seeded(file!("key_switch"));
    let parts = ((switch.0.0, switch.1), (seed.0, all.clone()));
    let compressed = CompressedServerKey::from_raw(&MESSAGE_2_CARRY_2, 1, parts.0, parts.1).unwrap();
    assert_eq!((compressed.bootstrap().0, compressed.bootstrap().1), (seed.0, &all[..]));
    // Ours is made the same way.
    let few = LweSecretKey::of(zeroize::Zeroizing::new(vec![1; 918])).unwrap();
    let ours = SeededBootstrappingKey::generate("test", &MESSAGE_2_CARRY_2, &few, &client.large).unwrap();
    let mut ciphertext = vec![0; 4096];
    ours.seed.masks().write(0, &mut ciphertext[..2048]);
    ciphertext[2048..].copy_from_slice(&ours.bodies[..2048]);
    for (phase, bit) in key.phase(&ciphertext).into_iter().zip(client.glwe_key()) {
        assert!((phase.wrapping_add(bit << 41) as i64).unsigned_abs() <= 1 << 17);
    }
}

/// Bytes of version 1 are read, and written again, as long as the guide says so.
#[test]
fn bytes_of_the_first_version_are_read() {
    let client = ClientKey::from_bytes(file!("bytes/client_key")).unwrap();
    assert!(client.to_bytes().unwrap()[..] == *file!("bytes/client_key"));
    for (bytes, expected) in
        [(file!("bytes/uint8"), Elements::U8(vec![200])), (file!("bytes/bool"), Elements::Bool(vec![true]))]
    {
        let array = FheArray::from_bytes(bytes).unwrap();
        assert_eq!(dynamic::decrypt(&client, &array).unwrap(), expected);
        assert!(array.to_bytes().unwrap() == bytes);
    }
    for (bytes, expected) in [
        (file!("bytes/compressed_uint16"), Elements::U16(vec![0xcafe, 7])),
        (file!("bytes/compressed_bool"), Elements::Bool(vec![true, false, true])),
    ] {
        let compressed = CompressedFheArray::from_bytes(bytes).unwrap();
        assert_eq!(dynamic::decrypt(&client, &compressed.decompress().unwrap()).unwrap(), expected);
        assert!(compressed.to_bytes().unwrap() == bytes);
    }
}
