//! Medians of the operations that should run at the memory's speed; `speed.py` beside it times NumPy's. With an
//! argument, those whose names contain it.
#![allow(clippy::unwrap_used)]

use icicle_array::*;
use icicle_device::Device;
use std::hint::black_box;
use std::time::Instant;

/// Compute what an array waits for.
fn done(array: Result<Array, icicle_error::Error>) {
    black_box(array.unwrap().as_ptr().unwrap());
}

fn time(name: &str, runs: usize, mut work: impl FnMut()) {
    if std::env::args().nth(1).is_some_and(|part| !name.contains(&part)) {
        return;
    }
    work();
    let mut times: Vec<_> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:28} {:9.3} ms", times[runs / 2]);
}

fn main() {
    let cpu = Device::cpu(0);
    let n = 30_000_000;
    let line = |n: usize, dtype: DType| {
        let x = linspace(cpu, 0.0.into(), 1.0.into(), 1 << 16, DType::Float64, true).unwrap();
        let x = tile(&x, &[n.div_ceil(1 << 16)]).unwrap().index(&[Index::Slice(Slice::range(0, n as isize))]).unwrap();
        x.astype(dtype).unwrap()
    };
    let (a, b, c) = (line(n, DType::Float32), line(n, DType::Float32), line(n, DType::Float32));
    time("sum f32 3e7", 11, || done(sum(&a, None, false, None)));
    time("max f32 3e7", 11, || done(max(&a, None, false)));
    time("argmax f32 3e7", 11, || done(argmax(&a, None, false)));
    time("a*b+c f32 3e7", 11, || done(add(&multiply(&a, &b).unwrap(), &c)));
    let two = full(cpu, &[], 2.0.into(), DType::Float32).unwrap();
    let chain = || pow(&add(&multiply(&a, &b).unwrap(), &c).unwrap(), &two).unwrap();
    time("sum((a*b+c)**2) f32 3e7", 11, || done(sum(&chain(), None, false, None)));
    time("a<b f32 3e7", 11, || done(less(&a, &b)));
    time("sqrt f32 3e7", 11, || done(sqrt(&a)));
    time("exp f32 3e7", 5, || done(exp(&a)));
    time("astype f32->f64 3e7", 11, || done(a.astype(DType::Float64)));
    let m = a.reshape(&[3000, 10000]).unwrap();
    time("sum f32 axis 0 3000x10000", 11, || done(sum(&m, Some(&[0]), false, None)));
    time("sum f32 axis 1 3000x10000", 11, || done(sum(&m, Some(&[1]), false, None)));
    let row = line(10000, DType::Float32);
    time("m + row", 11, || done(add(&m, &row)));
    time("copy of transpose", 5, || done(m.matrix_transpose().unwrap().copy()));
    time("mean, var f32 3e7", 5, || done(var(&a, None, 0.0, false)));
    let wide = line(300_000_000, DType::Float32).reshape(&[10000, 30000]).unwrap();
    let x = line(30000, DType::Float32);
    time("gemv f32 10000x30000", 5, || done(matmul(&wide, &x)));
    let tall = wide.reshape(&[30000, 10000]).unwrap().matrix_transpose().unwrap();
    time("gemv f32, matrix transposed", 5, || done(matmul(&tall, &x)));
    drop((wide, tall));
    let s = line(2048 * 2048, DType::Float32).reshape(&[2048, 2048]).unwrap();
    time("matmul f32 2048^3", 5, || done(matmul(&s, &s)));
    let s = s.astype(DType::Float64).unwrap();
    time("matmul f64 2048^3", 5, || done(matmul(&s, &s)));
    let key = random::Key::new(1);
    for dtype in [DType::Float32, DType::Float64] {
        let uniform = || random::uniform(cpu, &key, &[n], dtype, 0.0, 1.0).unwrap();
        time(&format!("uniform {dtype} 3e7"), 5, || drop(black_box(uniform())));
        time(&format!("normal {dtype} 3e7"), 5, || drop(black_box(random::normal(cpu, &key, &[n], dtype).unwrap())));
    }
    let integers = || random::integers(cpu, &key, 0, 1000, &[n], DType::Int64).unwrap();
    time("integers int64 3e7", 5, || drop(black_box(integers())));
    let mixed = random::uniform(cpu, &key, &[10_000_000], DType::Float64, 0.0, 1e9).unwrap();
    for dtype in [DType::Float32, DType::Float64, DType::Int32, DType::Int64] {
        let mixed = mixed.astype(dtype).unwrap();
        time(&format!("sort {dtype} 1e7"), 5, || done(sort(&mixed, 0, false)));
        time(&format!("argsort {dtype} 1e7"), 5, || done(argsort(&mixed, 0, false)));
    }
    let small = line(10, DType::Float32);
    time("1000 x add of 10", 11, || (0..1000).for_each(|_| done(add(&small, &small))));
    time("1000 x sum of 10", 11, || (0..1000).for_each(|_| done(sum(&small, None, false, None))));
}
