//! Encrypted integers on GPUs: every operation decrypts to what clear arithmetic says, as on CPUs, whatever the devices. Without a
//! GPU nothing is tested; `ICICLE_TEST_KERNELS=1` says that there must be one, `ICICLE_TEST_GPUS=2` that there must be two.
#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, clippy::panic)]

use icicle_device::{Device, DeviceKind};
use icicle_error::ErrorCode;
use icicle_fhe::{ClientKey, CompressedServerKey, CurrentKey, FheBool, FheUint, KeySet, MESSAGE_2_CARRY_2};
use icicle_fhe::{Operand, ServerKey, ServerKeyGuard, Unsigned};
use icicle_runtime::{DeviceGroup, memory_stats, set_memory_limit};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};

const CPU: Device = Device::cpu(0);
const GPU: Device = Device::cuda(0);

struct Keys {
    client: ClientKey,
    compressed: CompressedServerKey,
    host: Arc<ServerKey>,
    gpu: Arc<ServerKey>,
}

static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let client = ClientKey::generate(&MESSAGE_2_CARRY_2).unwrap();
    let compressed = client.compressed_server_key().unwrap();
    let host = Arc::new(compressed.decompress(CPU).unwrap());
    let gpu = Arc::new(compressed.decompress(GPU).unwrap());
    Keys { client, compressed, host, gpu }
});

/// Tests take turns: some count memory, or limit it.
static TURN: Mutex<()> = Mutex::new(());

fn gpus() -> u32 {
    let found = icicle_runtime::device_count(DeviceKind::Cuda);
    let demanded = |name| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let least = demanded("ICICLE_TEST_KERNELS").max(demanded("ICICLE_TEST_GPUS"));
    assert!(found >= least, "there are {found} CUDA devices, there must be {least}");
    found
}

/// The keys, if there are so many GPUs, and the turn.
fn keys(least: u32) -> Option<(&'static Keys, MutexGuard<'static, ()>)> {
    (gpus() >= least).then(|| (&*KEYS, TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())))
}

/// Pairs with edges among them, the others at random.
fn pairs<T: Unsigned>(n: usize) -> (Vec<T>, Vec<T>) {
    let edges = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 0x5555_5555_5555_5555, 1 << 7];
    let mut state = 7u64;
    let mut next = |i: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if i < edges.len() { edges[i] } else { state ^ state >> 29 }
    };
    let a: Vec<T> = (0..n).map(|i| T::truncated(next(i))).collect();
    // Some are equal, some are zero.
    let b = (0..n).map(|i| if i % 5 == 4 { a[i] } else { T::truncated(next((i * 3 + 1) % 11)) }).collect();
    (a, b)
}

/// Every operation on integers of a width.
fn operations<T>(n: usize, key: impl Into<CurrentKey>)
where
    T: Unsigned + PartialEq,
    for<'a> T: Into<Operand<'a>>,
    for<'a> &'a Vec<T>: Into<Operand<'a>>,
{
    let client = &KEYS.client;
    let _guard = ServerKeyGuard::new(key);
    let (a, b) = pairs::<T>(n);
    let (wide_a, wide_b): (Vec<u64>, Vec<u64>) =
        (a.iter().map(|&v| v.into()).collect(), b.iter().map(|&v| v.into()).collect());
    let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
    let bits = u64::from(T::BITS);
    let what = format!("{n} of {bits} bits");
    let check = |op: &str, got: icicle_error::Result<FheUint>, f: &dyn Fn(u64, u64) -> u64| {
        let wanted: Vec<T> = wide_a.iter().zip(&wide_b).map(|(&a, &b)| T::truncated(f(a, b))).collect();
        assert!(client.decrypt::<T>(&got.unwrap()).unwrap() == wanted, "{op}, {what}");
    };
    let truth = |op: &str, got: icicle_error::Result<FheBool>, f: &dyn Fn(u64, u64) -> bool| {
        let wanted: Vec<bool> = wide_a.iter().zip(&wide_b).map(|(&a, &b)| f(a, b)).collect();
        assert!(client.decrypt_bools(&got.unwrap()).unwrap() == wanted, "{op}, {what}");
    };
    let mask = u64::MAX >> (64 - bits);
    check("add", &x + &y, &u64::wrapping_add);
    check("add clear", &x + &b, &u64::wrapping_add);
    check("sub", &x - &y, &u64::wrapping_sub);
    check("neg", -&x, &|a, _| a.wrapping_neg());
    check("mul", &x * &y, &u64::wrapping_mul);
    check("and", &x & &y, &|a, b| a & b);
    check("or", &x | &y, &|a, b| a | b);
    check("xor", &x ^ &y, &|a, b| a ^ b);
    check("not", !&x, &|a, _| !a);
    check("shl", &x << &y, &|a, b| a << (b % bits));
    check("shr", &x >> &y, &|a, b| a >> (b % bits));
    check("shl by 3", &x << T::truncated(3), &|a, _| a << 3);
    check("rotate", x.rotate_left(&y), &|a, b| {
        let by = b % bits;
        if by == 0 { a } else { a << by | (a & mask) >> (bits - by) }
    });
    check("min", x.min(&y), &u64::min);
    check("max", x.max(&y), &u64::max);
    truth("eq", x.eq(&y), &|a, b| a == b);
    truth("ne", x.ne(&y), &|a, b| a != b);
    truth("lt", x.lt(&y), &|a, b| a < b);
    truth("le", x.le(&y), &|a, b| a <= b);
    truth("gt", x.gt(&y), &|a, b| a > b);
    truth("ge", x.ge(&y), &|a, b| a >= b);
    let (sum, over) = x.overflowing_add(&y).unwrap();
    check("overflowing_add", Ok(sum), &u64::wrapping_add);
    truth("overflow", Ok(over), &|a, b| u128::from(a) + u128::from(b) > u128::from(mask));
    check("select", x.lt(&y).unwrap().select(&x, &y), &u64::min);
    truth("not lt", !&x.lt(&y).unwrap(), &|a, b| a >= b);
    let total = wide_a.iter().fold(0u64, |sum, &a| sum.wrapping_add(a));
    assert!(client.decrypt::<T>(&x.sum().unwrap()).unwrap() == [T::truncated(total)], "sum, {what}");
    let wide = client.decrypt::<u64>(&x.cast(64).unwrap()).unwrap();
    assert!(wide == wide_a, "cast, {what}");
}

#[test]
fn operations_on_a_gpu_are_those_of_clear_integers() {
    let Some((keys, _turn)) = keys(1) else { return };
    // Few, by circuits of few layers, and many, by those of few bootstraps.
    for n in [1, 3, 70] {
        operations::<u8>(n, Arc::clone(&keys.gpu));
    }
    operations::<u16>(9, Arc::clone(&keys.gpu));
    operations::<u32>(5, Arc::clone(&keys.gpu));
    operations::<u64>(2, Arc::clone(&keys.gpu));
    operations::<u64>(20, Arc::clone(&keys.gpu));
}

#[test]
fn operations_over_devices_are_those_of_one() {
    let Some((keys, _turn)) = keys(1) else { return };
    let group = |devices: &[Device], shares: &[f64]| {
        let group = DeviceGroup::new(devices).unwrap();
        Arc::new(if shares.is_empty() { group } else { group.with_shares(shares).unwrap() })
    };
    let second = Device::cuda(1);
    let mut groups = vec![group(&[GPU], &[]), group(&[GPU, CPU], &[30.0, 1.0])];
    if gpus() > 1 {
        groups.extend([group(&[GPU, second], &[]), group(&[second, GPU], &[1.0, 2.0]), group(&[second], &[])]);
    }
    for group in groups {
        let set = Arc::new(KeySet::new(Arc::clone(&group), Arc::clone(&keys.host)).unwrap());
        operations::<u8>(31, Arc::clone(&set));
        // One alone, whose wide layers are divided.
        operations::<u8>(1, Arc::clone(&set));
        operations::<u64>(1, Arc::clone(&set));
        let _guard = ServerKeyGuard::new(Arc::clone(&set));
        // What lies in parts on several devices is an operand on one, of a CPU, and of other shares.
        let (a, b) = pairs::<u32>(21);
        let (x, y) = (keys.client.encrypt(&a).unwrap(), keys.client.encrypt(&b).unwrap());
        let sum = (&x + &y).unwrap();
        let wanted: Vec<u32> = a.iter().zip(&b).map(|(&a, &b)| a.wrapping_add(b)).collect();
        let twice: Vec<u32> = wanted.iter().map(|&v| v.wrapping_mul(2)).collect();
        for key in [&keys.gpu, &set.on(0).unwrap()] {
            assert!(keys.client.decrypt::<u32>(&key.add(&sum, &sum).unwrap()).unwrap() == twice, "{group:?}");
        }
        let some = sum.slice(9..12).unwrap();
        assert!(
            keys.client.decrypt::<u32>(&keys.host.add(&some, &some).unwrap()).unwrap() == twice[9..12],
            "{group:?}"
        );
        let both = FheUint::concatenate(&[&x, &some, &sum]).unwrap();
        let expected = [&a[..], &wanted[9..12], &wanted[..]].concat();
        assert!(keys.client.decrypt::<u32>(&both).unwrap() == expected, "{group:?}");
        assert!(
            keys.client.decrypt::<u32>(&(!&both).unwrap()).unwrap() == expected.iter().map(|v| !v).collect::<Vec<_>>()
        );
        assert!(keys.client.decrypt::<u32>(&some.repeat(3).unwrap()).unwrap() == wanted[9..12].repeat(3));
        assert!(some.repeat(0).unwrap().is_empty());
        let read = FheUint::from_bytes(&sum.to_bytes().unwrap()).unwrap();
        assert!(keys.client.decrypt::<u32>(&read).unwrap() == wanted);
    }
}

#[test]
fn bootstraps_have_the_noise_of_the_theory_in_any_number() {
    let Some((keys, _turn)) = keys(1) else { return };
    let (client, gpu) = (&keys.client, &keys.gpu);
    for n in [0, 1, 2, 63, 65, 131, 132, 133, 265, 529, 4096] {
        let values: Vec<u8> = (0..n).map(|i| (i % 4) as u8).collect();
        let x = client.encrypt_shortints(&values).unwrap();
        let y = gpu.apply_bivariate_lut(&x, &x, |a, b| (3 * a + b) % 16).unwrap();
        let z = gpu.apply_lut(&y, |v| 15 - v).unwrap();
        let wanted: Vec<u8> = values.iter().map(|v| 15 - 4 * v).collect();
        assert!(client.decrypt_shortints(&z).unwrap() == wanted, "{n}");
        let sum = gpu.add_shortints(&gpu.apply_lut(&x, |v| v % 4).unwrap(), &x).unwrap();
        assert!(client.decrypt_shortints(&sum).unwrap() == values.iter().map(|v| 2 * v).collect::<Vec<u8>>(), "{n}");
        if n == 4096 {
            let noise = client.noise_of_shortints(&z).unwrap();
            let variance = noise.iter().map(|noise| noise * noise).sum::<f64>() / noise.len() as f64;
            let theory = MESSAGE_2_CARRY_2.bootstrap_variance();
            println!("variance of {n} bootstraps: 2^{:.2}, of the theory 2^{:.2}", variance.log2(), theory.log2());
            assert!((variance.log2() - theory.log2()).abs() < 0.3);
        }
    }
}

#[test]
fn keys_come_to_gpus_on_every_way() {
    let Some((keys, _turn)) = keys(1) else { return };
    let client = &keys.client;
    let (a, b) = pairs::<u8>(6);
    let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
    let wanted: Vec<u8> = a.iter().zip(&b).map(|(&a, &b)| a.wrapping_mul(b)).collect();
    let before = memory_stats(GPU).unwrap().used;
    let key = keys.host.to_device(GPU).unwrap();
    let bytes = memory_stats(GPU).unwrap().used - before;
    println!("key on a GPU: {:.1} MB", bytes as f64 / 1e6);
    assert!(bytes < 92_000_000, "{bytes}");
    let again = key.to_device(Device::cuda(gpus() - 1)).unwrap();
    let read = ServerKey::from_bytes(&keys.host.to_bytes().unwrap(), GPU).unwrap();
    let made = client.server_key(GPU).unwrap();
    for key in [&key, &again, &read, &made] {
        assert!(client.decrypt::<u8>(&key.mul(&x, &y).unwrap()).unwrap() == wanted, "{key:?}");
    }
    for error in [key.to_bytes().unwrap_err(), key.to_device(CPU).unwrap_err()] {
        assert_eq!(error.code, ErrorCode::Unsupported, "{error}");
        assert!(error.to_string().contains("the key is on cuda:0, which keeps a part of it only"), "{error}");
    }
    let mixed = Arc::new(DeviceGroup::new(&[GPU, CPU]).unwrap());
    assert_eq!(KeySet::new(mixed, Arc::new(key)).unwrap_err().code, ErrorCode::Unsupported);
    let gone = keys.compressed.decompress(Device::cuda(1_000_000)).unwrap_err();
    assert_eq!((gone.code, gone.op), (ErrorCode::InvalidDevice, "fhe_decompress_server_key"));
    let other = ClientKey::generate(&MESSAGE_2_CARRY_2).unwrap().encrypt(&[1u8; 6]).unwrap();
    let error = keys.gpu.add(&x, &other).unwrap_err();
    assert!(error.to_string().contains("fhe_add: y is encrypted under the key"), "{error}");
}

#[test]
fn memory_that_is_refused_loses_nothing() {
    let Some((keys, _turn)) = keys(1) else { return };
    let (a, b) = pairs::<u64>(12);
    let (x, y) = (keys.client.encrypt(&a).unwrap(), keys.client.encrypt(&b).unwrap());
    let product = keys.gpu.mul(&x, &y).unwrap();
    let before = memory_stats(GPU).unwrap();
    let mut refused = 0;
    for limit in (1..32).map(|i| before.used + ((i * i) << 18)) {
        set_memory_limit(GPU, Some(limit)).unwrap();
        let result = keys.gpu.add(&product, &y);
        let key = keys.host.to_device(GPU).map(|_| ());
        set_memory_limit(GPU, None).unwrap();
        for error in [result.map(|_| ()), key].into_iter().filter_map(Result::err) {
            assert_eq!(error.code, ErrorCode::OutOfMemory, "{error}");
            refused += 1;
        }
        let after = memory_stats(GPU).unwrap();
        assert_eq!((after.used, after.allocations), (before.used, before.allocations), "{limit}");
    }
    assert!(refused > 20, "{refused}");
    let wanted: Vec<u64> = a.iter().zip(&b).map(|(&a, &b)| a.wrapping_mul(b)).collect();
    assert!(keys.client.decrypt::<u64>(&product).unwrap() == wanted);
}

#[test]
fn threads_share_a_key() {
    let Some((keys, _turn)) = keys(1) else { return };
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            scope.spawn(move || {
                let _guard = ServerKeyGuard::new(Arc::clone(&keys.gpu));
                let a: Vec<u8> = (0..25).map(|i| i * 9 + thread).collect();
                let x = keys.client.encrypt(&a).unwrap();
                let mut sum = x.try_clone().unwrap();
                for _ in 0..3 {
                    sum = (&sum + &x).unwrap();
                }
                let wanted: Vec<u8> = a.iter().map(|v| v.wrapping_mul(4)).collect();
                assert!(keys.client.decrypt::<u8>(&sum).unwrap() == wanted, "{thread}");
            });
        }
    });
}
