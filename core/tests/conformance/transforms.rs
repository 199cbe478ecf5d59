//! Transforms against their defining sums.

use crate::oracle::{Element, Field};
use crate::{PLACES, Where, call, offered};
use icicle::device::{Dst, Launch};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, init_domain, ntt, release_domain, root_of_unity};
use icicle::ops::{Domain, Op};
use icicle::{Device, ErrorCode, FIELDS, FieldId};
use num_bigint::BigUint;

const LOG_DOMAIN: u32 = 11;
pub const ORDERINGS: [Ordering; 6] = [
    Ordering::NaturalNatural,
    Ordering::NaturalReversed,
    Ordering::ReversedNatural,
    Ordering::ReversedReversed,
    Ordering::NaturalMixed,
    Ordering::MixedNatural,
];

pub fn check(device: Device) {
    for row in FIELDS {
        if !offered(Op::Ntt, Domain::Field(row.id)) {
            if row.ntt {
                continue;
            }
            let error = ntt(
                row.id,
                1,
                Direction::Forward,
                &NttConfig::default(),
                (&[0u32; 0][..]).into(),
                (&mut [0u32; 0][..]).into(),
            );
            assert_eq!(error.unwrap_err().code, ErrorCode::Unsupported, "{:?}", row.id);
            continue;
        }
        let launch = Launch::default();
        let scalar = row.id.scalar();
        release_domain(scalar, &launch).unwrap();
        let root = root_of_unity(scalar, 1 << LOG_DOMAIN).unwrap();
        init_domain(scalar, root, &launch).unwrap();
        // A second initialisation keeps the first domain.
        init_domain(scalar, root_of_unity(scalar, 4).unwrap(), &launch).unwrap();
        let field = Field::new(row.id);
        for place in PLACES {
            for log_n in [0, 1, 2, 3, 4, 5] {
                all_options(&field, place, log_n, &root);
            }
            larger(&field, place, LOG_DOMAIN);
        }
        beyond(row.id, device);
        release_domain(scalar, &launch).unwrap();
    }
}

fn words_of(words: &[u64; 12]) -> BigUint {
    BigUint::from_slice(&words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect::<Vec<_>>())
}

pub fn reversed(i: usize, log_n: u32) -> usize {
    if log_n == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - log_n) }
}

/// `X[k] = Σ x[j]·g^j·w^(jk)`, or its inverse, in natural order.
fn oracle(field: &Field, x: &[Element], w: &Element, coset: &Element, direction: Direction) -> Vec<Element> {
    let n = x.len();
    let power = |base: &Element, e: usize| field.pow(base, &BigUint::from(e));
    let powers: Vec<Element> = (0..n).map(|i| power(w, i)).collect();
    let sum = |k: usize, x: &dyn Fn(usize) -> Element, sign: bool| {
        (0..n).fold(field.integer(0), |acc, j| {
            let e = j * k % n;
            field.add(&acc, &field.mul(&x(j), &powers[if sign || e == 0 { e } else { n - e }]))
        })
    };
    match direction {
        Direction::Forward => {
            let shifted: Vec<Element> = x.iter().enumerate().map(|(j, x)| field.mul(x, &power(coset, j))).collect();
            (0..n).map(|k| sum(k, &|j| shifted[j].clone(), true)).collect()
        }
        Direction::Inverse => {
            let n_inverse = field.inverse(&field.integer(n as u64));
            let coset_inverse = field.inverse(coset);
            let scale = |k: usize| field.mul(&n_inverse, &power(&coset_inverse, k));
            (0..n).map(|k| field.mul(&sum(k, &|j| x[j].clone(), false), &scale(k))).collect()
        }
    }
}

fn all_options(field: &Field, place: Where, log_n: u32, root: &[u64; 12]) {
    let n = 1usize << log_n;
    let domain_root = field.embed(&vec![words_of(root)]);
    let w = field.pow(&domain_root, &(BigUint::from(1u32) << (LOG_DOMAIN - log_n)));
    let mut coset_words = [0u64; 12];
    coset_words[0] = 11;
    for coset in [None, Some(coset_words)] {
        let g = coset.map_or(field.integer(1), |c| field.embed(&vec![words_of(&c)]));
        for direction in [Direction::Forward, Direction::Inverse] {
            let natural = field.samples(n * 3, 4);
            let expected: Vec<Vec<Element>> = natural.chunks(n).map(|x| oracle(field, x, &w, &g, direction)).collect();
            for ordering in ORDERINGS {
                for (batch, columns) in [(1, false), (3, false), (3, true)] {
                    let at = |b: usize, i: usize| if columns { i * batch + b } else { b * n + i };
                    let mut input = vec![field.integer(0); n * batch];
                    let mut output = input.clone();
                    for b in 0..batch {
                        for i in 0..n {
                            let place = |rev: bool| at(b, if rev { reversed(i, log_n) } else { i });
                            input[place(ordering.input_reversed())] = natural[b * n + i].clone();
                            output[place(ordering.output_reversed())] = expected[b][i].clone();
                        }
                    }
                    let config = NttConfig { coset, batch, columns, ordering, ..NttConfig::default() };
                    let (input, output) = (field.encode(&input), field.encode(&output));
                    let what = format!("{:?} {direction:?} {config:?} 2^{log_n} {place:?}", field.id);
                    let got =
                        call(place, &[&input], input.len(), |s, out| ntt(field.id, n, direction, &config, s[0], out));
                    assert!(got == output, "{what}");
                    let mut data = input.clone();
                    let dst = Dst::from(&mut data);
                    ntt(field.id, n, direction, &config, dst.as_src(), dst).unwrap();
                    assert!(data == output, "{what} in place");
                }
            }
        }
    }
}

/// Sizes too large for the sum: a forward transform evaluates the polynomial (checked at a few points), and the inverse undoes it.
fn larger(field: &Field, place: Where, log_n: u32) {
    let n = 1usize << log_n;
    let x = field.samples(n, 7);
    let w = field.embed(&vec![words_of(&root_of_unity(field.id.scalar(), n as u64).unwrap())]);
    let words = field.encode(&x);
    let config = NttConfig::default();
    let forward =
        call(place, &[&words], words.len(), |s, out| ntt(field.id, n, Direction::Forward, &config, s[0], out));
    let values = field.decode(&forward);
    for k in [0, 1, 2, n / 2, n - 1] {
        let point = field.pow(&w, &BigUint::from(k));
        let expected = x.iter().rev().fold(field.integer(0), |acc, c| field.add(&field.mul(&acc, &point), c));
        assert_eq!(values[k], expected, "{:?} 2^{log_n} at {k}", field.id);
    }
    let back = call(place, &[&forward], words.len(), |s, out| ntt(field.id, n, Direction::Inverse, &config, s[0], out));
    assert!(back == words, "{:?} 2^{log_n} inverse of forward", field.id);
}

fn beyond(id: FieldId, device: Device) {
    let words = (2usize << LOG_DOMAIN) * id.info().bytes() / 4;
    let (input, mut out) = (vec![0u32; words], vec![7u32; words]);
    let n = 2usize << LOG_DOMAIN;
    let error = ntt(id, n, Direction::Forward, &NttConfig::default(), (&input).into(), (&mut out).into()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument, "{device} {error}");
    assert!(out.iter().all(|&w| w == 7), "outputs untouched");
}
