//! Operations that wait give what they give when each is computed at once, and take no memory for what lies between.
#![allow(clippy::unwrap_used, clippy::panic)]

use icicle_array::*;
use icicle_device::Device;

const CPU: Device = Device::cpu(0);
/// Around the size from which operations wait, and many blocks.
const SIZES: [usize; 4] = [(1 << 14) - 1, 1 << 14, (1 << 14) + 1, 100_003];

/// Numbers that look random, the same in every run (Knuth's MMIX generator).
struct Dice(u64);
impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// The same values, computed.
fn now(x: Array) -> Array {
    x.as_ptr().unwrap();
    x
}

fn bytes(x: &Array) -> Vec<u8> {
    struct Bytes<'a>(&'a Array);
    impl Bytes<'_> {
        fn of<T: Element>(&self) -> Vec<u8> {
            let values: Vec<T> = self.0.to_vec().unwrap();
            // Of NaN only the place is told: its bits may depend on the order of a commutative operation's operands.
            let size = size_of::<T>();
            #[allow(clippy::eq_op)] // NaN differs from itself
            let of = |value: &T| {
                let nan = *value != *value;
                if nan { vec![0xff; size] } else { bytemuck::bytes_of(value).to_vec() }
            };
            values.iter().flat_map(of).collect()
        }
    }
    match x.dtype() {
        DType::Bool => Bytes(x).of::<Bool>(),
        DType::Int32 => Bytes(x).of::<i32>(),
        DType::Int64 => Bytes(x).of::<i64>(),
        DType::Float16 => Bytes(x).of::<f16>(),
        DType::Float32 => Bytes(x).of::<f32>(),
        DType::Float64 => Bytes(x).of::<f64>(),
        DType::Complex64 => Bytes(x).of::<Complex<f32>>(),
        DType::Complex128 => Bytes(x).of::<Complex<f64>>(),
        other => panic!("{other}"),
    }
}

/// Operands of one shape, or that broadcast to it, dense and not.
fn operands(shape: &[usize], dice: &mut Dice) -> Vec<Array> {
    let n: usize = shape.iter().product();
    let line = |dtype: DType, n: usize, dice: &mut Dice| {
        let values: Vec<i64> = (0..n).map(|_| dice.below(2001) as i64 - 1000).collect();
        let x = Array::from_slice(&values, &[n]).unwrap().astype(DType::Float64).unwrap();
        let scaled = divide(&x, &full(CPU, &[], 7.0.into(), DType::Float64).unwrap()).unwrap();
        now(scaled.astype(dtype).unwrap())
    };
    let extents: Vec<isize> = shape.iter().map(|&extent| extent as isize).collect();
    let mut out = Vec::new();
    for dtype in [DType::Int32, DType::Float16, DType::Float32, DType::Float64, DType::Complex64] {
        out.push(line(dtype, n, dice).reshape(&extents).unwrap());
        // A column, a row, one number, and what lies the other way round.
        let mut column = extents.clone();
        column[extents.len() - 1] = 1;
        let rows: usize = column.iter().product::<isize>() as usize;
        out.push(line(dtype, rows, dice).reshape(&column).unwrap());
        out.push(line(dtype, shape[shape.len() - 1], dice));
        out.push(line(dtype, 1, dice).reshape(&[]).unwrap());
        out.push(line(dtype, n, dice).reshape(&extents).unwrap().flip(None).unwrap());
        let backwards: Vec<_> = extents.iter().rev().copied().collect();
        let axes: Vec<_> = (0..extents.len() as isize).rev().collect();
        out.push(line(dtype, n, dice).reshape(&backwards).unwrap().permute_dims(&axes).unwrap());
    }
    out
}

/// A random operation on arrays of a list, if their dtypes have it.
fn step(
    list: &[Array],
    (kind, op, x, y, z): (usize, usize, usize, usize, usize),
) -> Result<Array, icicle_error::Error> {
    let (x, y, z) = (&list[x], &list[y], &list[z]);
    match kind {
        0 => unary(UnaryOp::ALL[op % UnaryOp::ALL.len()], x),
        1 => x.astype([DType::Float32, DType::Float64, DType::Complex128, DType::Float16][op % 4]),
        2 => select(&less(x, y)?, y, z),
        3 => x.flip(None),
        _ => binary(BinaryOp::ALL[op % BinaryOp::ALL.len()], x, y),
    }
}

#[test]
fn chains_give_what_steps_give() {
    let mut dice = Dice(3);
    let mut counted = 0;
    for n in SIZES {
        for shape in [vec![n], vec![7, n / 7], vec![n / 15, 3, 5]] {
            let from = operands(&shape, &mut dice);
            for _ in 0..6 {
                let (mut waiting, mut computed) = (from.clone(), from.clone());
                for _ in 0..8 {
                    // What was made last more often than what it was made from.
                    let near = |dice: &mut Dice, len: usize| if dice.below(2) == 0 { len - 1 } else { dice.below(len) };
                    let len = waiting.len();
                    let picks = (near(&mut dice, len), near(&mut dice, len), near(&mut dice, len));
                    let what = (dice.below(8), dice.below(64), picks.0, picks.1, picks.2);
                    let found = step(&waiting, what);
                    let want = step(&computed, what);
                    assert_eq!(found.is_ok(), want.is_ok());
                    if let (Ok(found), Ok(want)) = (found, want) {
                        waiting.push(found);
                        computed.push(now(want));
                    }
                }
                // The last first, so that it is computed through what it waits for; some are given up before.
                while waiting.len() > from.len() {
                    let (found, want) = (waiting.pop().unwrap(), computed.pop().unwrap());
                    if dice.below(3) == 0 {
                        continue;
                    }
                    if found.rank() > 0 && found.dtype().is_floating() && dice.below(2) == 0 {
                        let axis = dice.below(found.rank()) as isize;
                        let axes = if dice.below(2) == 0 { None } else { Some(&[axis][..]) };
                        let (found, want) = (sum(&found, axes, false, None), sum(&want, axes, false, None));
                        assert_eq!(bytes(&found.unwrap()), bytes(&want.unwrap()), "{shape:?}");
                    }
                    assert_eq!((found.shape(), found.strides()), (want.shape(), want.strides()));
                    assert_eq!(bytes(&found), bytes(&want), "{shape:?} {}", found.dtype());
                    counted += 1;
                }
            }
        }
    }
    assert!(counted > 150, "{counted}");
}

fn ramp(n: usize) -> Array {
    arange(CPU, 0.into(), (n as i128).into(), 1.into(), DType::Int64).unwrap()
}

#[test]
fn what_an_operation_waits_for_does_not_change() {
    let n = 1 << 15;
    let one = full(CPU, &[], 1.into(), DType::Int64).unwrap();
    let mut x = ramp(n);
    let later = add(&x, &one).unwrap();
    let view = later.index(&[Index::Slice(Slice { start: None, stop: None, step: -1 })]).unwrap();
    x.assign(&[Index::Slice(Slice::ALL)], &one).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), vec![1; n]);
    assert_eq!(later.to_vec::<i64>().unwrap(), (1..=n as i64).collect::<Vec<_>>());
    assert_eq!(view.to_vec::<i64>().unwrap(), (1..=n as i64).rev().collect::<Vec<_>>());
    // What waits can be assigned to, and what was made from it before stays.
    let mut y = add(&later, &one).unwrap();
    let made = multiply(&y, &y).unwrap();
    y.assign(&[Index::At(0)], &full(CPU, &[], (-5).into(), DType::Int64).unwrap()).unwrap();
    assert_eq!(y.to_vec::<i64>().unwrap()[..2], [-5, 3]);
    assert_eq!(made.to_vec::<i64>().unwrap()[..2], [4, 9]);
}

/// Floats are added in an order that depends on the shape only: not on how many blocks a chain has, so on how long they are.
#[test]
fn sums_and_products_do_not_depend_on_how_much_is_computed_at_once() {
    type Fold = fn(&Array, Option<&[isize]>, bool, Option<DType>) -> icicle_error::Result<Array>;
    let mut dice = Dice(7);
    for n in SIZES.into_iter().chain([1 << 17]) {
        for (dtype, fold) in [DType::Float32, DType::Float64, DType::Complex128]
            .into_iter()
            .flat_map(|dtype| [(dtype, sum as Fold), (dtype, prod as Fold)])
        {
            // Near 1, so that products neither vanish nor overflow; of 30 bits, so that every addition rounds.
            let values: Vec<f64> =
                (0..n).map(|_| 1.0 + (dice.below(1 << 30) as f64 / (1 << 29) as f64 - 1.0) / 1e3).collect();
            let x = now(Array::from_slice(&values, &[n]).unwrap().astype(dtype).unwrap());
            let one = now(full(CPU, &[n], 1.into(), dtype).unwrap());
            let mut chain = multiply(&x, &one).unwrap();
            let expected = bytes(&fold(&x, None, false, None).unwrap());
            for steps in [1, 4, 12] {
                for _ in 0..steps {
                    chain = multiply(&chain, &one).unwrap();
                }
                assert_eq!(bytes(&fold(&chain, None, false, None).unwrap()), expected, "{n} {dtype} {steps}");
                chain = multiply(&x, &one).unwrap();
            }
        }
    }
}

#[test]
fn chains_may_be_long_and_wide() {
    let one = full(CPU, &[], 1.into(), DType::Int64).unwrap();
    let mut x = ramp(1 << 14);
    for _ in 0..10_000 {
        x = add(&x, &one).unwrap();
    }
    assert_eq!(x.to_vec::<i64>().unwrap()[..2], [10_000, 10_001]);
    // Each the sum of the two before it: were none kept, this would take 2^30 additions of each element.
    let (mut a, mut b) = (ramp(1 << 14), ramp(1 << 14));
    for _ in 0..40 {
        let next = add(&a, &b).unwrap();
        (a, b) = (b, next);
    }
    // The 42nd Fibonacci number, OEIS A000045.
    assert_eq!(b.to_vec::<i64>().unwrap()[1], 267_914_296);
    // More operands than a task has blocks for: each must be gathered and cast.
    let many: Vec<_> =
        (0..24).map(|k| now(add(&ramp(1 << 14), &full(CPU, &[], k.into(), DType::Int64).unwrap()).unwrap())).collect();
    let mut total = zeros(CPU, &[1 << 14], DType::Complex128).unwrap();
    for x in &many {
        let twisted = x.flip(None).unwrap().astype(DType::Float32).unwrap().astype(DType::Complex128).unwrap();
        total = add(&twisted, &total).unwrap();
    }
    let want: f64 = (0..24).map(|k| f64::from((1 << 14) - 1 + k)).sum();
    assert_eq!(total.to_vec::<Complex<f64>>().unwrap()[0], Complex::new(want, 0.0));
}

#[test]
fn threads_may_ask_for_the_same_values() {
    let x = ramp(1 << 18);
    for _ in 0..20 {
        let square = multiply(&x, &x).unwrap();
        let both = add(&square, &x).unwrap();
        std::thread::scope(|scope| {
            for array in [&square, &both, &both, &square] {
                scope.spawn(|| {
                    let values = array.to_vec::<i64>().unwrap();
                    let extra = i64::from(std::ptr::eq(array, &raw const both));
                    assert!(values.iter().enumerate().all(|(i, &v)| v == (i * i) as i64 + extra * i as i64));
                });
            }
        });
    }
}

#[test]
fn views_of_what_waits_are_views() {
    let one = full(CPU, &[], 1.into(), DType::Int64).unwrap();
    let (rows, columns) = (128, 256);
    let made = || add(&ramp(rows * columns), &one).unwrap().reshape(&[rows as isize, columns as isize]).unwrap();
    let of = |r: usize, c: usize| (r * columns + c + 1) as i64;
    let sums: Vec<i64> = (0..columns).map(|c| (0..rows).map(|r| of(r, c)).sum()).collect();
    let backwards: Vec<i64> = sums.iter().rev().copied().collect();
    let found = sum(&made().flip(None).unwrap(), Some(&[0]), false, None).unwrap();
    assert_eq!(found.to_vec::<i64>().unwrap(), backwards);
    let found = sum(&made().matrix_transpose().unwrap(), Some(&[1]), false, None).unwrap();
    assert_eq!(found.to_vec::<i64>().unwrap(), sums);
    // Of the same shape, and nothing else holds what it is a view of.
    let square = |x: &Array| multiply(x, &one).unwrap();
    let found = square(&made().flip(Some(&[1])).unwrap()).to_vec::<i64>().unwrap();
    assert_eq!(found, (0..rows * columns).map(|i| of(i / columns, columns - 1 - i % columns)).collect::<Vec<_>>());
    let found = cumulative_sum(&made().flip(Some(&[0])).unwrap(), Some(0), None, false).unwrap();
    assert_eq!(found.to_vec::<i64>().unwrap()[columns], of(rows - 1, 0) + of(rows - 2, 0));
}
