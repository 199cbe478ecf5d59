//! Arrays on a GPU against the same operations on the CPU. Without one, nothing is tested; `ICICLE_TEST_KERNELS=1` says that
//! there must be.
#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/gpu.rs"]
mod gpu;

use common::check;
use gpu::{CPU, GPU, there_is_one, to_gpu, values};
use icicle_array::*;
use icicle_device::Device;
use std::sync::{PoisonError, RwLock};

/// What a device's memory holds is counted for the process: the test that counts runs alone, the others beside each other.
static COUNTED: RwLock<()> = RwLock::new(());

/// Units of precision by which a GPU's function may differ from the CPU's.
fn units(name: &str, dtype: DType) -> f64 {
    let exact = "abs negative positive sign sqrt square reciprocal floor ceil trunc round isnan isinf isfinite signbit conj \
                 real imag add subtract multiply divide floor_divide remainder copysign nextafter maximum minimum";
    match (exact.split(' ').any(|known| known == name), dtype.kind()) {
        (true, Kind::Complex) if matches!(name, "abs" | "sign" | "sqrt") => 8.0,
        (true, _) => 0.0,
        // A logarithm near 0, of a sum of two numbers near 1, is exact to units of the operands.
        (false, Kind::Float) if name == "logaddexp" => 16384.0,
        (false, Kind::Complex) => 64.0,
        (false, _) => 8.0,
    }
}

/// Where functions of complex numbers overflow, or a part is not finite, libraries differ in which NaN they give: those parts
/// are compared with the standard's cases by the vectors, and left out here.
fn comparable(x: &Array) -> Array {
    match x.dtype().kind() {
        Kind::Complex => {
            let bound = full(CPU, &[], 100.0.into(), x.dtype().real()).unwrap();
            let small = less(&abs(x).unwrap(), &bound).unwrap();
            select(&small, x, &full(CPU, &[], 0.5.into(), x.dtype()).unwrap()).unwrap()
        }
        _ => x.clone(),
    }
}

#[test]
fn every_operation_gives_what_the_cpu_gives() {
    if !there_is_one() {
        return;
    }
    let _turn = COUNTED.read().unwrap_or_else(PoisonError::into_inner);
    let mut calls = 0;
    for &dtype in DType::ALL {
        let (x, y) = (values(dtype, &[4099], 1), values(dtype, &[4099], 2));
        let (x, y) = (comparable(&x), comparable(&y));
        let (gx, gy) = (to_gpu(&x), to_gpu(&y));
        for &op in UnaryOp::ALL {
            let Ok(want) = unary(op, &x) else {
                assert!(unary(op, &gx).is_err());
                continue;
            };
            let got = unary(op, &gx).unwrap();
            check(&got, &want, units(op.name(), dtype), &format!("{} of {dtype}", op.name()));
            calls += 1;
        }
        for &op in BinaryOp::ALL {
            let Ok(want) = binary(op, &x, &y) else {
                assert!(binary(op, &gx, &gy).is_err());
                continue;
            };
            let got = binary(op, &gx, &gy).unwrap();
            check(&got, &want, units(op.name(), dtype), &format!("{} of {dtype}", op.name()));
            calls += 1;
        }
        for &to in DType::ALL {
            if let Ok(want) = x.astype(to) {
                check(&gx.astype(to).unwrap(), &want, 0.0, &format!("{dtype} to {to}"));
                calls += 1;
            }
        }
    }
    println!("{calls} operations on arrays agree with the CPU");
}

/// Views of every kind, as operands and results.
#[test]
fn layouts_do_not_matter() {
    if !there_is_one() {
        return;
    }
    let _turn = COUNTED.read().unwrap_or_else(PoisonError::into_inner);
    for dtype in [DType::Int8, DType::Float16, DType::Float32, DType::Complex128] {
        let (x, y) = (comparable(&values(dtype, &[7, 33, 18], 3)), comparable(&values(dtype, &[33, 1], 4)));
        let views = |x: &Array| {
            let step = |step| Index::Slice(Slice { start: None, stop: None, step });
            vec![
                x.clone(),
                x.index(&[step(-1), step(2), step(-3)]).unwrap(),
                x.permute_dims(&[2, 1, 0]).unwrap(),
                x.permute_dims(&[1, 0, 2]).unwrap().index(&[step(1), step(3)]).unwrap(),
                x.index(&[Index::At(3)]).unwrap(),
                x.index(&[Index::Slice(Slice::range(1, 2)), step(1), Index::Slice(Slice::range(5, 6))]).unwrap(),
            ]
        };
        let gpu = to_gpu(&x);
        for (k, (want, got)) in views(&x).into_iter().zip(views(&gpu)).enumerate() {
            let context = format!("view {k} of {dtype}");
            check(&got, &want, 0.0, &context);
            check(&got.copy().unwrap(), &want, 0.0, &context);
            check(&to_gpu(&want), &want, 0.0, &context);
            check(&multiply(&got, &got).unwrap(), &multiply(&want, &want).unwrap(), 0.0, &context);
            if want.rank() == 3 && k < 1 {
                check(&add(&got, &to_gpu(&y)).unwrap(), &add(&want, &y).unwrap(), 0.0, &context);
                let line = y.reshape(&[33]).unwrap();
                check(
                    &add(&got.permute_dims(&[0, 2, 1]).unwrap(), &to_gpu(&line)).unwrap(),
                    &add(&want.permute_dims(&[0, 2, 1]).unwrap(), &line).unwrap(),
                    0.0,
                    &context,
                );
            }
        }
        // Assignment through a view, from another one, and from itself.
        let place = [Index::Ellipsis, Index::Slice(Slice { start: Some(1), stop: None, step: 4 })];
        let (mut a, mut b) = (x.clone(), gpu.clone());
        let row = to_gpu(&y);
        a.assign(&place, &y).unwrap();
        b.assign(&place, &row).unwrap();
        check(&b, &a, 0.0, "assigned");
        check(&gpu, &x, 0.0, "not assigned");
        let back = [Index::Slice(Slice { start: None, stop: None, step: -1 })];
        a.assign(&[], &a.clone().index(&back).unwrap()).unwrap();
        b.assign(&[], &b.clone().index(&back).unwrap()).unwrap();
        check(&b, &a, 0.0, "reversed");
    }
}

/// Folds over every shape in which their kernels cut the work otherwise.
#[test]
fn folds_give_what_the_cpu_gives() {
    if !there_is_one() {
        return;
    }
    let _turn = COUNTED.read().unwrap_or_else(PoisonError::into_inner);
    let shapes: [(&[usize], &[isize]); 14] = [
        (&[1], &[0]),
        (&[100_003], &[0]),
        (&[3_000_000], &[0]),
        (&[5, 1_000_001], &[1]),
        (&[1000, 3], &[1]),
        (&[1000, 17], &[1]),
        (&[1000, 300], &[1]),
        (&[100, 2049], &[1]),
        (&[3000, 10], &[0]),
        (&[3, 100], &[0]),
        (&[100_000, 12], &[0]),
        (&[7, 50, 129], &[1]),
        (&[6, 5, 4, 3], &[0, 2]),
        (&[40, 0, 3], &[1]),
    ];
    for dtype in
        [DType::Bool, DType::Int8, DType::UInt32, DType::Float16, DType::Float32, DType::Float64, DType::Complex64]
    {
        for (shape, axes) in shapes {
            let mut x = values(dtype, shape, 5);
            if dtype.is_floating() {
                // Sums of infinities and of numbers that cancel say nothing.
                let finite = less(&abs(&x).unwrap(), &full(CPU, &[], 1000.0.into(), dtype.real()).unwrap()).unwrap();
                let small = full(CPU, &[], 0.25.into(), dtype).unwrap();
                x = select(&finite, &x, &small).unwrap();
            }
            let gpu = to_gpu(&x);
            let context = format!("{dtype} {shape:?} along {axes:?}");
            type Fold = fn(&Array, &[isize]) -> icicle_error::Result<Array>;
            let folds: [(&str, Fold); 9] = [
                ("sum", |x, a| sum(x, Some(a), false, None)),
                ("sum of squares", |x, a| sum(&square(&abs(x)?)?, Some(a), true, None)),
                ("min", |x, a| min(x, Some(a), false)),
                ("max", |x, a| max(x, Some(a), true)),
                ("all", |x, a| all(x, Some(a), false)),
                ("any", |x, a| any(x, Some(a), false)),
                ("count_nonzero", |x, a| count_nonzero(x, Some(a), false)),
                ("argmin", |x, a| argmin(x, Some(a[0]), false)),
                ("argmax", |x, a| argmax(x, Some(a[0]), true)),
            ];
            for (name, fold) in folds {
                match (fold(&x, axes), fold(&gpu, axes)) {
                    (Ok(want), Ok(got)) => {
                        let n = shape.iter().product::<usize>() as f64;
                        check(
                            &got,
                            &want,
                            if name.starts_with("sum") { 4.0 + n.sqrt() } else { 0.0 },
                            &format!("{name} {context}"),
                        );
                    }
                    (Err(want), Err(got)) => assert_eq!(want.code, got.code, "{name} {context}"),
                    (want, got) => panic!("{name} {context}: {:?} on the CPU, {:?} on the GPU", want.err(), got.err()),
                }
            }
            if dtype == DType::Float64 || dtype == DType::Float32 {
                for (name, fold) in [
                    ("mean", mean as fn(&Array, Option<&[isize]>, bool) -> _),
                    ("var", |x: &Array, a: Option<&[isize]>, k| var(x, a, 1.0, k)),
                ] {
                    let (want, got) = (fold(&x, Some(axes), false).unwrap(), fold(&gpu, Some(axes), false).unwrap());
                    check(&got, &want, 2000.0, &format!("{name} {context}"));
                }
            }
        }
    }
    // NaN wins, and the first of equals.
    let data = [3.0f32, 7.0, f32::NAN, 7.0, f32::NAN, 1.0];
    let x = to_gpu(&Array::from_slice_on(CPU, &data, &[6]).unwrap());
    assert!(matches!(max(&x, None, false).unwrap().item().unwrap(), Scalar::Float(v) if v.is_nan()));
    assert_eq!(argmin(&x, None, false).unwrap().item().unwrap(), Scalar::Int(2));
    let part = x.index(&[Index::Slice(Slice { start: Some(3), stop: None, step: -2 })]).unwrap();
    assert_eq!(argmax(&part, None, false).unwrap().item().unwrap(), Scalar::Int(0));
}

/// A chain is one kernel, gives what its operations give one by one, and keeps nothing in memory on the way. Without NVRTC its
/// values are kept, but none that they are computed from.
#[test]
fn chains_take_no_memory() {
    if !there_is_one() {
        return;
    }
    let _turn = COUNTED.write().unwrap_or_else(PoisonError::into_inner);
    let n = 1 << 24;
    let x = to_gpu(&values(DType::Float32, &[n], 6));
    // After the first fold a device keeps memory for all of them.
    count_nonzero(&x, None, false).unwrap();
    let used = || icicle_runtime::memory_stats(GPU).unwrap().used;
    let before = used();
    let three = full(GPU, &[], 3.0.into(), DType::Float32).unwrap();
    // What a name holds may be asked for again, and would be kept.
    let flags = less(&add(&multiply(&x, &three).unwrap(), &x).unwrap(), &three).unwrap();
    assert_eq!(used(), before, "nothing is computed yet");
    let count = count_nonzero(&flags, None, false).unwrap();
    let kept = if icicle_cuda::nvrtc::unavailable().is_none() { 0 } else { n as u64 };
    let more = used() - before - kept;
    assert!(more < 1 << 10, "only the count is kept: {more}");
    let cpu = x.to_device(CPU).unwrap();
    let three = full(CPU, &[], 3.0.into(), DType::Float32).unwrap();
    let want = less(&add(&multiply(&cpu, &three).unwrap(), &cpu).unwrap(), &three).unwrap();
    assert_eq!(count.item().unwrap(), count_nonzero(&want, None, false).unwrap().item().unwrap());
    check(&flags, &want, 0.0, "flags");
}

/// Sums are the same each time, and right beyond 32 bits.
#[test]
fn sums_do_not_vary_and_may_be_long() {
    if !there_is_one() {
        return;
    }
    let _turn = COUNTED.read().unwrap_or_else(PoisonError::into_inner);
    let x = to_gpu(&values(DType::Float64, &[1_000_003], 7));
    let finite = isfinite(&x).unwrap();
    let x = select(&finite, &x, &full(GPU, &[], 0.1.into(), DType::Float64).unwrap()).unwrap();
    let bits = |x: &Array| sum(x, None, false, None).unwrap().to_vec::<f64>().unwrap()[0].to_bits();
    let first = bits(&x);
    assert!((0..20).all(|_| bits(&x) == first));
    if std::env::var_os("ICICLE_TEST_SMALL").is_some() {
        return;
    }
    let n = (1usize << 32) + 12_345;
    let long = full(GPU, &[n], Scalar::Int(3), DType::UInt8).unwrap();
    let mut held = long.copy().unwrap();
    held.assign(&[Index::At(-1)], &full(GPU, &[], Scalar::Int(200), DType::UInt8).unwrap()).unwrap();
    assert_eq!(sum(&held, None, false, None).unwrap().item().unwrap(), Scalar::Int(3 * n as i128 + 197));
    assert_eq!(argmax(&held, None, false).unwrap().item().unwrap(), Scalar::Int(n as i128 - 1));
}

/// Whatever their number, their size and where they begin, also for several threads at once.
#[test]
fn elements_reach_the_host_whole() {
    if !there_is_one() {
        return;
    }
    let sizes: [isize; 14] = [1, 2, 3, 15, 16, 17, 255, 4095, 4096, 4097, 65_535, 65_536, 65_537, 300_001];
    let bytes = |x: &Array| {
        let mut out = vec![0; x.len() * x.dtype().bytes()];
        x.copy_to_bytes(&mut out).unwrap();
        out
    };
    let check = |dtype: DType| {
        let _turn = COUNTED.read().unwrap_or_else(PoisonError::into_inner);
        let x = values(dtype, &[sizes[sizes.len() - 1] as usize + 16], 11);
        let gpu = to_gpu(&x);
        for &size in &sizes {
            for from in [0, 1, 7, 16] {
                let part = |x: &Array| x.index(&[Index::Slice(Slice::range(from, from + size))]).unwrap();
                let (got, want) = (part(&gpu), part(&x));
                assert!(bytes(&got) == bytes(&want), "{dtype}, {size} from {from}");
                if size == 1 {
                    let value = full(CPU, &[1], got.item().unwrap(), dtype).unwrap();
                    common::check(&value, &want, 0.0, &format!("{dtype}, number {from}"));
                }
            }
        }
    };
    let dtypes = [DType::UInt8, DType::Float16, DType::Int32, DType::Float64, DType::Complex128];
    let check = &check;
    std::thread::scope(|scope| dtypes.iter().for_each(|&dtype| drop(scope.spawn(move || check(dtype)))));
}

/// What a copy to another GPU reads is neither written nor given back before it was read.
#[test]
fn copies_between_gpus_come_in_order() {
    if icicle_runtime::device_count(icicle_device::DeviceKind::Cuda) < 2 {
        return;
    }
    let (here, there) = (Device::cuda(0), Device::cuda(1));
    let n = 1 << 22;
    let _turn = COUNTED.read().unwrap_or_else(PoisonError::into_inner);
    let of = |value: i128| full(here, &[n], Scalar::Int(value), DType::Int32).unwrap().copy().unwrap();
    let copies: Vec<Array> = (0..50).map(|i| add(&of(i), &of(1)).unwrap().to_device(there).unwrap()).collect();
    for (i, copy) in copies.iter().enumerate() {
        let back = copy.to_device(here).unwrap();
        let (least, most) = (min(&back, None, false).unwrap(), max(&back, None, false).unwrap());
        assert_eq!([least, most].map(|x| x.item().unwrap()), [Scalar::Int(i as i128 + 1); 2]);
    }
}

#[test]
fn arguments_are_checked_as_on_cpus() {
    if !there_is_one() {
        return;
    }
    let _turn = COUNTED.read().unwrap_or_else(PoisonError::into_inner);
    let (x, y) = (values(DType::Float32, &[3], 8), values(DType::Float32, &[3], 9));
    let error = add(&to_gpu(&x), &y).unwrap_err().to_string();
    assert!(error.starts_with("add: arrays on cuda:0 and cpu:0: must be on one device"), "{error}");
    assert!(add(&to_gpu(&x), &to_gpu(&values(DType::Float32, &[4], 1))).is_err());
    assert!(full(Device::cuda(99), &[3], 1.0.into(), DType::Float32).is_err());
    let none = to_gpu(&values(DType::Float32, &[0, 3], 1));
    assert_eq!(add(&none, &none).unwrap().to_vec::<f32>().unwrap(), []);
    assert_eq!(none.copy().unwrap().shape(), [0, 3]);
}
