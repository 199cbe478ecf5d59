//! Products of matrices and tensors.
#![allow(unsafe_code)] // memory by address

use crate::array::{Array, Fresh, computing};
use crate::gemv::{Matrix, Times, times};
use crate::layout::{self, Layout, broadcast_shapes, count};
use crate::walk::Walk;
use crate::{Complex, DType, Element, Kind, promote};
use icicle_cpu::parallel;
use icicle_device::DeviceKind;
use icicle_error::{Error, Result};

/// The matrix product over the last two axes, the others broadcasting; an operand of one axis is a row on the left and a
/// column on the right, and that axis is gone from the result. In the common dtype: integers wrap, 16-bit floats are
/// computed in `float32` and rounded once.
///
/// Shapes `[.., m, k]` and `[.., k, n]` give `[.., m, n]`. On a CPU the number of threads changes no bit.
///
/// On a GPU floats are multiplied by cuBLAS where it is, and by kernels of our own where not; integers, and products with a
/// vector, always by our own. How `float32` is multiplied there is
/// [`set_float32_matmul_precision`](crate::set_float32_matmul_precision)'s.
///
/// # Errors
/// `InvalidArgument` if an operand has no axis, the inner extents differ, others do not broadcast, or the dtypes have no
/// common one or are bool; `Unsupported` on a GPU if this build has no kernels for it; `OutOfMemory`.
pub fn matmul(x: &Array, y: &Array) -> Result<Array> {
    const OP: &str = "matmul";
    let device = computing(OP, &[x, y])?;
    if x.rank() == 0 || y.rank() == 0 {
        return Err(Error::argument(OP, "array without axes: must have one"));
    }
    let dtype = common(OP, x, y)?;
    let compute = if dtype.is_half() && device.kind == DeviceKind::Cpu { DType::Float32 } else { dtype };
    let left = if x.rank() == 1 { x.expand_dims(0)? } else { x.clone() };
    let right = if y.rank() == 1 { y.expand_dims(1)? } else { y.clone() };
    let ([a @ .., m, k], [b @ .., inner, n]) = (left.shape(), right.shape()) else {
        return Err(Error::argument(OP, "arrays: must have axes"));
    };
    if k != inner {
        let detail = format!("shapes {:?} and {:?}: inner extents {k} and {inner} must be equal", x.shape(), y.shape());
        return Err(Error::argument(OP, detail));
    }
    let batch = broadcast_shapes(OP, &[a, b])?;
    let full = |rows: usize, columns: usize| [&batch[..], &[rows, columns]].concat();
    let shape = full(*m, *n);
    let product = Product { m: *m, n: *n, k: *k, count: count(OP, &batch)?, batch: batch.len() };
    let (left, right) =
        (left.astype(compute)?.broadcast_to(&full(*m, *k))?, right.astype(compute)?.broadcast_to(&full(*k, *n))?);
    let mut out = Fresh::new(OP, device, compute, &shape)?;
    if count(OP, &shape)? > 0 {
        match device.kind {
            #[cfg(feature = "cuda")]
            DeviceKind::Cuda => crate::cuda::product::multiply(OP, &left, &right, &mut out)?,
            _ => product.compute(&left, &right, &mut out)?,
        }
    }
    let mut kept = batch.clone();
    kept.extend((x.rank() > 1).then_some(*m));
    kept.extend((y.rank() > 1).then_some(*n));
    out.done().with_layout(Layout::dense(OP, &kept)?).astype(dtype)
}

/// The dtype of a product of two arrays.
///
/// # Errors
/// `InvalidArgument` if they have none in common, or are bool.
fn common(op: &'static str, x: &Array, y: &Array) -> Result<DType> {
    match promote(op, x.dtype(), y.dtype())? {
        DType::Bool => Err(Error::argument(op, "arrays of bool: must be numeric")),
        dtype => Ok(dtype),
    }
}

/// Extents of a product, and how many there are.
struct Product {
    m: usize,
    n: usize,
    k: usize,
    count: usize,
    batch: usize,
}

/// Multiplications from which on a product is divided among threads, unless it is one of float matrices.
const PARALLEL: usize = 1 << 17;
/// Multiplications from which on a product of float matrices is divided: 20 microseconds, twice as long as waking threads.
const PARALLEL_FLOATS: usize = 1 << 21;

impl Product {
    fn compute(&self, x: &Array, y: &Array, out: &mut Fresh) -> Result<()> {
        match out.dtype() {
            DType::Float32 => self.floats::<f32>(x, y, out, (0.0, 1.0), Some(times)),
            DType::Float64 => self.floats::<f64>(x, y, out, (0.0, 1.0), Some(times)),
            DType::Complex64 => self.floats(x, y, out, (Complex::new(0f32, 0.0), Complex::new(1f32, 0.0)), None),
            DType::Complex128 => self.floats(x, y, out, (Complex::new(0f64, 0.0), Complex::new(1f64, 0.0)), None),
            DType::Int8 => self.integers::<i8>(x, y, out, |a, b, c| a.wrapping_add(b.wrapping_mul(c))),
            DType::Int16 => self.integers::<i16>(x, y, out, |a, b, c| a.wrapping_add(b.wrapping_mul(c))),
            DType::Int32 => self.integers::<i32>(x, y, out, |a, b, c| a.wrapping_add(b.wrapping_mul(c))),
            DType::Int64 => self.integers::<i64>(x, y, out, |a, b, c| a.wrapping_add(b.wrapping_mul(c))),
            DType::UInt8 => self.integers::<u8>(x, y, out, |a, b, c| a.wrapping_add(b.wrapping_mul(c))),
            DType::UInt16 => self.integers::<u16>(x, y, out, |a, b, c| a.wrapping_add(b.wrapping_mul(c))),
            DType::UInt32 => self.integers::<u32>(x, y, out, |a, b, c| a.wrapping_add(b.wrapping_mul(c))),
            DType::UInt64 => self.integers::<u64>(x, y, out, |a, b, c| a.wrapping_add(b.wrapping_mul(c))),
            other => Err(Error::unsupported("matmul", format!("dtype {other}: has no loop"))),
        }
    }

    /// The offset of each product's operand, in elements.
    fn offsets(&self, x: &Array, task: impl FnMut(usize, isize)) {
        let walk = Walk::new(&x.shape()[..self.batch], &x.strides()[..self.batch]);
        let (mut task, mut i) = (task, 0);
        walk.runs(0, self.count, |offset, stride, len| {
            (0..len).for_each(|k| task(i + k, offset + k as isize * stride));
            i += len;
        });
    }

    /// Rows and columns of the tiles that threads take, each by itself, of one product: sixteen about as high as wide, but of no
    /// fewer than 2^20 multiplications and 2^10 results, and of no more than 2^20 results. One thread takes the same, as how `gemm`
    /// divides the inner extent depends on the others. (Threads that share packed operands, as
    /// `gemm` has them, wait for each other: two took 1.6 times one's processor time on a busy machine.)
    fn tiles(&self) -> (usize, usize) {
        let least = ((1 << 20) / self.k.max(1)).clamp(1 << 10, 1 << 20);
        let area = (self.m.saturating_mul(self.n) / 16).clamp(least, 1 << 20);
        let side = area.isqrt();
        let rows = if self.n < side { area / self.n.max(1) } else { side };
        let rows = rows.next_multiple_of(32).min(self.m).max(1);
        (rows, (area / rows).next_multiple_of(32).min(self.n).max(1))
    }

    fn floats<T: Element>(
        &self,
        x: &Array,
        y: &Array,
        out: &mut Fresh,
        (zero, one): (T, T),
        times: Option<Times<T>>,
    ) -> Result<()> {
        let &Self { m, n, k, .. } = self;
        let mut places = icicle_error::reserve::filled("matmul", self.count, (0isize, 0isize))?;
        self.offsets(x, |i, offset| places[i].0 = offset);
        self.offsets(y, |i, offset| places[i].1 = offset);
        let strides = |a: &Array| (a.strides()[self.batch], a.strides()[self.batch + 1]);
        let ((xr, xc), (yr, yc)) = (strides(x), strides(y));
        let (from, with) = (Start(x.as_ptr()?.cast::<T>().cast_mut()), Start(y.as_ptr()?.cast::<T>().cast_mut()));
        let to = Start(out.slice::<T>().as_mut_ptr());
        let wide = m.saturating_mul(n).saturating_mul(k) >= PARALLEL;
        if let Some(times) = times.filter(|_| m == 1 || n == 1) {
            // The matrix is the second operand, transposed, or the first; the vector is the other.
            let (matrix, rows, step) = match n {
                1 => (Matrix { start: from.at().cast_const(), row: xr, column: xc }, m, yr),
                _ => (Matrix { start: with.at().cast_const(), row: yc, column: yr }, n, xc),
            };
            if matrix.is_dense() && (step == 1 || k <= 1) {
                let matrix = &matrix;
                let one_product = |i: usize, parallel: bool| {
                    let (a, b) = if n == 1 { places[i] } else { (places[i].1, places[i].0) };
                    let vector = if n == 1 { with.at() } else { from.at() };
                    // SAFETY: the strides are those of arrays, which stay within their storage; the vector is dense;
                    // results are dense, one product's beside another's.
                    unsafe {
                        let vector = std::slice::from_raw_parts(vector.offset(b), k);
                        let out = std::slice::from_raw_parts_mut(to.at().add(i * rows), rows);
                        times(matrix.moved(a), vector, out, parallel);
                    }
                };
                let many = self.count.saturating_mul(rows * k) >= PARALLEL;
                parallel::indices(self.count, many, &|i| one_product(i, wide && self.count == 1));
                return Ok(());
            }
        }
        let tiles = self.tiles();
        // The tile of product `i` that begins at a row and a column.
        let one_tile = |i: usize, (row, column): (usize, usize), (rows, columns): (usize, usize)| {
            let (a, b) = places[i];
            // SAFETY: the strides are those of arrays, which stay within their storage; the tile is within the product; results are
            // dense, one product's beside another's, and tiles of one apart; `T` is one of the four types that `gemm` takes.
            unsafe {
                let lhs = from.at().offset(a + row as isize * xr);
                let rhs = with.at().offset(b + column as isize * yc);
                let dst = to.at().add(i * m * n + row * n + column);
                gemm::gemm(
                    rows.min(m - row),
                    columns.min(n - column),
                    k,
                    dst,
                    1,
                    n as isize,
                    false,
                    lhs,
                    xc,
                    xr,
                    rhs,
                    yc,
                    yr,
                    zero,
                    one,
                    false,
                    false,
                    false,
                    gemm::Parallelism::None,
                );
            }
        };
        let each = m.saturating_mul(n).saturating_mul(k);
        if self.count > 1 || each < PARALLEL_FLOATS {
            parallel::indices(self.count, self.count.saturating_mul(each) >= PARALLEL_FLOATS, &|i| {
                one_tile(i, (0, 0), (m, n));
            });
        } else {
            let across = n.div_ceil(tiles.1);
            parallel::indices(m.div_ceil(tiles.0) * across, true, &|t| {
                one_tile(0, (t / across * tiles.0, t % across * tiles.1), tiles);
            });
        }
        Ok(())
    }

    fn integers<T: Element>(
        &self,
        x: &Array,
        y: &Array,
        out: &mut Fresh,
        step: impl Fn(T, T, T) -> T + Sync,
    ) -> Result<()> {
        let (x, y) = (x.contiguous()?, y.contiguous()?);
        let (x, y) = (x.elements::<T>()?, y.elements::<T>()?);
        let &Self { m, n, k, .. } = self;
        let row = |i: usize, out: &mut [T]| {
            out.fill(T::default());
            let y = &y[i / m * k * n..][..k * n];
            for (a, y) in x[i * k..][..k].iter().zip(y.chunks_exact(n)) {
                for (out, b) in out.iter_mut().zip(y) {
                    *out = step(*out, *a, *b);
                }
            }
        };
        let out = out.slice::<T>();
        match out.len().saturating_mul(k) >= PARALLEL {
            true => parallel::chunks(out, n, &row),
            false => out.chunks_mut(n).enumerate().for_each(|(i, out)| row(i, out)),
        }
        Ok(())
    }
}

struct Start<T>(*mut T);
// SAFETY: products read shared memory and write their own.
unsafe impl<T> Sync for Start<T> {}
impl<T> Start<T> {
    fn at(&self) -> *mut T {
        self.0
    }
}

/// The sum of products along an axis, of the first's complex conjugates; the other axes broadcast.
///
/// On a GPU products are rounded to the dtype, or to `float32` if that has 16 bits, and added as [`sum`](crate::sum) adds.
///
/// # Errors
/// As [`matmul`], but on a GPU `Unsupported` with neither NVRTC nor kernels; `InvalidArgument` if there is no such axis or its
/// extents differ.
/// The axis is negative, or both have as many.
pub fn vecdot(x: &Array, y: &Array, axis: isize) -> Result<Array> {
    const OP: &str = "vecdot";
    let device = computing(OP, &[x, y])?;
    let of = |array: &Array| layout::axis(OP, axis, array.rank());
    let (a, b) = (of(x)?, of(y)?);
    if x.shape()[a] != y.shape()[b] {
        let detail = format!("axis {axis} of extents {} and {}: must be equal", x.shape()[a], y.shape()[b]);
        return Err(Error::argument(OP, detail));
    }
    let dtype = common(OP, x, y)?;
    let x = if x.dtype().kind() == Kind::Complex { crate::conj(x)? } else { x.clone() };
    let (x, y) = (x.moveaxis(&[a as isize], &[-1])?, y.moveaxis(&[b as isize], &[-1])?);
    broadcast_shapes(OP, &[x.shape(), y.shape()])?;
    if device.kind == DeviceKind::Cpu {
        return matmul(&x.expand_dims(-2)?, &y.expand_dims(-1)?)?.squeeze(&[-1, -2]);
    }
    let compute = if dtype.is_half() { DType::Float32 } else { dtype };
    let products = crate::multiply(&x.astype(compute)?, &y.astype(compute)?)?;
    crate::sum(&products, Some(&[-1]), false, Some(compute))?.astype(dtype)
}

/// The sum of products over pairs of axes, one of each array; the others stay, those of `x` first.
///
/// # Errors
/// As [`matmul`]; `InvalidArgument` if the axes are not as many or their extents differ.
pub fn tensordot(x: &Array, y: &Array, x_axes: &[isize], y_axes: &[isize]) -> Result<Array> {
    const OP: &str = "tensordot";
    let (a, b) = (layout::axes(OP, x_axes, x.rank())?, layout::axes(OP, y_axes, y.rank())?);
    if a.len() != b.len() || a.iter().zip(&b).any(|(&a, &b)| x.shape()[a] != y.shape()[b]) {
        let detail =
            format!("axes {x_axes:?} of {:?} and {y_axes:?} of {:?}: extents must be equal", x.shape(), y.shape());
        return Err(Error::argument(OP, detail));
    }
    let free = |array: &Array, taken: &[usize]| (0..array.rank()).filter(|k| !taken.contains(k)).collect::<Vec<_>>();
    let (free_x, free_y) = (free(x, &a), free(y, &b));
    let extent = |array: &Array, list: &[usize]| list.iter().map(|&k| array.shape()[k]).product::<usize>() as isize;
    let (m, k, n) = (extent(x, &free_x), extent(x, &a), extent(y, &free_y));
    let left = x.with_layout(x.layout.permuted(&[&free_x[..], &a].concat())).reshape(&[m, k])?;
    let right = y.with_layout(y.layout.permuted(&[&b[..], &free_y].concat())).reshape(&[k, n])?;
    let shape: Vec<_> = free_x.iter().map(|&k| x.shape()[k]).chain(free_y.iter().map(|&k| y.shape()[k])).collect();
    matmul(&left, &right)?.reshape(&shape.iter().map(|&extent| extent as isize).collect::<Vec<_>>())
}
