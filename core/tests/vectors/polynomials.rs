//! Evaluation and division.

use super::*;
use icicle::ops::polynomial;

fn evaluate<F: Field>(id: FieldId) {
    for n in [0, 1, 2, 3, 100, 5000] {
        for points in if n > 1000 { vec![1, 2] } else { vec![0, 1, 2, 15, 16, 17, 40] } {
            for (batch, columns) in [(1, false), (3, false), (3, true)] {
                let (s, values) = (Shape { n, batch, columns }, Shape { n: points, batch, columns });
                let (coeffs, domain) = (data::<F>(id, s.total(), 1), data::<F>(id, points, 2));
                let mut expected = vec![F::ZERO; values.total()];
                for b in 0..batch {
                    for (p, &x) in domain.iter().enumerate() {
                        let (mut power, mut sum) = (F::ONE, F::ZERO);
                        for i in 0..n {
                            sum += power * F::from_raw(coeffs[s.at(b, i)]);
                            power *= F::from_raw(x);
                        }
                        expected[values.at(b, p)] = sum;
                    }
                }
                let mut out = data::<F>(id, values.total(), 3);
                polynomial::evaluate(id, n, (&coeffs).into(), points, (&domain).into(), &s.config(), (&mut out).into())
                    .unwrap();
                assert_eq!(out, lower(&expected), "{id:?} {n} at {points} {s:?}");
            }
        }
    }
}

#[test]
fn values_of_every_field() {
    every_field!(evaluate);
}

/// `q·d + r = numerator` and the remainder is short, for numerators and denominators with zeros on top.
fn divide<F: Field>(id: FieldId) {
    for (n, m, zeros) in [(1, 1, 0), (3, 5, 0), (5, 3, 0), (5, 3, 2), (40, 40, 0), (100, 17, 5), (100, 1, 0), (0, 2, 0)]
    {
        for (batch, columns) in [(1, false), (3, false), (3, true)] {
            let (s, t) = (Shape { n, batch, columns }, Shape { n: m + zeros, batch, columns });
            let (numerator, mut denominator) = (data::<F>(id, s.total(), 4), data::<F>(id, t.total(), 5));
            for b in 0..batch {
                denominator[t.at(b, m - 1)] = F::from_u64(7 + b as u64).to_raw();
                (m..m + zeros).for_each(|i| denominator[t.at(b, i)] = F::ZERO.to_raw());
            }
            let (q_size, r_size) = ((n + 1).saturating_sub(m) + 2, n + 1);
            let (qs, rs) = (Shape { n: q_size, ..s }, Shape { n: r_size, ..s });
            let (mut q, mut r) = (data::<F>(id, qs.total(), 6), data::<F>(id, rs.total(), 7));
            polynomial::divide(
                id,
                n,
                (&numerator).into(),
                t.n,
                (&denominator).into(),
                &s.config(),
                q_size,
                (&mut q).into(),
                r_size,
                (&mut r).into(),
            )
            .unwrap();
            for b in 0..batch {
                let mut product = vec![F::ZERO; q_size + m + r_size + n];
                (0..q_size).for_each(|i| {
                    (0..m).for_each(|j| {
                        product[i + j] += F::from_raw(q[qs.at(b, i)]) * F::from_raw(denominator[t.at(b, j)])
                    });
                });
                (0..r_size).for_each(|i| product[i] += F::from_raw(r[rs.at(b, i)]));
                for (i, &x) in product.iter().enumerate() {
                    let expected = if i < n { F::from_raw(numerator[s.at(b, i)]) } else { F::ZERO };
                    assert_eq!(x, expected, "{id:?} {n}/{m}+{zeros} {s:?} coefficient {i}");
                }
                assert!((m - 1..r_size).all(|i| r[rs.at(b, i)] == F::ZERO.to_raw()), "{id:?}: remainder too long");
            }
        }
    }
}

#[test]
fn divisions_of_every_field() {
    every_field!(divide);
}
