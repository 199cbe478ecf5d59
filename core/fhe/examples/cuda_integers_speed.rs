//! Times of encrypted integers on GPUs: medians of an operation on arrays that lie there, each waited for, and what they decrypt to
//! checked. With an argument, a number of integers of 64 bits, that batch alone.
#![allow(clippy::unwrap_used)]

use icicle_device::{Device, DeviceKind};
use icicle_fhe::{ClientKey, FheUint, KeySet, MESSAGE_2_CARRY_2, ServerKey};
use icicle_runtime::{DeviceGroup, memory_stats};
use std::sync::Arc;
use std::time::Instant;

const RUNS: usize = 7;

/// The median of several runs, in seconds.
fn time(name: &str, elements: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let median = times[RUNS / 2];
    println!(
        "{name:28} {elements:6} {:10.3} ms {:10.1} /s  (best {:.3})",
        median * 1e3,
        elements as f64 / median,
        times[0] * 1e3
    );
    median
}

fn values(n: usize, factor: u64) -> Vec<u64> {
    (1..=n as u64).map(|i| i.wrapping_mul(factor)).collect()
}

fn main() {
    let gpus = icicle_runtime::device_count(DeviceKind::Cuda);
    let only: Option<usize> = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let client = ClientKey::generate(&MESSAGE_2_CARRY_2).unwrap();
    let start = Instant::now();
    let compressed = client.compressed_server_key().unwrap();
    println!("compressed key: {:.2} s", start.elapsed().as_secs_f64());
    let first = Device::cuda(0);
    let (start, before) = (Instant::now(), memory_stats(first).unwrap().used);
    let key = Arc::new(compressed.decompress(first).unwrap());
    let bytes = memory_stats(first).unwrap().used - before;
    println!("key on {first}: {:.2} s, {:.1} MB", start.elapsed().as_secs_f64(), bytes as f64 / 1e6);
    let host = Arc::new(compressed.decompress(Device::cpu(0)).unwrap());
    let mut sets: Vec<(String, Arc<KeySet>)> = Vec::new();
    for n in 1..=gpus {
        let devices: Vec<Device> = (0..n).map(Device::cuda).collect();
        let group = Arc::new(DeviceGroup::new(&devices).unwrap());
        sets.push((format!("{n} GPUs"), Arc::new(KeySet::new(group, Arc::clone(&host)).unwrap())));
    }
    let on_device = |x: &FheUint, key: &ServerKey| key.bitor(x, 0u64).unwrap();
    if only.is_none() {
        for n in [1, 132, 528, 1056, 4224, 8448] {
            let x = client.encrypt_shortints(&vec![2; n]).unwrap();
            let x = key.apply_lut(&x, |v| v).unwrap();
            time("bootstraps", n, || drop(key.apply_lut(&x, |v| v ^ 1).unwrap()));
        }
        for n in [1, 10] {
            let (a, b) = (values(n, 0x9e37_79b9_7f4a_7c15), values(n, 0xc2b2_ae3d_27d4_eb4f));
            let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
            let (x, y) = (on_device(&x, &key), on_device(&y, &key));
            time("add64", n, || drop(key.add(&x, &y).unwrap()));
            time("lt64", n, || drop(key.lt(&x, &y).unwrap()));
            time("bitand64", n, || drop(key.bitand(&x, &y).unwrap()));
            time("mul64", n, || drop(key.mul(&x, &y).unwrap()));
        }
        let (x, y) = (client.encrypt(&[3u64]).unwrap(), client.encrypt(&[5u64]).unwrap());
        let (x, y) = (on_device(&x, &key), on_device(&y, &key));
        for threads in [2, 4, 8, 16] {
            let each = 4;
            let run = || {
                std::thread::scope(|scope| {
                    for _ in 0..threads {
                        scope.spawn(|| (0..each).for_each(|_| drop(key.add(&x, &y).unwrap())));
                    }
                });
            };
            time(&format!("add64, one each by {threads} threads"), threads * each, run);
        }
        let (x, y) = (client.encrypt(&vec![200u8; 1000]).unwrap(), client.encrypt(&vec![99u8; 1000]).unwrap());
        let (x, y) = (key.bitor(&x, 0u8).unwrap(), key.bitor(&y, 0u8).unwrap());
        time("add8", 1000, || drop(key.add(&x, &y).unwrap()));
    }
    for n in only.map_or(vec![100, 1000, 2000], |n| vec![n]) {
        let (a, b) = (values(n, 0x9e37_79b9_7f4a_7c15), values(n, 0xc2b2_ae3d_27d4_eb4f));
        let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
        for (name, keys) in &sets {
            // Where the devices' shares are, once these are known.
            let mut operands = None;
            for _ in 0..3 {
                operands = Some((keys.bitor(&x, 0u64).unwrap(), keys.bitor(&y, 0u64).unwrap()));
            }
            let (x, y) = operands.unwrap();
            time(&format!("add64 over {name}"), n, || drop(keys.add(&x, &y).unwrap()));
            let sum = client.decrypt::<u64>(&keys.add(&x, &y).unwrap()).unwrap();
            assert!(sum.iter().zip(a.iter().zip(&b)).all(|(sum, (a, b))| *sum == a.wrapping_add(*b)));
            if n <= 100 {
                time(&format!("mul64 over {name}"), n, || drop(keys.mul(&x, &y).unwrap()));
            }
        }
        time("add64, operands on the host", n, || drop(key.add(&x, &y).unwrap()));
    }
}
