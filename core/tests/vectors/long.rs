//! Operands that are cut into parts: more points, columns, coefficients and tasks than one part takes.

use super::*;
use icicle::CurveId;
use icicle::device::{Dst, Launch, Src};
use icicle::ops::msm::{MsmConfig, precompute};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, ecntt, init_domain, ntt, root_of_unity};
use icicle::ops::point::{self, PointForm, Points, PointsMut};
use icicle::ops::polynomial;
use icicle::ops::vector::{self as v, Reduce};

const CURVE: CurveId = CurveId::Bn254;
const SMALL: FieldId = FieldId::BabyBearScalar;
const P: u64 = 2013265921;
/// Of every test here: the first domain of a field stays.
pub const DOMAIN: u64 = 1 << 13;

fn power(x: u64, exponent: u64) -> u64 {
    (0..64).rev().fold(1, |power, bit| power * power % P * if exponent >> bit & 1 == 1 { x } else { 1 } % P)
}

/// Numbers below the modulus that do not repeat soon.
fn numbers(n: usize) -> Vec<u32> {
    (0..n as u64).map(|i| ((i * i + 3 * i + 1) * 48_271 % P) as u32).collect()
}

fn points(form: PointForm, n: usize) -> Vec<u32> {
    let mut out = vec![0u32; n * form.bytes(CURVE) / 4];
    point::random(CURVE, form, &mut out).unwrap();
    out
}

#[test]
fn comparisons_of_many_points() {
    // Any coordinates: they are compared only.
    let n = 3500;
    let a = numbers(16 * n).into_iter().enumerate().map(|(i, x)| if i % 8 == 7 { 0 } else { x }).collect::<Vec<_>>();
    let (mut b, mut out) = (a.clone(), vec![7u32; n]);
    (0..n).step_by(7).for_each(|i| b[16 * i + 9] ^= 1);
    point::equal(CURVE, n, Points::affine(&a), Points::affine(&b), &Launch::default(), (&mut out).into()).unwrap();
    assert!(out.iter().enumerate().all(|(i, &equal)| equal == u32::from(i % 7 != 0)));
}

#[test]
fn conversions_and_multiples_of_many_points() {
    let (n, few, affine) = (2500, 100, PointForm::Affine);
    let a = points(affine, n);
    let config = MsmConfig { precompute_factor: 2, c: 4, bitsize: 16, ..MsmConfig::default() };
    let convert = |n, src: Src<'_>, dst: Dst<'_>| {
        point::convert_montgomery(CURVE, affine, n, src, true, &Launch::default(), dst).unwrap();
    };
    let expand = |n, src: Src<'_>, dst: Dst<'_>| precompute(CURVE, n, src, &config, dst).unwrap();
    let (mut converted, mut expanded) = (vec![7u32; 16 * n], vec![7u32; 32 * n]);
    convert(n, (&a).into(), (&mut converted).into());
    expand(n, (&a).into(), (&mut expanded).into());
    for (i, part) in a.chunks(16 * few).enumerate() {
        let (mut some, mut multiples) = (vec![7u32; 16 * few], vec![7u32; 32 * few]);
        convert(few, part.into(), (&mut some).into());
        expand(few, part.into(), (&mut multiples).into());
        assert!(some == converted[16 * few * i..][..16 * few], "from point {}", few * i);
        assert!(multiples == expanded[32 * few * i..][..32 * few], "from point {}", few * i);
    }
}

/// Of two points the sum and the difference.
#[test]
fn transforms_of_many_pairs_of_points() {
    let (batch, launch) = (300, Launch::default());
    let field = FieldId::Bn254Scalar;
    init_domain(field, root_of_unity(field, DOMAIN).unwrap(), &launch).unwrap();
    let (x, mut out) = (points(PointForm::Projective, 2 * batch), vec![7u32; 48 * batch]);
    let config = NttConfig { batch, ..NttConfig::default() };
    ecntt(CURVE, 2, Direction::Forward, &config, (&x).into(), (&mut out).into()).unwrap();
    let half = |which: usize| x.chunks(24).skip(which).step_by(2).flatten().copied().collect::<Vec<_>>();
    let (first, second) = (half(0), half(1));
    for (which, op) in [point::Binary::Add, point::Binary::Sub].into_iter().enumerate() {
        let mut want = vec![7u32; 24 * batch];
        let (a, b) = (Points::projective(&first), Points::projective(&second));
        point::binary(op, CURVE, batch, a, b, &launch, PointsMut::projective(&mut want)).unwrap();
        let got = out.chunks(24).skip(which).step_by(2);
        assert!(got.eq(want.chunks(24)), "{op:?}");
    }
}

#[test]
fn reductions_of_many_columns() {
    let (n, batch) = (5, 150);
    let (a, config) = (numbers(n * batch), VectorConfig { batch, columns: true, ..VectorConfig::default() });
    for reduce in [Reduce::Sum, Reduce::Product] {
        let mut out = vec![7u32; batch];
        v::reduce(reduce, SMALL, n, (&a).into(), &config, (&mut out).into()).unwrap();
        for (b, &got) in out.iter().enumerate() {
            let column = (0..n).map(|i| u64::from(a[i * batch + b]));
            let want = match reduce {
                Reduce::Sum => column.sum::<u64>() % P,
                Reduce::Product => column.fold(1, |product, x| product * x % P),
            };
            assert_eq!(u64::from(got), want, "{reduce:?} of column {b}");
        }
    }
}

/// Rows of more elements than a block has, each moved to its place.
#[test]
fn transforms_of_many_columns() {
    let (n, batch) = (4, 2500);
    init_domain(SMALL, root_of_unity(SMALL, DOMAIN).unwrap(), &Launch::default()).unwrap();
    let root = root_of_unity(SMALL, n as u64).unwrap()[0];
    let (x, mut out) = (numbers(n * batch), vec![7u32; n * batch]);
    let config = NttConfig { batch, columns: true, ..NttConfig::default() };
    ntt(SMALL, n, Direction::Forward, &config, (&x).into(), (&mut out).into()).unwrap();
    for b in 0..batch {
        for k in 0..n {
            let terms = (0..n).map(|j| u64::from(x[j * batch + b]) * power(root, (j * k) as u64) % P);
            assert_eq!(u64::from(out[k * batch + b]), terms.sum::<u64>() % P, "column {b} value {k}");
        }
    }
}

/// The largest numbers, which sum to one value and to zeros: each below the modulus, whatever the order and the size.
#[test]
fn transforms_end_below_the_modulus() {
    init_domain(SMALL, root_of_unity(SMALL, DOMAIN).unwrap(), &Launch::default()).unwrap();
    for log_n in 1..=DOMAIN.ilog2() {
        let n = 1usize << log_n;
        for ordering in [Ordering::NaturalNatural, Ordering::NaturalReversed, Ordering::ReversedNatural] {
            for (direction, first) in [(Direction::Forward, P - n as u64), (Direction::Inverse, P - 1)] {
                let (x, mut out) = (vec![P as u32 - 1; n], vec![7u32; n]);
                let config = NttConfig { ordering, ..NttConfig::default() };
                ntt(SMALL, n, direction, &config, (&x).into(), (&mut out).into()).unwrap();
                assert_eq!(u64::from(out[0]), first, "2^{log_n} {ordering:?} {direction:?}");
                assert!(out[1..].iter().all(|&x| x == 0), "2^{log_n} {ordering:?} {direction:?}");
            }
        }
    }
}

/// More groups of points than are evaluated at a time: `3 + 5x + 7x^2048`.
#[test]
fn values_at_many_points() {
    let (n, points) = (2049, 16 * 513);
    let mut coefficients = vec![0u32; n];
    (coefficients[0], coefficients[1], coefficients[2048]) = (3, 5, 7);
    let (x, mut out) = (numbers(points), vec![7u32; points]);
    let config = VectorConfig::default();
    polynomial::evaluate(SMALL, n, (&coefficients).into(), points, (&x).into(), &config, (&mut out).into()).unwrap();
    for (&x, &got) in x.iter().zip(&out) {
        let x = u64::from(x);
        assert_eq!(u64::from(got), (3 + 5 * x + 7 * power(x, 2048)) % P, "at {x}");
    }
}

/// A denominator so long that threads share each step; the numerator is made of what must come out.
#[test]
fn divisions_by_long_denominators() {
    let (degree, quotient) = (20_000, [11u32, 0, 5]);
    let mut denominator = numbers(degree + 1);
    denominator[degree] = 3;
    let remainder = numbers(degree);
    let mut numerator: Vec<u64> = remainder.iter().map(|&x| u64::from(x)).chain([0; 3]).collect();
    for (i, &q) in quotient.iter().enumerate() {
        for (sum, &d) in numerator[i..].iter_mut().zip(&denominator) {
            *sum = (*sum + u64::from(q) * u64::from(d)) % P;
        }
    }
    let numerator: Vec<u32> = numerator.into_iter().map(|x| x as u32).collect();
    let n = numerator.len();
    let (mut q, mut r) = (vec![7u32; 3], vec![7u32; n]);
    polynomial::divide(
        SMALL,
        n,
        (&numerator).into(),
        degree + 1,
        (&denominator).into(),
        &VectorConfig::default(),
        3,
        (&mut q).into(),
        n,
        (&mut r).into(),
    )
    .unwrap();
    assert_eq!(q, quotient);
    assert!(r[..degree] == remainder && r[degree..] == [0; 3]);
}
