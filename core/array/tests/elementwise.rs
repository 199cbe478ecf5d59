//! Elementwise operations and casts as NumPy does them, on every kind of view.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{cases, check, views};
use icicle_array::{BinaryOp, Kind, UnaryOp, binary, select, unary};
use std::collections::HashSet;

/// Units of precision by which an operation may differ: those of arithmetic not at all.
fn units(op: &str, kind: Kind) -> f64 {
    let exact = "abs negative positive sign sqrt square reciprocal floor ceil trunc round isnan isinf isfinite signbit conj real \
                 imag add subtract multiply divide floor_divide remainder copysign nextafter maximum minimum where";
    match (exact.split(' ').any(|name| name == op), kind) {
        (true, Kind::Complex)
            if matches!(op, "abs" | "sign" | "sqrt" | "reciprocal" | "divide" | "square" | "multiply") =>
        {
            4.0
        }
        (true, _) => 0.0,
        (false, Kind::Complex) => 16.0,
        (false, _) => 4.0,
    }
}

#[test]
fn operations_give_what_numpy_gives() {
    let mut seen = HashSet::new();
    for case in cases(include_str!("vectors/elementwise.txt")) {
        let unary_op = UnaryOp::ALL.iter().find(|op| op.name() == case.op);
        let binary_op = BinaryOp::ALL.iter().find(|op| op.name() == case.op);
        let units = units(&case.op, case.operands[0].dtype().kind());
        for (k, first) in views(&case.operands[0]).into_iter().enumerate() {
            let others: Vec<_> = case.operands[1..].iter().map(|x| views(x)[k % views(x).len()].clone()).collect();
            let got = match (unary_op, binary_op) {
                (Some(&op), _) => unary(op, &first),
                (_, Some(&op)) => binary(op, &first, &others[0]),
                _ => select(&first, &others[0], &others[1]),
            };
            check(&got.unwrap_or_else(|e| panic!("{}: {e}", case.text)), &case.result, units, &case.text);
        }
        seen.insert(case.op);
    }
    let all = UnaryOp::ALL.iter().map(|op| op.name()).chain(BinaryOp::ALL.iter().map(|op| op.name()));
    let missing: Vec<_> = all.filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn casts_give_what_numpy_gives() {
    for case in cases(include_str!("vectors/casts.txt")) {
        for x in views(&case.operands[0]) {
            let got = x.astype(case.argument("dtype").unwrap().parse().unwrap()).unwrap();
            check(&got, &case.result, 0.0, &case.text);
        }
    }
}
