//! Times of products on a GPU: median and 99th percentile of a call with its result waited for. `cuda_product_speed.py` beside it
//! times CuPy's and PyTorch's. With an argument, those whose names contain it. Products of matrices are timed again without
//! cuBLAS, in a process of their own.
#![allow(clippy::unwrap_used)]

use icicle_array::*;
use icicle_device::Device;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

const GPU: Device = Device::cuda(0);

fn time(name: &str, (amount, unit): (f64, &str), runs: usize, mut work: impl FnMut()) {
    let who = if without() { "own kernels" } else { "" };
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
    println!("{name:36} {median:9.4} ms  p99 {late:9.4}  {:9.1} {unit}  {who}", amount / median * 1e3);
}

fn without() -> bool {
    std::env::var_os("ICICLE_CUBLAS_PATH").is_some_and(|path| path == "none")
}

/// Compute what an array waits for, and wait for the device.
fn done(array: Result<Array, icicle_error::Error>) {
    black_box(array.unwrap().as_ptr().unwrap());
    icicle_runtime::synchronize(GPU).unwrap();
}

/// Numbers from -1 to 1 that look random, or integers to a hundred, in memory of their own.
fn numbers(shape: &[usize], dtype: DType) -> Array {
    let n = shape.iter().product::<usize>();
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let size = if dtype.is_integer() { 100.0 } else { 1.0 };
    let some: Vec<f32> = (0..n.min((1 << 20) + 7)).map(|_| next() * size).collect();
    let some = Array::from_slice_on(GPU, &some, &[some.len()]).unwrap().astype(dtype).unwrap();
    let many =
        some.broadcast_to(&[n.div_ceil(some.len()), some.len()]).unwrap().copy().unwrap().reshape(&[-1]).unwrap();
    let shape: Vec<_> = shape.iter().map(|&extent| extent as isize).collect();
    let part = many.index(&[Index::Slice(Slice::range(0, n as isize))]).unwrap();
    part.reshape(&shape).unwrap().copy().unwrap()
}

fn matrices() {
    let square = |n: usize, dtype| (numbers(&[n, n], dtype), numbers(&[n, n], dtype));
    let flops = |n: usize| (2e-12 * (n as f64).powi(3), "TFLOP/s");
    for (name, n, dtype, precision) in [
        ("matmul f32 8192^3", 8192, DType::Float32, Float32Precision::Highest),
        ("matmul f32 as tf32 8192^3", 8192, DType::Float32, Float32Precision::High),
        ("matmul bf16 8192^3", 8192, DType::BFloat16, Float32Precision::Highest),
        ("matmul f16 8192^3", 8192, DType::Float16, Float32Precision::Highest),
        ("matmul f64 4096^3", 4096, DType::Float64, Float32Precision::Highest),
        ("matmul c64 4096^3", 4096, DType::Complex64, Float32Precision::Highest),
        ("matmul c128 2048^3", 2048, DType::Complex128, Float32Precision::Highest),
        ("matmul i32 4096^3", 4096, DType::Int32, Float32Precision::Highest),
        ("matmul i64 4096^3", 4096, DType::Int64, Float32Precision::Highest),
        ("matmul f32 1024^3", 1024, DType::Float32, Float32Precision::Highest),
        ("matmul f32 128^3", 128, DType::Float32, Float32Precision::Highest),
    ] {
        set_float32_matmul_precision(precision);
        let (x, y) = square(n, dtype);
        time(name, flops(n), 21, || done(matmul(&x, &y)));
    }
    set_float32_matmul_precision(Float32Precision::Highest);
    let (x, y) = square(8192, DType::Float32);
    let (x, y) = (x.matrix_transpose().unwrap(), y.matrix_transpose().unwrap());
    time("matmul f32 8192^3 of transposes", flops(8192), 21, || done(matmul(&x, &y)));
    let (x, y) = (numbers(&[512, 256, 256], DType::Float32), numbers(&[512, 256, 256], DType::Float32));
    time("matmul f32 512 of 256^3", (512.0 * flops(256).0, "TFLOP/s"), 21, || done(matmul(&x, &y)));
    let (x, y) = (numbers(&[64, 1_000_000], DType::Float32), numbers(&[1_000_000, 64], DType::Float32));
    time("matmul f32 64x1e6 by 1e6x64", (2e-12 * 64e6 * 64.0, "TFLOP/s"), 21, || done(matmul(&x, &y)));
}

fn vectors() {
    for (dtype, (rows, columns)) in [
        (DType::Float32, (10_000, 300_000)),
        (DType::Float32, (10_001, 299_999)),
        (DType::Float32, (300_000, 10_000)),
        (DType::BFloat16, (10_000, 300_000)),
        (DType::Float64, (10_000, 150_000)),
        (DType::Complex128, (10_000, 75_000)),
        (DType::UInt8, (10_000, 1_000_000)),
        (DType::Float32, (16, 100_000_000)),
    ] {
        let bytes = (rows * columns * dtype.bytes()) as f64;
        let (x, v, w) = (numbers(&[rows, columns], dtype), numbers(&[columns], dtype), numbers(&[rows], dtype));
        let name = |layout: &str| format!("gemv {dtype} {rows}x{columns} {layout}");
        time(&name("by rows"), (bytes / 1e9, "GB/s"), 21, || done(matmul(&x, &v)));
        time(&name("by columns"), (bytes / 1e9, "GB/s"), 21, || done(matmul(&w, &x)));
    }
    let (x, y) = (numbers(&[1_000_000_000], DType::Float32), numbers(&[1_000_000_000], DType::Float32));
    time("dot f32 1e9", (8.0, "GB/s"), 21, || done(matmul(&x, &y)));
    time("vecdot f32 1e9", (8.0, "GB/s"), 21, || done(vecdot(&x, &y, -1)));
    let (x, v) = (numbers(&[1000, 1000], DType::Float32), numbers(&[1000], DType::Float32));
    time("gemv f32 1000x1000", (0.004, "GB/s"), 1000, || done(matmul(&x, &v)));
}

fn main() {
    println!("cuBLAS: {}", icicle_cuda::cublas::unavailable().unwrap_or("is there"));
    matrices();
    if without() {
        return;
    }
    vectors();
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(std::env::args().skip(1)).env("ICICLE_CUBLAS_PATH", "none");
    assert!(again.status().unwrap().success());
}
