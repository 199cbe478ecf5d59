//! What kernels and cuBLAS are told of operands, read as they read it, on the CPU.
#![allow(unsafe_code)] // by address

use super::matrices::Matrices;
use super::*;
use crate::{Index, Slice, matmul};
use icicle_cuda::cublas::{Numbers, Operand};
use icicle_device::Device;
use icicle_kernels::array_product::STACK_AXES;

fn integers(shape: &[usize], by: i64) -> Array {
    let n = shape.iter().product::<usize>() as i64;
    Array::from_slice_on(Device::cpu(0), &(0..n).map(|i| i * i % by - by / 2).collect::<Vec<_>>(), shape).unwrap()
}

/// Views of every kind, of the last two axes and of the stack's.
fn views(x: &Array) -> Vec<Array> {
    let step = |start, step| Index::Slice(Slice { start, stop: None, step });
    let (all, rest) = (step(None, 1), Index::Ellipsis);
    let mut views = vec![
        x.clone(),
        x.matrix_transpose().unwrap().copy().unwrap().matrix_transpose().unwrap(),
        x.index(&[rest, step(None, -1), all]).unwrap(),
        x.index(&[rest, all, step(None, -1)]).unwrap(),
        x.index(&[rest, step(None, -1), step(None, -1)]).unwrap(),
        x.index(&[rest, Index::Slice(Slice::range(0, 1)), all]).unwrap().broadcast_to(x.shape()).unwrap(),
        x.index(&[rest, all, Index::Slice(Slice::range(0, 1))]).unwrap().broadcast_to(x.shape()).unwrap(),
    ];
    if x.rank() > 2 {
        views.push(x.index(&[step(None, -1)]).unwrap());
        views.push(x.index(&[Index::Slice(Slice::range(0, 1))]).unwrap().broadcast_to(x.shape()).unwrap());
    }
    views
}

/// The number at a place of a matrix.
///
/// # Safety
/// It is within the array.
unsafe fn element(address: u64, by_rows: bool, pitch: i64, (row, column): (usize, usize)) -> i64 {
    let (line, place) = if by_rows { (row, column) } else { (column, row) };
    // SAFETY: the caller's.
    unsafe { *(address as *const i64).offset(line as isize * pitch as isize + place as isize) }
}

/// As the kernels compute.
fn by_kernels(products: &Products) -> Vec<i64> {
    let stack = matrices::stack(&products.axes);
    let mut out = Vec::new();
    for number in 0..products.count() {
        let (mut rest, mut x, mut y) = (number as i64, 0, 0);
        for axis in (0..STACK_AXES).rev() {
            let at = rest % stack[axis];
            rest /= stack[axis];
            (x, y) = (x + at * stack[STACK_AXES + axis], y + at * stack[2 * STACK_AXES + axis]);
        }
        let at = |matrices: &Matrices, by: i64| matrices.address.wrapping_add_signed(8 * by);
        for (i, j) in (0..products.m).flat_map(|i| (0..products.n).map(move |j| (i, j))) {
            let sum = (0..products.k).map(|k| {
                // SAFETY: within the operands, as is tested.
                unsafe {
                    let (of_x, of_y) = (&products.x, &products.y);
                    element(at(of_x, x), of_x.by_rows, of_x.pitch, (i, k))
                        * element(at(of_y, y), of_y.by_rows, of_y.pitch, (k, j))
                }
            });
            out.push(sum.sum::<i64>());
        }
    }
    out
}

/// As BLAS computes; results' places are counted in numbers from 0.
fn by_blas(products: &Products) -> Vec<i64> {
    let mut out = vec![0; products.count() * products.m * products.n];
    for call in blas::calls(products, Numbers::F64) {
        assert!(call.x.step >= 0 && call.y.step >= 0);
        for number in 0..call.count {
            for (i, j) in (0..call.m).flat_map(|i| (0..call.n).map(move |j| (i, j))) {
                let at = |operand: &Operand, row: i64, column: i64| {
                    let least = if operand.by_rows { (column + 1).max(1) } else { (row + 1).max(1) };
                    assert!(operand.pitch >= least);
                    let address = operand.address.wrapping_add_signed(8 * number * operand.step);
                    // SAFETY: within the operands, as is tested.
                    unsafe { element(address, operand.by_rows, operand.pitch, (row as usize, column as usize)) }
                };
                let sum = (0..call.k).map(|k| at(&call.x, i, k) * at(&call.y, k, j)).sum::<i64>();
                out[(call.out as i64 / 8 + (number * call.m + i) * call.n + j) as usize] = sum;
            }
        }
    }
    out
}

fn agree(x: &Array, y: &Array) {
    let context = format!("{:?} {:?} by {:?} {:?}", x.shape(), x.strides(), y.shape(), y.strides());
    let want = matmul(x, y).unwrap().to_vec::<i64>().unwrap();
    for plain in [false, true] {
        let products = Products::of(Number::F64, x, y, 0, plain).unwrap();
        assert!(products.axes.len() <= STACK_AXES);
        if products.m == 1 || products.n == 1 {
            let products = products.with_a_column();
            assert_eq!(products.n, 1, "{context}");
            assert!(!products.y.by_rows || products.k <= 1 || products.y.pitch == 1, "{context}: a dense vector");
            assert_eq!(by_kernels(&products), want, "{context}");
            continue;
        }
        assert_eq!(by_kernels(&products), want, "{context}");
        if products.x.is_plain() && products.y.is_plain() {
            assert_eq!(by_blas(&products), want, "{context}");
        }
        // What is plain before products are joined may not be after.
        assert!(!plain || products.x.is_plain() && products.y.is_plain() || x.shape()[x.rank() - 2] == 1, "{context}");
    }
}

#[test]
fn operands_are_read_where_they_lie() {
    for (m, k, n) in [(3, 4, 5), (1, 4, 5), (3, 4, 1), (1, 4, 1), (3, 1, 5), (1, 1, 5), (3, 1, 1), (1, 1, 1)] {
        let shapes: [(&[usize], &[usize], &[usize]); 6] = [
            (&[], &[], &[]),
            (&[3], &[3], &[3]),
            (&[3], &[1], &[3]),
            (&[1], &[3], &[3]),
            (&[2, 1, 3], &[1, 2, 3], &[2, 2, 3]),
            (&[2, 1, 2, 1, 2, 1], &[1, 2, 1, 2, 1, 2], &[2, 2, 2, 2, 2, 2]),
        ];
        for (x, y, stack) in shapes {
            let shape = |stack: &[usize], rows: usize, columns: usize| [stack, &[rows, columns]].concat();
            let (x, y) = (integers(&shape(x, m, k), 17), integers(&shape(y, k, n), 13));
            for x in views(&x) {
                for y in views(&y) {
                    let whole = |a: &Array, rows, columns| a.broadcast_to(&shape(stack, rows, columns)).unwrap();
                    agree(&whole(&x, m, k), &whole(&y, k, n));
                }
            }
        }
    }
}

#[test]
fn a_stack_by_one_matrix_is_one_product() {
    let (x, y) = (integers(&[7, 3, 4], 17), integers(&[4, 5], 13).broadcast_to(&[7, 4, 5]).unwrap());
    let products = Products::of(Number::F64, &x, &y, 0, true).unwrap();
    assert_eq!((products.count(), products.m), (1, 21));
    let rows = x.index(&[Index::Slice(Slice::ALL), Index::Slice(Slice::range(1, 2))]).unwrap();
    let products = Products::of(Number::F64, &rows, &y, 0, true).unwrap();
    assert_eq!((products.count(), products.m, products.x.pitch), (1, 7, 12));
}
