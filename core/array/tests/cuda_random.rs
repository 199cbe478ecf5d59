//! Random numbers on a GPU against the CPU's, to the bit. Without a GPU, nothing is tested; `ICICLE_TEST_KERNELS=1` says that
//! there must be one.
#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/gpu.rs"]
mod gpu;

use gpu::{CPU, GPU, there_is_one, to_gpu, values};
use icicle_array::random::{Key, bernoulli, bits, choice, integers, normal, permutation, shuffle, uniform};
use icicle_array::*;
use icicle_device::Device;
use icicle_error::{ErrorCode, Result};

const SIZES: [usize; 9] = [0, 1, 3, 17, 255, 257, 4099, 65_537, 1_000_003];

fn bytes(x: &Array) -> Vec<u8> {
    let mut bytes = vec![0; x.len() * x.dtype().bytes()];
    x.to_device(CPU).unwrap().copy_to_bytes(&mut bytes).unwrap();
    bytes
}

/// The same call on both devices.
fn same(context: &str, draw: impl Fn(Device) -> Result<Array>) {
    let (want, got) = (draw(CPU).unwrap(), draw(GPU).unwrap());
    assert_eq!((got.device(), got.dtype(), got.shape()), (GPU, want.dtype(), want.shape()), "{context}");
    assert!(bytes(&got) == bytes(&want), "{context}");
}

#[test]
fn numbers_are_the_cpus_to_the_bit() {
    if !there_is_one() {
        return;
    }
    for key in [Key::new(11), Key::new(u64::MAX).fold_in(5), Key::from_words([9, 8, 7, 6])] {
        for n in SIZES {
            for dtype in [DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64] {
                same(&format!("bits {dtype} {n}"), |device| bits(device, &key, &[n], dtype));
            }
            for dtype in [DType::Float32, DType::Float64] {
                same(&format!("uniform {dtype} {n}"), |device| uniform(device, &key, &[n], dtype, -1.5, 1e-3));
                same(&format!("normal {dtype} {n}"), |device| normal(device, &key, &[n], dtype));
            }
            same(&format!("bernoulli {n}"), |device| bernoulli(device, &key, 0.3, &[n]));
            same(&format!("permutation {n}"), |device| permutation(device, &key, n));
        }
    }
}

#[test]
fn integers_are_the_cpus() {
    if !there_is_one() {
        return;
    }
    let key = Key::new(12);
    for &dtype in DType::ALL.iter().filter(|dtype| dtype.is_integer()) {
        let range = iinfo(dtype).unwrap();
        let all = range.max - range.min + 1;
        for count in [1, 6, 256, (1 << 24) - 7, 1 << 24, (1 << 24) + 1, (1 << 31) + 1, all / 2 + 1, all] {
            if count <= all {
                let draw = |device| integers(device, &key, range.min, range.min + count, &[7, 4099], dtype);
                same(&format!("{count} of {dtype}"), draw);
            }
        }
    }
}

#[test]
fn what_is_made_of_numbers_is_the_cpus() {
    if !there_is_one() {
        return;
    }
    let (key, x) = (Key::new(13), values(DType::Float32, &[40, 300], 1));
    let gpu = to_gpu(&x);
    for axis in [0, 1] {
        assert!(bytes(&shuffle(&key, &gpu, axis).unwrap()) == bytes(&shuffle(&key, &x, axis).unwrap()), "{axis}");
        for replace in [false, true] {
            let [got, want] = [&gpu, &x].map(|x| bytes(&choice(&key, x, 30, axis, replace).unwrap()));
            assert!(got == want, "{axis} {replace}");
        }
    }
    // Beyond what one launch's first dimension takes of blocks of the smallest elements.
    if std::env::var_os("ICICLE_TEST_SMALL").is_none() {
        let n = (1usize << 32) + 7;
        let got = bits(GPU, &key, &[n], DType::UInt8).unwrap();
        let end = got.index(&[Index::Slice(Slice { start: Some(n as isize - 50), stop: None, step: 1 })]).unwrap();
        // Element `i` depends on key and `i` only: the last block's, by its counter.
        let block = bits(GPU, &key, &[1 << 20], DType::UInt8).unwrap();
        let begin = got.index(&[Index::Slice(Slice::range(0, 1 << 20))]).unwrap();
        assert!(bytes(&begin) == bytes(&block));
        assert!(bytes(&end).iter().any(|&byte| byte != bytes(&end)[0]));
    }
}

#[test]
fn arguments_are_checked_as_on_cpus() {
    if !there_is_one() {
        return;
    }
    let key = Key::new(14);
    for device in [CPU, GPU] {
        let refused = [
            bits(device, &key, &[3], DType::Int8),
            uniform(device, &key, &[3], DType::Float16, 0.0, 1.0),
            uniform(device, &key, &[3], DType::Float32, 1.0, 1.0),
            integers(device, &key, 5, 5, &[3], DType::Int8),
            bernoulli(device, &key, 1.5, &[3]),
            bits(device, &key, &[usize::MAX, 2], DType::UInt64),
        ];
        for result in refused {
            assert_eq!(result.unwrap_err().code, ErrorCode::InvalidArgument);
        }
    }
}
