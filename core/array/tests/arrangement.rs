//! Joining, indexing, sorting and products as NumPy does them, on every kind of view.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Case, cases, check, views};
use icicle_array::*;

/// Run a file's cases with their first operand as each kind of view.
fn run(text: &str, op: impl Fn(&Case, &[Array]) -> Result<Array, String>) {
    for case in cases(text) {
        for (k, first) in views(&case.operands[0]).into_iter().enumerate() {
            let mut operands = vec![first];
            operands.extend(case.operands[1..].iter().map(|x| views(x)[k % views(x).len()].clone()));
            let got = op(&case, &operands).unwrap_or_else(|e| panic!("{}: {e}", case.text));
            check(&got, &case.result, 0.0, &case.text);
        }
    }
}

fn unsigned(list: Vec<isize>) -> Vec<usize> {
    list.into_iter().map(|n| n as usize).collect()
}

#[test]
fn arrangement_is_what_numpy_does() {
    run(include_str!("vectors/arrangement.txt"), |case, of| {
        let axes = case.integers("axis");
        let axis = axes.as_ref().map(|axes| axes[0]);
        let number = |name: &str| case.integers(name).unwrap();
        let all: Vec<_> = of.iter().collect();
        let mut x = of[0].clone();
        match case.op.as_str() {
            "concat" => concat(&all, axis),
            "stack" => stack(&all, axis.unwrap()),
            "tile" => tile(&x, &unsigned(number("times"))),
            "repeat" => repeat(&x, &unsigned(number("times")), axis),
            "roll" => roll(&x, &number("shift"), axes.as_deref()),
            "moveaxis" => x.moveaxis(&number("source"), axes.as_deref().unwrap()),
            "flip" => x.flip(axes.as_deref()),
            "tril" => tril(&x, number("k")[0]),
            "triu" => triu(&x, number("k")[0]),
            "take" => take(&x, &of[1], axis.unwrap()),
            "take_along_axis" => take_along_axis(&x, &of[1], axis.unwrap()),
            "mask" => compress(&x, &of[1]),
            "index" => take_at(&x, &all[1..]),
            "nonzero" => nonzero(&x).map(|all| all[axis.unwrap() as usize].clone()),
            "assign_mask" => x.assign_mask(&of[1], &of[2]).map(|()| x),
            "assign_at" => x.assign_at(&all[1..3], &of[3]).map(|()| x),
            other => panic!("{other}"),
        }
        .map_err(|e| e.to_string())
    });
}

#[test]
fn order_is_numpys() {
    run(include_str!("vectors/order.txt"), |case, of| {
        let axis = || case.integers("axis").unwrap()[0];
        let descending = case.argument("descending") == Some("1");
        match case.op.as_str() {
            "sort" => sort(&of[0], axis(), descending),
            "argsort" => argsort(&of[0], axis(), descending),
            "searchsorted" => searchsorted(&of[0], &of[1], case.argument("right") == Some("1")),
            "isin" => isin(&of[0], &of[1]),
            _ => unique_all(&of[0]).map(|found| match case.argument("part").unwrap() {
                "values" => {
                    check(&unique_values(&of[0]).unwrap(), &found.values, 0.0, &case.text);
                    found.values
                }
                "indices" => found.indices,
                "inverse" => found.inverse,
                _ => found.counts,
            }),
        }
        .map_err(|e| e.to_string())
    });
}

#[test]
fn products_are_numpys() {
    // Whole numbers, whose sums are exact in any order.
    run(include_str!("vectors/products.txt"), |case, of| {
        let axes = |name: &str| case.integers(name).unwrap();
        match case.op.as_str() {
            "matmul" => matmul(&of[0], &of[1]),
            "tensordot" => tensordot(&of[0], &of[1], &axes("x"), &axes("y")),
            _ => vecdot(&of[0], &of[1], axes("axis")[0]),
        }
        .map_err(|e| e.to_string())
    });
}
