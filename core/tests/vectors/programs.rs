//! Execution of programs.

use super::*;
use icicle::device::Dst;
use icicle::ops::program::{self, Predefined, Program, Symbol};

/// Execute over copies of `vectors`.
fn execute<F: Field>(id: FieldId, program: &Program, vectors: &[Vec<F::Raw>], s: Shape) -> Vec<Vec<F>> {
    let mut vectors = vectors.to_vec();
    let mut dsts: Vec<Dst> = vectors.iter_mut().map(Dst::from).collect();
    program::execute(id, program, &mut dsts, s.n, &s.config()).unwrap();
    vectors.iter().map(|v| lift::<F>(v)).collect()
}

fn every_operation<F: Field>(id: FieldId) {
    let c = F::from_coefficients(|i| <F::Prime as Field>::from_u64(17 + i as u64));
    let constant = Symbol::constant(bytemuck::bytes_of(&c.to_raw()));
    let mut p: Vec<_> = (0..4).map(Symbol::input).collect();
    // Swap the first two, one through others' old values, one with all operations; the last has many products.
    let (x, y, z) = (p[0].clone(), p[1].clone(), p[2].clone());
    (p[0], p[1]) = (y.clone(), x.clone());
    p[2] = &(&(&x * &constant) - &(&y + &z).inverse()) * &y;
    let short = Program::new(&p).unwrap();
    let power = (0..9).fold(x.clone(), |acc, _| &acc * &y);
    p[3] = &(&power + &constant) - &z.inverse();
    let long = Program::new(&p).unwrap();
    for s in shapes() {
        let vectors: Vec<_> = (0..4).map(|i| data::<F>(id, s.total(), 1 + i)).collect();
        let (got_short, got_long) = (execute::<F>(id, &short, &vectors, s), execute::<F>(id, &long, &vectors, s));
        for i in 0..s.total() {
            let [x, y, z, w] = [0, 1, 2, 3].map(|k: usize| F::from_raw(vectors[k][i]));
            let invert = |x: F| x.inverse().unwrap_or_default();
            let last = x * y.pow(&[9]) + c - invert(z);
            let third = (x * c - invert(y + z)) * y;
            for (got, fourth) in [(&got_short, w), (&got_long, last)] {
                let got = [0, 1, 2, 3].map(|k: usize| got[k][i]);
                assert_eq!(got, [y, x, third, fourth], "{id:?} {s:?} position {i}");
            }
        }
    }
}

#[test]
fn programs_of_every_field() {
    every_field!(every_operation);
}

fn predefined<F: Field>(id: FieldId) {
    let s = Shape { n: 1000, batch: 1, columns: false };
    let vectors: Vec<_> = (0..5).map(|i| data::<F>(id, s.n, 1 + i)).collect();
    let short = execute::<F>(id, &Program::predefined(Predefined::AbMinusC), &vectors[..4], s);
    let long = execute::<F>(id, &Program::returning_predefined(Predefined::EqTimesAbMinusC), &vectors, s);
    for i in 0..s.n {
        let [a, b, c, eq] = [0, 1, 2, 3].map(|k: usize| F::from_raw(vectors[k][i]));
        assert_eq!(short[3][i], a * b - c, "{id:?}");
        assert_eq!([long[3][i], long[4][i]], [eq, eq * (a * b - c)], "{id:?}");
    }
}

#[test]
fn predefined_programs_of_every_field() {
    every_field!(predefined);
}

#[test]
fn an_extension_constant_is_its_first_coefficient_to_the_prime_field() {
    type F = icicle::algebra::fields::BabyBearScalar;
    let mut bytes = [0; 16];
    bytes[0] = 5;
    let p = [&Symbol::input(0) * &Symbol::constant(&bytes)];
    let s = Shape { n: 3, batch: 1, columns: false };
    let out = execute::<F>(FieldId::BabyBearScalar, &Program::new(&p).unwrap(), &[vec![1, 2, 3]], s);
    assert_eq!(out[0], [5, 10, 15].map(F::from_u64));
}
