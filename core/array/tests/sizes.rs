//! Sizes at the edges of blocks, pieces and tasks, with sums known in closed form.
#![allow(clippy::unwrap_used, clippy::panic)]

use icicle_array::*;
use icicle_device::Device;

const CPU: Device = Device::cpu(0);
/// Around a block, a run, a piece, what several threads share, and several of each.
const SIZES: [i64; 14] = [1, 15, 16, 17, 511, 512, 513, 1025, 16383, 16384, 16385, 65537, 131073, 300001];

fn counted(n: i64, dtype: DType) -> Array {
    arange(CPU, 0.into(), i128::from(n).into(), 1.into(), DType::Int64).unwrap().astype(dtype).unwrap()
}

fn integers(x: &Array) -> Vec<i64> {
    x.astype(DType::Int64).unwrap().to_vec().unwrap()
}

#[test]
fn whole_arrays() {
    for n in SIZES {
        for dtype in [DType::Int64, DType::Float64, DType::UInt32, DType::Complex128, DType::Float32] {
            let x = counted(n, dtype);
            let total =
                sum(&x, None, false, Some(if dtype == DType::Float32 { DType::Float64 } else { dtype })).unwrap();
            let total = if dtype.kind() == Kind::Complex { real(&total).unwrap() } else { total };
            let want = n * (n - 1) / 2;
            assert_eq!(
                integers(&total),
                [if dtype == DType::UInt32 { i64::from(want as u32) } else { want }],
                "{n} {dtype}"
            );
            let backwards = x.flip(None).unwrap();
            let twice = add(&x, &backwards).unwrap();
            assert!(to_bools(&equal(&twice, &full(CPU, &[], (n - 1).into(), dtype).unwrap()).unwrap()), "{n} {dtype}");
        }
        let x = counted(n, DType::Float32);
        for place in [0, n / 3, n / 2, n - 1] {
            let mut one = zeros(CPU, &[n as usize], DType::Float32).unwrap();
            let at = [Index::At(place as isize)];
            one.assign(&at, &full(CPU, &[], (-2).into(), DType::Float32).unwrap()).unwrap();
            assert_eq!(integers(&argmin(&one, None, false).unwrap()), [place]);
            assert_eq!(integers(&min(&one, None, false).unwrap()), [-2]);
            assert_eq!(integers(&count_nonzero(&one, None, false).unwrap()), [1]);
            one.assign(&at, &full(CPU, &[], f64::NAN.into(), DType::Float32).unwrap()).unwrap();
            assert_eq!(integers(&argmax(&one, None, false).unwrap()), [place]);
            assert!(to_bools(&isnan(&max(&one, None, false).unwrap()).unwrap()));
        }
        let running = cumulative_sum(&x, Some(0), Some(DType::Float64), true).unwrap();
        let want: Vec<i64> = (0..=n).map(|i| i * (i - 1) / 2).collect();
        assert_eq!(integers(&running), want);
        let order: Vec<i64> = (0..n).rev().collect();
        assert_eq!(integers(&argsort(&x.flip(None).unwrap(), 0, false).unwrap()), order);
        assert_eq!(integers(&sort(&x, 0, true).unwrap()), order);
    }
}

fn to_bools(x: &Array) -> bool {
    all(x, None, false).unwrap().item().unwrap() == Scalar::Bool(true)
}

#[test]
fn rows_and_columns() {
    for (rows, columns) in [(1, 513), (63, 7), (64, 8), (65, 9), (130, 1025), (700, 520), (3, 40000), (40000, 3)] {
        let (r, c) = (rows as usize, columns as usize);
        let x = counted(rows * columns, DType::Float64).reshape(&[rows as isize, columns as isize]).unwrap();
        let down: Vec<i64> = (0..columns).map(|j| columns * (rows * (rows - 1) / 2) + rows * j).collect();
        let along: Vec<i64> = (0..rows).map(|i| columns * i * columns + columns * (columns - 1) / 2).collect();
        let t = x.matrix_transpose().unwrap();
        for (array, axis, want) in [(&x, 0, &down), (&x, 1, &along), (&t, 1, &down), (&t, 0, &along)] {
            for dtype in [DType::Float64, DType::Int32, DType::Int64] {
                let total = sum(&array.astype(dtype).unwrap(), Some(&[axis]), false, None).unwrap();
                assert_eq!(&integers(&total), want, "{rows} {columns} {axis} {dtype}");
            }
        }
        assert_eq!(
            integers(&t.copy().unwrap()),
            (0..columns).flat_map(|j| (0..rows).map(move |i| i * columns + j)).collect::<Vec<_>>()
        );
        let row = counted(columns, DType::Float64);
        let zeroed =
            subtract(&remainder(&x, &full(CPU, &[], columns.into(), DType::Float64).unwrap()).unwrap(), &row).unwrap();
        assert_eq!(
            (zeroed.shape(), any(&zeroed, None, false).unwrap().item().unwrap()),
            (&[r, c][..], Scalar::Bool(false))
        );
    }
}

#[test]
fn products_of_many_threads_are_those_of_integers() {
    // From the fifth on of several tiles: whole ones and not, in both directions and in one.
    for (m, k, n) in [
        (1, 300, 500),
        (129, 65, 67),
        (500, 300, 1),
        (200, 1, 900),
        (256, 256, 256),
        (300, 70, 333),
        (5, 90, 7001),
        (7001, 90, 3),
        (40, 3001, 50),
    ] {
        let small = |n: i64, by: i64| {
            remainder(&counted(n, DType::Int64), &full(CPU, &[], by.into(), DType::Int64).unwrap()).unwrap()
        };
        let x = small(m * k, 13).reshape(&[m as isize, k as isize]).unwrap();
        let y = small(k * n, 11).reshape(&[k as isize, n as isize]).unwrap();
        let want = integers(&matmul(&x, &y).unwrap());
        for dtype in [DType::Float32, DType::Float64] {
            let (x, y) = (x.astype(dtype).unwrap(), y.astype(dtype).unwrap());
            assert_eq!(integers(&matmul(&x, &y).unwrap()), want);
            let turned = matmul(&y.matrix_transpose().unwrap(), &x.matrix_transpose().unwrap()).unwrap();
            assert_eq!(integers(&turned.matrix_transpose().unwrap()), want);
        }
    }
}

#[test]
fn threads_change_no_bit_of_products_and_sorts() {
    let key = random::Key::new(9);
    let within = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut found = Vec::new();
            for (m, k, n) in [(256, 5000, 300), (7000, 33, 40), (5, 900, 9000), (1, 700, 9000), (20000, 70, 1)] {
                let x = random::normal(CPU, &key, &[m, k], DType::Float32).unwrap();
                let y = random::normal(CPU, &key, &[k, n], DType::Float32).unwrap();
                for dtype in [DType::Float32, DType::Complex64] {
                    let product = matmul(&x.astype(dtype).unwrap(), &y.astype(dtype).unwrap()).unwrap();
                    found.push(real(&product).unwrap().to_vec::<f32>().unwrap());
                }
            }
            let x = random::normal(CPU, &key, &[600_001], DType::Float32).unwrap();
            found.push(sort(&x, 0, false).unwrap().to_vec().unwrap());
            found
        })
    };
    let one = within(1);
    assert!(one.last().unwrap().is_sorted());
    for threads in [2, 3, 8] {
        assert!(within(threads) == one, "{threads} threads");
    }
}
