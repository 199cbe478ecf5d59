//! Every operation beside the same one by one, for whatever instructions are chosen (`ICICLE_CPU_ISA`).

use super::*;
use crate::args::vector::{Reduce, ReduceArgs, Shape, UnaryArgs};
use crate::testing::samples::samples;
use icicle_algebra::fields;
use icicle_device::{Device, Dst, Exec, Src};
use icicle_params::FieldId;

/// Lengths around groups, chains of inverses and tasks.
const LENGTHS: [usize; 14] = [0, 1, 2, 15, 16, 17, 63, 64, 65, 129, 341, 1025, 2047, 2065];
const ALL: [Binary; 4] = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div];

/// Where the result goes.
#[derive(Clone, Copy, Debug)]
enum Place {
    Apart,
    First,
    Second,
}

fn apply<F: Field>(binary: Binary, x: F, y: F) -> F {
    match binary {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        Binary::Div => x * y.inverse().unwrap_or_default(),
    }
}

/// Random elements among which the edges meet each other.
fn operands<F: Field>(n: usize) -> [Vec<F>; 2] {
    let (mut a, mut b) = (samples::<F>(n.max(9), 1), samples::<F>(n.max(9), 2));
    let (top, zero, one) = (-F::ONE, F::ZERO, F::ONE);
    // Sums of whole words of ones and a carry, differences of words of zeros and a borrow.
    let power = F::from_u64(2).pow(&[128]);
    let edges = [
        (top, top),
        (top, zero),
        (zero, top),
        (power - one, one),
        (power, one),
        (one, top),
        (top, one),
        (zero, zero),
        (zero, one),
    ];
    // At both ends: in groups and behind them.
    for (i, (x, y)) in edges.into_iter().enumerate() {
        (a[i], b[i]) = (x, y);
        let end = a.len() - 1 - i;
        (a[end], b[end]) = (x, y);
    }
    a.truncate(n);
    b.truncate(n);
    [a, b]
}

fn raw<F: Field>(x: &[F]) -> Vec<F::Raw> {
    x.iter().map(|x| x.to_raw()).collect()
}

const CPU: Exec = Exec::on(Device::cpu(0));

fn run<F: Field>(
    operation: fn(&Exec, &BinaryArgs) -> Result<()>,
    (binary, shape): (Binary, Shape),
    [a, b]: [&[F]; 2],
    place: Place,
) -> Vec<F::Raw> {
    let (xs, ys) = (raw(a), raw(b));
    let mut out = match place {
        Place::Apart => raw(&vec![F::from_u64(7); b.len()]),
        Place::First => xs.clone(),
        Place::Second => ys.clone(),
    };
    let dst = Dst::from(&mut out);
    let a: Src = if matches!(place, Place::First) { dst.as_src() } else { (&xs).into() };
    let b: Src = if matches!(place, Place::Second) { dst.as_src() } else { (&ys).into() };
    operation(&CPU, &BinaryArgs { binary, shape, a, b, out: dst }).unwrap();
    out
}

fn pairs<F: Field>(field: FieldId, n: usize) {
    let [a, b] = operands::<F>(n);
    let shape = Shape { field, n, batch: 1, columns: false };
    for op in ALL {
        let expected: Vec<F> = a.iter().zip(&b).map(|(&x, &y)| apply(op, x, y)).collect();
        for place in [Place::Apart, Place::First, Place::Second] {
            let got = run::<F>(binary, (op, shape), [&a, &b], place);
            assert!(got == raw(&expected), "{field:?} {op:?} {n} {place:?}");
        }
    }
    let expected: Vec<F> = b.iter().map(|&x| x.inverse().unwrap_or_default()).collect();
    for in_place in [false, true] {
        let (xs, mut out) = (raw(&b), raw(&b));
        let dst = Dst::from(&mut out);
        let a = if in_place { dst.as_src() } else { (&xs).into() };
        inverse(&CPU, &UnaryArgs { shape, a, out: dst }).unwrap();
        assert!(out == raw(&expected), "{field:?} inverses {n}, in place {in_place}");
    }
}

fn by_scalars<F: Field>(field: FieldId, n: usize) {
    let batch = 3;
    let [v, _] = operands::<F>(n * batch);
    let s = [-F::ONE, F::ONE, samples::<F>(9, 3)[8]];
    for columns in [false, true] {
        let shape = Shape { field, n, batch, columns };
        let vector = |i: usize| if columns { i % batch } else { i / n };
        for op in &ALL[..3] {
            let expected: Vec<F> = v.iter().enumerate().map(|(i, &y)| apply(*op, s[vector(i)], y)).collect();
            for place in [Place::Apart, Place::Second] {
                let got = run::<F>(scalar, (*op, shape), [&s, &v], place);
                assert!(got == raw(&expected), "{field:?} {op:?} by scalars {n} columns {columns} {place:?}");
            }
        }
    }
}

fn reductions<F: Field>(field: FieldId, n: usize) {
    let batch = 2;
    let [a, _] = operands::<F>(n * batch);
    let other: Vec<F> = a.iter().map(|&x| if x.is_zero() { -F::ONE } else { x }).collect();
    for columns in [false, true] {
        let shape = Shape { field, n, batch, columns };
        for (what, v) in [(Reduce::Sum, &a), (Reduce::Product, &other), (Reduce::Product, &a)] {
            let element = |b: usize, i: usize| v[if columns { i * batch + b } else { b * n + i }];
            let expected: Vec<F> = (0..batch)
                .map(|b| match what {
                    Reduce::Sum => (0..n).fold(F::ZERO, |sum, i| sum + element(b, i)),
                    Reduce::Product => (0..n).fold(F::ONE, |product, i| product * element(b, i)),
                })
                .collect();
            let (xs, mut out) = (raw(v), raw(&vec![F::from_u64(7); batch]));
            reduce(&CPU, &ReduceArgs { reduce: what, shape, a: (&xs).into(), out: Dst::from(&mut out) }).unwrap();
            assert!(out == raw(&expected), "{field:?} {what:?} {n} columns {columns}");
        }
    }
}

macro_rules! fields {
    ($($name:ident)*) => {
        [$((FieldId::$name, [pairs::<fields::$name>, by_scalars::<fields::$name>, reductions::<fields::$name>])),*]
    };
}

#[test]
fn vectors_are_what_their_elements_are() {
    type Check = fn(FieldId, usize);
    let checks: [(FieldId, [Check; 3]); 14] = fields![
        Bn254Scalar Bn254Base Bls12_381Scalar Bls12_381Base Bls12_377Scalar Bls12_377Base Stark252Scalar Bw6_761Base
        BabyBearScalar KoalaBearScalar M31Scalar GoldilocksScalar BabyBearExtension M31Extension
    ];
    for (field, checks) in checks.into_iter().filter(|(field, _)| field.is_built()) {
        LENGTHS.iter().for_each(|&n| checks.iter().for_each(|check| check(field, n)));
        // Parts of reductions.
        checks[2](field, 8211);
    }
}

/// Results so large that they are written by streaming stores.
#[test]
fn large_vectors_are_what_their_elements_are() {
    fn check<F: Field>(field: FieldId) {
        if !field.is_built() {
            return;
        }
        let n = (8 << 20) / size_of::<F::Raw>() + 37;
        let [mut a, mut b] = operands::<F>(1000);
        a = a.into_iter().cycle().take(n).collect();
        b = b.into_iter().cycle().skip(1).take(n).collect();
        let shape = Shape { field, n, batch: 1, columns: false };
        for op in [Binary::Add, Binary::Sub, Binary::Mul] {
            let expected: Vec<F> = a.iter().zip(&b).map(|(&x, &y)| apply(op, x, y)).collect();
            for place in [Place::Apart, Place::Second] {
                assert!(run::<F>(binary, (op, shape), [&a, &b], place) == raw(&expected), "{field:?} {op:?} {place:?}");
            }
        }
    }
    check::<fields::Bn254Scalar>(FieldId::Bn254Scalar);
    check::<fields::Bls12_381Base>(FieldId::Bls12_381Base);
    check::<fields::BabyBearScalar>(FieldId::BabyBearScalar);
    check::<fields::GoldilocksScalar>(FieldId::GoldilocksScalar);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn lanes_serve_where_there_are_any() {
    let n = 33;
    let shape = Shape { field: FieldId::Bls12_381Base, n, batch: 1, columns: false };
    let [a, b] = operands::<fields::Bls12_381Base>(n);
    run::<fields::Bls12_381Base>(
        |_, args| {
            assert_eq!(lanes::multiply::<fields::Bls12_381Base>(args), icicle_algebra::simd::available());
            assert!(!lanes::add::<fields::Bw6_761Base>(args) && !lanes::add::<fields::BabyBearScalar>(args));
            Ok(())
        },
        (Binary::Mul, shape),
        [&a, &b],
        Place::Apart,
    );
}

/// Barrett's estimate at its worst: products just above multiples of the modulus, and the largest.
#[test]
fn products_of_small_numbers_are_exact() {
    fn check<P: icicle_params::Prime<1>>() {
        type F<P> = icicle_algebra::fp31::Fp31<P>;
        let p = F::<P>::P as u64;
        let mut x = 1u64;
        for i in 0..1u64 << 22 {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let a = p - 1 - (x >> 48) % 2048;
            let b = if i % 2 == 0 { p - 1 - (x >> 24) % 2048 } else { (x >> 16) % p };
            assert_eq!(u64::from(F::<P>::product_of_raw(a as u32, b as u32)), a * b % p, "{a} {b} mod {p}");
        }
    }
    check::<icicle_params::prime::BabyBear>();
    check::<icicle_params::prime::KoalaBear>();
}
