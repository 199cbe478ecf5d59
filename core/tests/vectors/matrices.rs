//! Transposes and products.

use super::*;
use icicle::device::Dst;
use icicle::ops::matrix::{self, MatMulConfig};

const SHAPES: [(usize, usize); 9] = [(0, 3), (1, 1), (1, 7), (7, 1), (3, 5), (16, 16), (17, 33), (40, 16), (64, 31)];

fn transpose<F: Field>(id: FieldId) {
    for (rows, cols) in SHAPES {
        for s in [(1, false), (3, false), (3, true)].map(|(batch, columns)| Shape { n: rows * cols, batch, columns }) {
            let a = data::<F>(id, s.total(), 1);
            let mut expected = a.clone();
            for m in 0..s.batch {
                for r in 0..rows {
                    for c in 0..cols {
                        expected[s.at(m, c * rows + r)] = a[s.at(m, r * cols + c)];
                    }
                }
            }
            let mut out = data::<F>(id, s.total(), 2);
            matrix::transpose(id, rows, cols, (&a).into(), &s.config(), (&mut out).into()).unwrap();
            assert_eq!(out, expected, "{id:?} {rows}x{cols} {s:?}");
            out = a;
            let dst = Dst::from(&mut out);
            matrix::transpose(id, rows, cols, dst.as_src(), &s.config(), dst).unwrap();
            assert_eq!(out, expected, "{id:?} {rows}x{cols} {s:?} in place");
        }
    }
}

#[test]
fn transposes_of_every_field() {
    every_field!(transpose);
}

fn multiply<F: Field>(id: FieldId) {
    for (rows, inner, cols) in [(1, 1, 1), (2, 3, 4), (17, 5, 16), (1, 300, 2), (20, 33, 35)] {
        let (a, b) = (data::<F>(id, rows * inner, 3), data::<F>(id, inner * cols, 4));
        for flags in 0..8 {
            let [a_transposed, b_transposed, result_transposed] = [0, 1, 2].map(|bit| flags >> bit & 1 == 1);
            let at =
                |r: usize, c: usize, (rows, cols): (usize, usize), t: bool| if t { c * rows + r } else { r * cols + c };
            let mut expected = vec![F::ZERO; rows * cols];
            for r in 0..rows {
                for c in 0..cols {
                    expected[at(r, c, (rows, cols), result_transposed)] = (0..inner)
                        .map(|k| {
                            F::from_raw(a[at(r, k, (rows, inner), a_transposed)])
                                * F::from_raw(b[at(k, c, (inner, cols), b_transposed)])
                        })
                        .fold(F::ZERO, |x, y| x + y);
                }
            }
            let config = MatMulConfig { a_transposed, b_transposed, result_transposed, ..MatMulConfig::default() };
            let a_shape = if a_transposed { (inner, rows) } else { (rows, inner) };
            let b_shape = if b_transposed { (cols, inner) } else { (inner, cols) };
            let mut out = data::<F>(id, rows * cols, 5);
            matrix::multiply(id, (&a).into(), a_shape, (&b).into(), b_shape, &config, (&mut out).into()).unwrap();
            assert_eq!(out, lower(&expected), "{id:?} {rows}x{inner}x{cols} {config:?}");
        }
    }
}

#[test]
fn products_of_every_field() {
    every_field!(multiply);
}
