//! The vectors of `tests/vectors`, which are computed from published parameters and shared by all languages: every line is
//! run, and every operation that the device offers over a field or curve has lines.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle::device::{Dst, Launch, supports};
use icicle::ops::matrix::{self, MatMulConfig};
use icicle::ops::msm::{MsmConfig, msm, precompute};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, ecntt, init_domain, ntt, release_domain, root_of_unity};
use icicle::ops::point::{self, PointForm, Points, PointsMut};
use icicle::ops::program::{Predefined, Program, Symbol, execute};
use icicle::ops::vector::{self, Binary, Reduce, VectorConfig};
use icicle::ops::{Domain, Op, polynomial};
use icicle::{CURVES, CurveId, Device, DeviceGuard, FIELDS, FieldId, Result};
use std::collections::HashSet;
use std::path::Path;

/// An operand's memory as 32-bit words.
fn operand(word: &str) -> Vec<u32> {
    let digits: String = word.split(',').collect();
    assert!(digits.len().is_multiple_of(8), "{word}: not whole words");
    let number = |eight: &str| u32::from_str_radix(eight, 16).expect("hexadecimal digits").swap_bytes();
    (0..digits.len() / 8).map(|i| number(&digits[8 * i..8 * i + 8])).collect()
}

fn number(word: &str) -> usize {
    word.parse().expect("a number")
}

/// What a call writes is the line's result.
fn gives(expected: &str, call: impl FnOnce(Dst<'_>) -> Result<()>) {
    let expected = operand(expected);
    let mut out = vec![0xdead_beef; expected.len()];
    call((&mut out).into()).unwrap();
    assert_eq!(out, expected);
}

fn binary(word: &str) -> Binary {
    match word {
        "add" => Binary::Add,
        "sub" => Binary::Sub,
        "mul" => Binary::Mul,
        "div" => Binary::Div,
        _ => panic!("{word}: no operation"),
    }
}

/// Direction and options of a transform.
fn transform(direction: &str, ordering: &str, coset: &str) -> (Direction, NttConfig) {
    let direction = match direction {
        "forward" => Direction::Forward,
        "inverse" => Direction::Inverse,
        _ => panic!("{direction}: no direction"),
    };
    let ordering = match ordering {
        "nn" => Ordering::NaturalNatural,
        "nr" => Ordering::NaturalReversed,
        "rn" => Ordering::ReversedNatural,
        "rr" => Ordering::ReversedReversed,
        _ => panic!("{ordering}: no ordering"),
    };
    (direction, NttConfig { coset: Some(wide(coset)), ordering, ..NttConfig::default() })
}

/// One element as the library takes roots and coset generators.
fn wide(word: &str) -> [u64; 12] {
    let mut limbs = [0u64; 12];
    for (i, half) in operand(word).into_iter().enumerate() {
        limbs[i / 2] |= u64::from(half) << (32 * (i % 2));
    }
    limbs
}

/// The library's root of unity is the line's, and becomes the domain.
fn root(field: FieldId, order: &str, w: &str) {
    assert_eq!(root_of_unity(field, order.parse().unwrap()).unwrap(), wide(w));
    release_domain(field, &Launch::default()).unwrap();
    init_domain(field, wide(w), &Launch::default()).unwrap();
}

/// Run one line about a field.
fn on_field(id: FieldId, line: &[&str]) {
    let config = VectorConfig::default();
    let count = |v: &[u32]| v.len() * 4 / id.info().bytes();
    match *line {
        ["root", order, w] => root(id.scalar(), order, w),
        ["vector_binary", op, a, b, r] => {
            let (a, b) = (operand(a), operand(b));
            gives(r, |out| vector::binary(binary(op), id, count(&a), (&a).into(), (&b).into(), &config, out));
        }
        ["vector_mixed_mul", a, b, r] => {
            let (a, b) = (operand(a), operand(b));
            gives(r, |out| vector::mixed_mul(id, count(&a), (&a).into(), (&b).into(), &config, out));
        }
        ["vector_scalar", op, s, v, r] => {
            let (s, v) = (operand(s), operand(v));
            gives(r, |out| vector::scalar(binary(op), id, count(&v), (&s).into(), (&v).into(), &config, out));
        }
        [op @ ("vector_inv" | "bit_reverse"), a, r] => {
            let (a, call) = (operand(a), if op == "bit_reverse" { vector::bit_reverse } else { vector::inv });
            gives(r, |out| call(id, count(&a), (&a).into(), &config, out));
        }
        ["vector_reduce", op @ ("sum" | "product"), a, r] => {
            let (a, op) = (operand(a), if op == "sum" { Reduce::Sum } else { Reduce::Product });
            gives(r, |out| vector::reduce(op, id, count(&a), (&a).into(), &config, out));
        }
        ["convert_montgomery", a, r] => {
            for (from, to, montgomery) in [(a, r, true), (r, a, false)] {
                let from = operand(from);
                gives(to, |out| vector::convert_montgomery(id, count(&from), (&from).into(), montgomery, &config, out));
            }
        }
        ["slice", offset, stride, a, r] => {
            let (a, taken) = (operand(a), count(&operand(r)));
            let (offset, stride) = (number(offset), number(stride));
            gives(r, |out| vector::slice(id, count(&a), (&a).into(), offset, stride, taken, &config, out));
        }
        ["highest_non_zero", a, index] => {
            let (a, mut found) = (operand(a), [i64::MIN]);
            vector::highest_non_zero(id, count(&a), (&a).into(), &config, (&mut found[..]).into()).unwrap();
            assert_eq!(found[0].to_string(), index);
        }
        ["polynomial_evaluate", c, x, r] => {
            let (c, x) = (operand(c), operand(x));
            gives(r, |out| polynomial::evaluate(id, count(&c), (&c).into(), count(&x), (&x).into(), &config, out));
        }
        ["polynomial_divide", a, b, q, r] => {
            let (a, b, mut rest) = (operand(a), operand(b), vec![7u32; operand(r).len()]);
            let (n, m, r_n, a, b) = (count(&a), count(&b), count(&rest), (&a).into(), (&b).into());
            gives(q, |out| polynomial::divide(id, n, a, m, b, &config, n, out, r_n, (&mut rest).into()));
            assert_eq!(rest, operand(r));
        }
        ["matrix_transpose", rows, cols, a, r] => {
            let a = operand(a);
            gives(r, |out| matrix::transpose(id, number(rows), number(cols), (&a).into(), &config, out));
        }
        ["matrix_multiply", rows, inner, cols, a, b, r] => {
            let (a, b, rows, inner, cols) = (operand(a), operand(b), number(rows), number(inner), number(cols));
            let config = MatMulConfig::default();
            gives(r, |out| matrix::multiply(id, (&a).into(), (rows, inner), (&b).into(), (inner, cols), &config, out));
        }
        ["program", name, ref operands @ .., r] => program(id, name, operands, r),
        ["ntt", direction, ordering, coset, x, r] => {
            let (x, (direction, config)) = (operand(x), transform(direction, ordering, coset));
            gives(r, |out| ntt(id, count(&x), direction, &config, (&x).into(), out));
        }
        _ => panic!("not a line about a field"),
    }
}

/// Execute a program; what its vectors hold afterwards.
fn program(id: FieldId, name: &str, operands: &[&str], r: &str) {
    let mut vectors: Vec<Vec<u32>> = operands.iter().copied().map(operand).collect();
    let mut expected = vectors.clone();
    let program = match name {
        "ab_minus_c" => Program::predefined(Predefined::AbMinusC),
        "eq_times_ab_minus_c" => Program::predefined(Predefined::EqTimesAbMinusC),
        "exchange" => {
            let constant: Vec<u8> = vectors.remove(0).iter().flat_map(|w| w.to_le_bytes()).collect();
            let (k, [x, y, z]) = (Symbol::constant(&constant), std::array::from_fn(Symbol::input));
            let value = &(&(&(&x * &y) - &k) * &(&x + &z).inverse()) + &z;
            let [_, old_x, old_y, _] = <[_; 4]>::try_from(expected).expect("a constant and three vectors");
            expected = vec![old_y, old_x];
            Program::new(&[y, x, value]).unwrap()
        }
        _ => panic!("{name}: no program"),
    };
    expected.push(operand(r));
    vectors.resize(expected.len(), vec![7; expected[0].len()]);
    let mut all: Vec<Dst> = vectors.iter_mut().map(Dst::from).collect();
    let n = operand(r).len() * 4 / id.info().bytes();
    execute(id, &program, &mut all, n, &VectorConfig::default()).unwrap();
    assert_eq!(vectors, expected);
}

/// Run one line about a curve group.
fn on_curve(id: CurveId, line: &[&str]) {
    let launch = Launch::default();
    // The forms of operands and result, and how many points there are.
    let form = |forms: &str, i: usize| match forms.as_bytes()[i] {
        b'a' => PointForm::Affine,
        b'p' => PointForm::Projective,
        _ => panic!("{forms}: no forms"),
    };
    let count = |form: PointForm, v: &[u32]| v.len() * 4 / form.bytes(id);
    match *line {
        ["root", order, w] => root(id.info().scalar, order, w),
        ["ec_ntt", direction, ordering, coset, x, r] => {
            let (x, (direction, config)) = (operand(x), transform(direction, ordering, coset));
            gives(r, |out| ecntt(id, count(PointForm::Projective, &x), direction, &config, (&x).into(), out));
        }
        ["msm", s, p, r] => {
            let (s, p) = (operand(s), operand(p));
            gives(r, |out| msm(id, count(PointForm::Affine, &p), (&s).into(), (&p).into(), &MsmConfig::default(), out));
        }
        ["msm_precompute", factor, c, p, r] => {
            let p = operand(p);
            let config = MsmConfig { precompute_factor: number(factor), c: number(c) as u32, ..MsmConfig::default() };
            gives(r, |out| precompute(id, count(PointForm::Affine, &p), (&p).into(), &config, out));
        }
        ["point_convert_montgomery", of, x, r] => {
            for (from, to, montgomery) in [(x, r, true), (r, x, false)] {
                let (from, form) = (operand(from), form(of, 0));
                let (n, src) = (count(form, &from), (&from).into());
                gives(to, |out| point::convert_montgomery(id, form, n, src, montgomery, &launch, out));
            }
        }
        ["point_binary", op @ ("add" | "sub"), forms, a, b, r] => {
            let (a, b, [f, g, h]) = (operand(a), operand(b), [0, 1, 2].map(|i| form(forms, i)));
            let op = if op == "add" { point::Binary::Add } else { point::Binary::Sub };
            let (x, y) = (Points { form: f, src: (&a).into() }, Points { form: g, src: (&b).into() });
            gives(r, |dst| point::binary(op, id, count(f, &a), x, y, &launch, PointsMut { form: h, dst }));
        }
        ["point_scalar_mul", forms, s, p, r] => {
            let (s, p, [f, h]) = (operand(s), operand(p), [0, 1].map(|i| form(forms, i)));
            let (n, p) = (count(f, &p), Points { form: f, src: (&p).into() });
            gives(r, |dst| point::scalar_mul(id, n, (&s).into(), p, &launch, PointsMut { form: h, dst }));
        }
        ["point_unary", op @ ("negate" | "normalize"), forms, a, r] => {
            let (a, [f, h]) = (operand(a), [0, 1].map(|i| form(forms, i)));
            let call = if op == "negate" { point::negate } else { point::normalize };
            let points = Points { form: f, src: (&a).into() };
            gives(r, |dst| call(id, count(f, &a), points, &launch, PointsMut { form: h, dst }));
        }
        ["point_equal", forms, a, b, r] => {
            let (a, b, [f, g]) = (operand(a), operand(b), [0, 1].map(|i| form(forms, i)));
            let (x, y) = (Points { form: f, src: (&a).into() }, Points { form: g, src: (&b).into() });
            gives(r, |out| point::equal(id, count(f, &a), x, y, &launch, out));
        }
        _ => panic!("not a line about a curve"),
    }
}

/// The field or curve that a file's first line names; none in a quick build without it.
fn domain(header: &[&str]) -> Option<Domain> {
    let found = match *header {
        ["field", name, bytes, scalar] => FIELDS.iter().find(|row| row.id.name() == name).map(|row| {
            assert_eq!((row.bytes(), row.id.scalar().name()), (number(bytes), scalar), "{name}");
            Domain::Field(row.id)
        }),
        ["curve", name, bytes, scalar] => CURVES.iter().find(|row| row.name == name).map(|row| {
            assert_eq!((row.base.info().bytes(), row.scalar.name()), (number(bytes), scalar), "{name}");
            Domain::Curve(row.id)
        }),
        _ => panic!("{header:?}: names no field or curve"),
    };
    assert!(found.is_some() || cfg!(icicle_few), "{header:?}: the library has none of this name");
    found
}

/// Names the line that a panic comes from.
struct At<'a>(&'a Path, usize);

impl Drop for At<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("at {}:{}", self.0.display(), self.1);
        }
    }
}

#[test]
fn every_operation_over_every_domain() {
    let device = Device::cpu(0);
    let _current = DeviceGuard::new(device).unwrap();
    let mut ran = HashSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/operations");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut subject = None;
        for (i, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            let (_at, words) = (At(&path, i + 1), line.split(' ').collect::<Vec<_>>());
            match subject {
                _ if line.starts_with('#') => {}
                None => match domain(&words) {
                    None => break,
                    found => subject = found,
                },
                Some(domain) => {
                    match domain {
                        Domain::Field(id) => on_field(id, &words),
                        Domain::Curve(id) => on_curve(id, &words),
                    }
                    // What is no operation has made a domain ready.
                    let name = words[0].trim_end_matches("_precompute");
                    ran.extend(Op::ALL.iter().find(|op| op.name() == name).map(|&op| (op, domain)));
                }
            }
        }
    }
    let curves = CURVES.iter().map(|row| Domain::Curve(row.id));
    let domains: Vec<Domain> = FIELDS.iter().map(|row| Domain::Field(row.id)).chain(curves).collect();
    let pairs = Op::ALL.iter().flat_map(|&op| domains.iter().map(move |&domain| (op, domain)));
    let offered: HashSet<_> = pairs.filter(|&(op, domain)| supports(device, op, domain).unwrap()).collect();
    assert!(ran.is_subset(&offered), "not offered: {:?}", ran.difference(&offered));
    assert!(offered.is_subset(&ran), "without vectors: {:?}", offered.difference(&ran));
    println!("{} pairs of operation and domain", ran.len());
}
