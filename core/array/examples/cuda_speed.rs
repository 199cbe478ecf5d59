//! Times of operations on a GPU that should run at its memory's speed: median and 99th percentile of a call with its result
//! waited for. `cuda_speed.py` beside it times CuPy's and PyTorch's. With an argument, those whose names contain it.
#![allow(clippy::unwrap_used)]

use icicle_array::*;
use icicle_device::Device;
use std::hint::black_box;
use std::time::Instant;

const GPU: Device = Device::cuda(0);

fn time(name: &str, gigabytes: f64, runs: usize, mut work: impl FnMut()) {
    if std::env::args().nth(1).is_some_and(|part| !name.contains(&part)) {
        return;
    }
    (0..3).for_each(|_| work());
    let mut times: Vec<_> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (median, late) = (times[runs / 2], times[runs * 99 / 100]);
    println!("{name:32} {median:9.4} ms  p99 {late:9.4}  {:7.0} GB/s", gigabytes / median * 1e3);
}

/// Compute what an array waits for, and wait for the device.
fn done(array: Result<Array, icicle_error::Error>) {
    black_box(array.unwrap().as_ptr().unwrap());
    icicle_runtime::synchronize(GPU).unwrap();
}

fn scalar(array: Result<Array, icicle_error::Error>) {
    black_box(array.unwrap().item().unwrap());
}

fn line(n: usize) -> Array {
    let x = linspace(Device::cpu(0), 0.0.into(), 1.0.into(), 1 << 16, DType::Float32, true).unwrap();
    let x = x.to_device(GPU).unwrap().broadcast_to(&[n.div_ceil(1 << 16), 1 << 16]).unwrap().copy().unwrap();
    let x = x.reshape(&[-1]).unwrap();
    x.index(&[Index::Slice(Slice::range(0, n as isize))]).unwrap()
}

/// Numbers without order: products with an odd number near 2^64 divided by the golden ratio, bits folded.
fn mixed(n: usize) -> Array {
    let by = |x: i128| full(GPU, &[], Scalar::Int(x), DType::UInt64).unwrap();
    let place = arange(GPU, 0.into(), (n as i64).into(), 1.into(), DType::UInt64).unwrap();
    let mixed = multiply(&place, &by(0x9e37_79b9_7f4a_7c15)).unwrap();
    let folded = bitwise_xor(&mixed, &bitwise_right_shift(&mixed, &by(29)).unwrap()).unwrap();
    folded.astype(DType::UInt32).unwrap().copy().unwrap()
}

/// What puts elements in order, or needs them so.
fn orders() {
    let x = mixed(1_000_000_000);
    time("sort u32 1e9", 8.0, 7, || done(sort(&x, 0, false)));
    let f = x.astype(DType::Float32).unwrap().copy().unwrap();
    time("sort f32 1e9", 8.0, 7, || done(sort(&f, 0, false)));
    time("cumulative_sum f32 1e9", 8.0, 7, || done(cumulative_sum(&f, Some(0), None, false)));
    drop(x);
    let part = f.index(&[Index::Slice(Slice::range(0, 100_000_000))]).unwrap().copy().unwrap();
    drop(f);
    time("argsort f32 1e8", 1.2, 7, || done(argsort(&part, 0, false)));
    time("unique f32 1e8", 0.8, 7, || done(unique_values(&part)));
    for (lines, length) in [(1_000_000, 100), (100_000, 1000), (10_000, 10_000)] {
        let lines_of = part.reshape(&[lines, length]).unwrap();
        time(&format!("sort f32 {lines} x {length}"), 0.8, 7, || done(sort(&lines_of, 1, false)));
    }
    let small = part.index(&[Index::Slice(Slice::range(0, 10_000))]).unwrap().copy().unwrap();
    time("sort f32 1e4", 0.0, 101, || done(sort(&small, 0, false)));
    let middle = part.index(&[Index::Slice(Slice::range(0, 1_000_000))]).unwrap().copy().unwrap();
    time("sort f32 1e6", 0.0, 101, || done(sort(&middle, 0, false)));
    let sorted = sort(&middle, 0, false).unwrap();
    time("searchsorted f32 1e8 in 1e6", 1.2, 7, || done(searchsorted(&sorted, &part, false)));
}

fn main() {
    orders();
    let x = line(30_000_000);
    time("sum f32 3e7, scalar on the host", 0.12, 1000, || scalar(sum(&x, None, false, None)));
    time("max f32 3e7, scalar on the host", 0.12, 1000, || scalar(max(&x, None, false)));
    let one = line(1);
    time("add of one element", 0.0, 1000, || done(add(&one, &one)));
    let (a, b, c) = (line(1_000_000_000), line(1_000_000_000), line(1_000_000_000));
    time("sum f32 1e9", 4.0, 21, || scalar(sum(&a, None, false, None)));
    time("argmax f32 1e9", 4.0, 21, || scalar(argmax(&a, None, false)));
    let product = || add(&multiply(&a, &b).unwrap(), &c);
    time("a*b+c f32 1e9", 16.0, 21, || done(product()));
    let two = full(GPU, &[], 2.0.into(), DType::Float32).unwrap();
    let chain = || pow(&add(&multiply(&a, &b).unwrap(), &c).unwrap(), &two).unwrap();
    time("sum((a*b+c)**2) f32 1e9", 12.0, 21, || scalar(sum(&chain(), None, false, None)));
    time("exp f32 1e9", 8.0, 21, || done(exp(&a)));
    time("astype f32->f64 1e9", 12.0, 21, || done(a.astype(DType::Float64)));
    let m = a.reshape(&[100_000, 10_000]).unwrap();
    time("sum f32 axis 0 1e5x1e4", 4.0, 21, || done(sum(&m, Some(&[0]), false, None)));
    time("sum f32 axis 1 1e5x1e4", 4.0, 21, || done(sum(&m, Some(&[1]), false, None)));
    let row = line(10_000);
    time("m + row 1e5x1e4", 8.0, 21, || done(add(&m, &row)));
    time("copy of transpose 1e5x1e4", 8.0, 21, || done(m.matrix_transpose().unwrap().copy()));
    time("mean f32 1e9", 4.0, 21, || scalar(mean(&a, None, false)));
    time("var f32 1e9", 8.0, 21, || scalar(var(&a, None, 0.0, false)));
    drop((a, b, c, m));
    icicle_runtime::trim(GPU, 0).unwrap();
    let long = line(16_000_000_000);
    time("sum f32 16e9", 64.0, 7, || scalar(sum(&long, None, false, None)));
}
