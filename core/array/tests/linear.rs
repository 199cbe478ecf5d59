//! Linear algebra and Fourier transforms by what defines them; NumPy's results are compared with in the Python suite.
#![cfg(all(feature = "linalg", feature = "fft"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle_array::fft::{self, Norm};
use icicle_array::linalg::{self, MatrixNorm};
use icicle_array::{Array, Complex, DType, multiply};

type C = Complex<f64>;

fn matrix(values: &[f64], shape: &[usize]) -> Array {
    Array::from_slice(values, shape).unwrap()
}

fn close(got: &Array, want: &[f64]) {
    let got = got.to_vec::<f64>().unwrap();
    assert_eq!(got.len(), want.len());
    assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?} is not {want:?}");
}

#[test]
fn matrices_of_known_results() {
    // The second needs its rows exchanged.
    let x = matrix(&[4.0, 2.0, 2.0, 3.0, 0.0, 2.0, 1.0, 5.0], &[2, 2, 2]);
    close(&linalg::det(&x).unwrap(), &[8.0, -2.0]);
    close(&linalg::inv(&x).unwrap(), &[0.375, -0.25, -0.25, 0.5, -2.5, 1.0, 0.5, 0.0]);
    close(&linalg::solve(&x, &matrix(&[2.0, 4.0], &[2])).unwrap(), &[-0.25, 1.5, -1.0, 1.0]);
    let (sign, logarithm) = linalg::slogdet(&x).unwrap();
    close(&sign, &[1.0, -1.0]);
    close(&logarithm, &[8f64.ln(), 2f64.ln()]);
    let first = matrix(&[4.0, 2.0, 2.0, 3.0], &[2, 2]);
    close(&linalg::cholesky(&first, false).unwrap(), &[2.0, 0.0, 1.0, 2f64.sqrt()]);
    close(&linalg::cholesky(&first, true).unwrap(), &[2.0, 1.0, 0.0, 2f64.sqrt()]);
    let half = 17f64.sqrt() / 2.0;
    close(&linalg::eigvalsh(&first).unwrap(), &[3.5 - half, 3.5 + half]);
    close(&linalg::svdvals(&first).unwrap(), &[3.5 + half, 3.5 - half]);
    close(&linalg::matrix_power(&first, 2).unwrap(), &[20.0, 14.0, 14.0, 13.0]);
    close(&linalg::matrix_norm(&first, MatrixNorm::One, false).unwrap(), &[6.0]);
    close(&linalg::matrix_norm(&first, MatrixNorm::Two, false).unwrap(), &[3.5 + half]);
    close(&linalg::vector_norm(&first, None, 2.0, false).unwrap(), &[33f64.sqrt()]);
    close(&linalg::trace(&x, 0, None).unwrap(), &[7.0, 5.0]);
    close(&linalg::diagonal(&x, 1).unwrap(), &[2.0, 2.0]);
}

#[test]
fn a_quarter_turn_has_the_eigenvalues_i_and_minus_i() {
    let mut values = linalg::eigvals(&matrix(&[0.0, -1.0, 1.0, 0.0], &[2, 2])).unwrap().to_vec::<C>().unwrap();
    values.sort_by(|a, b| a.im.total_cmp(&b.im));
    assert!((values[0] - C::new(0.0, -1.0)).norm() < 1e-14 && (values[1] - C::new(0.0, 1.0)).norm() < 1e-14);
}

#[test]
fn factors_multiply_to_the_matrix() {
    let values: Vec<f64> = (0..2 * 5 * 3).map(|k| f64::from(k * k % 17) - 8.0).collect();
    for shape in [[2, 5, 3], [2, 3, 5]] {
        let x = matrix(&values, &shape);
        for whole in [false, true] {
            let (first, second) = linalg::qr(&x, whole).unwrap();
            close(&linalg::matmul(&first, &second).unwrap(), &values);
        }
        let (left, singular, right) = linalg::svd(&x, false).unwrap();
        let scaled = multiply(&left, &singular.expand_dims(-2).unwrap()).unwrap();
        close(&linalg::matmul(&scaled, &right).unwrap(), &values);
        let again = linalg::matmul(&linalg::matmul(&x, &linalg::pinv(&x, None).unwrap()).unwrap(), &x).unwrap();
        close(&again, &values);
    }
}

#[test]
fn what_has_no_result_says_which_matrix() {
    let x = matrix(&[1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 4.0], &[2, 2, 2]);
    let error = linalg::inv(&x).unwrap_err().to_string();
    assert!(error.contains("inv: matrix 1 of 2: is singular"), "{error}");
    close(&linalg::det(&x).unwrap(), &[1.0, 0.0]);
    let error = linalg::cholesky(&matrix(&[1.0, 2.0, 2.0, 1.0], &[2, 2]), false).unwrap_err().to_string();
    assert!(error.contains("must be positive definite"), "{error}");
    let error = linalg::svd(&matrix(&[f64::NAN], &[1, 1]), true).unwrap_err().to_string();
    assert!(error.contains("holds NaN or infinities"), "{error}");
}

/// The transform by its definition.
fn defined(x: &[C], sign: f64) -> Vec<C> {
    let n = x.len();
    let turn = |k: usize| C::from_polar(1.0, sign * std::f64::consts::TAU * (k % n) as f64 / n as f64);
    (0..n).map(|k| x.iter().enumerate().map(|(j, x)| x * turn(j * k)).sum()).collect()
}

#[test]
fn transforms_are_what_defines_them() {
    for n in [1, 2, 3, 7, 8, 9, 30, 64, 97] {
        let x: Vec<C> = (0..n).map(|k| C::new((k * 7 % 11) as f64 - 4.0, (k * 5 % 13) as f64 - 6.0)).collect();
        let array = Array::from_slice(&x, &[n]).unwrap();
        let near = |got: Vec<C>, want: &[C]| {
            assert!(got.iter().zip(want).all(|(a, b)| (a - b).norm() < 1e-10) && got.len() == want.len());
        };
        near(fft::fft(&array, None, 0, Norm::Backward).unwrap().to_vec().unwrap(), &defined(&x, -1.0));
        let back: Vec<C> = defined(&x, 1.0).iter().map(|x| x / n as f64).collect();
        near(fft::ifft(&array, None, 0, Norm::Backward).unwrap().to_vec().unwrap(), &back);
        let real: Vec<f64> = x.iter().map(|x| x.re).collect();
        let half = fft::rfft(&matrix(&real, &[n]), None, -1, Norm::Ortho).unwrap();
        let wide: Vec<C> = real.iter().map(|&x| C::new(x, 0.0)).collect();
        let want: Vec<C> = defined(&wide, -1.0)[..n / 2 + 1].iter().map(|x| x / (n as f64).sqrt()).collect();
        near(half.to_vec().unwrap(), &want);
        close(&fft::irfft(&half, Some(n), -1, Norm::Ortho).unwrap(), &real);
    }
}

#[test]
fn a_constant_has_only_the_zero_frequency() {
    let x = matrix(&[1.0; 12], &[3, 4]);
    let found = fft::fftn(&x, None, None, Norm::Forward).unwrap();
    let found = found.to_vec::<C>().unwrap();
    assert!((found[0] - C::new(1.0, 0.0)).norm() < 1e-14 && found[1..].iter().all(|value| value.norm() < 1e-14));
    assert_eq!(fft::fft(&x, None, 0, Norm::Backward).unwrap().shape(), [3, 4]);
    let single = fft::rfft(&x.astype(DType::Float32).unwrap(), Some(6), 1, Norm::Backward).unwrap();
    assert_eq!((single.dtype(), single.shape()), (DType::Complex64, &[3, 4][..]));
}
