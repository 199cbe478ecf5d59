//! Unified memory of GPUs: used by the host and by each GPU without a copy. Without a GPU, nothing is tested;
//! `ICICLE_TEST_KERNELS=1` says that there must be one.
#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/gpu.rs"]
mod gpu;

use gpu::{CPU, GPU, there_is_one};
use icicle_array::random::{Key, uniform};
use icicle_array::*;
use icicle_device::{Device, DeviceKind};
use icicle_error::{ErrorCode, Result};

/// Numbers in unified memory, unless the GPU has none that is used by all at once.
fn unified(shape: &[usize], seed: u64) -> Option<(Array, Array)> {
    let host = uniform(CPU, &Key::new(seed), shape, DType::Float32, -1.0, 1.0).unwrap();
    match host.to_unified(GPU) {
        Ok(there) => Some((host, there)),
        Err(error) if error.code == ErrorCode::Unsupported => {
            println!("{error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn floats(x: &Array) -> Vec<f32> {
    x.to_vec().unwrap()
}

fn at(i: usize) -> [Index; 1] {
    [Index::At(i as isize)]
}

/// The devices' parts of arrays along the outermost axis, added by each device where they are, and written to a third array.
#[test]
fn each_device_works_on_its_part() {
    if !there_is_one() {
        return;
    }
    let devices: Vec<_> = (0..icicle_runtime::device_count(DeviceKind::Cuda)).map(Device::cuda).collect();
    // On one GPU alone, it takes several parts.
    let parts = devices.len().max(3);
    let Some((a, ua)) = unified(&[parts, 512, 1025], 1) else { return };
    let Some((b, ub)) = unified(&[parts, 512, 1025], 2) else { return };
    let mut sum = zeros(CPU, a.shape(), DType::Float32).unwrap().to_unified(GPU).unwrap();
    assert!(sum.is_unified().unwrap() && sum.device() == GPU);
    let place = sum.as_ptr().unwrap();
    for i in 0..parts {
        let device = devices[i % devices.len()];
        let part = |x: &Array| -> Result<Array> {
            let part = x.index(&at(i))?.shared_with(device)?;
            part.prefetch()?;
            Ok(part)
        };
        let there = add(&part(&ua).unwrap(), &part(&ub).unwrap()).unwrap();
        assert_eq!(there.device(), device);
        sum.assign(&at(i), &there).unwrap();
    }
    assert_eq!(sum.as_ptr().unwrap(), place, "written in place");
    let want = floats(&add(&a, &b).unwrap());
    assert!(floats(&sum) == want);
    // The host reads it where it is.
    let seen = sum.shared_with(CPU).unwrap();
    seen.prefetch().unwrap();
    assert_eq!((seen.device(), seen.as_ptr().unwrap()), (CPU, place));
    assert!(floats(&seen) == want && floats(&negative(&seen).unwrap()) == floats(&negative(&sum).unwrap()));
    // It is a value: assignment beside another holder copies, to unified memory again.
    let mut changed = sum.clone();
    changed.assign(&at(0), &full(GPU, &[], 5.0.into(), DType::Float32).unwrap()).unwrap();
    assert!(changed.is_unified().unwrap() && changed.as_ptr().unwrap() != place);
    assert!(floats(&seen) == want && floats(&changed)[..512 * 1025].iter().all(|&x| x == 5.0));
}

/// What one device reads while another's turn comes to write.
#[test]
fn writes_wait_for_those_who_read() {
    if !there_is_one() {
        return;
    }
    let last = Device::cuda(icicle_runtime::device_count(DeviceKind::Cuda) - 1);
    let Some((host, mut x)) = unified(&[1 << 22], 3) else { return };
    let (mut want, mut got) = (Vec::new(), Vec::new());
    for round in 0..20 {
        let twice = {
            let there = x.shared_with(last).unwrap();
            add(&there, &there).unwrap().copy().unwrap()
        };
        got.push(floats(&twice)[round * 1000]);
        want.push(if round == 0 { 2.0 * floats(&host)[0] } else { 2.0 * (round - 1) as f32 });
        x.assign(&[], &full(GPU, &[], (round as f64).into(), DType::Float32).unwrap()).unwrap();
    }
    assert_eq!(got, want);
}

#[test]
fn own_memory_is_refused() {
    if !there_is_one() {
        return;
    }
    let x = full(GPU, &[100], 1.0.into(), DType::Float32).unwrap().copy().unwrap();
    assert!(!x.is_unified().unwrap());
    for error in [x.prefetch().unwrap_err(), x.shared_with(CPU).unwrap_err()] {
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.to_string().contains("must be in unified memory"), "{error}");
    }
    let host = full(CPU, &[100], 1.0.into(), DType::Float32).unwrap();
    assert_eq!(host.shared_with(GPU).unwrap_err().code, ErrorCode::InvalidArgument);
    assert_eq!(x.shared_with(Device::cuda(99)).unwrap_err().code, ErrorCode::InvalidDevice);
}
