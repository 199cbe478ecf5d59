//! Element-wise operations and reductions.

use super::*;
use icicle::algebra::PrimeField;
use icicle::device::{Dst, Src};
use icicle::ops::vector::{self as v, Binary, Reduce};

const BINARY: [Binary; 4] = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div];

fn oracle<F: Field>(op: Binary, a: F, b: F) -> F {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a * b.inverse().unwrap_or_default(),
    }
}

fn binary<F: Field>(id: FieldId) {
    for s in shapes() {
        let (a, b) = (data::<F>(id, s.total(), 1), data::<F>(id, s.total(), 2));
        for op in BINARY {
            let expected: Vec<F> =
                lift::<F>(&a).into_iter().zip(lift::<F>(&b)).map(|(a, b)| oracle(op, a, b)).collect();
            let expected = lower(&expected);
            let mut out = data::<F>(id, s.total(), 3);
            v::binary(op, id, s.n, (&a).into(), (&b).into(), &s.config(), (&mut out).into()).unwrap();
            assert_eq!(out, expected, "{id:?} {op:?} {s:?}");
            out = a.clone();
            let dst = Dst::from(&mut out);
            v::binary(op, id, s.n, dst.as_src(), (&b).into(), &s.config(), dst).unwrap();
            assert_eq!(out, expected, "{id:?} {op:?} {s:?} over the first operand");
            out = b.clone();
            let dst = Dst::from(&mut out);
            v::binary(op, id, s.n, (&a).into(), dst.as_src(), &s.config(), dst).unwrap();
            assert_eq!(out, expected, "{id:?} {op:?} {s:?} over the second operand");
        }
        let mut sum = a.clone();
        v::accumulate(id, s.n, (&mut sum).into(), (&b).into(), &s.config()).unwrap();
        let mut expected = a.clone();
        v::binary(Binary::Add, id, s.n, (&a).into(), (&b).into(), &s.config(), (&mut expected).into()).unwrap();
        assert_eq!(sum, expected);
    }
}

#[test]
fn binary_of_every_field() {
    every_field!(binary);
}

fn scalar<F: Field>(id: FieldId) {
    for s in shapes() {
        let (scalars, x) = (data::<F>(id, s.batch, 4), data::<F>(id, s.total(), 5));
        for op in [Binary::Add, Binary::Sub, Binary::Mul] {
            let mut expected = vec![F::ZERO; s.total()];
            for b in 0..s.batch {
                for i in 0..s.n {
                    expected[s.at(b, i)] = oracle(op, F::from_raw(scalars[b]), F::from_raw(x[s.at(b, i)]));
                }
            }
            let mut out = data::<F>(id, s.total(), 6);
            v::scalar(op, id, s.n, (&scalars).into(), (&x).into(), &s.config(), (&mut out).into()).unwrap();
            assert_eq!(out, lower(&expected), "{id:?} {op:?} {s:?}");
            out = x.clone();
            let dst = Dst::from(&mut out);
            v::scalar(op, id, s.n, (&scalars).into(), dst.as_src(), &s.config(), dst).unwrap();
            assert_eq!(out, lower(&expected), "{id:?} {op:?} {s:?} in place");
        }
    }
}

#[test]
fn scalar_of_every_field() {
    every_field!(scalar);
}

fn unary<F: Field>(id: FieldId) {
    let r = F::Prime::montgomery_factor();
    for s in shapes() {
        let a = data::<F>(id, s.total(), 7);
        type Call<'c> = &'c dyn Fn(Src, Dst);
        let invert: Call = &|a, out| v::inv(id, s.n, a, &s.config(), out).unwrap();
        let to: Call = &|a, out| v::convert_montgomery(id, s.n, a, true, &s.config(), out).unwrap();
        let from: Call = &|a, out| v::convert_montgomery(id, s.n, a, false, &s.config(), out).unwrap();
        let oracle = |f: &dyn Fn(F) -> F| lower(&lift::<F>(&a).into_iter().map(f).collect::<Vec<_>>());
        let cases = [
            (invert, oracle(&|x| x.inverse().unwrap_or_default())),
            (to, oracle(&|x| x.scale(r))),
            (from, oracle(&|x| x.scale(r.inverse().unwrap()))),
        ];
        for (which, (call, expected)) in cases.into_iter().enumerate() {
            let mut out = data::<F>(id, s.total(), 8);
            call((&a).into(), (&mut out).into());
            assert_eq!(out, expected, "{id:?} {which} {s:?}");
            out = a.clone();
            let dst = Dst::from(&mut out);
            call(dst.as_src(), dst);
            assert_eq!(out, expected, "{id:?} {which} {s:?} in place");
        }
    }
}

#[test]
fn inverse_and_conversions_of_every_field() {
    every_field!(unary);
}

fn reductions<F: Field>(id: FieldId) {
    for s in shapes() {
        let mut a = data::<F>(id, s.total(), 9);
        for op in [Reduce::Sum, Reduce::Product] {
            if op == Reduce::Product {
                a.iter_mut().filter(|x| **x == F::ZERO.to_raw()).for_each(|x| *x = F::from_u64(5).to_raw());
            }
            let expected: Vec<F> = (0..s.batch)
                .map(|b| {
                    let of = (0..s.n).map(|i| F::from_raw(a[s.at(b, i)]));
                    if op == Reduce::Sum { of.fold(F::ZERO, |x, y| x + y) } else { of.fold(F::ONE, |x, y| x * y) }
                })
                .collect();
            let mut out = data::<F>(id, s.batch, 10);
            v::reduce(op, id, s.n, (&a).into(), &s.config(), (&mut out).into()).unwrap();
            assert_eq!(out, lower(&expected), "{id:?} {op:?} {s:?}");
        }
    }
}

#[test]
fn reductions_of_every_field() {
    every_field!(reductions);
}

fn mixed<F: Field>(id: FieldId) {
    if id.info().role != icicle_params::Role::Extension {
        return;
    }
    for s in shapes() {
        let (a, b) = (data::<F>(id, s.total(), 11), data::<F::Prime>(id.scalar(), s.total(), 12));
        let scaled = lift::<F>(&a).into_iter().zip(lift::<F::Prime>(&b)).map(|(a, b)| a.scale(b));
        let expected = lower(&scaled.collect::<Vec<_>>());
        let mut out = data::<F>(id, s.total(), 13);
        v::mixed_mul(id, s.n, (&a).into(), (&b).into(), &s.config(), (&mut out).into()).unwrap();
        assert_eq!(out, expected, "{id:?} {s:?}");
        out = a.clone();
        let dst = Dst::from(&mut out);
        v::mixed_mul(id, s.n, dst.as_src(), (&b).into(), &s.config(), dst).unwrap();
        assert_eq!(out, expected, "{id:?} {s:?} in place");
    }
}

#[test]
fn mixed_products_of_every_extension() {
    every_field!(mixed);
}

/// Elements not below the modulus give some element and never a fault.
fn unreduced<F: Field>(id: FieldId) {
    let mut a = data::<F>(id, 300, 14);
    bytemuck::cast_slice_mut::<_, u8>(&mut a).fill(0xff);
    let mut out = a.clone();
    let config = VectorConfig::default();
    for op in BINARY {
        v::binary(op, id, 300, (&a).into(), (&a).into(), &config, (&mut out).into()).unwrap();
    }
    for op in [Binary::Add, Binary::Sub, Binary::Mul] {
        v::scalar(op, id, 300, (&a[..1]).into(), (&a).into(), &config, (&mut out).into()).unwrap();
    }
    v::inv(id, 300, (&a).into(), &config, (&mut out).into()).unwrap();
    v::convert_montgomery(id, 300, (&a).into(), true, &config, (&mut out).into()).unwrap();
    for op in [Reduce::Sum, Reduce::Product] {
        v::reduce(op, id, 300, (&a).into(), &config, (&mut out[..1]).into()).unwrap();
    }
}

#[test]
fn unreduced_elements_do_no_harm() {
    every_field!(unreduced);
}
