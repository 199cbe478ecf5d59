//! Unified memory on CPU devices, where it is plain memory that all of them reach.
#![allow(clippy::unwrap_used)]

use icicle_array::*;
use icicle_device::Device;
use icicle_error::ErrorCode;
use std::process::Command;

const CPU: Device = Device::cpu(0);

fn numbers() -> Array {
    let data: Vec<f32> = (0..24).map(|i| i as f32 - 5.5).collect();
    Array::from_slice_on(CPU, &data, &[2, 3, 4]).unwrap()
}

#[test]
fn copies_have_the_same_values_and_their_own_memory() {
    let x = numbers();
    for view in
        [x.clone(), x.permute_dims(&[2, 0, 1]).unwrap(), add(&x, &x).unwrap(), x.index(&[Index::At(1)]).unwrap()]
    {
        let unified = view.to_unified(CPU).unwrap();
        assert!(unified.is_unified().unwrap() && unified.is_dense() && unified.device() == CPU);
        assert_eq!((unified.shape(), unified.to_vec::<f32>().unwrap()), (view.shape(), view.to_vec::<f32>().unwrap()));
        assert_ne!(unified.as_ptr().unwrap(), view.as_ptr().unwrap());
        unified.prefetch().unwrap();
    }
    let none = x.index(&[Index::Slice(Slice::range(1, 1))]).unwrap().to_unified(CPU).unwrap();
    assert_eq!((none.shape(), none.to_vec::<f32>().unwrap()), (&[0, 3, 4][..], vec![]));
    none.prefetch().unwrap();
}

#[test]
fn devices_that_are_not_there_are_refused() {
    let x = numbers();
    let missing = Device::cpu(1000);
    assert_eq!(x.to_unified(missing).unwrap_err().code, ErrorCode::InvalidDevice);
    assert_eq!(x.shared_with(missing).unwrap_err().code, ErrorCode::InvalidDevice);
    let gpu = x.to_unified(Device::cuda(1000)).unwrap_err();
    assert!(matches!(gpu.code, ErrorCode::InvalidDevice | ErrorCode::Unsupported), "{gpu}");
    assert!(x.shared_with(Device::cuda(1000)).is_err());
}

/// The tests below, in a process with two CPU devices.
#[test]
fn two_devices_share() {
    let me = std::env::current_exe().unwrap();
    let done = Command::new(me)
        .args(["--ignored", "--exact", "of_two_devices"])
        .env("ICICLE_CPU_DEVICES", "2")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
#[ignore = "run by two_devices_share"]
fn of_two_devices() {
    let other = Device::cpu(1);
    let x = numbers().to_unified(CPU).unwrap();
    // A part of each device's, along the outermost axis.
    let part = x.index(&[Index::At(1)]).unwrap().shared_with(other).unwrap();
    assert_eq!((part.device(), part.shape()), (other, &[3, 4][..]));
    assert_eq!(part.as_ptr().unwrap(), x.index(&[Index::At(1)]).unwrap().as_ptr().unwrap());
    part.prefetch().unwrap();
    let sum = add(&part, &part).unwrap();
    assert_eq!(sum.device(), other);
    let twice = |x: &Array| x.to_vec::<f32>().unwrap().iter().map(|x| 2.0 * x).collect::<Vec<_>>();
    assert_eq!(sum.to_vec::<f32>().unwrap(), twice(&part));
    assert!(add(&part, &x).is_err(), "arrays of two devices");
    // Back to where it came from, still the same memory.
    let back = part.shared_with(CPU).unwrap();
    assert_eq!((back.device(), back.as_ptr().unwrap()), (CPU, part.as_ptr().unwrap()));
    assert_eq!(add(&back, &x).unwrap().shape(), [2, 3, 4]);
    // An array is a value: assignment to one changes no other, whichever device it is on.
    let before = x.to_vec::<f32>().unwrap();
    let mut changed = part.clone();
    changed.assign(&[], &full(other, &[], 7.0.into(), DType::Float32).unwrap()).unwrap();
    assert_eq!((x.to_vec::<f32>().unwrap(), changed.to_vec::<f32>().unwrap()), (before, vec![7.0; 12]));
    assert_eq!(changed.device(), other);
    // The only holder writes in place, by another device too.
    let only = numbers().to_unified(CPU).unwrap();
    let at = only.as_ptr().unwrap();
    let reached = only.shared_with(other).unwrap();
    drop(only);
    let mut only = reached;
    only.assign(&[Index::At(0)], &full(other, &[], 1.0.into(), DType::Float32).unwrap()).unwrap();
    assert_eq!(only.to_vec::<f32>().unwrap()[..13], [[1.0; 12].as_slice(), &[6.5]].concat()[..]);
    assert_eq!(only.as_ptr().unwrap(), at);
}
