//! Products of arrays on a GPU against the same on the CPU: exactly, of integers that every dtype and every sum holds; within the
//! bound of sums of products, of others. Without a GPU, nothing is tested; `ICICLE_TEST_KERNELS=1` says that there must be one, and
//! `ICICLE_TEST_CUBLAS=1` that there must be cuBLAS. All is tested again in a process that does without cuBLAS.
#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/gpu.rs"]
mod gpu;

use gpu::{CPU, GPU, there_is_one, to_gpu};
use icicle_array::*;
use std::process::Command;

/// Extents at the edges of tiles, warps and accesses.
const EDGES: [usize; 13] = [1, 2, 3, 15, 16, 17, 31, 32, 33, 127, 128, 129, 257];

fn numeric() -> impl Iterator<Item = DType> {
    DType::ALL.iter().copied().filter(|&dtype| dtype != DType::Bool)
}

fn floating() -> impl Iterator<Item = DType> {
    numeric().filter(|dtype| dtype.is_floating())
}

/// Numbers that look random, the same in every run (Knuth's MMIX generator).
fn random(n: usize, seed: u64) -> Vec<i64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 20) as i64
    };
    (0..n).map(|_| next()).collect()
}

/// Integers of all bits; of floats, from -3 to 3, whose products and sums are exact in every precision.
fn exact(dtype: DType, shape: &[usize], seed: u64) -> Array {
    let n = shape.iter().product();
    let small = |seed| random(n, seed).into_iter().map(|x| (x % 7 - 3) as f64);
    match dtype.kind() {
        Kind::Float => Array::from_slice_on(CPU, &small(seed).collect::<Vec<_>>(), shape),
        Kind::Complex => {
            let parts: Vec<_> = small(seed).zip(small(seed + 1)).map(|(re, im)| Complex::new(re, im)).collect();
            Array::from_slice_on(CPU, &parts, shape)
        }
        _ => {
            let wide: Vec<_> =
                random(n, seed).into_iter().map(|x| x.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64)).collect();
            Array::from_slice_on(CPU, &wide, shape)
        }
    }
    .unwrap()
    .astype(dtype)
    .unwrap()
}

/// Real numbers from -1 to 1.
fn real(dtype: DType, shape: &[usize], seed: u64) -> Array {
    let n = shape.iter().product();
    let small = |seed| random(n, seed).into_iter().map(|x| x as f64 / (1u64 << 43) as f64 - 1.0);
    match dtype.kind() {
        Kind::Complex => {
            let parts: Vec<_> = small(seed).zip(small(seed + 1)).map(|(re, im)| Complex::new(re, im)).collect();
            Array::from_slice_on(CPU, &parts, shape)
        }
        _ => Array::from_slice_on(CPU, &small(seed).collect::<Vec<_>>(), shape),
    }
    .unwrap()
    .astype(dtype)
    .unwrap()
}

/// Check that values are equal; zeros of either sign are.
fn same(got: &Array, want: &Array, context: &str) {
    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{context}");
    let got = got.to_device(CPU).unwrap();
    let differ = not_equal(&got, want).unwrap().reshape(&[-1]).unwrap();
    if any(&differ, None, false).unwrap().item().unwrap() == Scalar::Bool(true) {
        let place = nonzero(&differ).unwrap()[0].to_vec::<i64>().unwrap()[0];
        let of = |x: &Array| x.reshape(&[-1]).unwrap().index(&[Index::At(place as isize)]).unwrap().item().unwrap();
        panic!("{context}: element {place} is {:?}, must be {:?}", of(&got), of(want));
    }
}

fn transposed(x: &Array) -> Array {
    x.matrix_transpose().unwrap()
}

/// The same matrices with rows dense, and with columns.
fn layouts(x: &Array) -> [Array; 2] {
    [x.clone(), transposed(&transposed(x).copy().unwrap())]
}

/// Products of both operands in both layouts are the CPU's.
fn agree(x: &Array, y: &Array, context: &str) {
    let want = matmul(x, y).unwrap();
    let (gx, gy) = (to_gpu(x), to_gpu(y));
    for (i, gx) in (if x.rank() > 1 { layouts(&gx).to_vec() } else { vec![gx] }).iter().enumerate() {
        for (j, gy) in (if y.rank() > 1 { layouts(&gy).to_vec() } else { vec![gy.clone()] }).iter().enumerate() {
            let context = format!("{context}: {} {:?} by {:?}, layouts {i} {j}", x.dtype(), x.shape(), y.shape());
            same(&matmul(gx, gy).unwrap(), &want, &context);
        }
    }
}

#[test]
fn shapes_around_tiles() {
    if !there_is_one() {
        return;
    }
    println!("cuBLAS: {}", icicle_cuda::cublas::unavailable().unwrap_or("is there"));
    for dtype in numeric() {
        for e in EDGES {
            for (m, k, n) in [(e, 33, 17), (17, e, 33), (33, 17, e), (e, e, e)] {
                agree(&exact(dtype, &[m, k], 1), &exact(dtype, &[k, n], 2), "shapes");
            }
        }
        // Sums in parts, and many blocks.
        for (m, k, n) in [(40, 5000, 30), (5, 10_001, 7), (700, 64, 1100), (1030, 33, 515)] {
            agree(&exact(dtype, &[m, k], 3), &exact(dtype, &[k, n], 4), "larger");
        }
    }
}

/// Products of so many results that every multiprocessor has some, at the edges of large tiles and beside them; of lines that begin
/// at multiples of 16 bytes, and others.
fn large_products_agree(dtype: DType) {
    for (m, k, n) in
        [(2176, 64, 1024), (2049, 72, 1032), (2176, 8, 1280), (1025, 200, 2050), (2050, 130, 1028), (130, 136, 20_008)]
    {
        agree(&exact(dtype, &[m, k], 29), &exact(dtype, &[k, n], 30), "large");
    }
    let (x, y) = (exact(dtype, &[2100, 96], 31), exact(dtype, &[96, 1100], 32));
    let part = |x: &Array| x.index(&[Index::Slice(Slice::ALL), Index::Slice(Slice::range(8, 80))]).unwrap();
    let rows = |y: &Array| y.index(&[Index::Slice(Slice::range(16, 88)), Index::Slice(Slice::range(0, 1040))]).unwrap();
    let want = matmul(&part(&x), &rows(&y)).unwrap();
    same(&matmul(&part(&to_gpu(&x)), &rows(&to_gpu(&y))).unwrap(), &want, "lines with room between them");
}

#[test]
fn large_products_on_tensor_cores() {
    if !there_is_one() {
        return;
    }
    [DType::Float16, DType::BFloat16].into_iter().for_each(large_products_agree);
    for dtype in [DType::Float16, DType::BFloat16] {
        near(&real(dtype, &[1100, 700], 33), &real(dtype, &[700, 2100], 34), f64::from(f32::EPSILON), "large");
    }
}

#[test]
fn nothing_gives_zeros() {
    if !there_is_one() {
        return;
    }
    for dtype in numeric() {
        for (m, k, n) in
            [(0, 3, 4), (3, 4, 0), (3, 0, 4), (0, 0, 0), (1, 0, 1), (1, 0, 200), (200, 0, 1), (300, 0, 200)]
        {
            agree(&exact(dtype, &[m, k], 1), &exact(dtype, &[k, n], 2), "empty");
        }
        agree(&exact(dtype, &[0, 2, 3], 1), &exact(dtype, &[3, 2], 2), "empty stack");
        agree(&exact(dtype, &[0], 1), &exact(dtype, &[0], 2), "empty vectors");
    }
}

#[test]
fn stacks_broadcast() {
    if !there_is_one() {
        return;
    }
    let shapes: [(&[usize], &[usize]); 14] = [
        (&[6], &[6]),
        (&[6], &[6, 5]),
        (&[5, 6], &[6]),
        (&[3, 6], &[4, 6, 5]),
        (&[4, 3, 6], &[6]),
        (&[6], &[4, 6, 5]),
        (&[7, 20, 33], &[33, 18]),
        (&[2, 3, 20, 33], &[33, 18]),
        (&[20, 33], &[5, 33, 18]),
        (&[3, 1, 20, 33], &[1, 4, 33, 18]),
        (&[3, 1, 1, 33], &[4, 33, 1]),
        (&[2, 3, 1, 33], &[33, 70]),
        (&[2, 1, 3, 1, 2, 1, 4, 6], &[1, 2, 1, 3, 1, 2, 6, 5]),
        (&[100, 3, 4], &[100, 4, 5]),
    ];
    for dtype in numeric() {
        for (x, y) in shapes {
            agree(&exact(dtype, x, 5), &exact(dtype, y, 6), "stack");
        }
    }
}

/// Every view of an array whose elements it may take in another order, or some of.
fn views(x: &Array) -> Vec<Array> {
    let step = |start, step| Index::Slice(Slice { start, stop: None, step });
    let rest = Index::Ellipsis;
    vec![
        x.index(&[rest, step(None, -1), step(None, 1)]).unwrap(),
        x.index(&[rest, step(None, 1), step(None, -1)]).unwrap(),
        x.index(&[rest, step(Some(1), 2), step(Some(3), 1)]).unwrap(),
        x.index(&[rest, step(Some(2), 1), step(Some(1), 3)]).unwrap(),
        transposed(&x.index(&[rest, step(Some(3), 1), step(Some(2), 1)]).unwrap()),
        x.index(&[rest, Index::Slice(Slice::range(0, 1)), step(None, 1)]).unwrap().broadcast_to(x.shape()).unwrap(),
        x.index(&[rest, step(None, 1), Index::Slice(Slice::range(1, 2))]).unwrap().broadcast_to(x.shape()).unwrap(),
    ]
}

#[test]
fn views_are_multiplied() {
    if !there_is_one() {
        return;
    }
    for dtype in numeric() {
        for shape in [&[70, 50][..], &[3, 40, 37], &[140, 260]] {
            let x = exact(dtype, shape, 7);
            for (i, (host, gpu)) in views(&x).into_iter().zip(views(&to_gpu(&x))).enumerate() {
                for (j, (y, gy)) in views(&x).into_iter().zip(views(&to_gpu(&x))).enumerate() {
                    let [.., k] = *host.shape() else { panic!() };
                    let [.., rows, columns] = *y.shape() else { panic!() };
                    // As many rows as there are columns, from one end or the other.
                    let fit = |y: &Array| match rows >= k {
                        true => y.index(&[
                            Index::Ellipsis,
                            Index::Slice(Slice::range(0, k as isize)),
                            Index::Slice(Slice::ALL),
                        ]),
                        false => transposed(y).index(&[
                            Index::Ellipsis,
                            Index::Slice(Slice::range(0, k.min(columns) as isize)),
                            Index::Slice(Slice::ALL),
                        ]),
                    };
                    let (y, gy) = (fit(&y).unwrap(), fit(&gy).unwrap());
                    if y.shape()[y.rank() - 2] != k {
                        continue;
                    }
                    let context = format!("views {i} and {j} of {dtype} {shape:?}");
                    same(&matmul(&gpu, &gy).unwrap(), &matmul(&host, &y).unwrap(), &context);
                    // A row and a column of them.
                    let (row, column) =
                        ([Index::Ellipsis, Index::At(1), Index::Slice(Slice::ALL)], [Index::Ellipsis, Index::At(2)]);
                    let (line, of_gpu) = (y.index(&column).unwrap(), gy.index(&column).unwrap());
                    if line.rank() == 1 {
                        same(&matmul(&gpu, &of_gpu).unwrap(), &matmul(&host, &line).unwrap(), &context);
                        let (line, of_gpu) = (host.index(&row).unwrap(), gpu.index(&row).unwrap());
                        same(&matmul(&of_gpu, &gy).unwrap(), &matmul(&line, &y).unwrap(), &context);
                    }
                }
            }
        }
    }
}

#[test]
fn matrices_times_vectors() {
    if !there_is_one() {
        return;
    }
    let lengths = [1, 2, 31, 33, 64, 1000, 4097];
    let cases = [1, 2, 3, 4, 5, 31, 127, 128, 129, 1000, 1025, 4099].into_iter().flat_map(|m| lengths.map(|k| (m, k)));
    for dtype in numeric() {
        for (m, k) in cases.clone().chain([(1, 1_000_003), (3, 300_001), (4, 300_000), (9, 100_003), (100, 30_001)]) {
            let (x, v) = (exact(dtype, &[m, k], 8), exact(dtype, &[k], 9));
            let want = matmul(&x, &v).unwrap();
            let (gx, gv) = (to_gpu(&x), to_gpu(&v));
            for (layout, gx) in layouts(&gx).iter().enumerate() {
                let context = format!("{dtype} {m} by {k}, layout {layout}");
                same(&matmul(gx, &gv).unwrap(), &want, &context);
                same(&matmul(&gv, &transposed(gx)).unwrap(), &want, &format!("{context}, as a row"));
            }
        }
    }
}

/// Check that results differ from the CPU's by no more than both may from sums of `k` products.
fn near(x: &Array, y: &Array, precision: f64, context: &str) {
    let dtype = x.dtype();
    let wide =
        |x: &Array| x.astype(if dtype.kind() == Kind::Complex { DType::Complex128 } else { DType::Float64 }).unwrap();
    let want = matmul(&wide(x), &wide(y)).unwrap();
    let got = matmul(&to_gpu(x), &to_gpu(y)).unwrap().to_device(CPU).unwrap();
    assert_eq!(got.dtype(), dtype);
    let size = |x: &Array| abs(&wide(x)).unwrap();
    let sizes = matmul(&size(x), &size(y)).unwrap().to_vec::<f64>().unwrap();
    let (errors, wanted) = (size(&subtract(&wide(&got), &want).unwrap()), size(&want).to_vec::<f64>().unwrap());
    let k = x.shape()[x.rank() - 1] as f64;
    let rounded = finfo(dtype).unwrap().eps;
    for (i, error) in errors.to_vec::<f64>().unwrap().into_iter().enumerate() {
        let bound = (k + 4.0) * precision * sizes[i] + rounded * wanted[i] + 1e-30;
        assert!(error <= bound, "{context}: error {error} of {i}, bound {bound}");
    }
}

fn real_cases() -> [(Vec<usize>, Vec<usize>); 6] {
    let pair = |x: &[usize], y: &[usize]| (x.to_vec(), y.to_vec());
    [
        pair(&[129, 300], &[300, 65]),
        pair(&[17, 20_000], &[20_000, 9]),
        pair(&[300, 20_000], &[20_000]),
        pair(&[20_000], &[20_000, 300]),
        pair(&[3, 64, 64], &[3, 64, 64]),
        pair(&[520, 260], &[260, 520]),
    ]
}

#[test]
fn errors_are_those_of_sums() {
    if !there_is_one() {
        return;
    }
    for dtype in floating() {
        let compute = if matches!(dtype, DType::Float16 | DType::BFloat16) { DType::Float32 } else { dtype };
        for (x, y) in real_cases() {
            let context = format!("{dtype} {x:?} by {y:?}");
            near(&real(dtype, &x, 10), &real(dtype, &y, 11), finfo(compute).unwrap().eps, &context);
        }
    }
}

/// What fills tiles is multiplied with nothing that counts.
#[test]
fn infinities_stay_in_their_rows() {
    if !there_is_one() {
        return;
    }
    for dtype in [DType::Float16, DType::Float32, DType::Float64] {
        for (m, k, n) in [(5, 7, 9), (130, 19, 67), (257, 1000, 3), (9, 1001, 1), (9, 33, 1)] {
            let mut x = ones(CPU, &[m, k], dtype).unwrap();
            let mut y = ones(CPU, &[k, n], dtype).unwrap();
            x.assign(&[Index::At(2), Index::At(-1)], &full(CPU, &[], f64::INFINITY.into(), dtype).unwrap()).unwrap();
            y.assign(&[Index::At(-1), Index::At(0)], &full(CPU, &[], 2.0.into(), dtype).unwrap()).unwrap();
            agree(&x, &y, "infinities");
        }
    }
}

#[test]
fn results_do_not_vary() {
    if !there_is_one() {
        return;
    }
    for dtype in [DType::Float32, DType::BFloat16, DType::Complex64] {
        for (x, y) in real_cases() {
            let (x, y) = (to_gpu(&real(dtype, &x, 12)), to_gpu(&real(dtype, &y, 13)));
            let first = matmul(&x, &y).unwrap().to_device(CPU).unwrap();
            (0..5).for_each(|_| same(&matmul(&x, &y).unwrap(), &first, "again"));
        }
    }
}

#[test]
fn what_is_made_of_products() {
    if !there_is_one() {
        return;
    }
    for dtype in numeric() {
        let (x, y) = (exact(dtype, &[4, 5, 6], 14), exact(dtype, &[6, 5, 3], 15));
        let (gx, gy) = (to_gpu(&x), to_gpu(&y));
        let pairs: [(&[isize], &[isize]); 4] = [(&[2], &[0]), (&[1, 2], &[1, 0]), (&[1], &[-2]), (&[], &[])];
        for (a, b) in pairs {
            let context = format!("tensordot of {dtype} over {a:?} and {b:?}");
            same(&tensordot(&gx, &gy, a, b).unwrap(), &tensordot(&x, &y, a, b).unwrap(), &context);
        }
        let shapes: [(&[usize], &[usize], isize); 6] = [
            (&[1000], &[1000], -1),
            (&[7, 33], &[7, 33], 1),
            (&[33, 7], &[33, 7], 0),
            (&[5, 7, 33], &[33], -1),
            (&[4, 1, 6], &[3, 6], -1),
            (&[4, 0], &[4, 0], -1),
        ];
        for (a, b, axis) in shapes {
            let (x, y) = (exact(dtype, a, 16), exact(dtype, b, 17));
            let context = format!("vecdot of {dtype} {a:?} and {b:?} along {axis}");
            same(&vecdot(&to_gpu(&x), &to_gpu(&y), axis).unwrap(), &vecdot(&x, &y, axis).unwrap(), &context);
        }
        // Operands that wait, and a result that others wait for.
        let sum = |x: &Array, y: &Array| add(&matmul(&add(x, x).unwrap(), &transposed(x)).unwrap(), y).unwrap();
        let (a, b) = (exact(dtype, &[40, 50], 18), exact(dtype, &[40], 19));
        same(&sum(&to_gpu(&a), &to_gpu(&b)), &sum(&a, &b), &format!("chains of {dtype}"));
    }
    // Dtypes meet as elsewhere.
    let (x, y) = (exact(DType::Float32, &[20, 30], 20), exact(DType::Complex128, &[30, 10], 21));
    agree(&x, &y, "mixed");
    agree(&exact(DType::Float16, &[20, 30], 22), &exact(DType::BFloat16, &[30, 10], 23), "mixed halves");
}

#[test]
fn arguments_are_checked_as_on_cpus() {
    if !there_is_one() {
        return;
    }
    let of = |dtype, shape: &[usize]| exact(dtype, shape, 24);
    let (x, y) = (of(DType::Float32, &[3, 4]), of(DType::Float32, &[3, 4]));
    let pairs = [
        (x.clone(), y.clone()),
        (x.clone(), of(DType::Float32, &[])),
        (x.clone(), of(DType::Int32, &[4, 3])),
        (of(DType::Bool, &[3, 4]), of(DType::Bool, &[4, 3])),
        (of(DType::Float32, &[2, 3, 4]), of(DType::Float32, &[3, 4, 3])),
    ];
    for (x, y) in pairs {
        let (want, got) = (matmul(&x, &y).unwrap_err(), matmul(&to_gpu(&x), &to_gpu(&y)).unwrap_err());
        assert_eq!(got, want);
        if x.rank() > 0 && y.rank() > 0 {
            match (vecdot(&x, &y, -1), vecdot(&to_gpu(&x), &to_gpu(&y), -1)) {
                (Err(want), Err(got)) => assert_eq!(got, want),
                (want, got) => assert!(want.is_ok() == got.is_ok()),
            }
        }
    }
    let error = matmul(&to_gpu(&x), &transposed(&y)).unwrap_err().to_string();
    assert!(error.starts_with("matmul: arrays on cuda:0 and cpu:0: must be on one device"), "{error}");
}

/// More elements than 32 bits count, in both layouts.
#[test]
fn operands_may_be_large() {
    if !there_is_one() || std::env::var_os("ICICLE_TEST_SMALL").is_some() {
        return;
    }
    let (m, k) = (70_000, 65_536);
    let mut x = full(GPU, &[m, k], Scalar::Int(3), DType::UInt8).unwrap().copy().unwrap();
    x.assign(&[Index::At(-1), Index::At(-1)], &full(GPU, &[], Scalar::Int(200), DType::UInt8).unwrap()).unwrap();
    let one = |n: usize| full(GPU, &[n], Scalar::Int(1), DType::UInt8).unwrap();
    let ends = |x: &Array| {
        let all = x.to_vec::<u8>().unwrap();
        assert!(all[..all.len() - 1].iter().all(|&element| element == all[0]));
        (all[0], all[all.len() - 1])
    };
    let modulo = |sum: usize| sum as u8;
    let of_rows = (modulo(3 * k), modulo(3 * (k - 1) + 200));
    let of_columns = (modulo(3 * m), modulo(3 * (m - 1) + 200));
    assert_eq!(ends(&matmul(&x, &one(k)).unwrap()), of_rows);
    assert_eq!(ends(&matmul(&one(m), &x).unwrap()), of_columns);
    for (matrix, with, want) in [(&x, k, of_rows), (&transposed(&x), m, of_columns)] {
        let both = matmul(matrix, &one(2 * with).reshape(&[with as isize, 2]).unwrap()).unwrap();
        for column in 0..2 {
            let column = both.index(&[Index::Slice(Slice::ALL), Index::At(column)]).unwrap();
            assert_eq!(ends(&column), want);
        }
    }
}

#[test]
fn cublas_is_there_where_it_must_be() {
    let demanded = std::env::var_os("ICICLE_TEST_CUBLAS").is_some_and(|value| !value.is_empty());
    if there_is_one() && demanded && std::env::var_os("ICICLE_CUBLAS_PATH").is_none_or(|path| path != "none") {
        assert_eq!(icicle_cuda::cublas::unavailable(), None);
    }
}

/// Run this program's tests in a process of their own; how many passed.
fn child(arguments: &[&str], variables: &[(&str, &str)]) -> usize {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let done = command.args(arguments).envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{arguments:?} {variables:?}: {text}\n{}", String::from_utf8_lossy(&done.stderr));
    let passed = text.split("test result: ok. ").nth(1).unwrap().split(' ').next().unwrap();
    passed.parse().unwrap()
}

#[test]
fn products_without_cublas() {
    if !there_is_one() {
        return;
    }
    let skipped = ["--skip", "products_without_cublas", "--skip", "lower_precision"];
    assert!(child(&skipped, &[("ICICLE_CUBLAS_PATH", "none")]) >= 11);
}

#[test]
fn lower_precision() {
    if !there_is_one() {
        return;
    }
    for variables in [&[][..], &[("ICICLE_CUBLAS_PATH", "none")]] {
        assert_eq!(child(&["--ignored", "--exact", "high_precision_is_near"], variables), 1);
    }
}

#[test]
#[ignore = "sets what holds for the process: `lower_precision` runs it in one of its own"]
fn high_precision_is_near() {
    set_float32_matmul_precision(Float32Precision::High);
    for (x, y) in real_cases() {
        let k = x[x.len() - 1] as f64;
        let (x, y) = (real(DType::Float32, &x, 25), real(DType::Float32, &y, 26));
        // Two operands of eleven bits, of which the last is rounded or cut.
        let precision = f64::from(f32::EPSILON) + 2.0 / 1024.0 / k;
        near(&x, &y, precision, "high");
    }
    let (x, y) = (real(DType::Float32, &[1100, 700], 25), real(DType::Float32, &[700, 2100], 26));
    near(&x, &y, f64::from(f32::EPSILON) + 2.0 / 1024.0 / 700.0, "high, large");
    // What eleven bits hold is exact.
    large_products_agree(DType::Float32);
    agree(&exact(DType::Float32, &[130, 70], 27), &exact(DType::Float32, &[70, 90], 28), "high");
    agree(&exact(DType::Float64, &[130, 70], 27), &exact(DType::Float64, &[70, 90], 28), "high");
}
