//! Times of keys, bootstraps and additions: `cargo run --release -p icicle-fhe --example fhe_speed`; one thread with
//! `RAYON_NUM_THREADS=1`.

use icicle_device::{Device, DeviceKind};
use icicle_fhe::{ClientKey, MESSAGE_2_CARRY_2};
use std::time::Instant;

fn main() -> icicle_error::Result<()> {
    let start = Instant::now();
    let client = ClientKey::generate(&MESSAGE_2_CARRY_2)?;
    let server = client.server_key(Device { kind: DeviceKind::Cpu, index: 0 })?;
    println!("keys: {:.2?}", start.elapsed());
    let x = client.encrypt_shortints(&[3; 64])?;
    for _ in 0..3 {
        let start = Instant::now();
        let y = server.apply_lut(&x, |v| v ^ 1)?;
        println!("{} bootstraps: {:.2?} each", x.len(), start.elapsed() / x.len() as u32);
        assert_eq!(client.decrypt_shortints(&y)?, [2; 64]);
    }
    let (a, b): (Vec<u64>, Vec<u64>) = (0..8).map(|i| (u64::MAX / (i + 1), 0x0123_4567_89ab_cdef * i)).unzip();
    let (x, y) = (client.encrypt(&a)?, client.encrypt(&b)?);
    let start = Instant::now();
    let sum = server.add(&x, &y)?;
    println!("{} additions of 64 bits: {:.2?}", a.len(), start.elapsed());
    let expected: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    assert_eq!(client.decrypt::<u64>(&sum)?, expected);
    Ok(())
}
