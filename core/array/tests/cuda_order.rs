//! Order on a GPU: sorting, searching, each value once, and scans, against the same on the CPU. Without a GPU, nothing is
//! tested; `ICICLE_TEST_KERNELS=1` says that there must be one.
#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/gpu.rs"]
mod gpu;

use common::check;
use gpu::{CPU, Dice, GPU, there_is_one, to_gpu, values};
use icicle_array::*;

/// Lines and lengths around every tile that sorts a line (16, 128, 1024, 4096 elements), what is sorted together, and what is
/// sorted line by line.
const LINES: [(usize, usize); 22] = [
    (1, 1),
    (5000, 1),
    (1000, 15),
    (1, 16),
    (333, 17),
    (100, 127),
    (1, 128),
    (77, 129),
    (3, 1023),
    (10, 1024),
    (10, 1025),
    (1, 4095),
    (7, 4096),
    (1, 4097),
    (7, 4097),
    (3, 7681),
    (300, 5000),
    (1, 10_000),
    (2, 100_003),
    (1, 1_000_003),
    (1, (1 << 20) + 1),
    (2, (1 << 20) + 1),
];

fn real() -> impl Iterator<Item = DType> {
    DType::ALL.iter().copied().filter(|dtype| dtype.kind() != Kind::Complex)
}

/// Few different values, so that most are equal.
fn repeated(dtype: DType, shape: &[usize], seed: u64) -> Array {
    let mut dice = Dice(seed);
    let n = shape.iter().product();
    let few: Vec<i64> = (0..n).map(|_| (dice.next() % 7) as i64).collect();
    Array::from_slice_on(CPU, &few, shape).unwrap().astype(dtype).unwrap()
}

/// The bits of results: zeros have their sign, and any NaN is one.
fn same(got: &Array, want: &Array, context: &str) {
    check(got, want, 0.0, context);
}

#[test]
fn lines_are_sorted_as_on_the_cpu() {
    if !there_is_one() {
        return;
    }
    for dtype in real() {
        for (k, (lines, length)) in LINES.into_iter().enumerate() {
            let (few, many) = (repeated(dtype, &[lines, length], k as u64), values(dtype, &[lines, length], k as u64));
            for x in [few, many] {
                for descending in [false, true] {
                    let (gpu, context) = (to_gpu(&x), format!("{dtype}, {lines} lines of {length}, {descending}"));
                    same(&sort(&gpu, -1, descending).unwrap(), &sort(&x, -1, descending).unwrap(), &context);
                    same(&argsort(&gpu, -1, descending).unwrap(), &argsort(&x, -1, descending).unwrap(), &context);
                    same(&gpu, &x, "what was sorted");
                }
            }
        }
    }
}

/// Along any axis of any layout, and what has nothing to sort.
#[test]
fn layouts_do_not_matter() {
    if !there_is_one() {
        return;
    }
    let x = values(DType::Float32, &[6, 130, 5], 1);
    for (view, gpu) in common::views(&x).into_iter().zip(common::views(&to_gpu(&x))) {
        for axis in [0, 1, 2] {
            let context = format!("axis {axis} of strides {:?}", view.strides());
            same(&sort(&gpu, axis, false).unwrap(), &sort(&view, axis, false).unwrap(), &context);
            same(&argsort(&gpu, axis, true).unwrap(), &argsort(&view, axis, true).unwrap(), &context);
            let (want, got) =
                (cumulative_sum(&view, Some(axis), None, true), cumulative_sum(&gpu, Some(axis), None, true));
            same(&isnan(&got.unwrap()).unwrap(), &isnan(&want.unwrap()).unwrap(), &context);
        }
    }
    for shape in [&[0][..], &[0, 5], &[5, 0]] {
        let (x, none) = (values(DType::Int16, shape, 1), to_gpu(&values(DType::Int16, shape, 1)));
        same(&sort(&none, -1, false).unwrap(), &x, "nothing to sort");
        assert_eq!(argsort(&none, 0, true).unwrap().shape(), shape);
        assert_eq!(unique_values(&none).unwrap().shape(), [0]);
        assert_eq!(unique_all(&none).unwrap().inverse.shape(), shape);
    }
    // A value that has yet to be computed.
    let sum = add(&to_gpu(&x), &to_gpu(&x)).unwrap();
    same(&sort(&sum, 1, false).unwrap(), &sort(&add(&x, &x).unwrap(), 1, false).unwrap(), "a chain");
}

#[test]
fn places_in_sorted_arrays_are_those_of_the_cpu() {
    if !there_is_one() {
        return;
    }
    for dtype in real() {
        for n in [0, 1, 2, 1000, 4097, 100_000] {
            for x in [repeated(dtype, &[n], 3), values(dtype, &[n], 4)] {
                let sorted = sort(&x, 0, false).unwrap();
                let wanted = values(dtype, &[37, 29], 5);
                let context = format!("{dtype} among {n}");
                for right in [false, true] {
                    let got = searchsorted(&to_gpu(&sorted), &to_gpu(&wanted), right).unwrap();
                    same(&got, &searchsorted(&sorted, &wanted, right).unwrap(), &context);
                }
                same(&isin(&to_gpu(&wanted), &to_gpu(&x)).unwrap(), &isin(&wanted, &x).unwrap(), &context);
            }
        }
    }
}

#[test]
fn each_value_is_found_once() {
    if !there_is_one() {
        return;
    }
    for dtype in real() {
        for shape in [&[1][..], &[17], &[3, 1000], &[4097], &[70_001], &[1 << 20, 2]] {
            for x in [repeated(dtype, shape, 6), values(dtype, shape, 7)] {
                let (context, gpu) = (format!("{dtype} of {shape:?}"), to_gpu(&x));
                same(&unique_values(&gpu).unwrap(), &unique_values(&x).unwrap(), &context);
                let (got, want) = (unique_all(&gpu).unwrap(), unique_all(&x).unwrap());
                same(&got.values, &want.values, &context);
                same(&got.indices, &want.indices, &context);
                same(&got.inverse, &want.inverse, &context);
                same(&got.counts, &want.counts, &context);
            }
        }
    }
}

/// Sums and products up to each element: of integers to the bit, of floats within the rounding of as many additions.
#[test]
fn scans_give_what_the_cpu_gives() {
    if !there_is_one() {
        return;
    }
    for &dtype in DType::ALL {
        // Around what a warp scans (1024), tiles (2048), and tiles of tiles.
        for (lines, length) in [(1, 1), (5, 3), (100, 1023), (3, 1025), (2, 2049), (1, 5_000_000), (3, 2048 * 2048 + 7)]
        {
            if length > 1 << 20 && !matches!(dtype, DType::Int32 | DType::Float32 | DType::Complex128) {
                continue;
            }
            let x = tame(&values(dtype, &[lines, length], 8));
            for initial in [false, true] {
                let (context, gpu) = (format!("{dtype}, {lines} of {length}, {initial}"), to_gpu(&x));
                type Scan = fn(&Array, bool) -> icicle_error::Result<Array>;
                let scans: [(&str, Scan); 2] = [
                    ("sum", |x, initial| cumulative_sum(x, Some(-1), None, initial)),
                    ("prod", |x, initial| cumulative_prod(x, Some(-1), None, initial)),
                ];
                for (name, scan) in scans {
                    match (scan(&x, initial), scan(&gpu, initial)) {
                        (Ok(want), Ok(got)) if want.dtype().is_floating() => {
                            close(&got, &want, &x, name, &format!("{name} of {context}"));
                        }
                        (Ok(want), Ok(got)) => same(&got, &want, &context),
                        (Err(want), Err(got)) => assert_eq!((want.code, want.detail), (got.code, got.detail)),
                        (want, got) => panic!("{name} of {context}: CPU {:?}, GPU {:?}", want.err(), got.err()),
                    }
                }
            }
        }
    }
}

/// Floats of either sign near 1: the rest become 1, as a product that was subnormal once has lost bits for good.
fn tame(x: &Array) -> Array {
    if !x.dtype().is_floating() {
        return x.clone();
    }
    let (size, real) = (abs(x).unwrap(), x.dtype().real());
    let by = |bound: f64, dtype| full(CPU, &[], bound.into(), dtype).unwrap();
    let near = logical_and(&less(&size, &by(16.0, real)).unwrap(), &less(&by(0.0625, real), &size).unwrap());
    select(&near.unwrap(), x, &by(1.0, x.dtype())).unwrap()
}

/// Sums within the rounding of double precision, relative to the sum of sizes, and of the result; products relative to
/// themselves, while they are neither too large nor too small for it.
fn close(got: &Array, want: &Array, x: &Array, name: &str, context: &str) {
    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{context}");
    let wide = |x: &Array| x.astype(DType::Complex128).unwrap().to_vec::<Complex<f64>>().unwrap();
    let eps = finfo(want.dtype()).unwrap().eps;
    let length = *want.shape().last().unwrap();
    let most = x.shape()[1] as f64 * 16.0 * f64::EPSILON * (x.shape()[1] as f64).sqrt();
    let tiny = finfo(want.dtype()).unwrap().smallest_normal;
    for (i, (got, want)) in wide(got).into_iter().zip(wide(want)).enumerate() {
        let at = i % length;
        let near = match name {
            "sum" => (got - want).norm() <= most + 4.0 * eps * want.norm(),
            _ if !want.norm().is_finite() || want.norm() < tiny * 1e6 || want.norm() > 1.0 / (tiny * 1e6) => true,
            _ => (got - want).norm() <= want.norm() * (4.0 * eps + 8.0 * f64::EPSILON * at as f64),
        };
        assert!(near, "{context}: at {at} {got} for {want}");
    }
}

#[test]
fn what_has_no_order_there_is_an_error() {
    if !there_is_one() {
        return;
    }
    let x = to_gpu(&values(DType::Complex64, &[10], 9));
    for error in [sort(&x, 0, false).unwrap_err(), unique_values(&x).unwrap_err()] {
        assert_eq!(error.code, icicle_error::ErrorCode::Unsupported);
        assert_eq!(error.detail, "dtype complex64 on a GPU: must be real");
    }
    let error = searchsorted(&x, &values(DType::Complex64, &[1], 1), false).unwrap_err().to_string();
    assert!(error.starts_with("searchsorted: arrays on cuda:0 and cpu:0: must be on one device"), "{error}");
}

/// Beyond what one launch of a pass takes, 2²⁸, and what 32 bits count.
#[test]
fn runs_may_be_long() {
    if !there_is_one() || std::env::var_os("ICICLE_TEST_SMALL").is_some() {
        return;
    }
    for (dtype, n) in [(DType::UInt32, (1usize << 28) + 54_321), (DType::UInt8, (1 << 32) + 12_345)] {
        // Some arrays of words as many as there are elements.
        let (total, needed) = (icicle_runtime::memory_stats(GPU).unwrap().total, 26 * n as u64);
        if total < needed {
            println!("not tested: {dtype} of {n}, which takes {needed} bytes of {total}");
            continue;
        }
        let x = mixed(n, dtype);
        let sorted = sort(&x, 0, false).unwrap();
        let step = |start, stop| sorted.index(&[Index::Slice(Slice { start, stop, step: 1 })]).unwrap();
        let rising = less_equal(&step(None, Some(-1)), &step(Some(1), None)).unwrap();
        assert_eq!(all(&rising, None, false).unwrap().item().unwrap(), Scalar::Bool(true), "{dtype} of {n}");
        // As many of each, as sums of powers say.
        let wide = |x: &Array| x.astype(DType::UInt64).unwrap();
        let power = |x: &Array| {
            let (x, square) = (wide(x), multiply(&wide(x), &wide(x)).unwrap());
            [
                sum(&x, None, false, None),
                sum(&square, None, false, None),
                sum(&multiply(&square, &x).unwrap(), None, false, None),
            ]
            .map(|sum| sum.unwrap().item().unwrap())
        };
        assert_eq!(power(&sorted), power(&x), "{dtype} of {n}");
        if n < 1 << 32 {
            let order = argsort(&x, 0, false).unwrap();
            // Each index once.
            let identity = arange(GPU, 0.into(), (n as i64).into(), 1.into(), DType::Int64).unwrap();
            let numbers = sort(&order, 0, false).unwrap();
            assert_eq!(
                all(&equal(&numbers, &identity).unwrap(), None, false).unwrap().item().unwrap(),
                Scalar::Bool(true)
            );
        }
    }
}

/// Numbers without order, made on the GPU.
fn mixed(n: usize, dtype: DType) -> Array {
    let place = arange(GPU, 0.into(), (n as i64).into(), 1.into(), DType::UInt64).unwrap();
    let by = |x: i128, dtype| full(GPU, &[], Scalar::Int(x), dtype).unwrap();
    let mixed = multiply(&place, &by(0x9e37_79b9_7f4a_7c15, DType::UInt64)).unwrap();
    let high = bitwise_right_shift(&mixed, &by(29, DType::UInt64)).unwrap();
    bitwise_xor(&mixed, &high).unwrap().astype(dtype).unwrap().copy().unwrap()
}
