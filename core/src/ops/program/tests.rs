//! Compilation: what is computed, how often, and in how many registers.

use super::*;
use crate::ErrorCode;

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
    assert_eq!((&p[0] + &Symbol::constant(&[1])).degree(), 1);
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
fn unknown_inputs_and_empty_programs_are_refused() {
    let error = Program::new(&[&Symbol::input(0) + &Symbol::input(1)]).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert_eq!(Program::returning(&[]).unwrap_err().code, ErrorCode::InvalidArgument);
}
