//! Programs: what the vectors of every parameter hold afterwards, against the oracle.

use crate::oracle::{Element, Field};
use crate::{PLACES, Where, offered};
use icicle::device::Dst;
use icicle::ops::program::{Predefined, Program, Symbol, execute};
use icicle::ops::vector::VectorConfig;
use icicle::ops::{Domain, Op};
use icicle::{Buffer, Device, ErrorCode, FIELDS};

pub fn check(_: Device) {
    for row in FIELDS.iter().filter(|row| offered(Op::Program, Domain::Field(row.id))) {
        let field = Field::new(row.id);
        for place in PLACES {
            for n in [0, 1, 33, 300] {
                predefined(&field, n, place);
            }
            every_operation(&field, place);
            long(&field, place);
        }
        refusals(&field);
    }
}

/// Execute over vectors at a place, `batch` of `n` elements each; all vectors afterwards.
fn run(field: &Field, program: &Program, vectors: &[Vec<Element>], batch: usize, place: Where) -> Vec<Vec<Element>> {
    let mut words: Vec<Vec<u32>> = vectors.iter().map(|v| field.encode(v)).collect();
    let n = vectors[0].len() / batch;
    let config = VectorConfig { batch, ..VectorConfig::default() };
    match place {
        Where::Host => {
            let mut all: Vec<Dst> = words.iter_mut().map(Dst::from).collect();
            execute(field.id, program, &mut all, n, &config).unwrap();
        }
        Where::Device => {
            let mut buffers: Vec<Buffer<u32>> = words.iter().map(|w| Buffer::from_slice(w).unwrap()).collect();
            let mut all: Vec<Dst> = buffers.iter_mut().map(Dst::from).collect();
            execute(field.id, program, &mut all, n, &config).unwrap();
            words = buffers.iter().map(|b| b.to_vec().unwrap()).collect();
        }
    }
    words.iter().map(|w| field.decode(w)).collect()
}

fn predefined(field: &Field, n: usize, place: Where) {
    let vectors: Vec<_> = (0..5).map(|i| field.samples(n, 2 + 3 * i)).collect();
    let short = run(field, &Program::predefined(Predefined::AbMinusC), &vectors[..4], 1, place);
    let long = run(field, &Program::predefined(Predefined::EqTimesAbMinusC), &vectors, 1, place);
    assert_eq!((&short[..3], &long[..4]), (&vectors[..3], &vectors[..4]), "{:?} inputs stay", field.id);
    for i in 0..n {
        let difference = field.sub(&field.mul(&vectors[0][i], &vectors[1][i]), &vectors[2][i]);
        assert_eq!(short[3][i], difference, "{:?} {n} at {i} {place:?}", field.id);
        assert_eq!(long[4][i], field.mul(&vectors[3][i], &difference), "{:?} {n} at {i} {place:?}", field.id);
    }
}

fn inverse(field: &Field, x: &Element) -> Element {
    // The oracle inverts in fields only.
    if field.is_field() { field.inverse(x) } else { x.clone() }
}

/// Two parameters exchanged, one a constant, and one of all operations, twice.
fn every_operation(field: &Field, place: Where) {
    let constant = field.samples(6, 5).pop().unwrap();
    let bytes: Vec<u8> = field.encode(std::slice::from_ref(&constant)).iter().flat_map(|w| w.to_le_bytes()).collect();
    let symbol = Symbol::constant(&bytes);
    let [x, y, z]: [Symbol; 3] = std::array::from_fn(Symbol::input);
    let quotient = if field.is_field() { (&x + &z).inverse() } else { &x + &z };
    let value = &(&(&(&x * &y) - &symbol) * &quotient) + &z;
    let program = Program::new(&[y, x, value.clone(), value, symbol]).unwrap();
    for (n, batch) in [(1, 1), (37, 3)] {
        let vectors: Vec<_> = (0..5).map(|i| field.samples(n * batch, 4 * i)).collect();
        let got = run(field, &program, &vectors, batch, place);
        assert_eq!((&got[0], &got[1]), (&vectors[1], &vectors[0]), "{:?} exchange {place:?}", field.id);
        for i in 0..n * batch {
            let [x, y, z] = [0, 1, 2].map(|k: usize| &vectors[k][i]);
            let difference = field.sub(&field.mul(x, y), &constant);
            let expected = field.add(&field.mul(&difference, &inverse(field, &field.add(x, z))), z);
            assert_eq!((&got[2][i], &got[3][i]), (&expected, &expected), "{:?} {n} at {i} {place:?}", field.id);
            assert_eq!(got[4][i], constant, "{:?} {n} at {i} {place:?}", field.id);
        }
    }
}

/// Many values alive at once: all products of neighbours, summed from the far end.
fn long(field: &Field, place: Where) {
    let (n, count) = (70, 40);
    let inputs: Vec<Symbol> = (0..4).map(Symbol::input).collect();
    let mut values = vec![&inputs[0] + &inputs[1]];
    for i in 1..count {
        values.push(&(&values[i - 1] * &inputs[i % 3]) + &inputs[(i + 1) % 3]);
    }
    let sum = values.iter().rev().fold(inputs[3].clone(), |sum, value| &(&sum * &inputs[0]) - value);
    let program = Program::new(&[inputs[0].clone(), inputs[1].clone(), inputs[2].clone(), sum]).unwrap();
    assert!(program.slots() >= count);
    let vectors: Vec<_> = (0..4).map(|i| field.samples(n, 1 + 2 * i)).collect();
    let got = run(field, &program, &vectors, 1, place);
    for i in 0..n {
        let at: Vec<&Element> = vectors.iter().map(|v| &v[i]).collect();
        let mut values = vec![field.add(at[0], at[1])];
        for k in 1..count {
            values.push(field.add(&field.mul(&values[k - 1], at[k % 3]), at[(k + 1) % 3]));
        }
        let sum = values.iter().rev().fold(at[3].clone(), |sum, value| field.sub(&field.mul(&sum, at[0]), value));
        assert_eq!(got[3][i], sum, "{:?} at {i} {place:?}", field.id);
    }
}

/// Another number of vectors, and vectors that overlap: nothing is written.
fn refusals(field: &Field) {
    let program = Program::predefined(Predefined::AbMinusC);
    let mut words = vec![vec![7u32; 2 * field.words()]; 3];
    let mut all: Vec<Dst> = words.iter_mut().map(Dst::from).collect();
    let error = execute(field.id, &program, &mut all, 2, &VectorConfig::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
    assert!(words.iter().flatten().all(|&w| w == 7), "outputs untouched");
}
