//! Long vectors: correct across pieces, and the same bytes whatever the threads.

use super::*;
use icicle::ops::program::{Predefined, Program};
use icicle::ops::vector::{self as v, Binary, Reduce};
use icicle::ops::{matrix, polynomial, program};

const N: usize = 1 << 15;

fn run_all<F: Field>(id: FieldId) -> Vec<Vec<F::Raw>> {
    let (a, b) = (data::<F>(id, 3 * N, 1), data::<F>(id, 3 * N, 2));
    let mut all = Vec::new();
    for columns in [false, true] {
        let config = VectorConfig { batch: 3, columns, ..VectorConfig::default() };
        let mut keep = |n: usize, go: &dyn Fn(&mut Vec<F::Raw>)| {
            let mut out = data::<F>(id, n, 3);
            go(&mut out);
            all.push(out);
        };
        let (a_src, b_src) = (|| (&a).into(), || (&b).into());
        for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div] {
            keep(3 * N, &|out| v::binary(op, id, N, a_src(), b_src(), &config, out.into()).unwrap());
        }
        keep(3 * N, &|out| v::scalar(Binary::Mul, id, N, (&b[..3]).into(), a_src(), &config, out.into()).unwrap());
        keep(3 * N, &|out| v::inv(id, N, a_src(), &config, out.into()).unwrap());
        keep(3 * N, &|out| v::bit_reverse(id, N, a_src(), &config, out.into()).unwrap());
        keep(3 * N, &|out| matrix::transpose(id, 64, N / 64, a_src(), &config, out.into()).unwrap());
        for op in [Reduce::Sum, Reduce::Product] {
            keep(3, &|out| v::reduce(op, id, N, a_src(), &config, out.into()).unwrap());
        }
        let points = data::<F>(id, 20, 4);
        keep(60, &|out| {
            polynomial::evaluate(id, N, a_src(), 20, (&points).into(), &config, out.into()).unwrap();
        });
        keep(4 * 3 * N, &|out| {
            out[..3 * N].copy_from_slice(&a);
            out[3 * N..6 * N].copy_from_slice(&b);
            let mut vectors: Vec<_> = out.chunks_mut(3 * N).map(Into::into).collect();
            program::execute(id, &Program::predefined(Predefined::AbMinusC), &mut vectors, N, &config).unwrap();
        });
    }
    all
}

fn naive<F: Field>(id: FieldId, got: &[Vec<F::Raw>]) {
    let (a, b) = (lift::<F>(&data::<F>(id, 3 * N, 1)), lift::<F>(&data::<F>(id, 3 * N, 2)));
    for columns in [false, true] {
        let s = Shape { n: N, batch: 3, columns };
        let got = &got[if columns { got.len() / 2 } else { 0 }..];
        for i in 0..3 * N {
            let element = |which: usize| F::from_raw(got[which][i]);
            assert_eq!([element(0), element(1), element(2)], [a[i] + b[i], a[i] - b[i], a[i] * b[i]], "{id:?} {i}");
            assert_eq!(element(3) * b[i], if b[i].is_zero() { F::ZERO } else { a[i] }, "{id:?} {i}");
            let vector = if columns { i % 3 } else { i / N };
            assert_eq!(element(4), b[vector] * a[i], "{id:?} {i}");
        }
        let values = Shape { n: 20, ..s };
        let points = lift::<F>(&data::<F>(id, 20, 4));
        for vector in 0..3 {
            let of = |i: usize| a[s.at(vector, i)];
            let sum = (0..N).fold(F::ZERO, |x, i| x + of(i));
            let product = (0..N).fold(F::ONE, |x, i| x * of(i));
            assert_eq!([F::from_raw(got[8][vector]), F::from_raw(got[9][vector])], [sum, product], "{id:?}");
            for (p, &x) in points.iter().enumerate() {
                let value = (0..N).rev().fold(F::ZERO, |value, i| value * x + of(i));
                assert_eq!(F::from_raw(got[10][values.at(vector, p)]), value, "{id:?} point {p}");
            }
            for i in 0..N {
                let reversed = i.reverse_bits() >> (usize::BITS - N.ilog2());
                assert_eq!(F::from_raw(got[6][s.at(vector, i)]), of(reversed), "{id:?} reversal");
                assert_eq!(
                    F::from_raw(got[7][s.at(vector, i % (N / 64) * 64 + i / (N / 64))]),
                    of(i),
                    "{id:?} transpose"
                );
            }
        }
    }
}

fn threads<F: Field>(id: FieldId) {
    let with = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| run_all::<F>(id))
    };
    let one = with(1);
    naive::<F>(id, &one);
    for n in [2, 4] {
        assert!(with(n) == one, "{id:?}: {n} threads differ from one");
    }
}

#[test]
fn long_vectors_do_not_depend_on_threads() {
    let fields = [FieldId::Bn254Scalar, FieldId::BabyBearScalar, FieldId::M31Qm31, FieldId::GoldilocksScalar];
    for id in fields.into_iter().filter(|id| id.is_built()) {
        icicle::with_field!(id, F => threads::<F>(id));
    }
}
