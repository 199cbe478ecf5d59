//! With the parameters that are secure: noise against theory, and operations at full size.
#![allow(clippy::unwrap_used)]

use icicle_device::{Device, DeviceKind};
use icicle_error::ErrorCode;
use icicle_fhe::{ClientKey, MESSAGE_2_CARRY_2, ServerKey};
use std::sync::LazyLock;

static KEYS: LazyLock<(ClientKey, ServerKey)> = LazyLock::new(|| {
    let client = ClientKey::generate(&MESSAGE_2_CARRY_2).unwrap();
    let server = client.server_key(Device { kind: DeviceKind::Cpu, index: 0 }).unwrap();
    (client, server)
});

#[test]
#[cfg_attr(debug_assertions, ignore = "minutes, unless it is optimised")]
fn noise_of_bootstraps_is_that_of_the_theory() {
    let (client, server) = &*KEYS;
    // More than usual, for a closer look.
    let count = std::env::var("ICICLE_FHE_BOOTSTRAPS").map_or(1024, |count| count.parse::<u32>().unwrap().max(1024));
    let values: Vec<u8> = (0..count).map(|i| (i % 4) as u8).collect();
    let x = client.encrypt_shortints(&values).unwrap();
    let fresh = client.noise_of_shortints(&x).unwrap();
    assert!(fresh.iter().all(|noise| noise.abs() <= (17f64 - 64.0).exp2()));
    let y = server.apply_lut(&x, |v| 3 - v % 4).unwrap();
    assert_eq!(client.decrypt_shortints(&y).unwrap(), values.iter().map(|v| 3 - v).collect::<Vec<u8>>());
    let noise = client.noise_of_shortints(&y).unwrap();
    let variance = noise.iter().map(|noise| noise * noise).sum::<f64>() / noise.len() as f64;
    let mean = noise.iter().sum::<f64>() / noise.len() as f64;
    let theory = MESSAGE_2_CARRY_2.bootstrap_variance();
    println!("variance of {} bootstraps: 2^{:.2}, of the theory 2^{:.2}", noise.len(), variance.log2(), theory.log2());
    // The deviation of the logarithm, over 1024 samples, is 0.064.
    assert!((variance.log2() - theory.log2()).abs() < 0.3, "2^{:.2}, not 2^{:.2}", variance.log2(), theory.log2());
    assert!(mean.abs() < 5.0 * (theory / noise.len() as f64).sqrt(), "mean {mean:e}, deviation {:e}", theory.sqrt());
}

#[test]
#[cfg_attr(debug_assertions, ignore = "minutes, unless it is optimised")]
fn integers_compute() {
    let (client, server) = &*KEYS;
    let (a, b) = ([u64::MAX, 12_345_678_901_234_567], [1, 9_876_543_210_987_654]);
    let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
    let sum = server.add(&x, &y).unwrap();
    assert_eq!(client.decrypt::<u64>(&sum).unwrap(), [0, 22_222_222_112_222_221]);
    let smaller = server.select(&server.lt(&x, &y).unwrap(), &x, &y).unwrap();
    assert_eq!(client.decrypt::<u64>(&smaller).unwrap(), b);
    let same = server.eq(&smaller, &y).unwrap();
    assert_eq!(client.decrypt_bools(&same).unwrap(), [true, true]);
    let (x, y) = (client.encrypt(&[200u8, 7, 0]).unwrap(), client.encrypt(&[100u8, 7, 255]).unwrap());
    assert_eq!(client.decrypt::<u8>(&server.sub(&x, &y).unwrap()).unwrap(), [100, 0, 1]);
    assert_eq!(client.decrypt::<u8>(&server.bitxor(&x, &y).unwrap()).unwrap(), [200 ^ 100, 0, 255]);
    assert_eq!(client.decrypt_bools(&server.ge(&x, &y).unwrap()).unwrap(), [true, true, false]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "minutes, unless it is optimised")]
fn more_operations_compute() {
    let (client, server) = &*KEYS;
    let (a, b) = ([251u8, 7, 0, 128], [253u8, 9, 255, 2]);
    let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
    let each = |f: fn(u8, u8) -> u8| a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect::<Vec<u8>>();
    let clear = |x| client.decrypt::<u8>(&x).unwrap();
    assert_eq!(clear(server.mul(&x, &y).unwrap()), each(u8::wrapping_mul));
    assert_eq!(clear(server.mul(&x, &b).unwrap()), each(u8::wrapping_mul));
    assert_eq!(clear(server.shl(&x, &y).unwrap()), each(|a, b| a << (b % 8)));
    assert_eq!(clear(server.rotate_right(&x, 3u8).unwrap()), each(|a, _| a.rotate_right(3)));
    assert_eq!(clear(server.min(&x, &y).unwrap()), each(u8::min));
    assert_eq!(clear(server.sum(&x).unwrap()), [130]);
    let (sum, over) = server.overflowing_add(&x, &y).unwrap();
    assert_eq!(clear(sum), each(u8::wrapping_add));
    assert_eq!(client.decrypt_bools(&over).unwrap(), [true, false, false, false]);
    // One integer, on as many threads as make carries of groups worth it.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(40).build().unwrap();
    let (x, y) = (client.encrypt(&[u64::MAX - 1]).unwrap(), client.encrypt(&[77u64]).unwrap());
    let sum = pool.install(|| server.add(&x, &y)).unwrap();
    assert_eq!(client.decrypt::<u64>(&sum).unwrap(), [75]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "minutes, unless it is optimised")]
fn results_do_not_depend_on_threads() {
    let (client, server) = &*KEYS;
    let x = client.encrypt_shortints(&[0, 1, 2, 3]).unwrap();
    let one = server.apply_lut(&x, |v| v ^ 2).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let three = pool.install(|| server.apply_lut(&x, |v| v ^ 2)).unwrap();
    // The same ciphertexts have the same noise, to the last bit.
    assert_eq!(client.noise_of_shortints(&one).unwrap(), client.noise_of_shortints(&three).unwrap());
}

#[test]
fn keys_say_nothing_and_go_to_devices_that_are_there() {
    let (client, server) = &*KEYS;
    let text = format!("{client:?} {server:?}");
    assert!(text.len() < 400 && text.contains("MESSAGE_2_CARRY_2"), "{text}");
    let gone = client.server_key(Device { kind: DeviceKind::Cpu, index: 1_000_000 }).unwrap_err();
    assert_eq!(gone.code, ErrorCode::InvalidDevice);
    let gpu = client.server_key(Device { kind: DeviceKind::Cuda, index: 1_000_000 }).unwrap_err();
    let expected = if cfg!(feature = "cuda") { ErrorCode::InvalidDevice } else { ErrorCode::Unsupported };
    assert_eq!((gpu.code, gpu.op), (expected, "fhe_server_key"));
}
