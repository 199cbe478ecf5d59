//! Linear algebra on a GPU: against the CPU's results where they are unique, else by what defines them. Without a GPU, nothing is
//! tested; `ICICLE_TEST_KERNELS=1` says that there must be one, and `ICICLE_TEST_CUSOLVER=1` that there must be cuSOLVER.
#![cfg(all(feature = "cuda", feature = "linalg"))]
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "common/gpu.rs"]
mod gpu;
#[path = "common/matrices.rs"]
mod matrices;

use gpu::{CPU, GPU, there_is_one, to_gpu};
use icicle_array::linalg::{self, MatrixNorm};
use icicle_array::*;
use icicle_error::ErrorCode;
use matrices::{adjoint, agree, near, numbers, one, pair, positive, regular, values};
use std::process::Command;

const DTYPES: [DType; 6] =
    [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128, DType::Float16, DType::BFloat16];
/// Orders at the edges of blocks.
const ORDERS: [usize; 9] = [1, 2, 3, 5, 16, 31, 33, 64, 130];

/// Whether there is a GPU with cuSOLVER.
fn ready() -> bool {
    there_is_one() && icicle_cuda::cusolver::unavailable().is_none()
}

#[test]
fn cusolver_is_there_where_it_must_be() {
    let demanded = std::env::var_os("ICICLE_TEST_CUSOLVER").is_some_and(|value| !value.is_empty());
    let without = std::env::var_os("ICICLE_CUSOLVER_PATH").is_some_and(|path| path == "none");
    if demanded && !without {
        assert_eq!(icicle_cuda::cusolver::unavailable(), None);
    }
}

#[test]
fn unique_results() {
    if !ready() {
        return;
    }
    for dtype in DTYPES {
        for n in ORDERS {
            let context = |name: &str| format!("{name} {dtype} {n}");
            let x = regular(dtype, &[2], n, n as u64);
            let y = numbers(dtype, &[2, n, 3], 1);
            let units = 50.0 * n as f64;
            agree([&x], units, &context("inv"), |[x]| one(linalg::inv(x)));
            agree([&x, &y], units, &context("solve"), |[x, y]| one(linalg::solve(x, y)));
            agree([&x], units, &context("slogdet"), |[x]| pair(linalg::slogdet(x)));
            agree([&x], units, &context("pinv"), |[x]| one(linalg::pinv(x, None)));
            if n <= 33 && dtype != DType::Float16 {
                agree([&x], units, &context("det"), |[x]| one(linalg::det(x)));
            }
            let x = positive(dtype, &[2], n, n as u64);
            for upper in [false, true] {
                agree([&x], units, &context("cholesky"), |[x]| one(linalg::cholesky(x, upper)));
            }
            agree([&x], units, &context("eigvalsh"), |[x]| one(linalg::eigvalsh(x)));
            agree([&x], units, &context("svdvals"), |[x]| one(linalg::svdvals(x)));
            agree([&x], units, &context("matrix_power"), |[x]| one(linalg::matrix_power(x, -2)));
        }
    }
}

/// What rows or columns are exchanged for, signs that count, and a triangle that alone is read.
#[test]
fn pivots_and_triangles() {
    if !ready() {
        return;
    }
    for dtype in [DType::Float64, DType::Complex128] {
        let x = numbers(dtype, &[20, 7, 7], 2);
        agree([&x], 1e4, "det", |[x]| one(linalg::det(x)));
        agree([&x], 1e4, "slogdet", |[x]| pair(linalg::slogdet(x)));
        let reversed = flip(&eye(CPU, 4, 4, 0, dtype).unwrap());
        agree([&reversed], 4.0, "det of a permutation", |[x]| one(linalg::det(x)));
        agree([&reversed], 4.0, "inv of a permutation", |[x]| one(linalg::inv(x)));
        let mut half = positive(dtype, &[], 9, 3);
        let upper = triu(&full(CPU, &[9, 9], 1.into(), DType::Bool).unwrap(), 1).unwrap();
        half.assign_mask(&upper, &full(CPU, &[], 77.0.into(), dtype).unwrap()).unwrap();
        agree([&half], 1e3, "cholesky of a half", |[x]| one(linalg::cholesky(x, false)));
        agree([&half], 1e3, "eigvalsh of a half", |[x]| one(linalg::eigvalsh(x)));
    }
}

fn flip(x: &Array) -> Array {
    x.flip(Some(&[0])).unwrap()
}

/// Products of factors, on the GPU.
fn product(x: &Array, y: &Array) -> Array {
    linalg::matmul(x, y).unwrap()
}

fn orthonormal(columns: &Array, context: &str) {
    let n = columns.shape()[columns.rank() - 1];
    let got = product(&adjoint(columns), columns);
    let want = eye(CPU, n, n, 0, columns.dtype()).unwrap().broadcast_to(got.shape()).unwrap();
    near(&got, &want, 50.0 * n as f64, &format!("{context}: orthonormal"));
}

#[test]
fn factors() {
    if !ready() {
        return;
    }
    for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
        let shapes = [[1, 1], [3, 1], [1, 3], [5, 3], [3, 5], [33, 33], [64, 20], [20, 64], [130, 131]];
        for [m, n] in shapes {
            let context = format!("{dtype} {m} by {n}");
            let x = numbers(dtype, &[3, m, n], 4);
            let there = to_gpu(&x);
            let units = 50.0 * m.max(n) as f64;
            for whole in [false, true] {
                let k = m.min(n);
                let (q, r) = linalg::qr(&there, whole).unwrap();
                let inner = if whole { m } else { k };
                assert_eq!((q.shape(), r.shape()), (&[3, m, inner][..], &[3, inner, n][..]), "{context}");
                near(&product(&q, &r), &x, units, &format!("qr {context}"));
                orthonormal(&q, &format!("qr {context}"));
                near(&triu(&r, 0).unwrap(), &r, 0.0, &format!("qr {context}: triangle"));

                let (u, s, vh) = linalg::svd(&there, whole).unwrap();
                let (left, right) = if whole { (m, n) } else { (k, k) };
                assert_eq!((u.shape(), vh.shape()), (&[3, m, left][..], &[3, right, n][..]), "{context}");
                near(&s, &linalg::svdvals(&x).unwrap(), units, &format!("svd {context}"));
                orthonormal(&u, &format!("svd left {context}"));
                orthonormal(&adjoint(&vh), &format!("svd right {context}"));
                let cut = |x: &Array, index: [Index; 3]| x.index(&index).unwrap();
                let (all, first) = (Index::Slice(Slice::ALL), Index::Slice(Slice::range(0, k as isize)));
                let scaled = multiply(&cut(&u, [all, all, first]), &s.expand_dims(1).unwrap().astype(dtype).unwrap());
                near(&product(&scaled.unwrap(), &cut(&vh, [all, first, all])), &x, units, &format!("svd {context}"));
            }
            assert!(values(&there) == values(&x), "{context}: the operand was written");
        }
        for n in ORDERS {
            let context = format!("eigh {dtype} {n}");
            let x = positive(dtype, &[2, 1], n, 5);
            let (w, v) = linalg::eigh(&to_gpu(&x)).unwrap();
            let units = 50.0 * n as f64;
            near(&w, &linalg::eigvalsh(&x).unwrap(), units, &context);
            orthonormal(&v, &context);
            let scaled = multiply(&v, &w.expand_dims(-2).unwrap().astype(dtype).unwrap()).unwrap();
            near(&product(&scaled, &adjoint(&v)), &x, units, &context);
        }
    }
}

#[test]
fn eigenvalues_of_any_matrices() {
    if !ready() {
        return;
    }
    for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
        for n in [1, 2, 3, 20, 65] {
            let context = format!("eig {dtype} {n}");
            let x = numbers(dtype, &[2, n, n], 6);
            let (w, v) = match linalg::eig(&to_gpu(&x)) {
                Ok(found) => found,
                Err(error) if error.code == ErrorCode::Unsupported => {
                    println!("{error}");
                    return;
                }
                Err(error) => panic!("{context}: {error}"),
            };
            let bound = 200.0 * n as f64 * finfo(dtype).unwrap().eps;
            near(
                &product(&to_gpu(&x).astype(v.dtype()).unwrap(), &v),
                &multiply(&v, &w.expand_dims(-2).unwrap()).unwrap(),
                200.0 * n as f64,
                &context,
            );
            for length in values(&linalg::vector_norm(&v, Some(&[-2]), 2.0, false).unwrap()) {
                assert!((length.re - 1.0).abs() <= bound, "{context}: a vector of length {length}");
            }
            for (got, want) in
                [(w, linalg::eigvals(&x).unwrap()), (linalg::eigvals(&to_gpu(&x)).unwrap(), linalg::eig(&x).unwrap().0)]
            {
                assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{context}");
                for (got, want) in values(&got).chunks(n).zip(values(&want).chunks(n)) {
                    let mut left = want.to_vec();
                    for value in got {
                        let nearest = left
                            .iter()
                            .enumerate()
                            .min_by(|(_, a), (_, b)| (*a - value).norm().total_cmp(&(*b - value).norm()));
                        let (i, other) = nearest.unwrap();
                        assert!((other - value).norm() <= 1e3 * bound, "{context}: {value} is none of {left:?}");
                        left.remove(i);
                    }
                }
            }
        }
    }
}

#[test]
fn views_and_broadcasts() {
    if !ready() {
        return;
    }
    let x = regular(DType::Float64, &[4, 3], 6, 7);
    let odd = Index::Slice(Slice { start: Some(1), stop: None, step: 2 });
    let views: [&dyn Fn(&Array) -> Array; 4] = [
        &|x| x.matrix_transpose().unwrap(),
        &|x| x.permute_dims(&[1, 0, 3, 2]).unwrap(),
        &|x| x.index(&[odd, Index::Ellipsis, odd, odd]).unwrap(),
        &|x| x.index(&[Index::At(1), Index::At(2)]).unwrap().broadcast_to(&[2, 2, 6, 6]).unwrap(),
    ];
    for (i, view) in views.iter().enumerate() {
        agree([&x], 1e3, &format!("inv of view {i}"), |[x]| one(linalg::inv(&view(x))));
        agree([&x], 1e3, &format!("svdvals of view {i}"), |[x]| one(linalg::svdvals(&view(x))));
        agree([&x], 1e3, &format!("det of view {i}"), |[x]| one(linalg::det(&view(x))));
    }
    for (a, b) in [
        (&[6, 6][..], &[6][..]),
        (&[4, 6, 6], &[6]),
        (&[4, 1, 6, 6], &[3, 6, 2]),
        (&[6, 6], &[2, 3, 6, 1]),
        (&[6, 6], &[6, 0]),
        (&[0, 6, 6], &[6, 2]),
        (&[0, 0], &[0, 2]),
    ] {
        let n = a[a.len() - 1];
        let (x, y) = (regular(DType::Complex64, &a[..a.len() - 2], n, 8), numbers(DType::Float32, b, 9));
        agree([&x, &y], 1e3, &format!("solve {a:?} {b:?}"), |[x, y]| one(linalg::solve(x, y)));
    }
    // What is enqueued before and after.
    agree([&x], 1e3, "chain", |[x]| one(multiply(&linalg::inv(&add(x, x)?)?, x)));
}

#[test]
fn matrices_without_elements() {
    if !ready() {
        return;
    }
    for shape in [&[0, 0][..], &[2, 0, 0], &[0, 3, 3]] {
        let x = numbers(DType::Float32, shape, 1);
        let context = format!("{shape:?}");
        agree([&x], 0.0, &context, |[x]| one(linalg::inv(x)));
        agree([&x], 0.0, &context, |[x]| one(linalg::det(x)));
        agree([&x], 0.0, &context, |[x]| pair(linalg::slogdet(x)));
        agree([&x], 0.0, &context, |[x]| one(linalg::cholesky(x, true)));
        agree([&x], 0.0, &context, |[x]| pair(linalg::eigh(x)));
        agree([&x], 0.0, &context, |[x]| one(linalg::eigvalsh(x)));
        agree([&x], 0.0, &context, |[x]| pair(linalg::eig(x)));
    }
    for shape in [&[0, 3][..], &[3, 0], &[2, 0, 3], &[2, 3, 0], &[0, 2, 2]] {
        let x = numbers(DType::Complex64, shape, 1);
        for whole in [false, true] {
            let context = format!("{shape:?} {whole}");
            agree([&x], 0.0, &context, |[x]| pair(linalg::qr(x, whole)));
            agree([&x], 0.0, &context, |[x]| linalg::svd(x, whole).map(|(u, s, v)| vec![u, s, v]));
        }
        agree([&x], 0.0, "svdvals", |[x]| one(linalg::svdvals(x)));
        agree([&x], 0.0, "pinv", |[x]| one(linalg::pinv(x, None)));
        agree([&x], 0.0, "rank", |[x]| one(linalg::matrix_rank(x, None)?.astype(DType::Float64)));
    }
}

#[test]
fn ranks_and_norms() {
    if !ready() {
        return;
    }
    for dtype in [DType::Float32, DType::Complex128] {
        let thin = numbers(dtype, &[3, 8, 2], 10);
        let x = matmul(&thin, &numbers(dtype, &[3, 2, 5], 11)).unwrap();
        agree([&x], 0.0, "rank", |[x]| one(linalg::matrix_rank(x, None)?.astype(DType::Float64)));
        agree([&x], 1e3, "pinv of a lower rank", |[x]| one(linalg::pinv(x, None)));
        let rtol = Array::from_slice_on(CPU, &[0.9, 1e-3, 1e-4], &[3]).unwrap();
        agree([&x, &rtol], 1e3, "pinv of a bound", |[x, rtol]| one(linalg::pinv(x, Some(rtol))));
        for norm in [
            MatrixNorm::Frobenius,
            MatrixNorm::Nuclear,
            MatrixNorm::One,
            MatrixNorm::MinusOne,
            MatrixNorm::Two,
            MatrixNorm::MinusInfinity,
            MatrixNorm::Infinity,
        ] {
            for keepdims in [false, true] {
                agree([&x], 100.0, &format!("{norm:?}"), |[x]| one(linalg::matrix_norm(x, norm, keepdims)));
            }
        }
        for order in [f64::INFINITY, f64::NEG_INFINITY, 0.0, 1.0, 2.0, 3.5] {
            agree([&x], 100.0, &format!("norm {order}"), |[x]| {
                one(linalg::vector_norm(x, Some(&[0, 2]), order, false))
            });
        }
        let (a, b) = (numbers(dtype, &[4, 3], 12), numbers(dtype, &[1, 3], 13));
        agree([&a, &b], 10.0, "cross", |[a, b]| one(linalg::cross(a, b, -1)));
        agree([&x], 100.0, "trace", |[x]| one(linalg::trace(x, -1, None)));
    }
}

/// Numbers whose squares neither overflow nor vanish.
#[test]
fn the_largest_and_the_smallest() {
    if !ready() {
        return;
    }
    let x = positive(DType::Float64, &[3], 12, 14);
    let by = Array::from_slice_on(CPU, &[1e-290, 1.0, 1e290], &[3, 1, 1]).unwrap();
    let x = multiply(&x, &by).unwrap();
    for i in 0..3 {
        let x = x.index(&[Index::Slice(Slice::range(i, i + 1))]).unwrap();
        agree([&x], 1e4, "eigvalsh", |[x]| one(linalg::eigvalsh(x)));
        agree([&x], 1e4, "svdvals", |[x]| one(linalg::svdvals(x)));
        agree([&x], 1e4, "slogdet", |[x]| pair(linalg::slogdet(x)));
    }
    let all = to_gpu(&x);
    near(&linalg::eigvalsh(&all).unwrap(), &linalg::eigvalsh(&x).unwrap(), 1e4, "together");
}

#[test]
fn what_has_no_result_says_which_matrix() {
    if !ready() {
        return;
    }
    for dtype in DTYPES {
        let mut x = regular(dtype, &[3], 4, 15);
        let whole = |value: f64| full(CPU, &[], value.into(), dtype).unwrap();
        x.assign(&[Index::At(1), Index::At(2)], &whole(0.0)).unwrap();
        let y = numbers(dtype, &[4], 16);
        agree([&x], 0.0, "singular inv", |[x]| one(linalg::inv(x)));
        agree([&x, &y], 0.0, "singular solve", |[x, y]| one(linalg::solve(x, y)));
        agree([&x], 0.0, "singular power", |[x]| one(linalg::matrix_power(x, -1)));
        let zeros = linalg::slogdet(&to_gpu(&x)).unwrap();
        let (sign, logarithm) = (values(&zeros.0)[1], values(&zeros.1)[1]);
        assert!(sign.norm() == 0.0 && logarithm.re == f64::NEG_INFINITY, "{sign} {logarithm}");
        assert!(values(&linalg::det(&to_gpu(&x)).unwrap())[1].norm() == 0.0);
        let negative = negative(&positive(dtype, &[2], 4, 17)).unwrap();
        agree([&negative], 0.0, "negative definite", |[x]| one(linalg::cholesky(x, false)));
        for value in [f64::NAN, f64::INFINITY] {
            let mut x = positive(dtype, &[3], 4, 18);
            x.assign(&[Index::At(2), Index::At(3), Index::At(3)], &whole(value)).unwrap();
            agree([&x], 0.0, "eigh", |[x]| pair(linalg::eigh(x)));
            agree([&x], 0.0, "eigvalsh", |[x]| one(linalg::eigvalsh(x)));
            agree([&x], 0.0, "eigvals", |[x]| one(linalg::eigvals(x)));
            agree([&x], 0.0, "svd", |[x]| linalg::svd(x, true).map(|(u, s, v)| vec![u, s, v]));
            agree([&x], 0.0, "svdvals", |[x]| one(linalg::svdvals(x)));
            agree([&x], 0.0, "pinv", |[x]| one(linalg::pinv(x, None)));
            agree([&x], 0.0, "cholesky", |[x]| one(linalg::cholesky(x, true)));
        }
        let flat = numbers(dtype, &[3, 4], 19);
        agree([&flat], 0.0, "not square", |[x]| one(linalg::inv(x)));
        agree([&y], 0.0, "a vector", |[x]| pair(linalg::qr(x, false)));
        agree([&x, &flat], 0.0, "other rows", |[x, y]| one(linalg::solve(x, y)));
    }
    let integers = full(GPU, &[2, 2], 1.into(), DType::Int32).unwrap();
    assert_eq!(linalg::inv(&integers).unwrap_err().code, ErrorCode::InvalidArgument);
    let mixed =
        linalg::solve(&full(GPU, &[2, 2], 1.0.into(), DType::Float32).unwrap(), &numbers(DType::Float32, &[2], 1));
    assert_eq!(mixed.unwrap_err().code, ErrorCode::InvalidArgument);
}

/// Many small matrices, and several threads.
#[test]
fn many() {
    if !ready() {
        return;
    }
    let x = positive(DType::Float64, &[500], 3, 20);
    agree([&x], 1e4, "many inv", |[x]| one(linalg::inv(x)));
    agree([&x], 1e4, "many eigvalsh", |[x]| one(linalg::eigvalsh(x)));
    std::thread::scope(|scope| {
        for thread in 0..3 {
            scope.spawn(move || {
                for round in 0..10 {
                    let x = regular(DType::Float64, &[2], 10 + thread * 7 + round, 21);
                    agree([&x], 1e4, &format!("thread {thread} round {round}"), |[x]| one(linalg::inv(x)));
                }
            });
        }
    });
}

#[test]
fn without_cusolver() {
    if !there_is_one() {
        return;
    }
    let arguments = ["--ignored", "--exact", "factorisations_are_unsupported"];
    let mut command = Command::new(std::env::current_exe().unwrap());
    let done = command.args(arguments).env("ICICLE_CUSOLVER_PATH", "none").output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
#[ignore = "run by without_cusolver, in a process that does without"]
fn factorisations_are_unsupported() {
    let x = to_gpu(&regular(DType::Float32, &[], 4, 22));
    let results = [
        ("inv", one(linalg::inv(&x))),
        ("solve", one(linalg::solve(&x, &x))),
        ("det", one(linalg::det(&x))),
        ("slogdet", pair(linalg::slogdet(&x))),
        ("cholesky", one(linalg::cholesky(&x, false))),
        ("qr", pair(linalg::qr(&x, false))),
        ("eigh", pair(linalg::eigh(&x))),
        ("eigvalsh", one(linalg::eigvalsh(&x))),
        ("eig", pair(linalg::eig(&x))),
        ("eigvals", one(linalg::eigvals(&x))),
        ("svd", linalg::svd(&x, false).map(|(u, s, v)| vec![u, s, v])),
        ("svdvals", one(linalg::svdvals(&x))),
        ("pinv", one(linalg::pinv(&x, None))),
        ("matrix_rank", one(linalg::matrix_rank(&x, None))),
    ];
    for (name, result) in results {
        let error = result.unwrap_err();
        assert_eq!((error.code, error.op), (ErrorCode::Unsupported, name));
        assert_eq!(error.detail, "cuSOLVER: ICICLE_CUSOLVER_PATH is none");
    }
    assert_eq!(values(&linalg::trace(&x, 0, None).unwrap()).len(), 1);
}
