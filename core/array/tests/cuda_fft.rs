//! Fourier transforms on a GPU against the CPU's. Without a GPU, nothing is tested; `ICICLE_TEST_KERNELS=1` says that there must be
//! one, and `ICICLE_TEST_CUFFT=1` that there must be cuFFT.
#![cfg(all(feature = "cuda", feature = "fft"))]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/gpu.rs"]
mod gpu;

use gpu::{CPU, Dice, GPU, there_is_one, to_gpu};
use icicle_array::fft::{self, Norm};
use icicle_array::*;
use icicle_error::{ErrorCode, Result};
use std::process::Command;

type Along = fn(&Array, Option<usize>, isize, Norm) -> Result<Array>;
/// Extents and axes.
type Axes<'a> = (Option<&'a [usize]>, Option<&'a [isize]>);
type AlongMany = fn(&Array, Option<&[usize]>, Option<&[isize]>, Norm) -> Result<Array>;

/// Transforms along one axis, and whether they take real numbers only.
const ONE: [(&str, Along, bool); 6] = [
    ("fft", fft::fft, false),
    ("ifft", fft::ifft, false),
    ("rfft", fft::rfft, true),
    ("irfft", fft::irfft, false),
    ("hfft", fft::hfft, false),
    ("ihfft", fft::ihfft, true),
];
const MANY: [(&str, AlongMany, bool); 4] = [
    ("fftn", fft::fftn, false),
    ("ifftn", fft::ifftn, false),
    ("rfftn", fft::rfftn, true),
    ("irfftn", fft::irfftn, false),
];
const NORMS: [Norm; 3] = [Norm::Backward, Norm::Ortho, Norm::Forward];
const DTYPES: [DType; 4] = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

/// Whether there is a GPU with cuFFT.
fn ready() -> bool {
    there_is_one() && icicle_cuda::cufft::unavailable().is_none()
}

/// Numbers from -1 to 1.
fn numbers(dtype: DType, shape: &[usize], seed: u64) -> Array {
    let mut dice = Dice(seed);
    let mut one = || dice.next() as f64 / (1u64 << 43) as f64 - 1.0;
    let n = shape.iter().product();
    let parts: Vec<_> = (0..n).map(|_| Complex::new(one(), one())).collect();
    let x = Array::from_slice_on(CPU, &parts, shape).unwrap();
    if dtype.kind() == Kind::Complex { x } else { real(&x).unwrap() }.astype(dtype).unwrap()
}

fn values(x: &Array) -> Vec<Complex<f64>> {
    x.astype(DType::Complex128).unwrap().to_vec().unwrap()
}

/// Within a bound of errors of `n log n` steps, relative to the largest result: 4 times the precision and the steps.
fn near(got: &Array, want: &Array, context: &str) {
    assert_eq!((got.dtype(), got.shape(), got.device()), (want.dtype(), want.shape(), GPU), "{context}");
    let (got, want_values) = (values(got), values(want));
    let largest = want_values.iter().map(|value| value.norm()).fold(0.0, f64::max);
    let steps = 1.0 + (want.len().max(2) as f64).log2();
    let bound = 4.0 * finfo(want.dtype()).unwrap().eps * steps * largest;
    for (i, (got, want)) in got.iter().zip(&want_values).enumerate() {
        assert!((got - want).norm() <= bound, "{context}: element {i} is {got}, must be {want} within {bound}");
    }
}

/// A transform of an array, and that the array stays what it was.
fn agree(x: &Array, context: &str, transform: impl Fn(&Array) -> Result<Array>) {
    let there = to_gpu(x);
    near(&transform(&there).unwrap(), &transform(x).unwrap(), context);
    assert!(values(&there) == values(x), "{context}: the array was written");
}

fn taken(real_only: bool) -> impl Iterator<Item = DType> {
    DTYPES.into_iter().filter(move |dtype| !real_only || dtype.kind() == Kind::Float)
}

#[test]
fn cufft_is_there_where_it_must_be() {
    let demanded = std::env::var_os("ICICLE_TEST_CUFFT").is_some_and(|value| !value.is_empty());
    let without = std::env::var_os("ICICLE_CUFFT_PATH").is_some_and(|path| path == "none");
    if demanded && !without {
        assert_eq!(icicle_cuda::cufft::unavailable(), None);
    }
}

#[test]
fn lengths() {
    if !ready() {
        return;
    }
    let more = [63, 64, 97, 127, 128, 131, 257, 1009, 4096, 4099, 8191, 30030, 65536, 65537];
    for n in (1..=33).chain(more) {
        for (name, transform, real_only) in ONE {
            for dtype in taken(real_only) {
                let x = numbers(dtype, &[3, n], n as u64);
                let natural = if n == 1 && matches!(name, "irfft" | "hfft") { Some(1) } else { None };
                agree(&x, &format!("{name} {dtype} {n}"), |x| transform(x, natural, -1, Norm::Backward));
            }
        }
    }
}

#[test]
fn factors_and_lines_cut_or_filled_up() {
    if !ready() {
        return;
    }
    for (name, transform, real_only) in ONE {
        for dtype in taken(real_only).chain([DType::Float16, DType::BFloat16]) {
            let x = numbers(dtype, &[2, 12], 5);
            for norm in NORMS {
                for n in [1, 2, 3, 11, 12, 13, 22, 23, 30] {
                    agree(&x, &format!("{name} {dtype} {n} {norm:?}"), |x| transform(x, Some(n), 1, norm));
                }
            }
        }
    }
}

#[test]
fn axes_and_views() {
    if !ready() {
        return;
    }
    for (name, transform, real_only) in ONE {
        for dtype in taken(real_only) {
            let x = numbers(dtype, &[5, 9, 7], 6);
            let odd = Slice { start: Some(1), stop: None, step: 2 };
            let back = Slice { start: None, stop: None, step: -1 };
            type View<'a> = &'a dyn Fn(&Array) -> Array;
            let views: [View<'_>; 6] = [
                &|x| x.clone(),
                &|x| x.permute_dims(&[2, 0, 1]).unwrap(),
                &|x| x.index(&[Index::Ellipsis, Index::Slice(odd)]).unwrap(),
                &|x| x.index(&[Index::Slice(back), Index::Slice(odd), Index::Slice(back)]).unwrap(),
                // Dense, of an odd number of elements behind the start.
                &|x| x.index(&[Index::Slice(Slice { start: Some(1), stop: None, step: 1 })]).unwrap(),
                &|x| {
                    x.index(&[Index::At(2), Index::NewAxis, Index::Slice(Slice::range(0, 1))])
                        .unwrap()
                        .broadcast_to(&[4, 3, 7])
                        .unwrap()
                },
            ];
            for (i, view) in views.iter().enumerate() {
                for axis in -3..3 {
                    let context = format!("{name} {dtype} view {i} axis {axis}");
                    let n = if i == 5 { Some(6) } else { None };
                    agree(&x, &context, |x| transform(&view(x), n, axis, Norm::Ortho));
                }
            }
        }
    }
}

#[test]
fn several_axes() {
    if !ready() {
        return;
    }
    for (name, transform, real_only) in MANY {
        for dtype in taken(real_only) {
            let x = numbers(dtype, &[4, 3, 6, 5, 2], 7);
            let cases: [Axes<'_>; 8] = [
                (None, None),
                (None, Some(&[-1])),
                (None, Some(&[0, 2])),
                (None, Some(&[3, 0, 1])),
                (Some(&[7, 4]), None),
                (Some(&[2, 8, 5]), Some(&[4, 0, 2])),
                (Some(&[1, 6, 1]), Some(&[1, 2, 3])),
                (Some(&[1, 1, 2, 3]), Some(&[0, 1, 2, 3])),
            ];
            for (i, (extents, axes)) in cases.into_iter().enumerate() {
                for norm in NORMS {
                    agree(&x, &format!("{name} {dtype} {i} {norm:?}"), |x| transform(x, extents, axes, norm));
                }
            }
            let plane = numbers(dtype, &[33, 127], 8);
            agree(&plane, &format!("{name} {dtype} plane"), |x| transform(x, None, None, Norm::Backward));
        }
    }
}

#[test]
fn nothing() {
    if !ready() {
        return;
    }
    for (name, transform, real_only) in ONE {
        for dtype in taken(real_only) {
            agree(&numbers(dtype, &[0, 8], 1), name, |x| transform(x, None, -1, Norm::Backward));
            agree(&numbers(dtype, &[3, 0], 1), name, |x| transform(x, Some(4), -1, Norm::Backward));
            agree(&numbers(dtype, &[3, 0, 2], 1), name, |x| transform(x, Some(1), 1, Norm::Forward));
            let none = transform(&to_gpu(&numbers(dtype, &[3, 4], 1)), Some(0), -1, Norm::Backward).unwrap_err();
            assert_eq!((none.code, none.op), (ErrorCode::InvalidArgument, name));
        }
    }
    let integers = full(GPU, &[4], 1.into(), DType::Int32).unwrap();
    assert_eq!(fft::fft(&integers, None, -1, Norm::Backward).unwrap_err().code, ErrorCode::InvalidArgument);
    let complex = full(GPU, &[4], 1.into(), DType::Complex64).unwrap();
    assert_eq!(fft::rfft(&complex, None, -1, Norm::Backward).unwrap_err().code, ErrorCode::InvalidArgument);
    assert_eq!(fft::fft(&complex, None, 1, Norm::Backward).unwrap_err().code, ErrorCode::InvalidArgument);
}

/// Lines enough to fill a GPU, and one that takes several kernels.
#[test]
fn many_and_long() {
    if !ready() {
        return;
    }
    for (shape, dtype) in
        [([100_003, 16], DType::Complex64), ([2, 1 << 20], DType::Complex128), ([3, 1_000_003], DType::Float32)]
    {
        let x = numbers(dtype, &shape, 9);
        agree(&x, &format!("fft {shape:?}"), |x| fft::fft(x, None, -1, Norm::Backward));
        agree(&x, &format!("ifft {shape:?}"), |x| fft::ifft(x, None, 0, Norm::Ortho));
    }
}

/// What is enqueued before and after, in the order of calls.
#[test]
fn between_other_operations() {
    if !ready() {
        return;
    }
    for dtype in [DType::Float64, DType::Complex64] {
        agree(&numbers(dtype, &[300, 500], 10), "chain", |x| {
            let y = fft::fft(&multiply(&add(x, x)?, x)?, None, 0, Norm::Backward)?;
            fft::ifft(&multiply(&y, &y)?, None, 0, Norm::Backward)
        });
    }
    let x = numbers(DType::Float32, &[64], 11);
    let back =
        fft::irfft(&fft::rfft(&to_gpu(&x), None, -1, Norm::Backward).unwrap(), None, -1, Norm::Backward).unwrap();
    near(&back, &x, "there and back");
}

/// More plans than are kept, used again and again, by several threads.
#[test]
fn more_plans_than_are_kept() {
    if !ready() {
        return;
    }
    std::thread::scope(|scope| {
        for thread in 0..3 {
            scope.spawn(move || {
                for round in 0..2 {
                    for n in 2..50 {
                        let x = numbers(DType::Complex128, &[5, n + thread], 12);
                        agree(&x, &format!("{n} round {round}"), |x| fft::fft(x, None, -1, Norm::Backward));
                    }
                }
            });
        }
    });
}

#[test]
fn frequencies_and_shifts() {
    if !there_is_one() {
        return;
    }
    for n in [1, 2, 5, 8] {
        for (one, other) in [
            (fft::fftfreq(CPU, n, 0.5, DType::Float32), fft::fftfreq(GPU, n, 0.5, DType::Float32)),
            (fft::rfftfreq(CPU, n, 2.0, DType::Float64), fft::rfftfreq(GPU, n, 2.0, DType::Float64)),
        ] {
            let (one, other) = (one.unwrap(), other.unwrap());
            assert!(other.device() == GPU && values(&one) == values(&other));
            let shifted = fft::fftshift(&other, None).unwrap();
            assert!(values(&shifted) == values(&fft::fftshift(&one, None).unwrap()));
            assert!(values(&fft::ifftshift(&shifted, None).unwrap()) == values(&one));
        }
    }
}

#[test]
fn without_cufft() {
    if !there_is_one() {
        return;
    }
    let arguments = ["--ignored", "--exact", "transforms_are_unsupported"];
    let mut command = Command::new(std::env::current_exe().unwrap());
    let done = command.args(arguments).env("ICICLE_CUFFT_PATH", "none").output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
#[ignore = "run by without_cufft, in a process that does without"]
fn transforms_are_unsupported() {
    let x = to_gpu(&numbers(DType::Float32, &[4], 1));
    for (name, transform, _) in ONE {
        let error = transform(&x, None, -1, Norm::Backward).unwrap_err();
        assert_eq!((error.code, error.op), (ErrorCode::Unsupported, name));
        assert_eq!(error.detail, "cuFFT: ICICLE_CUFFT_PATH is none");
    }
}
