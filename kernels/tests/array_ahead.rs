//! Cases for `array_ahead.cpp`: what the core's CPU device gives for every operation, cast and fold, of operands that lie in every
//! way.

use crate::Random;
use icicle::array::{
    Array, BinaryOp, Complex, DType, Index, Kind, Slice, UnaryOp, all, any, argmax, argmin, binary, count_nonzero,
    less, max, min, prod, select, sum, unary,
};
use icicle_kernels::array_ahead::{AXES, Apply, Fold, LEAST_LANES, Leaf, Shape, batch};
use std::fmt::Write;

/// One case a line.
pub fn cases() -> String {
    let sizes =
        [size_of::<Shape>(), size_of::<Leaf>(), size_of::<Apply>(), size_of::<Fold>(), AXES, LEAST_LANES as usize];
    let batches = [1, 2, 4, 8, 16].map(|bytes| format!("{} {}", batch(false, bytes), batch(true, bytes)));
    let sizes = sizes.map(|size| size.to_string());
    let mut out = format!("constants {} {}\n", sizes.join(" "), batches.join(" "));
    let mut random = Random(21);
    for &dtype in DType::ALL {
        operations(&mut random, dtype, &mut out);
        layouts(&mut random, dtype, &mut out);
        folds(&mut random, dtype, &mut out);
    }
    out
}

/// Values of a dtype: small ones, and extremes of integers.
fn values(random: &mut Random, dtype: DType, shape: &[usize]) -> Array {
    let n = shape.iter().product::<usize>();
    let special = [0.0, -0.0, 0.5, -0.5, 1.0, 2.5, -3.0, f64::NAN, f64::INFINITY];
    let mut real = |finite: bool| -> Vec<f64> {
        let one = |_| match random.next() % 16 {
            k @ 0..7 => special[k as usize],
            k @ 7..9 if !finite => special[k as usize],
            _ => (random.next() % 4001) as f64 / 250.0 - 8.0,
        };
        (0..n).map(one).collect()
    };
    let x = match dtype.kind() {
        Kind::Complex => {
            let parts: Vec<_> = real(true).into_iter().zip(real(true)).map(|(re, im)| Complex::new(re, im)).collect();
            Array::from_slice(&parts, shape)
        }
        Kind::Float => Array::from_slice(&real(false), shape),
        _ => {
            let one = |_| match random.next() % 8 {
                0 => i64::MAX,
                1 => i64::MIN,
                2 => 0,
                3 => random.next() as i64,
                _ => (random.next() % 13) as i64 - 6,
            };
            Array::from_slice(&(0..n).map(one).collect::<Vec<_>>(), shape)
        }
    };
    x.unwrap().astype(dtype).unwrap().copy().unwrap()
}

fn hex(x: &Array) -> String {
    let mut bytes = vec![0; x.len() * x.dtype().bytes()];
    x.copy_to_bytes(&mut bytes).unwrap();
    bytes.iter().fold("x".to_owned(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

fn words<T: std::fmt::Display>(list: impl IntoIterator<Item = T>) -> String {
    list.into_iter().fold(String::new(), |mut text, word| {
        write!(text, " {word}").unwrap();
        text
    })
}

/// An array that is dense, and a view of it, or one value for all.
struct Operand {
    base: Array,
    view: Array,
}

impl Operand {
    fn dense(base: Array) -> Self {
        Self { view: base.clone(), base }
    }

    /// Dtype, offset and strides of a shape in bytes, all memory; or offset -1 and the value.
    fn text(&self, shape: &[usize]) -> String {
        let view = self.view.broadcast_to(shape).unwrap();
        let bytes = self.base.dtype().bytes();
        let offset = view.as_ptr().unwrap() as usize - self.base.as_ptr().unwrap() as usize;
        let strides = words(view.strides().iter().map(|stride| stride * bytes as isize));
        format!(" {} {offset}{strides} {}", self.base.dtype(), hex(&self.base))
    }
}

/// A case of an operation, computed in a dtype.
fn apply(out: &mut String, (name, of): (&str, DType), near: bool, operands: &[Operand], want: &Array) {
    let shape = want.shape();
    let operands: Vec<_> = operands.iter().map(|operand| operand.text(shape)).collect();
    let near = if near { "near" } else { "exact" };
    let head = format!("apply {name} {of} {near} {}{} {}", shape.len(), words(shape), want.dtype());
    writeln!(out, "{head} {}{} {}", operands.len(), operands.concat(), hex(&want.copy().unwrap())).unwrap();
}

/// The dtype in which an operation is done.
fn computed(name: &str, dtype: DType) -> DType {
    match dtype {
        DType::Float16 | DType::BFloat16 if name != "nextafter" => DType::Float32,
        other => other,
    }
}

/// Every operation that a dtype has, and every cast.
fn operations(random: &mut Random, dtype: DType, out: &mut String) {
    let (x, y) = (values(random, dtype, &[61]), values(random, dtype, &[61]));
    let near = !matches!(dtype.kind(), Kind::Bool | Kind::Signed | Kind::Unsigned);
    for &op in UnaryOp::ALL {
        if let Ok(want) = unary(op, &x) {
            let operands = [Operand::dense(x.clone())];
            apply(out, (op.name(), computed(op.name(), dtype)), near, &operands, &want);
        }
    }
    for &op in BinaryOp::ALL {
        if let Ok(want) = binary(op, &x, &y) {
            let operands = [Operand::dense(x.clone()), Operand::dense(y.clone())];
            apply(out, (op.name(), computed(op.name(), dtype)), near, &operands, &want);
        }
    }
    for &to in DType::ALL {
        if let Ok(want) = x.astype(to) {
            // By the kernel of either dtype: when it stores, and when it loads.
            apply(out, ("cast", dtype), false, &[Operand::dense(x.clone())], &want);
            apply(out, ("cast", to), false, &[Operand::dense(x.clone())], &want);
        }
    }
    let order = values(random, DType::Float32, &[61]);
    let condition = less(&order, &Array::from_slice(&[0.5f32], &[]).unwrap()).unwrap();
    let want = select(&condition, &x, &y).unwrap();
    apply(out, ("where", dtype), false, &[x, y, condition].map(Operand::dense), &want);
}

/// Operands that lie otherwise than results.
fn layouts(random: &mut Random, dtype: DType, out: &mut String) {
    let step = |step| Index::Slice(Slice { start: None, stop: None, step });
    let base = values(random, dtype, &[5, 4, 6]);
    let views = [
        base.index(&[step(-1), step(2), step(-3)]).unwrap(),
        base.permute_dims(&[2, 0, 1]).unwrap(),
        base.index(&[Index::At(3), step(1), Index::Slice(Slice::range(2, 3))]).unwrap(),
        base.index(&[Index::At(1), Index::At(2), Index::At(3)]).unwrap(),
    ];
    for view in views {
        let want = view.broadcast_to(&[&[3][..], view.shape()].concat()).unwrap();
        apply(out, ("cast", dtype), false, &[Operand { base: base.clone(), view }], &want);
    }
    // More than a block has, and operands that are repeated along either axis.
    let (x, y) = (values(random, dtype, &[70, 1]), values(random, dtype, &[43]));
    let want = binary(BinaryOp::Equal, &x, &y).unwrap();
    apply(out, ("equal", computed("equal", dtype)), false, &[x, y].map(Operand::dense), &want);
}

/// Every fold of a dtype, of elements that are cast too.
fn folds(random: &mut Random, dtype: DType, out: &mut String) {
    let folded = |op: &str, from: DType, x: &Array, want: Array, out: &mut String| {
        let (shape, operand) = (x.shape(), Operand::dense(x.clone()));
        let near = if op == "squares" { "near" } else { "exact" };
        let want = want.copy().unwrap();
        writeln!(out, "fold {op} {from} {near}{}{} {} {}", words(shape), operand.text(shape), want.dtype(), hex(&want))
            .unwrap();
    };
    let wide = match dtype.kind() {
        Kind::Bool | Kind::Signed => DType::Int64,
        Kind::Unsigned => DType::UInt64,
        Kind::Float => DType::Float64,
        Kind::Complex => DType::Complex128,
    };
    let axis = Some(&[1][..]);
    for shape in [[3, 1, 1], [2, 700, 1], [5, 7, 1], [1, 40, 33], [2, 9, 50], [1, 0, 1]] {
        // Integers, whose sums are exact in any order; one apart from the others, so that its place is known.
        let small: Vec<i8> = (0..shape.iter().product::<usize>()).map(|_| (random.next() % 5) as i8 - 1).collect();
        let x = Array::from_slice(&small, &shape).unwrap().astype(dtype).unwrap().copy().unwrap();
        let summed = if dtype == DType::Float32 { dtype } else { wide };
        folded("sum", summed, &x, sum(&x, axis, false, Some(wide)).unwrap(), out);
        let ones = select(
            &Array::from_slice(
                &small.iter().map(|_| u8::from(random.next().is_multiple_of(9))).collect::<Vec<_>>(),
                &shape,
            )
            .unwrap()
            .astype(DType::Bool)
            .unwrap(),
            &x,
            &Array::from_slice(&[1i8], &[]).unwrap().astype(dtype).unwrap(),
        )
        .unwrap()
        .copy()
        .unwrap();
        folded("prod", wide, &ones, prod(&ones, axis, false, Some(wide)).unwrap(), out);
        let bool = DType::Bool;
        folded("all", bool, &x, all(&x, axis, false).unwrap(), out);
        folded("any", bool, &x, any(&x, axis, false).unwrap(), out);
        folded("count", bool, &x, count_nonzero(&x, axis, false).unwrap(), out);
        if dtype.kind() == Kind::Float {
            let mut squares = Vec::new();
            let numbers = x.permute_dims(&[0, 2, 1]).unwrap().astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
            for line in numbers.chunks(shape[1].max(1)) {
                let mean = line.iter().sum::<f64>() / line.len() as f64;
                squares.push(line.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>());
            }
            squares.resize(shape[0] * shape[2], 0.0);
            let want = Array::from_slice(&squares, &[squares.len()]).unwrap();
            folded("squares", if dtype == DType::Float32 { dtype } else { DType::Float64 }, &x, want, out);
        }
        if !matches!(dtype.kind(), Kind::Bool | Kind::Complex) && shape[1] > 0 {
            let own = computed("min", dtype);
            let y = values(random, dtype, &shape);
            folded("min", own, &y, min(&y, axis, false).unwrap().astype(own).unwrap(), out);
            folded("max", own, &y, max(&y, axis, false).unwrap().astype(own).unwrap(), out);
            if shape[2] == 1 {
                folded("argmin", own, &y, argmin(&y, Some(1), false).unwrap(), out);
                folded("argmax", own, &y, argmax(&y, Some(1), false).unwrap(), out);
            }
        }
    }
}
