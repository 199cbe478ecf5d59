//! Products of a matrix and a vector, which read the matrix once and so should run at the memory's speed.
//!
//! Sums are in an order that depends on the extents only, of products each rounded: the same on any number of threads and with
//! any vector unit.
#![allow(unsafe_code)] // memory by address

use crate::Element;
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::parallel;
use std::ops::{Add, Mul};

/// Sums that are kept of a row, which are added at the end: as many as make all additions independent that overlap.
const LANES: usize = 16;
/// Rows or columns that are read together, so that the vector or the sums are read once for all.
const TOGETHER: usize = 4;
/// Results whose sums stay in a second-level cache while columns are added, 64 KiB of `float32`, and the fewest that several threads
/// share. Shorter pieces of a column are not prefetched as far: with a third of it a product takes 1.15 times as long, with a
/// sixteenth 1.5 times.
const STRIP: usize = 16384;
const LEAST_STRIP: usize = 5120;
/// Rows of a task whose elements follow each other.
const ROWS: usize = 32;

/// A number of which lanes are computed.
pub(crate) trait Real: Element + Add<Output = Self> + Mul<Output = Self> {}
impl Real for f32 {}
impl Real for f64 {}

/// A matrix in memory: its strides from a row to the next, and from an element of a row to the next.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<T> {
    pub(crate) start: *const T,
    pub(crate) row: isize,
    pub(crate) column: isize,
}

// SAFETY: shared memory that is only read.
unsafe impl<T: Sync> Sync for Matrix<T> {}

impl<T> Matrix<T> {
    /// Whether rows or columns are dense, which [`Matrix::times`] needs.
    pub(crate) fn is_dense(&self) -> bool {
        self.column == 1 || self.row == 1
    }

    /// The matrix of the same strides so many elements further on.
    ///
    /// # Safety
    /// It is within the same memory.
    pub(crate) unsafe fn moved(&self, by: isize) -> Self {
        // SAFETY: the caller's.
        Self { start: unsafe { self.start.offset(by) }, row: self.row, column: self.column }
    }

    /// `n` elements from one on, which follow each other.
    ///
    /// # Safety
    /// They are within the matrix.
    #[inline(always)]
    unsafe fn line<'a>(&self, row: usize, column: usize, n: usize) -> &'a [T] {
        // SAFETY: the caller's.
        unsafe {
            std::slice::from_raw_parts(self.start.offset(row as isize * self.row + column as isize * self.column), n)
        }
    }
}

/// The product of a matrix of as many rows as results, and as many columns as the vector has elements.
pub(crate) type Times<T> = unsafe fn(Matrix<T>, &[T], &mut [T], bool);

/// Write the product, by several threads if asked.
///
/// # Safety
/// All elements of the matrix can be read and lie elsewhere than the result; its rows or columns are dense.
pub(crate) unsafe fn times<T: Real>(matrix: Matrix<T>, vector: &[T], out: &mut [T], parallel: bool) {
    // As a reference, so that tasks share the matrix and not the pointer in it.
    let matrix = &matrix;
    let by_rows = matrix.column == 1;
    let share = if parallel { out.len().div_ceil(parallel::threads()) } else { out.len() };
    let size = if by_rows { ROWS } else { share.next_multiple_of(LANES).clamp(LEAST_STRIP, STRIP) };
    let task = |i: usize, out: &mut [T]| match by_rows {
        true => widest(Rows { matrix, vector, first: i * size, out }),
        false => widest(Columns { matrix, vector, first: i * size, out }),
    };
    match parallel {
        true => parallel::chunks(out, size, &task),
        false => out.chunks_mut(size).enumerate().for_each(|(i, out)| task(i, out)),
    }
}

/// Results that are sums along rows, whose elements follow each other.
struct Rows<'a, T> {
    matrix: &'a Matrix<T>,
    vector: &'a [T],
    first: usize,
    out: &'a mut [T],
}

impl<T: Real> Kernel for Rows<'_, T> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { matrix, vector, first, out } = self;
        let mut row = first;
        for out in out.chunks_mut(TOGETHER) {
            // Of the last rows, fewer than are read together, one is read again.
            // SAFETY: rows of results, and as many elements as the vector has, by the contract of `times`.
            let rows: [&[T]; TOGETHER] =
                std::array::from_fn(|k| unsafe { matrix.line(row + k.min(out.len() - 1), 0, vector.len()) });
            let sums = dot(rows, vector);
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum);
            row += TOGETHER;
        }
    }
}

/// Sums of products of lines as long as a vector, and the vector.
#[inline(always)]
fn dot<T: Real>(rows: [&[T]; TOGETHER], vector: &[T]) -> [T; TOGETHER] {
    let (x, rest) = vector.as_chunks::<LANES>();
    let parts = rows.map(|row| row[..vector.len()].as_chunks::<LANES>());
    let [(a, _), (b, _), (c, _), (d, _)] = parts;
    let [mut p, mut q, mut r, mut s] = [[T::default(); LANES]; TOGETHER];
    for ((((x, a), b), c), d) in x.iter().zip(a).zip(b).zip(c).zip(d) {
        add(&mut p, a, x);
        add(&mut q, b, x);
        add(&mut r, c, x);
        add(&mut s, d, x);
    }
    let mut sums = [p, q, r, s];
    for (sums, (_, row)) in sums.iter_mut().zip(parts) {
        // What does not fill the lanes, with zeros behind it.
        let (mut last, mut with) = ([T::default(); LANES], [T::default(); LANES]);
        last[..rest.len()].copy_from_slice(row);
        with[..rest.len()].copy_from_slice(rest);
        add(sums, &last, &with);
    }
    sums.map(|lanes| {
        let eight: [T; 8] = std::array::from_fn(|l| lanes[l] + lanes[l + 8]);
        let four: [T; 4] = std::array::from_fn(|l| eight[l] + eight[l + 4]);
        (four[0] + four[2]) + (four[1] + four[3])
    })
}

/// Add the products of lanes.
#[inline(always)]
fn add<T: Real>(sums: &mut [T; LANES], a: &[T; LANES], x: &[T; LANES]) {
    for l in 0..LANES {
        sums[l] = sums[l] + a[l] * x[l];
    }
}

/// Results that are sums of columns, whose elements follow each other.
struct Columns<'a, T> {
    matrix: &'a Matrix<T>,
    vector: &'a [T],
    first: usize,
    out: &'a mut [T],
}

impl<T: Real> Kernel for Columns<'_, T> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { matrix, vector, first, out } = self;
        let n = out.len();
        out.fill(T::default());
        // SAFETY: columns of elements of the vector, and rows of results, by the contract of `times`.
        let column = |j: usize| unsafe { matrix.line(first, j, n) };
        let (groups, rest) = vector.as_chunks::<TOGETHER>();
        for (g, x) in groups.iter().enumerate() {
            let columns: [&[T]; TOGETHER] = std::array::from_fn(|k| column(g * TOGETHER + k));
            let [a, b, c, d] = columns;
            for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *out = *out + ((*a * x[0] + *b * x[1]) + (*c * x[2] + *d * x[3]));
            }
        }
        for (k, x) in rest.iter().enumerate() {
            let column = column(groups.len() * TOGETHER + k);
            out.iter_mut().zip(column).for_each(|(out, a)| *out = *out + *a * *x);
        }
    }
}
