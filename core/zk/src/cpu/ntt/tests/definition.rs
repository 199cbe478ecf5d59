//! Every NTT field and extension against the sum that defines the transform.

use super::*;
use icicle_algebra::with_field;

/// `X[k] = Σ x[j]·g^j·w^(jk)`, `x[j] = g^-j/n·Σ X[k]·w^(-jk)`.
fn definition<F: Field>(x: &[F], direction: Direction, g: F::Prime) -> Vec<F> {
    let log_n = x.len().trailing_zeros();
    let forward = direction == Direction::Forward;
    let w = root::<F::Prime>(log_n);
    let (w, g) = if forward { (w, g) } else { (w.inverse().unwrap(), g.inverse().unwrap()) };
    let turns: Vec<_> = powers(w, x.len());
    let shifts: Vec<_> = powers(g, x.len());
    let share = F::Prime::from_u64(x.len() as u64).inverse().unwrap();
    (0..x.len())
        .map(|k| {
            let term = |(j, x): (usize, &F)| {
                let turned = x.scale(turns[j * k % turns.len()]);
                if forward { turned.scale(shifts[j]) } else { turned }
            };
            let sum = x.iter().enumerate().map(term).fold(F::ZERO, |a, b| a + b);
            if forward { sum } else { sum.scale(shifts[k] * share) }
        })
        .collect()
}

fn powers<F: PrimeField>(x: F, n: usize) -> Vec<F> {
    std::iter::successors(Some(F::ONE), |&power| Some(power * x)).take(n).collect()
}

/// Lay vectors out as a configuration has them, each in natural or reversed order.
fn layout<F: Field>(vectors: &[Vec<F>], columns: bool, reverse: bool) -> Vec<F> {
    let (batch, n) = (vectors.len(), vectors[0].len());
    (0..batch * n)
        .map(|at| {
            let (b, i) = if columns { (at % batch, at / batch) } else { (at / n, at % n) };
            vectors[b][if reverse { reversed(i, n.trailing_zeros()) } else { i }]
        })
        .collect()
}

fn check<F: Field>(field: FieldId, log_n: u32, batch: usize, direction: Direction, coset: Option<F::Prime>) {
    let vectors: Vec<Vec<F>> = (0..batch).map(|b| random(1 << log_n, 7 + b as u64)).collect();
    let g = coset.unwrap_or(F::Prime::ONE);
    let values: Vec<_> = vectors.iter().map(|x| definition(x, direction, g)).collect();
    for ordering in ORDERINGS {
        for columns in [false, true] {
            let input = layout(&vectors, columns, ordering.input_reversed());
            let want = layout(&values, columns, ordering.output_reversed());
            let config =
                NttConfig { coset: coset.map(PrimeField::words), batch, columns, ordering, ..NttConfig::default() };
            for in_place in [false, true] {
                let got = run::<F>(field, log_n, direction, &config, &raw(&input), in_place).unwrap();
                let what = format!("{field:?} 2^{log_n} {direction:?} in place {in_place} {config:?}");
                assert!(got == raw(&want), "{what}");
            }
        }
    }
}

#[test]
fn transforms_match_their_definition() {
    for row in FIELDS.iter().filter(|row| row.ntt) {
        domain(row.id);
        with_field!(row.id, F => for log_n in 0..=10 {
            for direction in DIRECTIONS {
                for batch in [1, 3] {
                    let coset = <<F as Field>::Prime as Field>::from_u64(0x1234_5678_9abc).inverse();
                    check::<F>(row.id, log_n, batch, direction, None);
                    check::<F>(row.id, log_n, batch, direction, coset);
                }
            }
        });
    }
}

/// A value of a large transform is the polynomial's value at a power of the root.
#[test]
fn large_transforms_match_at_single_points() {
    const LOG_N: u32 = 18;
    for row in FIELDS.iter().filter(|row| row.ntt) {
        domain(row.id);
        with_field!(row.id, F => {
            let x = random::<F>(1 << LOG_N, 3);
            let g = <<F as Field>::Prime as Field>::from_u64(5);
            let config = NttConfig { coset: Some(g.words()), ..NttConfig::default() };
            let got = run::<F>(row.id, LOG_N, Direction::Forward, &config, &raw(&x), false).unwrap();
            for k in [0, 1, 77_777, (1 << LOG_N) - 1] {
                let at = g * root::<<F as Field>::Prime>(LOG_N).pow(&[k as u64]);
                let want = x.iter().rev().fold(<F as Field>::ZERO, |sum, &c| sum.scale(at) + c);
                assert_eq!(F::from_raw(got[k]), want, "{:?} at {k}", row.id);
            }
        });
    }
}
