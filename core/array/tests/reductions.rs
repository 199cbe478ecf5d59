//! Reductions as NumPy does them in double precision, on every kind of view.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{cases, check, device, views};
use icicle_array::*;
use icicle_device::DeviceKind;

#[test]
fn reductions_give_what_numpy_gives() {
    for case in cases(include_str!("vectors/reductions.txt")) {
        let axes = case.integers("axis");
        let (some, one) = (axes.as_deref(), axes.as_deref().and_then(|axes| axes.first().copied()));
        let initial = case.argument("initial") == Some("1");
        for (view, x) in views(&case.operands[0]).into_iter().enumerate() {
            let context = format!("{} of {} on {}, view {view}: {}", case.op, x.dtype(), device(), case.text);
            let reduce = |keep: bool| match case.op.as_str() {
                "sum" => sum(&x, some, keep, None),
                "prod" => prod(&x, some, keep, None),
                "min" => min(&x, some, keep),
                "max" => max(&x, some, keep),
                "all" => all(&x, some, keep),
                "any" => any(&x, some, keep),
                "count_nonzero" => count_nonzero(&x, some, keep),
                "mean" => mean(&x, some, keep),
                "var" => var(&x, some, 0.0, keep),
                "std" => std(&x, some, 0.0, keep),
                "argmin" => argmin(&x, one, keep),
                "argmax" => argmax(&x, one, keep),
                "cumulative_sum" => cumulative_sum(&x, one, None, initial),
                "cumulative_prod" => cumulative_prod(&x, one, None, initial),
                other => panic!("{other}"),
            };
            let reduce = |keep: bool| reduce(keep).unwrap_or_else(|error| panic!("{error}: {context}"));
            let got = reduce(false);
            // Another order of steps, and of sums that nearly cancel.
            let units = if x.dtype().bytes() < 8 || x.dtype() == DType::Complex64 { 2.0 } else { 64.0 };
            check(&got, &case.result, units, &context);
            if !case.op.starts_with("cumulative") {
                let kept = reduce(true);
                assert_eq!(kept.rank(), x.rank(), "{context}");
                let shape: Vec<_> = got.shape().iter().map(|&n| n as isize).collect();
                check(&kept.reshape(&shape).unwrap(), &got, 0.0, &context);
            }
        }
    }
}

/// Whole groups of lanes, and whatever is left behind them.
#[test]
fn every_length_is_folded_to_its_end() {
    for n in 1..=70 {
        let numbers: Vec<f64> = (1..=n).map(f64::from).collect();
        let array = |numbers: &[f64]| Array::from_slice_on(device(), numbers, &[numbers.len()]).unwrap();
        let (up, down) = (array(&numbers), array(&numbers.iter().map(|x| -x).collect::<Vec<_>>()));
        let value = |result: Array| result.to_vec::<f64>().unwrap()[0];
        let last = f64::from(n);
        assert_eq!(value(sum(&up, None, false, None).unwrap()), last * (last + 1.0) / 2.0, "{n}");
        assert_eq!(value(max(&up, None, false).unwrap()), last);
        assert_eq!(value(min(&down, None, false).unwrap()), -last);
        let mut signs = vec![1.0; n as usize];
        signs[n as usize - 1] = -1.0;
        assert_eq!(value(prod(&array(&signs), None, false, None).unwrap()), -1.0, "{n}");
    }
}

/// A line is folded alike whether it is alone or between others: many short ones go together. On a GPU the order of sums depends on
/// how many lines there are, too.
#[test]
fn lines_are_folded_alike() {
    if device().kind == DeviceKind::Cuda {
        return;
    }
    type Fold = fn(&Array) -> Array;
    const LINES: usize = 37;
    let folds: [Fold; 6] = [
        |x| sum(x, Some(&[-1]), false, None).unwrap(),
        |x| prod(x, Some(&[-1]), false, None).unwrap(),
        |x| max(x, Some(&[-1]), false).unwrap(),
        |x| min(x, Some(&[-1]), false).unwrap(),
        |x| count_nonzero(x, Some(&[-1]), false).unwrap().astype(DType::Float64).unwrap(),
        |x| all(x, Some(&[-1]), false).unwrap().astype(DType::Float64).unwrap(),
    ];
    for n in (1..=140).chain([511, 512, 513]) {
        // Not exact in sums, zeros of both signs, and in some lines NaN and infinity.
        let number = |i: usize| match i * 31 % 101 {
            0 => -0.0,
            7 => 0.0,
            k => 1.0 + (k as f64 - 50.0) / 1e3 / 3.0,
        };
        let mut numbers: Vec<f64> = (0..LINES * n).map(number).collect();
        numbers[3 * n + n / 2] = f64::NAN;
        numbers[20 * n] = f64::INFINITY;
        for dtype in [DType::Float64, DType::Float32, DType::Int64, DType::Int8] {
            if !dtype.is_floating() {
                numbers = numbers.iter().map(|x| (x * 1e5 % 100.0).floor()).collect();
            }
            let x = Array::from_slice_on(device(), &numbers, &[LINES, n]).unwrap().astype(dtype).unwrap();
            for (k, fold) in folds.iter().enumerate() {
                let together = fold(&x).astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
                for (i, together) in together.into_iter().enumerate() {
                    let line = x.index(&[Index::At(i as isize)]).unwrap();
                    let alone = fold(&line).astype(DType::Float64).unwrap().to_vec::<f64>().unwrap()[0];
                    let same = together.to_bits() == alone.to_bits() || together.is_nan() && alone.is_nan();
                    assert!(same, "fold {k}, line {i} of {n} {dtype}: {together} {alone}");
                }
            }
        }
    }
}
