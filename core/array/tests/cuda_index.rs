//! Indexing by arrays and masks, and joining, on a GPU against the same on the CPU, to the byte. Without a GPU, nothing is tested;
//! `ICICLE_TEST_KERNELS=1` says that there must be one.
#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/gpu.rs"]
mod gpu;

use gpu::{CPU, Dice, GPU, there_is_one, to_gpu};
use icicle_array::*;
use icicle_error::Result;

/// Values of a dtype that differ from their neighbours.
fn distinct(dtype: DType, shape: &[usize], seed: u64) -> Array {
    let mut dice = Dice(seed);
    let list: Vec<i64> = (0..shape.iter().product::<usize>()).map(|_| dice.next() as i64 % 9973 - 4986).collect();
    Array::from_slice_on(CPU, &list, shape).unwrap().astype(dtype).unwrap()
}

/// Check that a GPU's array has the very bytes of a CPU's.
fn same(got: &Array, want: &Array, context: &str) {
    assert_eq!(got.device(), GPU, "{context}");
    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{context}");
    let bytes = |x: &Array| {
        let mut out = vec![0; x.len() * x.dtype().bytes()];
        x.copy_to_bytes(&mut out).unwrap();
        out
    };
    let (got, want) = (bytes(got), bytes(want));
    if let Some(at) = (0..got.len()).find(|&i| got[i] != want[i]) {
        panic!("{context}: byte {at} of {} is {}, not {}", got.len(), got[at], want[at]);
    }
}

/// A dtype of each size of elements, and both of those of 8 bytes, which are aligned otherwise.
const DTYPES: [DType; 6] =
    [DType::UInt8, DType::BFloat16, DType::Float32, DType::Int64, DType::Complex64, DType::Complex128];

fn indices(n: usize, shape: &[usize], extent: usize, seed: u64) -> Array {
    let mut dice = Dice(seed);
    assert_eq!(n, shape.iter().product::<usize>());
    let list: Vec<i64> = (0..n).map(|_| (dice.next() % (2 * extent.max(1)) as u64) as i64 - extent as i64).collect();
    Array::from_slice_on(CPU, &list, shape).unwrap()
}

/// The same values as other views: strided, backwards, with axes in another order, and from an odd address.
fn views(x: &Array) -> Vec<Array> {
    let mut all = vec![x.clone()];
    if x.rank() == 0 || x.is_empty() {
        return all;
    }
    all.push(x.flip(None).unwrap().copy().unwrap().flip(None).unwrap());
    let back: Vec<isize> = (0..x.rank() as isize).rev().collect();
    all.push(x.permute_dims(&back).unwrap().copy().unwrap().permute_dims(&back).unwrap());
    let one_more: Vec<usize> = x.shape().iter().enumerate().map(|(k, &n)| n + usize::from(k == 0)).collect();
    let mut longer = zeros(x.device(), &one_more, x.dtype()).unwrap();
    let rest = [Index::Slice(Slice { start: Some(1), stop: None, step: 1 })];
    longer.assign(&rest, x).unwrap();
    all.push(longer.index(&rest).unwrap());
    all
}

/// The same call on both devices: the same bytes, or the same error.
fn both(context: &str, cpu: Result<Array>, gpu: Result<Array>) {
    match (cpu, gpu) {
        (Ok(want), Ok(got)) => same(&got, &want, context),
        (Err(want), Err(got)) => assert_eq!(got.to_string(), want.to_string(), "{context}"),
        (want, got) => panic!("{context}: {:?} on the CPU, {:?} on the GPU", want.err(), got.err()),
    }
}

#[test]
fn rows_are_taken_as_on_cpus() {
    if !there_is_one() {
        return;
    }
    let shapes: [(&[usize], isize); 12] = [
        (&[1], 0),
        (&[1000], 0),
        (&[0, 3], 1),
        (&[5, 0], 0),
        (&[7, 3], 0),
        (&[7, 3], 1),
        (&[300, 129], 0),
        (&[300, 129], -1),
        (&[5, 11, 16], 1),
        (&[3, 4, 5, 6], 2),
        (&[9, 7_001], 0),
        (&[2, 100_000], 1),
    ];
    for dtype in DTYPES {
        for (shape, axis) in shapes {
            let x = distinct(dtype, shape, 1);
            let extent = shape[layout_axis(axis, shape.len())];
            for (n, of) in [(0, vec![0]), (1, vec![]), (1, vec![1]), (257, vec![257]), (12, vec![3, 4])] {
                let places = indices(n, &of, extent, 2);
                if extent == 0 && n > 0 {
                    continue;
                }
                for (k, (own, other)) in views(&x).iter().zip(views(&to_gpu(&x))).enumerate() {
                    let context = format!("{n} of {dtype} {shape:?} along {axis}, view {k}");
                    both(&context, take(own, &places, axis), take(&other, &to_gpu(&places), axis));
                }
            }
        }
    }
}

fn layout_axis(axis: isize, rank: usize) -> usize {
    if axis < 0 { (axis + rank as isize) as usize } else { axis as usize }
}

#[test]
fn indices_may_be_of_any_integers_and_views() {
    if !there_is_one() {
        return;
    }
    let x = distinct(DType::Float32, &[100, 5], 3);
    let gx = to_gpu(&x);
    for dtype in [DType::Int8, DType::Int16, DType::Int32, DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64] {
        let list: Vec<i64> = (0..24).map(|i| if dtype.kind() == Kind::Signed { i * 8 - 100 } else { i * 4 }).collect();
        let places = Array::from_slice_on(CPU, &list, &[4, 6]).unwrap().astype(dtype).unwrap();
        for (k, (own, other)) in views(&places).iter().zip(views(&to_gpu(&places))).enumerate() {
            both(&format!("take by {dtype}, view {k}"), take(&x, own, 0), take(&gx, &other, 0));
            let (column, row) = (Slice::range(0, 1), Index::Slice(Slice::range(2, 3)));
            let cut =
                |x: &Array| (x.index(&[Index::Slice(Slice::ALL), Index::Slice(column)]).unwrap(), x.index(&[row]));
            let ((first, second), (gfirst, gsecond)) = (cut(own), cut(&other));
            let small = |x: Array| remainder(&x, &full(x.device(), &[], 5.into(), dtype).unwrap()).unwrap();
            let (second, gsecond) = (small(second.unwrap()), small(gsecond.unwrap()));
            // Which broadcast together.
            let context = format!("index by {dtype}, view {k}");
            both(&context, take_at(&x, &[&first, &second]), take_at(&gx, &[&gfirst, &gsecond]));
        }
    }
    // Indices that wait to be computed.
    let (own, other) = (indices(40, &[40], 100, 4), to_gpu(&indices(40, &[40], 100, 4)));
    let turned = |x: &Array| bitwise_invert(x).unwrap();
    both("computed indices", take(&x, &turned(&own), 0), take(&gx, &turned(&other), 0));
    for bad in [DType::Bool, DType::Float32] {
        let places = full(CPU, &[2], 1.into(), bad).unwrap();
        both("indices of no integers", take(&x, &places, 0), take(&gx, &to_gpu(&places), 0));
    }
}

#[test]
fn lines_have_indices_of_their_own() {
    if !there_is_one() {
        return;
    }
    for dtype in DTYPES {
        for (shape, of, axis) in [
            (vec![6], vec![9], 0isize),
            (vec![50, 7], vec![50, 3], 1),
            (vec![50, 7], vec![4, 7], 0),
            (vec![50, 7], vec![1, 20], -1),
            (vec![1, 7, 5], vec![4, 2, 5], 1),
            (vec![3, 4, 5], vec![3, 0, 5], 1),
            (vec![3, 4, 0], vec![3, 2, 0], 1),
            (vec![300, 1000], vec![300, 1000], 1),
        ] {
            let x = distinct(dtype, &shape, 5);
            let extent = shape[layout_axis(axis, shape.len())];
            let places = indices(of.iter().product(), &of, extent, 6);
            for (own, other) in views(&x).iter().zip(views(&to_gpu(&x))) {
                let context = format!("{dtype} {shape:?} by {of:?} along {axis}");
                both(&context, take_along_axis(own, &places, axis), take_along_axis(&other, &to_gpu(&places), axis));
            }
        }
    }
    let x = to_gpu(&distinct(DType::Float32, &[40, 50], 7));
    let sorted = take_along_axis(&x, &argsort(&x, 1, false).unwrap(), 1).unwrap();
    same(&sorted, &sort(&x.to_device(CPU).unwrap(), 1, false).unwrap(), "sorted by indices");
}

fn mask(shape: &[usize], one_in: u64, seed: u64) -> Array {
    let mut dice = Dice(seed);
    let flags: Vec<Bool> =
        (0..shape.iter().product()).map(|_| Bool::from(dice.next().is_multiple_of(one_in))).collect();
    Array::from_slice_on(CPU, &flags, shape).unwrap()
}

#[test]
fn masks_take_and_set_as_on_cpus() {
    if !there_is_one() {
        return;
    }
    let cases: [(&[usize], usize); 11] = [
        (&[], 0),
        (&[5], 0),
        (&[1], 1),
        (&[40_961], 1),
        (&[0, 3], 1),
        (&[70, 33], 1),
        (&[70, 33], 2),
        (&[6, 5, 4], 2),
        (&[6, 5, 4], 3),
        (&[500, 4000], 2),
        (&[64, 30_000], 1),
    ];
    for dtype in DTYPES {
        for (shape, rank) in cases {
            for one_in in [1, 3, 1000] {
                let (x, mask) = (distinct(dtype, shape, 8), mask(&shape[..rank], one_in, 9));
                for (k, (own, other)) in views(&x).into_iter().zip(views(&to_gpu(&x))).enumerate() {
                    let context = format!("{dtype} {shape:?} by a mask of {rank} axes, one in {one_in}, view {k}");
                    let taken = compress(&own, &mask).unwrap();
                    for mask in views(&to_gpu(&mask)) {
                        same(&compress(&other, &mask).unwrap(), &taken, &context);
                    }
                    // A value for each, one for all, and those of a row, cast.
                    let each = distinct(DType::Int32, taken.shape(), 10);
                    let one = distinct(dtype, &[], 11);
                    let row = distinct(DType::Int16, &shape[rank..], 12);
                    for new in [&each, &one, &row] {
                        let (mut a, mut b) = (own.clone(), other.clone());
                        a.assign_mask(&mask, new).unwrap();
                        b.assign_mask(&to_gpu(&mask), &to_gpu(new)).unwrap();
                        same(&b, &a, &context);
                    }
                    same(&other, &own, &format!("{context}: not assigned"));
                }
            }
        }
    }
}

#[test]
fn masks_are_checked_as_on_cpus() {
    if !there_is_one() {
        return;
    }
    let x = distinct(DType::Float32, &[4, 3], 13);
    let bad = [distinct(DType::Int32, &[4], 14), mask(&[3], 2, 15), mask(&[4, 3, 1], 2, 16), mask(&[4, 0], 2, 17)];
    for mask in &bad {
        both("mask", compress(&x, mask), compress(&to_gpu(&x), &to_gpu(mask)));
        let (mut a, mut b) = (x.clone(), to_gpu(&x));
        let (new, gnew) = (distinct(DType::Float32, &[], 18), to_gpu(&distinct(DType::Float32, &[], 18)));
        let (own, other) = (a.assign_mask(mask, &new), b.assign_mask(&to_gpu(mask), &gnew));
        assert_eq!(other.map_err(|e| e.to_string()), own.map_err(|e| e.to_string()));
        same(&b, &a, "after a refusal");
    }
    let (mut a, mut b) = (x.clone(), to_gpu(&x));
    let (all, many) = (mask(&[4], 1, 19), distinct(DType::Float32, &[5, 3], 20));
    let (own, other) = (a.assign_mask(&all, &many), b.assign_mask(&to_gpu(&all), &to_gpu(&many)));
    assert_eq!(other.unwrap_err().to_string(), own.unwrap_err().to_string());
    same(&b, &x, "after a refusal");
    let error = compress(&to_gpu(&x), &all).unwrap_err().to_string();
    assert_eq!(error, "mask: arrays on cuda:0 and cpu:0: must be on one device; move one with to_device");
}

#[test]
fn elements_that_are_not_0_are_found() {
    if !there_is_one() {
        return;
    }
    for shape in [vec![1], vec![0], vec![10_000], vec![3, 0, 2], vec![300, 77], vec![2, 3, 4, 5], vec![1, 5000, 3]] {
        for dtype in [DType::Bool, DType::UInt8, DType::Float16, DType::Int64, DType::Complex128] {
            let x = multiply(&mask(&shape, 3, 21).astype(DType::Int64).unwrap(), &distinct(DType::Int64, &shape, 22));
            let x = x.unwrap().astype(dtype).unwrap();
            let (want, got) = (nonzero(&x).unwrap(), nonzero(&to_gpu(&x)).unwrap());
            assert_eq!(got.len(), want.len());
            for (got, want) in got.iter().zip(&want) {
                same(got, want, &format!("nonzero of {dtype} {shape:?}"));
            }
            let back: Vec<&Array> = got.iter().collect();
            same(
                &take_at(&to_gpu(&x), &back).unwrap(),
                &compress(&x, &x.astype(DType::Bool).unwrap()).unwrap(),
                "back",
            );
        }
    }
    let none = distinct(DType::Int8, &[], 23);
    let errors = [nonzero(&none), nonzero(&to_gpu(&none))].map(|found| found.unwrap_err().to_string());
    assert_eq!(errors[0], errors[1]);
}

/// Of elements named twice the last value stays, in every run.
#[test]
fn elements_at_indices_are_taken_and_set_as_on_cpus() {
    if !there_is_one() {
        return;
    }
    let cases: [(&[usize], usize, usize); 11] = [
        (&[3], 0, 1),
        (&[1], 1, 1),
        (&[1], 1, 5000),
        (&[10], 1, 100_000),
        (&[100_000], 1, 7),
        (&[100_000], 1, 100_000),
        (&[7, 9], 2, 1000),
        (&[50, 129], 1, 200),
        (&[6, 5, 4, 3], 3, 77),
        (&[20, 30_001], 1, 13),
        (&[4, 5, 0], 2, 6),
    ];
    for dtype in DTYPES {
        for (shape, axes, n) in cases {
            let x = distinct(dtype, shape, 24);
            let of: &[usize] = if axes == 0 { &[] } else { &[n] };
            let places: Vec<Array> = (0..axes).map(|k| indices(n, of, shape[k], 25 + k as u64)).collect();
            let there: Vec<Array> = places.iter().map(to_gpu).collect();
            let (places, there) = (places.iter().collect::<Vec<_>>(), there.iter().collect::<Vec<_>>());
            for (k, (own, other)) in views(&x).into_iter().zip(views(&to_gpu(&x))).enumerate() {
                let context = format!("{n} of {dtype} {shape:?} by {axes} arrays, view {k}");
                both(&context, take_at(&own, &places), take_at(&other, &there));
                let each = distinct(DType::Int32, &[of, &shape[axes..]].concat(), 30);
                for new in [&each, &distinct(dtype, &[], 31)] {
                    let (mut a, mut b) = (own.clone(), other.clone());
                    a.assign_at(&places, new).unwrap();
                    b.assign_at(&there, &to_gpu(new)).unwrap();
                    same(&b, &a, &context);
                }
                same(&other, &own, &format!("{context}: not assigned"));
            }
        }
    }
    // From itself, by itself, and computed from itself.
    let list: Vec<i64> = (0..5000).map(|i| (i * 37 + 11) % 5000).collect();
    let mut a = Array::from_slice_on(CPU, &list, &[5000]).unwrap();
    let mut b = to_gpu(&a);
    for x in [&mut a, &mut b] {
        x.assign_at(&[&x.clone()], &x.flip(None).unwrap()).unwrap();
        x.assign_at(&[&x.clone()], &negative(&*x).unwrap()).unwrap();
    }
    same(&b, &a, "by itself");
}

#[test]
fn indices_outside_are_errors_and_nothing_is_written() {
    if !there_is_one() {
        return;
    }
    let x = distinct(DType::Float32, &[50, 4], 32);
    let new = distinct(DType::Float32, &[], 33);
    let mut long = vec![49i64; 100_000];
    (long[77_777], long[77_778], long[99_999]) = (-51, 50, 1000);
    for list in [vec![50], vec![0, -51, 50], vec![i64::MAX], vec![0, i64::MIN], long] {
        let places = Array::from_slice_on(CPU, &list, &[list.len()]).unwrap();
        let there = to_gpu(&places);
        let good = zeros(CPU, &[], DType::Int32).unwrap();
        both("take", take(&x, &places, 0), take(&to_gpu(&x), &there, 0));
        both("take along the other axis", take(&x, &places, 1), take(&to_gpu(&x), &there, 1));
        both("second", take_at(&x, &[&good, &places]), take_at(&to_gpu(&x), &[&to_gpu(&good), &there]));
        both("both", take_at(&x, &[&places, &places]), take_at(&to_gpu(&x), &[&there, &there]));
        let column = |x: &Array| x.expand_dims(1).unwrap();
        both("lines", take_along_axis(&x, &column(&places), 0), take_along_axis(&to_gpu(&x), &column(&there), 0));
        let mut y = to_gpu(&x);
        let own = x.clone().assign_at(&[&places], &new).unwrap_err().to_string();
        assert_eq!(y.assign_at(&[&there], &to_gpu(&new)).unwrap_err().to_string(), own);
        same(&y, &x, "after a refusal");
        if list.iter().all(|&index| index != i64::MIN) {
            let unsigned = |x: &Array| x.astype(DType::UInt64).unwrap();
            both("unsigned", take(&x, &unsigned(&places), 0), take(&to_gpu(&x), &unsigned(&there), 0));
        }
    }
    let (none, some) = (distinct(DType::Int8, &[0, 3], 34), zeros(CPU, &[1], DType::Int64).unwrap());
    both("no elements", take(&none, &some, 0), take(&to_gpu(&none), &to_gpu(&some), 0));
    let (axes, there) = (vec![&some; 3], to_gpu(&some));
    both("too many", take_at(&x, &axes), take_at(&to_gpu(&x), &[&there, &there, &there]));
    let mut y = to_gpu(&x);
    let (two, three) = (indices(2, &[2], 50, 35), distinct(DType::Float32, &[3, 4], 36));
    let own = x.clone().assign_at(&[&two], &three).unwrap_err().to_string();
    assert_eq!(y.assign_at(&[&to_gpu(&two)], &to_gpu(&three)).unwrap_err().to_string(), own);
    same(&y, &x, "after a refusal");
}

#[test]
fn joining_gives_what_it_gives_on_cpus() {
    if !there_is_one() {
        return;
    }
    for dtype in DTYPES {
        for shape in [vec![1], vec![17], vec![5, 3], vec![0, 3], vec![4, 33, 7]] {
            let (x, y) = (distinct(dtype, &shape, 37), distinct(DType::Int8, &shape, 38));
            for (k, (own, other)) in views(&x).into_iter().zip(views(&to_gpu(&x))).enumerate() {
                let context = format!("{dtype} {shape:?}, view {k}");
                let there = to_gpu(&y);
                let last = Some(-1isize);
                for axis in [None, Some(0), last] {
                    both(&context, concat(&[&own, &y, &own], axis), concat(&[&other, &there, &other], axis));
                    both(&context, repeat(&own, &[3], axis), repeat(&other, &[3], axis));
                }
                both(&context, stack(&[&own, &y], 1), stack(&[&other, &there], 1));
                both(&context, tile(&own, &[2, 1, 3]), tile(&other, &[2, 1, 3]));
                let times: Vec<usize> = (0..shape[0]).map(|i| i % 4).collect();
                both(&context, repeat(&own, &times, Some(0)), repeat(&other, &times, Some(0)));
                both(&context, roll(&own, &[-2], None), roll(&other, &[-2], None));
                both(&context, roll(&own, &[5], Some(&[-1])), roll(&other, &[5], Some(&[-1])));
                both(&context, diff(&own, 0, 2), diff(&other, 0, 2));
                for k in [-2, 0, 1] {
                    both(&context, tril(&own, k), tril(&other, k));
                    both(&context, triu(&own, k), triu(&other, k));
                }
                for (got, want) in unstack(&other, 0).unwrap().iter().zip(unstack(&own, 0).unwrap()) {
                    same(got, &want, &context);
                }
            }
        }
        let (x, y) = (distinct(dtype, &[500], 39), distinct(dtype, &[90], 40));
        match isin(&to_gpu(&x), &to_gpu(&y)) {
            Err(error) => assert!(dtype.kind() == Kind::Complex, "isin of {dtype}: {error}"),
            got => both("isin", isin(&x, &y), got),
        }
    }
    let mixed = concat(&[&to_gpu(&distinct(DType::Int8, &[3], 41)), &distinct(DType::Int8, &[3], 42)], None);
    let error = mixed.unwrap_err().to_string();
    assert_eq!(error, "concat: arrays on cuda:0 and cpu:0: must be on one device; move one with to_device");
}

#[test]
fn creation_gives_what_it_gives_on_cpus() {
    if !there_is_one() {
        return;
    }
    for &dtype in DType::ALL {
        for k in [-3, 0, 1, isize::MIN, isize::MAX] {
            for (rows, columns) in [(0, 3), (1, 1), (5, 7), (300, 129)] {
                let context = format!("eye of {dtype}, {rows} by {columns}, {k}");
                both(&context, eye(CPU, rows, columns, k, dtype), eye(GPU, rows, columns, k, dtype));
            }
        }
        for (start, stop, step) in [(0, 0, 1), (3, 100, 7), (120, -5, -1), (0, 70_000, 1), (250, 256, 1)] {
            let call = |device| arange(device, Scalar::Int(start), Scalar::Int(stop), Scalar::Int(step), dtype);
            both(&format!("arange of {dtype} from {start} to {stop} by {step}"), call(CPU), call(GPU));
        }
        let big = [(i128::from(u64::MAX) - 5, i128::from(u64::MAX)), (i128::from(i64::MIN), i128::from(i64::MIN) + 9)];
        for (start, stop) in big.into_iter().chain([(1 << 80, (1 << 80) + 3), ((1 << 60) - 1, (1 << 60) + 70)]) {
            let call = |device| arange(device, Scalar::Int(start), Scalar::Int(stop), Scalar::Int(1), dtype);
            both(&format!("arange of {dtype} from {start}"), call(CPU), call(GPU));
        }
        for (start, stop, step) in [(0.0, 1.0, 0.001), (5.0, -5.0, -0.3), (0.1, 7000.3, 0.7), (0.0, 9.0, 3.0)] {
            let call = |device| arange(device, start.into(), stop.into(), step.into(), dtype);
            both(&format!("arange of {dtype} from {start} to {stop} by {step}"), call(CPU), call(GPU));
        }
        for n in [0, 1, 2, 1001] {
            for endpoint in [true, false] {
                let call = |device| linspace(device, (-0.3).into(), 1e4.into(), n, dtype, endpoint);
                both(&format!("linspace of {dtype}, {n}"), call(CPU), call(GPU));
                let (from, to) = (Scalar::Complex(Complex::new(0.1, -3.0)), Scalar::Complex(Complex::new(2.0, 0.7)));
                let call = |device| linspace(device, from, to, n, dtype, endpoint);
                both(&format!("complex linspace of {dtype}, {n}"), call(CPU), call(GPU));
            }
        }
        let (x, y) = (distinct(dtype, &[5], 43), distinct(dtype, &[4], 44));
        for xy in [false, true] {
            let (want, got) = (meshgrid(&[&x, &y], xy).unwrap(), meshgrid(&[&to_gpu(&x), &to_gpu(&y)], xy).unwrap());
            got.iter().zip(&want).for_each(|(got, want)| same(got, want, "meshgrid"));
        }
    }
}

/// Beyond 32 bits of elements and of bytes.
#[test]
fn arrays_may_be_long() {
    if !there_is_one() || std::env::var_os("ICICLE_TEST_SMALL").is_some() {
        return;
    }
    let n = (1usize << 32) + 4321;
    let mut x = zeros(GPU, &[n], DType::UInt8).unwrap();
    let places = [n as i64 - 1, 5, -2, 1 << 32, 5];
    let there = Array::from_slice_on(GPU, &places, &[5]).unwrap();
    let new = Array::from_slice_on(GPU, &[1u8, 2, 3, 4, 5], &[5]).unwrap();
    x.assign_at(&[&there], &new).unwrap();
    assert_eq!(take(&x, &there, 0).unwrap().to_vec::<u8>().unwrap(), [1, 5, 3, 4, 5]);
    let found = nonzero(&x).unwrap();
    assert_eq!(found[0].to_vec::<i64>().unwrap(), [5, 1 << 32, n as i64 - 2, n as i64 - 1]);
    let flags = x.astype(DType::Bool).unwrap();
    assert_eq!(compress(&x, &flags).unwrap().to_vec::<u8>().unwrap(), [5, 4, 3, 1]);
    x.assign_mask(&flags, &full(GPU, &[], 9.into(), DType::UInt8).unwrap()).unwrap();
    assert_eq!(sum(&x, None, false, None).unwrap().item().unwrap(), Scalar::Int(36));
}
