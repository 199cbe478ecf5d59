//! Matrices on the CPU: moves in tiles, products as inner products of packed operands.

use crate::args::matrix::{MultiplyArgs, TransposeArgs};
use bytemuck::Pod;
use icicle_algebra::Field;
use icicle_algebra::with_field;
use icicle_cpu::blocks::{Work, for_ranges, pieces};
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::memory::{In, Out};
use icicle_cpu::parallel::{chunks, indices};
use icicle_device::Exec;
use icicle_device::Src;
use icicle_error::Result;
use icicle_error::reserve::filled;
use std::ops::Range;

/// Rows and columns of a tile moved together: 16 elements fill a cache line of the smallest field.
const TILE: usize = 16;
/// Products below which a matrix product stays on one thread.
const PARALLEL_PRODUCTS: usize = 1 << 12;

pub(crate) fn transpose(_: &Exec, args: &TransposeArgs) -> Result<()> {
    with_field!(args.field, F => transpose_raw::<<F as Field>::Raw>(args))
}

fn transpose_raw<T: Pod + Send + Sync>(args: &TransposeArgs) -> Result<()> {
    let (a, out) = (In::<T>::new(&args.a), Out::<T>::new(&args.out));
    if out.is(&a) && a.len() > 0 {
        let mut copy = filled("matrix_transpose", a.len(), T::zeroed())?;
        a.read(0, &mut copy);
        move_tiles(args, &In::new(&Src::from(copy.as_slice())), &out);
    } else {
        move_tiles(args, &a, &out);
    }
    Ok(())
}

/// `out = aᵀ` for each matrix; interleaved matrices move as one whose entries are `batch` wide.
fn move_tiles<T: Pod + Send + Sync>(args: &TransposeArgs, a: &In<'_, T>, out: &Out<'_, T>) {
    let (rows, cols) = (args.rows, args.cols);
    let (matrices, width) = if args.columns { (1, args.batch) } else { (args.batch, 1) };
    let (row_tiles, col_tiles) = (rows.div_ceil(TILE), cols.div_ceil(TILE));
    let (row_range, col_range) = (pieces(rows, TILE), pieces(cols, TILE));
    let tiles = row_tiles * col_tiles * matrices;
    for_ranges(tiles, width.saturating_mul(TILE * TILE * size_of::<T>()), Work::Light, |range| {
        for tile in range {
            // Tiles run down the input, that is along the output.
            let (rest, row_tile) = (tile / row_tiles, tile % row_tiles);
            let base = rest / col_tiles * rows * cols;
            for c in col_range(rest % col_tiles) {
                for r in row_range(row_tile) {
                    for k in 0..width {
                        out.set((base + c * rows + r) * width + k, a.get((base + r * cols + c) * width + k));
                    }
                }
            }
        }
    });
}

/// A stored matrix as `rows × cols`, packed by rows.
fn pack<F: Field>(
    a: &In<'_, F::Raw>,
    (rows, cols): (usize, usize),
    transposed: bool,
    convert: impl Fn(F::Raw) -> F + Sync,
) -> Result<Vec<F>> {
    let mut out = filled("matmul", rows * cols, F::ZERO)?;
    let fill = |r: usize, row: &mut [F]| {
        for (c, x) in row.iter_mut().enumerate() {
            *x = convert(a.get(if transposed { c * rows + r } else { r * cols + c }));
        }
    };
    if rows * cols >= PARALLEL_PRODUCTS {
        chunks(&mut out, cols, &fill);
    } else {
        out.chunks_mut(cols).enumerate().for_each(|(r, row)| fill(r, row));
    }
    Ok(out)
}

/// Inner products of a tile of rows of `a` with a tile of rows of `b`.
struct Tile<'m, F: Field> {
    a: &'m [F],
    b: &'m [F],
    inner: usize,
    rows: Range<usize>,
    cols: Range<usize>,
    /// Distances in the result between rows and between columns.
    strides: (usize, usize),
    out: &'m Out<'m, F::Raw>,
}

impl<F: Field> Kernel for Tile<'_, F> {
    const VECTORS: bool = F::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for r in self.rows {
            let row = &self.a[r * self.inner..][..self.inner];
            for c in self.cols.clone() {
                let product = F::dot(row, &self.b[c * self.inner..][..self.inner]);
                self.out.set(r * self.strides.0 + c * self.strides.1, product.to_limbs());
            }
        }
    }
}

pub(crate) fn multiply(_: &Exec, args: &MultiplyArgs) -> Result<()> {
    with_field!(args.field, F => multiply_in::<F>(args))
}

fn multiply_in<F: Field>(args: &MultiplyArgs) -> Result<()> {
    let (rows, inner, cols) = (args.rows, args.inner, args.cols);
    let (a, b, out) = (In::<F::Raw>::new(&args.a), In::<F::Raw>::new(&args.b), Out::<F::Raw>::new(&args.out));
    // Limbs times working form are limbs; the right operand is packed by columns.
    let a = pack(&a, (rows, inner), args.a_transposed, F::from_limbs)?;
    let b = pack(&b, (cols, inner), !args.b_transposed, F::from_raw)?;
    let strides = if args.result_transposed { (1, rows) } else { (cols, 1) };
    let (row_range, col_range) = (pieces(rows, TILE), pieces(cols, TILE));
    let (row_tiles, col_tiles) = (rows.div_ceil(TILE), cols.div_ceil(TILE));
    let tile = |i: usize| {
        let (rows, cols) = (row_range(i / col_tiles), col_range(i % col_tiles));
        widest(Tile { a: &a, b: &b, inner, rows, cols, strides, out: &out });
    };
    let parallel = rows.saturating_mul(cols).saturating_mul(inner) >= PARALLEL_PRODUCTS;
    indices(row_tiles * col_tiles, parallel, &tile);
    Ok(())
}
