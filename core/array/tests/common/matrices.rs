//! Matrices of every kind that linear algebra tells apart, and results of a GPU near the CPU's.

use super::gpu::{CPU, Dice, GPU, to_gpu};
use icicle_array::*;
use icicle_error::Result;

/// Numbers from -1 to 1.
pub fn numbers(dtype: DType, shape: &[usize], seed: u64) -> Array {
    let mut dice = Dice(seed);
    let mut one = || dice.next() as f64 / (1u64 << 43) as f64 - 1.0;
    let n = shape.iter().product();
    let parts: Vec<_> = (0..n).map(|_| Complex::new(one(), one())).collect();
    let x = Array::from_slice_on(CPU, &parts, shape).unwrap();
    if dtype.kind() == Kind::Complex { x } else { real(&x).unwrap() }.astype(dtype).unwrap()
}

/// Square matrices far from singular ones.
pub fn regular(dtype: DType, batch: &[usize], n: usize, seed: u64) -> Array {
    let far = full(CPU, &[], 2.0.into(), dtype).unwrap();
    let x = numbers(dtype, &[batch, &[n, n]].concat(), seed);
    let scale = full(CPU, &[], (1.0 / (n as f64).sqrt()).into(), dtype).unwrap();
    let diagonal = multiply(&eye(CPU, n, n, 0, dtype).unwrap(), &far).unwrap();
    add(&multiply(&x, &scale).unwrap(), &diagonal).unwrap()
}

pub fn adjoint(x: &Array) -> Array {
    conj(&x.matrix_transpose().unwrap()).unwrap()
}

/// Positive definite ones.
pub fn positive(dtype: DType, batch: &[usize], n: usize, seed: u64) -> Array {
    let x = regular(dtype, batch, n, seed);
    matmul(&x, &adjoint(&x)).unwrap()
}

pub fn values(x: &Array) -> Vec<Complex<f64>> {
    x.astype(DType::Complex128).unwrap().to_vec().unwrap()
}

fn largest(values: &[Complex<f64>]) -> f64 {
    values.iter().map(|value| value.norm()).fold(0.0, f64::max)
}

/// Within so many times the precision of the dtype, relative to the largest value. Results are computed in float64 and rounded.
pub fn near(got: &Array, want: &Array, units: f64, context: &str) {
    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{context}");
    let (got, all) = (values(got), values(want));
    let bound = units * finfo(want.dtype()).unwrap().eps * largest(&all).max(1e-300);
    for (i, (got, want)) in got.iter().zip(&all).enumerate() {
        assert!(
            got == want || (got - want).norm() <= bound,
            "{context}: element {i} is {got}, must be {want} within {bound}"
        );
    }
}

/// Results on the GPU, of arrays that stay what they were, near the CPU's.
pub fn agree<const N: usize>(
    operands: [&Array; N],
    units: f64,
    context: &str,
    call: impl Fn([&Array; N]) -> Result<Vec<Array>>,
) {
    let there = operands.map(to_gpu);
    let (got, want) = (call(there.each_ref()), call(operands));
    match (got, want) {
        (Ok(got), Ok(want)) => {
            for (got, want) in got.iter().zip(&want) {
                assert_eq!(got.device(), GPU, "{context}");
                near(got, want, units, context);
            }
        }
        (Err(got), Err(want)) => assert_eq!((got.code, got.to_string()), (want.code, want.to_string()), "{context}"),
        (got, want) => panic!("{context}: {got:?}, must be {want:?}"),
    }
    for (there, here) in there.iter().zip(operands) {
        assert!(bits(there) == bits(here), "{context}: an operand was written");
    }
}

fn bits(x: &Array) -> Vec<[u64; 2]> {
    // Conversions keep no NaN's payload.
    let word = |part: f64| if part.is_nan() { f64::NAN.to_bits() } else { part.to_bits() };
    values(x).into_iter().map(|value| [value.re, value.im].map(word)).collect()
}

pub fn one(result: Result<Array>) -> Result<Vec<Array>> {
    result.map(|x| vec![x])
}

pub fn pair(result: Result<(Array, Array)>) -> Result<Vec<Array>> {
    result.map(|(x, y)| vec![x, y])
}
