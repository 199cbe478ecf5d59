//! Compilation: what is computed, how often, and in how many registers.

use super::*;
use icicle_error::ErrorCode;

fn inputs(n: usize) -> Vec<Symbol> {
    (0..n).map(Symbol::input).collect()
}

#[test]
fn unchanged_parameters_cost_nothing() {
    let program = Program::new(&inputs(3)).unwrap();
    assert_eq!((program.code().len(), program.outputs().len(), program.slots()), (0, 0, 0));
}

#[test]
fn shared_values_are_computed_once_and_dead_ones_never() {
    let mut p = inputs(3);
    let _dead = &p[0] * &p[2];
    let sum = &p[0] + &p[1];
    p[2] = &(&sum * &sum) - &sum;
    let program = Program::new(&p).unwrap();
    assert_eq!(program.code().len(), 3);
    assert_eq!(program.inputs(), [0, 1]);
    assert_eq!(program.outputs().len(), 1);
    assert_eq!(program.degree(), 2);
}

#[test]
fn equal_constants_share_a_slot() {
    let mut p = inputs(1);
    p[0] = &(&p[0] * &Symbol::constant(&[1; 4])) + &Symbol::constant(&[1; 4]);
    let program = Program::new(&p).unwrap();
    assert_eq!(program.constants().len(), 1);
}

#[test]
fn registers_are_reused() {
    // A balanced tree of 64 leaves needs about its depth, a chain two, whatever their size.
    let p = inputs(64);
    let mut level = p.clone();
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| &pair[0] * &pair[1]).collect();
    }
    let registers = |p: &Program| p.slots() - p.inputs().len() - p.constants().len();
    let mut outputs = p.clone();
    outputs[0] = level.pop().unwrap();
    assert_eq!(outputs[0].degree(), 64);
    assert!(registers(&Program::new(&outputs).unwrap()) <= 7);
    let chain = (0..1000).fold(p[0].clone(), |x, _| &x + &p[1]);
    outputs[0] = chain;
    assert!(registers(&Program::new(&outputs).unwrap()) <= 2);
    for i in Program::new(&outputs).unwrap().code() {
        assert!(i.to != i.a && i.to != i.b);
    }
}

#[test]
fn deep_circuits_neither_compile_nor_drop_recursively() {
    let mut p = inputs(2);
    for _ in 0..1_000_000 {
        p[0] = &p[0] * &p[1];
    }
    let program = Program::new(&p).unwrap();
    assert_eq!(program.code().len(), 1_000_000);
    assert_eq!(p[0].degree(), 1_000_001);
    drop(p);
    let doubled = (0..100).fold(Symbol::input(0), |x, _| &x * &x);
    assert_eq!(doubled.degree(), i64::MAX);
}

#[test]
fn degrees_follow_the_operations() {
    let p = inputs(2);
    let one = Symbol::constant(&[1]);
    assert_eq!(
        [&p[0] + &one, &one + &p[0], &one - &p[0], &one * &p[0], &one + &one].map(|s| s.degree()),
        [1, 1, 1, 1, 0]
    );
    assert_eq!((&(&p[0] * &p[1]) - &p[0]).degree(), 2);
    assert_eq!((&p[0].inverse() * &p[0]).degree(), -1);
    assert_eq!(Program::predefined(Predefined::AbMinusC).degree(), 2);
    assert_eq!(Program::returning_predefined(Predefined::EqTimesAbMinusC).degree(), 3);
    assert_eq!(Program::predefined(Predefined::AbMinusC).parameters(), 4);
    assert_eq!(Program::predefined(Predefined::EqTimesAbMinusC).parameters(), 5);
    assert_eq!(Predefined::from_number(1), Some(Predefined::EqTimesAbMinusC));
    assert_eq!(Predefined::from_number(2), None);
}

#[test]
fn symbols_are_told_by_their_outermost_operation() {
    let p = inputs(2);
    let told =
        [&p[1] * &p[0], &p[0] - &p[1], &p[0] + &p[1], p[0].inverse(), p[1].clone(), Symbol::constant(&[1, 0xab])];
    let texts = [
        "product of degree 2",
        "difference of degree 1",
        "sum of degree 1",
        "inverse of degree -1",
        "input 1",
        "constant [1, ab]",
    ];
    assert_eq!(told.map(|symbol| format!("{symbol:?}")), texts);
}

#[test]
fn unknown_inputs_and_empty_programs_are_refused() {
    let error = Program::new(&[&Symbol::input(0) + &Symbol::input(1)]).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert_eq!(Program::returning(&[]).unwrap_err().code, ErrorCode::InvalidArgument);
}

/// Run a program of one position over BabyBear.
fn run(program: &Program, values: &[u32]) -> Vec<u32> {
    let mut values = values.to_vec();
    let mut vectors: Vec<Dst> = values.chunks_mut(1).map(Into::into).collect();
    execute(FieldId::BabyBearScalar, program, &mut vectors, 1, &VectorConfig::default()).unwrap();
    drop(vectors);
    values
}

#[test]
fn parameters_are_assigned_at_once_or_in_order() {
    let nine = Symbol::constant(&9u32.to_le_bytes());
    let p = inputs(5);
    // d is given a new value before e is, which names it; a·b is computed before either.
    let product = &p[0] * &p[1];
    let (c, d) = (product.clone(), &p[0] + &p[2]);
    let e = &(&p[3] * &(&product - &p[2])) + &nine;
    let parameters = [p[0].clone(), p[1].clone(), c, d, e];
    let values = [2, 5, 7, 11, 0];
    // At once: c = 10, d = 2 + 7, e = 11·(10 - 7) + 9.
    assert_eq!(run(&Program::new(&parameters).unwrap(), &values), [2, 5, 10, 9, 42]);
    // In order: c = 10, d = 2 + 10, e = 12·(10 - 10) + 9.
    assert_eq!(run(&Program::in_order(&parameters).unwrap(), &values), [2, 5, 10, 12, 9]);
}

#[test]
fn in_order_swaps_copy_and_computed_values_stay() {
    let p = inputs(3);
    let swap = [p[1].clone(), p[0].clone(), p[2].clone()];
    assert_eq!(run(&Program::new(&swap).unwrap(), &[3, 4, 5]), [4, 3, 5]);
    assert_eq!(run(&Program::in_order(&swap).unwrap(), &[3, 4, 5]), [4, 4, 5]);
    // The sum is computed for the first parameter; the second reads it, the third a new one of the same input.
    let sum = &p[0] + &p[1];
    let parameters = [sum.clone(), &sum * &sum, &p[0] + &p[1]];
    assert_eq!(run(&Program::in_order(&parameters).unwrap(), &[3, 4, 5]), [7, 49, 56]);
    assert_eq!(Program::in_order(&[]).unwrap_err().code, ErrorCode::InvalidArgument);
}
