//! A GPU to compare with the CPU, and values to compare on. Without one, such tests do nothing; `ICICLE_TEST_KERNELS=1` says
//! that there must be.
#![allow(dead_code)] // each test uses a part

use icicle_array::*;
use icicle_device::{Device, DeviceKind};

pub const CPU: Device = Device::cpu(0);
pub const GPU: Device = Device::cuda(0);

pub fn there_is_one() -> bool {
    let found = icicle_runtime::device_count(DeviceKind::Cuda) > 0;
    let demanded = std::env::var_os("ICICLE_TEST_KERNELS").is_some_and(|value| !value.is_empty());
    assert!(found || !demanded, "ICICLE_TEST_KERNELS is set, and there is no CUDA device");
    found
}

/// Numbers that look random, the same in every run (Knuth's MMIX generator).
pub struct Dice(pub u64);
impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 20
    }
}

/// Values of a dtype with its edges among them: small ones of both signs, extremes, infinities, NaN, either zero.
pub fn values(dtype: DType, shape: &[usize], seed: u64) -> Array {
    let n = shape.iter().product::<usize>();
    let mut dice = Dice(seed);
    let integers: Vec<i64> = (0..n)
        .map(|_| match dice.next() % 12 {
            0 => i64::MAX,
            1 => i64::MIN,
            2 => 0,
            3 => -1,
            4..8 => (dice.next() % 13) as i64 - 6,
            _ => dice.next() as i64 - (1 << 43),
        })
        .collect();
    let specials = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310, -1e300, 65504.0, 0.5, -2.5, 1.0];
    let mut real = || -> Vec<f64> {
        (0..n)
            .map(|_| match dice.next() % 8 {
                0 => specials[(dice.next() % specials.len() as u64) as usize],
                1 => (dice.next() % 21) as f64 - 10.0,
                _ => (dice.next() as f64 / (1u64 << 43) as f64 - 1.0) * 8.0,
            })
            .collect()
    };
    match dtype.kind() {
        Kind::Float => Array::from_slice_on(CPU, &real(), shape).unwrap().astype(dtype).unwrap(),
        Kind::Complex => {
            let parts: Vec<_> = real().into_iter().zip(real()).map(|(re, im)| Complex::new(re, im)).collect();
            Array::from_slice_on(CPU, &parts, shape).unwrap().astype(dtype).unwrap()
        }
        Kind::Bool => Array::from_slice_on(CPU, &integers.iter().map(|x| x % 2).collect::<Vec<_>>(), shape)
            .unwrap()
            .astype(dtype)
            .unwrap(),
        _ => Array::from_slice_on(CPU, &integers, shape).unwrap().astype(dtype).unwrap(),
    }
}

pub fn to_gpu(x: &Array) -> Array {
    x.to_device(GPU).unwrap()
}
