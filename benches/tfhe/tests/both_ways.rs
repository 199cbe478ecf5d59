//! What one library encrypted the other computes on and decrypts, with the keys of either.

use icicle_device::{Device, DeviceKind};
use icicle_fhe::{ClientKey, MESSAGE_2_CARRY_2};
use std::sync::LazyLock;
use tfhe::integer::{self, RadixCiphertext};
use tfhe_bench::*;

const CPU: Device = Device { kind: DeviceKind::Cpu, index: 0 };
const TAG: u128 = 7;
const A: [u64; 3] = [u64::MAX, 12_345_678_901_234_567, 5];
const B: [u64; 3] = [1, 9_876_543_210_987_654, 5];

/// Their keys.
static KEYS: LazyLock<(integer::ClientKey, integer::CompressedServerKey)> = LazyLock::new(|| {
    let client = integer::ClientKey::new(THEIRS);
    let server = integer::CompressedServerKey::new_radix_compressed_server_key(&client);
    (client, server)
});

fn encrypt(client: &integer::ClientKey, values: &[u64]) -> Vec<RadixCiphertext> {
    values.iter().map(|&value| client.encrypt_radix(value, 32)).collect()
}

fn sums() -> Vec<u64> {
    A.iter().zip(B).map(|(a, b)| a.wrapping_add(b)).collect()
}

#[test]
fn their_ciphertexts_are_computed_on_with_their_server_key() {
    let (client, compressed) = &*KEYS;
    let server = compressed_server_key(compressed, TAG).unwrap().decompress(CPU).unwrap();
    let (x, y) = (uints(&encrypt(client, &A), 64, TAG).unwrap(), uints(&encrypt(client, &B), 64, TAG).unwrap());
    let decrypt = |x: &icicle_fhe::FheUint| {
        their_uints(x).unwrap().iter().map(|x| client.decrypt_radix::<u64>(x)).collect::<Vec<u64>>()
    };
    assert_eq!(decrypt(&server.add(&x, &y).unwrap()), sums());
    let less = server.lt(&x, &y).unwrap();
    let theirs: Vec<bool> = their_bools(&less).unwrap().iter().map(|x| client.decrypt_bool(x)).collect();
    assert_eq!(theirs, [false, false, false]);
    assert_eq!(decrypt(&server.select(&less, &x, &y).unwrap()), B);
    // The same by the standard words of their expanded form, and with our key from theirs.
    let ours = client_key(client, TAG).unwrap();
    assert_eq!(ours.decrypt::<u64>(&server.add(&x, &y).unwrap()).unwrap(), sums());
    let equal = server.eq(&x, &y).unwrap();
    assert_eq!(ours.decrypt_bools(&equal).unwrap(), [false, false, true]);
}

#[test]
fn masks_are_those_that_they_write_out() {
    use tfhe::shortint::atomic_pattern::compressed::CompressedAtomicPatternServerKey;
    use tfhe::shortint::server_key::ShortintCompressedBootstrappingKey;
    let (client, compressed) = &*KEYS;
    let (pattern, ..) = compressed.clone().into_raw_parts().into_raw_parts();
    let CompressedAtomicPatternServerKey::Standard(standard) = pattern else { unreachable!() };
    let (key_switch, bootstrap, _) = standard.into_raw_parts();
    let ShortintCompressedBootstrappingKey::Classic { bsk, .. } = bootstrap else { unreachable!() };
    let words = icicle_fhe::ServerKey::from_raw(
        &MESSAGE_2_CARRY_2,
        TAG,
        CPU,
        key_switch.decompress_into_lwe_keyswitch_key().as_ref().to_vec(),
        bsk.decompress_into_lwe_bootstrap_key().as_ref(),
    )
    .unwrap();
    let seeds = compressed_server_key(compressed, TAG).unwrap().decompress(CPU).unwrap();
    let x = uints(&encrypt(client, &A), 64, TAG).unwrap();
    // Not just the same values: the same ciphertexts, to the last bit.
    assert!(words.add(&x, &x).unwrap().words().unwrap() == seeds.add(&x, &x).unwrap().words().unwrap());
}

#[test]
fn our_ciphertexts_are_computed_on_by_them_with_our_server_key() {
    let client = ClientKey::generate(&MESSAGE_2_CARRY_2).unwrap();
    let their_client = their_client_key(&client);
    let their_server = their_compressed_server_key(&client.compressed_server_key().unwrap()).decompress();
    let (x, y) = (client.encrypt(&A).unwrap(), client.encrypt(&B).unwrap());
    let (their_x, their_y) = (their_uints(&x).unwrap(), their_uints(&y).unwrap());
    assert_eq!(their_x.iter().map(|x| their_client.decrypt_radix::<u64>(x)).collect::<Vec<_>>(), A);
    let pairs = || their_x.iter().zip(&their_y);
    let their_sums: Vec<_> = pairs().map(|(x, y)| their_server.add_parallelized(x, y)).collect();
    assert_eq!(client.decrypt::<u64>(&uints(&their_sums, 64, client.tag()).unwrap()).unwrap(), sums());
    assert_eq!(their_sums.iter().map(|x| their_client.decrypt_radix::<u64>(x)).collect::<Vec<_>>(), sums());
    let equal: Vec<_> = pairs().map(|(x, y)| their_server.eq_parallelized(x, y)).collect();
    assert_eq!(client.decrypt_bools(&bools(&equal, client.tag()).unwrap()).unwrap(), [false, false, true]);
    // What has more noise than a bootstrap leaves says so.
    let server = client.compressed_server_key().unwrap().decompress(CPU).unwrap();
    let selected = server.select(&server.lt(&x, &y).unwrap(), &x, &y).unwrap();
    let their_selected = their_uints(&selected).unwrap();
    let doubled: Vec<_> = their_selected.iter().map(|x| their_server.add_parallelized(x, x)).collect();
    let doubled: Vec<u64> = doubled.iter().map(|x| their_client.decrypt_radix(x)).collect();
    assert_eq!(doubled, B.map(|b| b.wrapping_mul(2)));
    assert!(uints(&their_selected, 64, client.tag()).unwrap_err().to_string().contains("must be cleaned"));
    // There and back.
    let again = client_key(&their_client, client.tag()).unwrap();
    assert!(again.lwe_key() == client.lwe_key() && again.glwe_key() == client.glwe_key());
}

#[test]
fn what_they_wrote_to_bytes_is_read() {
    use tfhe::prelude::*;
    use tfhe::safe_serialization::{safe_deserialize, safe_serialize};
    let config = tfhe::ConfigBuilder::with_custom_parameters(THEIRS).build();
    let client = tfhe::ClientKey::generate(config);
    let server = tfhe::CompressedServerKey::new(&client);
    let x = tfhe::FheUint64::encrypt(A[1], &client);
    let bytes = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        bytes
    };
    let (key, value) = (
        bytes(&|to| safe_serialize(&server, to, 1 << 30).unwrap()),
        bytes(&|to| safe_serialize(&x, to, 1 << 30).unwrap()),
    );
    let key: tfhe::CompressedServerKey = safe_deserialize(&key[..], 1 << 30).unwrap();
    let value: tfhe::FheUint64 = safe_deserialize(&value[..], 1 << 30).unwrap();
    let server = compressed_server_key(&key.into_raw_parts().0, TAG).unwrap().decompress(CPU).unwrap();
    let (radix, id, tag, more) = value.into_raw_parts();
    let x = uints(&[radix], 64, TAG).unwrap();
    let twice = their_uints(&server.add(&x, &x).unwrap()).unwrap().remove(0);
    let twice = tfhe::FheUint64::from_raw_parts(twice, id, tag, more);
    let clear: u64 = twice.decrypt(&client);
    assert_eq!(clear, 2 * A[1]);
}

#[test]
fn what_is_not_the_same_is_refused() {
    use tfhe::shortint::parameters::v1_8::V1_8_PARAM_MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128 as OTHER;
    let other = integer::ClientKey::new(OTHER);
    assert!(client_key(&other, TAG).unwrap_err().to_string().contains("a key of other parameters"));
    let (client, _) = &*KEYS;
    let mut x = encrypt(client, &A);
    assert!(uints(&x, 32, TAG).unwrap_err().to_string().contains("must have 32 bits"));
    use integer::IntegerCiphertext;
    x[0].blocks_mut()[0].degree = tfhe::shortint::ciphertext::Degree::new(7);
    assert!(!x[0].block_carries_are_empty());
    assert!(uints(&x, 64, TAG).unwrap_err().to_string().contains("must be cleaned by a bootstrap"));
}
