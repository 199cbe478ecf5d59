//! Arrays in page-locked memory: with a GPU, copied from and to it; without one plain memory. `ICICLE_TEST_KERNELS=1` says that
//! there must be one.
#![allow(clippy::unwrap_used)]

#[path = "common/gpu.rs"]
#[cfg(feature = "cuda")]
mod gpu;

use icicle_array::*;
use icicle_device::{Device, DeviceKind};

const CPU: Device = Device::cpu(0);

fn numbers() -> Array {
    let data: Vec<f32> = (0..24).map(|i| i as f32 - 5.5).collect();
    Array::from_slice_on(CPU, &data, &[2, 3, 4]).unwrap()
}

fn is_there_a_gpu() -> bool {
    icicle_runtime::device_count(DeviceKind::Cuda) > 0
}

#[test]
fn copies_have_the_same_values_and_their_own_memory() {
    let x = numbers();
    for view in
        [x.clone(), x.permute_dims(&[2, 0, 1]).unwrap(), add(&x, &x).unwrap(), x.index(&[Index::At(1)]).unwrap()]
    {
        let pinned = view.to_pinned().unwrap();
        assert_eq!(pinned.is_pinned().unwrap(), is_there_a_gpu());
        assert!(
            !view.is_pinned().unwrap() && pinned.is_unified().unwrap() && pinned.is_dense() && pinned.device() == CPU
        );
        assert_eq!((pinned.shape(), pinned.to_vec::<f32>().unwrap()), (view.shape(), view.to_vec::<f32>().unwrap()));
        assert_ne!(pinned.as_ptr().unwrap(), view.as_ptr().unwrap());
        pinned.prefetch().unwrap();
        // What is computed from it has memory of its own.
        let sum = add(&pinned, &pinned).unwrap();
        assert!(!sum.is_pinned().unwrap());
        assert_eq!(sum.to_vec::<f32>().unwrap(), add(&view, &view).unwrap().to_vec::<f32>().unwrap());
    }
    let none = x.index(&[Index::Slice(Slice::range(1, 1))]).unwrap().to_pinned().unwrap();
    assert_eq!((none.shape(), none.to_vec::<f32>().unwrap()), (&[0, 3, 4][..], vec![]));
}

/// The only holder writes in place; else what is written is a copy, page-locked too.
#[test]
fn assignment_keeps_the_memory() {
    let mut x = numbers().to_pinned().unwrap();
    let (at, seven) = (x.as_ptr().unwrap(), full(CPU, &[], 7.0.into(), DType::Float32).unwrap());
    x.assign(&[Index::At(0)], &seven).unwrap();
    assert_eq!((x.as_ptr().unwrap(), x.is_pinned().unwrap()), (at, is_there_a_gpu()));
    let other = x.clone();
    x.assign(&[Index::At(1)], &seven).unwrap();
    assert!(x.as_ptr().unwrap() != at && x.is_pinned().unwrap() == is_there_a_gpu());
    assert_eq!(other.as_ptr().unwrap(), at);
    assert_eq!(x.to_vec::<f32>().unwrap(), [7.0; 24]);
    assert_eq!(other.to_vec::<f32>().unwrap()[12..], numbers().to_vec::<f32>().unwrap()[12..]);
}

/// To and from a GPU, of sizes that are copied by a kernel, by the driver, and in chunks where memory is not page-locked.
#[cfg(feature = "cuda")]
#[test]
fn gpus_copy_from_it_and_to_it() {
    if !gpu::there_is_one() {
        return;
    }
    for n in [1, 1000, 20_001, 100_000, 3_000_001] {
        let x = gpu::values(DType::Float64, &[n], 3);
        let there = x.to_pinned().unwrap().to_device(gpu::GPU).unwrap();
        let back = there.to_pinned().unwrap();
        assert!(back.is_pinned().unwrap() && back.device() == CPU && !there.is_pinned().unwrap());
        let bits = |x: &Array| x.to_vec::<f64>().unwrap().into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert!(bits(&back) == bits(&x), "{n}");
        // A view is made dense where it lies.
        let halves = |x: &Array| x.index(&[Index::Slice(Slice { step: 2, ..Slice::range(0, n as isize) })]).unwrap();
        assert!(bits(&halves(&there).to_pinned().unwrap()) == bits(&halves(&x)), "half of {n}");
    }
}
