//! Matrices and polynomials.

use crate::oracle::{Element, Field};
use crate::{PLACES, Where, call, offered};
use icicle::device::Dst;
use icicle::ops::matrix::{MatMulConfig, multiply, transpose};
use icicle::ops::polynomial::{divide, evaluate};
use icicle::ops::vector::VectorConfig;
use icicle::ops::{Domain, Op};
use icicle::{Buffer, Device, ErrorCode, FIELDS};

pub fn check(_: Device) {
    for row in FIELDS {
        let field = Field::new(row.id);
        for place in PLACES {
            transposes(&field, place);
            products(&field, place);
            evaluations(&field, place);
            if offered(Op::PolynomialDivide, Domain::Field(field.id)) {
                if field.is_field() {
                    divisions(&field, place);
                }
                indivisible(&field, place);
            }
        }
    }
}

fn transposes(field: &Field, place: Where) {
    for (rows, cols) in [(0, 3), (1, 1), (1, 7), (7, 1), (2, 3), (16, 16), (33, 65), (64, 20)] {
        for (batch, columns) in [(1, false), (2, false), (2, true)] {
            let v = field.samples(rows * cols * batch, 1);
            let at = |m: usize, i: usize| if columns { i * batch + m } else { m * rows * cols + i };
            let mut expected = v.clone();
            for m in 0..batch {
                for r in 0..rows {
                    for c in 0..cols {
                        expected[at(m, c * rows + r)] = v[at(m, r * cols + c)].clone();
                    }
                }
            }
            let (words, expected) = (field.encode(&v), field.encode(&expected));
            let config = VectorConfig { batch, columns, ..VectorConfig::default() };
            let got = call(place, &[&words], words.len(), |s, out| transpose(field.id, rows, cols, s[0], &config, out));
            assert_eq!(got, expected, "{:?} transpose {rows}x{cols} batch {batch} {columns}", field.id);
            let mut data = words.clone();
            let dst = Dst::from(&mut data);
            transpose(field.id, rows, cols, dst.as_src(), &config, dst).unwrap();
            assert_eq!(data, expected, "{:?} transpose in place {rows}x{cols} batch {batch} {columns}", field.id);
        }
    }
}

fn products(field: &Field, place: Where) {
    for (rows, inner, cols) in [(1, 1, 1), (2, 3, 4), (5, 1, 6), (1, 40, 1), (17, 9, 33)] {
        let (a, b) = (field.samples(rows * inner, 1), field.samples(inner * cols, 2));
        let flipped = |v: &[Element], r: usize, c: usize| -> Vec<Element> {
            (0..r * c).map(|i| v[i % r * c + i / r].clone()).collect()
        };
        let entry = |i: usize| {
            let (r, c) = (i / cols, i % cols);
            (0..inner).fold(field.integer(0), |sum, k| field.add(&sum, &field.mul(&a[r * inner + k], &b[k * cols + c])))
        };
        let product: Vec<Element> = (0..rows * cols).map(entry).collect();
        for flags in 0..8 {
            let [ta, tb, tr] = [flags & 1 != 0, flags & 2 != 0, flags & 4 != 0];
            let config =
                MatMulConfig { a_transposed: ta, b_transposed: tb, result_transposed: tr, ..MatMulConfig::default() };
            let wa = field.encode(&if ta { flipped(&a, rows, inner) } else { a.clone() });
            let wb = field.encode(&if tb { flipped(&b, inner, cols) } else { b.clone() });
            let expected = field.encode(&if tr { flipped(&product, rows, cols) } else { product.clone() });
            let (sa, sb) =
                (if ta { (inner, rows) } else { (rows, inner) }, if tb { (cols, inner) } else { (inner, cols) });
            let got =
                call(place, &[&wa, &wb], expected.len(), |s, out| multiply(field.id, s[0], sa, s[1], sb, &config, out));
            assert_eq!(got, expected, "{:?} product {rows}x{inner}x{cols} flags {flags}", field.id);
        }
    }
}

fn value(field: &Field, coefficients: &[&Element], point: &Element) -> Element {
    coefficients.iter().rev().fold(field.integer(0), |acc, c| field.add(&field.mul(&acc, point), c))
}

fn evaluations(field: &Field, place: Where) {
    for (n, points) in [(0, 3), (1, 1), (5, 0), (8, 9), (33, 4)] {
        for (batch, columns) in [(1, false), (3, false), (3, true)] {
            let (coeffs, domain) = (field.samples(n * batch, 1), field.samples(points, 2));
            let at = |n: usize, b: usize, i: usize| if columns { i * batch + b } else { b * n + i };
            let mut expected = vec![field.integer(0); points * batch];
            for b in 0..batch {
                let polynomial: Vec<&Element> = (0..n).map(|i| &coeffs[at(n, b, i)]).collect();
                for (j, point) in domain.iter().enumerate() {
                    expected[at(points, b, j)] = value(field, &polynomial, point);
                }
            }
            let config = VectorConfig { batch, columns, ..VectorConfig::default() };
            let (wc, wd) = (field.encode(&coeffs), field.encode(&domain));
            let got = call(place, &[&wc, &wd], expected.len() * field.words(), |s, out| {
                evaluate(field.id, n, s[0], points, s[1], &config, out)
            });
            assert_eq!(
                field.decode(&got),
                expected,
                "{:?} evaluation {n} at {points} batch {batch} {columns}",
                field.id
            );
        }
    }
}

/// `numerator = quotient·denominator + remainder` at enough points, and the remainder's degree below the denominator's.
fn divisions(field: &Field, place: Where) {
    // Quotients around the 64 coefficients that a step of the GPU's takes, too.
    for (n, m, pad) in
        [(0, 1, 0), (1, 1, 0), (5, 2, 0), (9, 4, 2), (4, 7, 0), (33, 8, 3), (64, 1, 0), (129, 65, 0), (150, 70, 1)]
    {
        for (batch, columns) in [(1, false), (2, true)] {
            let at = |n: usize, b: usize, i: usize| if columns { i * batch + b } else { b * n + i };
            let numerator = field.samples(n * batch, 8);
            let mut denominator = field.samples((m + pad) * batch, 4);
            for b in 0..batch {
                denominator[at(m + pad, b, m - 1)] = field.integer(5);
                for i in m..m + pad {
                    denominator[at(m + pad, b, i)] = field.integer(0);
                }
            }
            let (q_size, r_size) = ((n + 1).saturating_sub(m).max(1) + 1, n.max(m));
            let words = field.words();
            let config = VectorConfig { batch, columns, ..VectorConfig::default() };
            let (wn, wd) = (field.encode(&numerator), field.encode(&denominator));
            let mut remainder = vec![1u32; r_size * batch * words];
            let quotient = match place {
                Where::Host => call(place, &[&wn, &wd], q_size * batch * words, |s, q| {
                    divide(field.id, n, s[0], m + pad, s[1], &config, q_size, q, r_size, (&mut remainder).into())
                }),
                Where::Device => {
                    let mut r = Buffer::from_slice(&remainder).unwrap();
                    let q = call(place, &[&wn, &wd], q_size * batch * words, |s, q| {
                        divide(field.id, n, s[0], m + pad, s[1], &config, q_size, q, r_size, (&mut r).into())
                    });
                    remainder = r.to_vec().unwrap();
                    q
                }
            };
            let (quotient, remainder) = (field.decode(&quotient), field.decode(&remainder));
            for b in 0..batch {
                let pick = |v: &'_ [Element], len: usize| -> Vec<Element> {
                    (0..len).map(|i| v[at(len, b, i)].clone()).collect()
                };
                let (num, den) = (pick(&numerator, n), pick(&denominator, m + pad));
                let (q, r) = (pick(&quotient, q_size), pick(&remainder, r_size));
                assert!(r.iter().skip(m - 1).all(|c| *c == field.integer(0)), "{:?} remainder's degree", field.id);
                // Both sides have fewer coefficients than values are compared.
                for x in (0..n as u64 + 3).take(if n > 40 { 12 } else { usize::MAX }) {
                    let x = field.integer(x + 2);
                    let at = |p: &[Element]| value(field, &p.iter().collect::<Vec<_>>(), &x);
                    let right = field.add(&field.mul(&at(&q), &at(&den)), &at(&r));
                    assert_eq!(at(&num), right, "{:?} division {n} by {m}", field.id);
                }
            }
        }
    }
}

/// Denominators that do not divide, and rooms too small: nothing is written.
fn indivisible(field: &Field, place: Where) {
    let (n, m, words) = (4, 3, field.words());
    let zero = field.integer(0);
    let numerator = field.encode(&vec![field.integer(5); 2 * n]);
    let mut denominator = vec![field.integer(2); 2 * m];
    let refused = |denominator: &[Element], (q_size, r_size): (usize, usize), what: &str| {
        let denominator = field.encode(denominator);
        let config = VectorConfig { batch: 2, ..VectorConfig::default() };
        let (mut q, mut r) = (vec![7u32; 2 * q_size * words], vec![7u32; 2 * r_size * words]);
        let outcome = match place {
            Where::Host => divide(
                field.id,
                n,
                (&numerator).into(),
                m,
                (&denominator).into(),
                &config,
                q_size,
                (&mut q).into(),
                r_size,
                (&mut r).into(),
            ),
            Where::Device => {
                let (a, b) = (Buffer::from_slice(&numerator).unwrap(), Buffer::from_slice(&denominator).unwrap());
                let (mut x, mut y) = (Buffer::from_slice(&q).unwrap(), Buffer::from_slice(&r).unwrap());
                let (to_q, to_r) = ((&mut x).into(), (&mut y).into());
                let outcome = divide(field.id, n, (&a).into(), m, (&b).into(), &config, q_size, to_q, r_size, to_r);
                (q, r) = (x.to_vec().unwrap(), y.to_vec().unwrap());
                outcome
            }
        };
        let error = outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{:?} {error}", field.id);
        assert!(error.detail.contains(what), "{:?} {error}: should say {what}", field.id);
        assert!(q.iter().chain(&r).all(|&w| w == 7), "{:?} outputs untouched", field.id);
    };
    refused(&denominator, (1, n), "q_size 1: need room for 2 coefficients");
    refused(&denominator, (2, n - 1), "r_size 3: need room for 4 coefficients");
    denominator[m..].fill(zero);
    refused(&denominator, (n, n), "denominator 1: must not be zero");
    if !field.is_field() {
        // Over 2^31 - 1, `x⁴ + 1 = (x² + 2^16·x + 1)·(x² - 2^16·x + 1)`.
        let mut divisor = field.integer(1);
        (divisor[1], divisor[2]) = (65536u32.into(), 1u32.into());
        denominator[m..].fill(divisor);
        refused(&denominator, (n, n), "denominator 1: its leading coefficient has no inverse");
    }
}
