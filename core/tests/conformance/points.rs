//! Transforms of points against their defining sums over arkworks, word for word: results are normalised.

use crate::curves::{field, points, words};
use crate::transforms::{ORDERINGS, reversed};
use crate::{Where, call};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field, One, PrimeField, Zero};
use icicle::device::{Dst, Launch};
use icicle::ops::ntt::{Direction, NttConfig, ecntt, init_domain, release_domain, root_of_unity};
use icicle::{CurveId, ErrorCode};

const LOG_DOMAIN: u32 = 6;

pub fn transforms<G: CurveGroup>(id: CurveId, place: Where)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let (scalar, launch) = (id.info().scalar, Launch::default());
    release_domain(scalar, &launch).unwrap();
    init_domain(scalar, root_of_unity(scalar, 1 << LOG_DOMAIN).unwrap(), &launch).unwrap();
    for log_n in [0, 1, 3] {
        all_options::<G>(id, place, log_n);
    }
    larger::<G>(id, place);
    beyond::<G>(id);
    release_domain(scalar, &launch).unwrap();
}

/// Projective words, `(x, y, 1)` or `(0, 1, 0)`.
pub fn projective<G: CurveGroup>(points: &[G]) -> Vec<u32>
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let (zero, one) = (words(&G::BaseField::zero()), words(&G::BaseField::one()));
    let point = |p: &G| match p.into_affine().xy() {
        Some((x, y)) => [words(&x), words(&y), one.clone()].concat(),
        None => [zero.clone(), one.clone(), zero.clone()].concat(),
    };
    points.iter().flat_map(point).collect()
}

/// The domain's root of order `2^log_n`.
fn root<F: PrimeField>(id: CurveId, log_n: u32) -> F {
    let root = root_of_unity(id.info().scalar, 1 << log_n).unwrap();
    let words: Vec<u32> = root.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect();
    field(&words[..id.info().scalar.info().bytes() / 4])
}

/// `X[k] = Σ g^j·w^(jk)·x[j]`, or its inverse.
fn sums<G: CurveGroup>(x: &[G], w: G::ScalarField, g: G::ScalarField, direction: Direction) -> Vec<G> {
    let power = |base: G::ScalarField, e: usize| base.pow([e as u64]);
    let n = x.len();
    match direction {
        Direction::Forward => {
            let of = |k| (0..n).map(|j| x[j] * (power(g, j) * power(w, j * k))).sum();
            (0..n).map(of).collect()
        }
        Direction::Inverse => {
            let (w, g) = (w.inverse().unwrap(), g.inverse().unwrap());
            let scale = G::ScalarField::from(n as u64).inverse().unwrap();
            let of = |k| (0..n).map(|j| x[j] * (scale * power(g, k) * power(w, j * k))).sum();
            (0..n).map(of).collect()
        }
    }
}

fn all_options<G: CurveGroup>(id: CurveId, place: Where, log_n: u32)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let n = 1usize << log_n;
    let w = root::<G::ScalarField>(id, log_n);
    let natural: Vec<G> = points::<G>(3 * n, 8).into_iter().map(Into::into).collect();
    for coset in [1u64, 11] {
        let mut coset_words = [0u64; 12];
        coset_words[0] = coset;
        for direction in [Direction::Forward, Direction::Inverse] {
            let expected: Vec<Vec<G>> =
                natural.chunks(n).map(|x| sums(x, w, G::ScalarField::from(coset), direction)).collect();
            for ordering in ORDERINGS {
                for (batch, columns) in [(1, false), (3, false), (3, true)] {
                    let (mut input, mut output) = (vec![G::zero(); n * batch], vec![G::zero(); n * batch]);
                    for (b, values) in expected[..batch].iter().enumerate() {
                        for i in 0..n {
                            let place = |rev: bool| {
                                let i = if rev { reversed(i, log_n) } else { i };
                                if columns { i * batch + b } else { b * n + i }
                            };
                            input[place(ordering.input_reversed())] = natural[b * n + i];
                            output[place(ordering.output_reversed())] = values[i];
                        }
                    }
                    let config =
                        NttConfig { coset: Some(coset_words), batch, columns, ordering, ..NttConfig::default() };
                    let (input, output) = (projective(&input), projective(&output));
                    let what = format!("{} {direction:?} {config:?} 2^{log_n} {place:?}", id.info().name);
                    let got = call(place, &[&input], input.len(), |s, out| ecntt(id, n, direction, &config, s[0], out));
                    assert!(got == output, "{what}");
                    let mut data = input.clone();
                    let dst = Dst::from(&mut data);
                    ecntt(id, n, direction, &config, dst.as_src(), dst).unwrap();
                    assert!(data == output, "{what} in place");
                }
            }
        }
    }
}

/// The whole domain: some values, and back.
fn larger<G: CurveGroup>(id: CurveId, place: Where)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let n = 1usize << LOG_DOMAIN;
    let x: Vec<G> = points::<G>(n, 5).into_iter().map(Into::into).collect();
    let (input, config) = (projective(&x), NttConfig::default());
    let forward = call(place, &[&input], input.len(), |s, out| ecntt(id, n, Direction::Forward, &config, s[0], out));
    let (w, each) = (root::<G::ScalarField>(id, LOG_DOMAIN), input.len() / n);
    for k in [0, 1, n / 2, n - 1] {
        let value: G = (0..n).map(|j| x[j] * w.pow([(j * k) as u64])).sum();
        assert!(forward[k * each..(k + 1) * each] == projective(&[value]), "{} at {k} {place:?}", id.info().name);
    }
    let back = call(place, &[&forward], input.len(), |s, out| ecntt(id, n, Direction::Inverse, &config, s[0], out));
    assert!(back == input, "{} inverse of forward {place:?}", id.info().name);
}

fn beyond<G: CurveGroup>(id: CurveId)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let n = 2usize << LOG_DOMAIN;
    let input = projective(&vec![G::zero(); n]);
    let mut out = vec![7u32; input.len()];
    let error =
        ecntt(id, n, Direction::Forward, &NttConfig::default(), (&input).into(), (&mut out).into()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
    assert!(out.iter().all(|&w| w == 7), "outputs untouched");
}
