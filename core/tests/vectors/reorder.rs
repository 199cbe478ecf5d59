//! Bit reversal, slices, and the highest nonzero index.

use super::*;
use icicle::device::Dst;
use icicle::ops::vector as v;

fn layouts(n: usize) -> [Shape; 3] {
    [(1, false), (3, false), (3, true)].map(|(batch, columns)| Shape { n, batch, columns })
}

fn bit_reverse<F: Field>(id: FieldId) {
    for s in [0, 1, 2, 4, 8, 256, 1024].into_iter().flat_map(layouts) {
        let a = data::<F>(id, s.total(), 1);
        let mut expected = a.clone();
        for b in 0..s.batch {
            for i in 0..s.n {
                let bits = s.n.ilog2();
                let reversed = (0..bits).fold(0, |r, bit| r | (i >> bit & 1) << (bits - 1 - bit));
                expected[s.at(b, i)] = a[s.at(b, reversed)];
            }
        }
        let mut out = data::<F>(id, s.total(), 2);
        v::bit_reverse(id, s.n, (&a).into(), &s.config(), (&mut out).into()).unwrap();
        assert_eq!(out, expected, "{id:?} {s:?}");
        out = a;
        let dst = Dst::from(&mut out);
        v::bit_reverse(id, s.n, dst.as_src(), &s.config(), dst).unwrap();
        assert_eq!(out, expected, "{id:?} {s:?} in place");
    }
}

#[test]
fn bit_reversal_of_every_field() {
    every_field!(bit_reverse);
}

fn slice<F: Field>(id: FieldId) {
    for s in shapes() {
        let a = data::<F>(id, s.total(), 3);
        for (offset, stride, n_out) in [(0, 1, s.n), (1, 2, s.n / 2), (s.n / 3, 3, s.n / 5), (0, 0, 4), (7, 5, 0)] {
            if n_out > 0 && offset + (n_out - 1) * stride >= s.n {
                continue;
            }
            let to = Shape { n: n_out, ..s };
            let mut expected = vec![F::ZERO.to_raw(); to.total()];
            for b in 0..s.batch {
                for i in 0..n_out {
                    expected[to.at(b, i)] = a[s.at(b, offset + i * stride)];
                }
            }
            let mut out = data::<F>(id, to.total(), 4);
            v::slice(id, s.n, (&a).into(), offset, stride, n_out, &s.config(), (&mut out).into()).unwrap();
            assert_eq!(out, expected, "{id:?} {s:?} {offset} {stride} {n_out}");
        }
    }
}

#[test]
fn slices_of_every_field() {
    every_field!(slice);
}

fn highest<F: Field>(id: FieldId) {
    for s in shapes() {
        let mut a = vec![F::ZERO.to_raw(); s.total()];
        let mut out = vec![9i64; s.batch];
        v::highest_non_zero(id, s.n, (&a).into(), &s.config(), (&mut out).into()).unwrap();
        assert_eq!(out, vec![-1; s.batch], "{id:?} {s:?} of zeros");
        if s.n == 0 {
            continue;
        }
        let tops: Vec<usize> = (0..s.batch).map(|b| (s.n - 1) >> b).collect();
        for (b, &top) in tops.iter().enumerate() {
            for i in 0..=top {
                a[s.at(b, i)] = F::ONE.to_raw();
            }
        }
        v::highest_non_zero(id, s.n, (&a).into(), &s.config(), (&mut out).into()).unwrap();
        assert_eq!(out, tops.iter().map(|&t| t as i64).collect::<Vec<_>>(), "{id:?} {s:?}");
    }
}

#[test]
fn highest_non_zero_of_every_field() {
    every_field!(highest);
}

/// Long enough that the search is cut into pieces.
#[test]
fn highest_non_zero_far_from_the_end() {
    type F = icicle::algebra::fields::BabyBearScalar;
    let (id, n) = (FieldId::BabyBearScalar, 100_000);
    for batch in [1, 2] {
        for columns in [false, true] {
            let s = Shape { n, batch, columns };
            for top in [0, 8191, 8192, 50_000, n - 1] {
                let mut a = vec![0u32; s.total()];
                (0..batch).for_each(|b| a[s.at(b, top)] = F::ONE.to_raw());
                let mut out = vec![0i64; batch];
                v::highest_non_zero(id, n, (&a).into(), &s.config(), (&mut out).into()).unwrap();
                assert_eq!(out, vec![top as i64; batch]);
            }
        }
    }
}
