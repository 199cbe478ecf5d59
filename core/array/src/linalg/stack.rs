//! Stacks of matrices: from arrays to faer's views of them in double precision, and back.

use crate::array::{Array, Fresh, computing};
use crate::layout::count;
use crate::{Complex, DType, Element, Kind};
use faer::{Mat, MatRef};
use icicle_cpu::parallel;
use icicle_device::Device;
use icicle_error::{Error, Result};

/// What matrices are computed in.
pub(crate) trait Number: Element + faer::traits::ComplexField<Real = f64> {
    /// Of the real number.
    fn from_real(value: f64) -> Self;
    /// The distance from 0.
    fn distance(self) -> f64;
    fn is_finite(self) -> bool;
}

impl Number for f64 {
    fn from_real(value: f64) -> Self {
        value
    }
    fn distance(self) -> f64 {
        self.abs()
    }
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
}

impl Number for Complex<f64> {
    fn from_real(value: f64) -> Self {
        Self::new(value, 0.0)
    }
    fn distance(self) -> f64 {
        self.re.hypot(self.im)
    }
    fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

/// Call a generic function for the numbers that a stack is computed in.
macro_rules! by_kind {
    ($stack:expr, $function:ident($($argument:expr),*)) => {
        match $stack.is_complex() {
            false => $function::<f64>($($argument),*),
            true => $function::<crate::Complex<f64>>($($argument),*),
        }
    };
}
pub(super) use by_kind;

/// Multiplications from which on a stack is divided among threads.
const PARALLEL: usize = 1 << 14;

/// A stack of matrices: dense, in double precision.
pub(crate) struct Stack {
    pub op: &'static str,
    /// The dtype of the caller's array, which results are rounded to.
    pub dtype: DType,
    /// Extents of the axes before the last two.
    pub batch: Vec<usize>,
    pub rows: usize,
    pub columns: usize,
    wide: Array,
}

impl Stack {
    /// The matrices of an array.
    ///
    /// # Errors
    /// `InvalidArgument` for a dtype that is not floating point or fewer than two axes; `Unsupported`, `OutOfMemory`.
    pub fn new(op: &'static str, x: &Array) -> Result<Self> {
        computing(op, &[x])?;
        floating(op, x)?;
        let [batch @ .., rows, columns] = x.shape() else {
            return Err(Error::argument(op, format!("array of shape {:?}: must have two axes or more", x.shape())));
        };
        let (batch, rows, columns) = (batch.to_vec(), *rows, *columns);
        let wide = if x.dtype().kind() == Kind::Complex { DType::Complex128 } else { DType::Float64 };
        Ok(Self { op, dtype: x.dtype(), batch, rows, columns, wide: x.astype(wide)?.contiguous()? })
    }

    /// As [`Stack::new`], of as many rows as columns.
    pub fn square(op: &'static str, x: &Array) -> Result<Self> {
        let stack = Self::new(op, x)?;
        match stack.rows == stack.columns {
            true => Ok(stack),
            false => {
                let detail = format!("matrices of {} rows and {} columns: must be square", stack.rows, stack.columns);
                Err(Error::argument(op, detail))
            }
        }
    }

    /// The matrices on the host, if they have no elements or there are none, so that there is nothing to compute on a GPU.
    #[cfg(feature = "cuda")]
    pub fn nothing(&self) -> Result<Option<Array>> {
        match self.wide.is_empty() {
            true => crate::zeros(Device::cpu(0), self.wide.shape(), self.dtype).map(Some),
            false => Ok(None),
        }
    }

    /// Whether cuSOLVER is to do it.
    #[cfg(feature = "cuda")]
    pub fn is_on_gpu(&self) -> bool {
        self.device().kind == icicle_device::DeviceKind::Cuda
    }

    pub fn device(&self) -> Device {
        self.wide.device()
    }

    /// The matrices in double precision.
    #[cfg(feature = "cuda")]
    pub fn wide(&self) -> &Array {
        &self.wide
    }

    pub fn is_complex(&self) -> bool {
        self.wide.dtype() == DType::Complex128
    }

    /// The lesser of rows and columns.
    pub fn rank(&self) -> usize {
        self.rows.min(self.columns)
    }

    /// Matrices of the stack.
    pub fn count(&self) -> Result<usize> {
        count(self.op, &self.batch)
    }

    /// What a function makes of each matrix, given its number; the first error if it fails for one.
    pub fn each<T: Number, R: Send>(&self, call: impl Fn(usize, MatRef<'_, T>) -> Result<R> + Sync) -> Result<Vec<R>> {
        let (n, size) = (self.count()?, self.rows * self.columns);
        let elements = self.wide.elements::<T>()?;
        let matrix = |i: usize| MatRef::from_row_major_slice(&elements[i * size..][..size], self.rows, self.columns);
        let mut results = icicle_error::reserve::collected(self.op, (0..n).map(|_| None))?;
        let work = |i: usize, result: &mut [Option<Result<R>>]| result[0] = Some(call(i, matrix(i)));
        match n > 1 && n.saturating_mul(size).saturating_mul(self.rank()) >= PARALLEL {
            true => parallel::chunks(&mut results, 1, &work),
            false => results.chunks_mut(1).enumerate().for_each(|(i, result)| work(i, result)),
        }
        results.into_iter().flatten().collect()
    }

    /// The error that a matrix gives.
    pub fn wrong(&self, i: usize, rule: &str) -> Error {
        Error::argument(self.op, format!("matrix {i} of {}: {rule}", self.batch.iter().product::<usize>()))
    }

    /// Refuse a matrix that is not finite, for which iterations would not end.
    pub fn finite<T: Number>(&self, i: usize, x: MatRef<'_, T>) -> Result<()> {
        match finite(x) {
            true => Ok(()),
            false => Err(self.not_finite(i)),
        }
    }

    pub fn not_finite(&self, i: usize) -> Error {
        self.wrong(i, "holds NaN or infinities, must be finite")
    }

    /// An array of a matrix for each of the stack.
    pub fn matrices<T: Number>(&self, rows: usize, columns: usize, parts: &[Mat<T>], dtype: DType) -> Result<Array> {
        let mut out = Fresh::new(self.op, self.wide.device(), T::DTYPE, &[&self.batch[..], &[rows, columns]].concat())?;
        let size = rows * columns;
        for (i, part) in parts.iter().enumerate() {
            for (k, to) in out.slice::<T>()[i * size..][..size].iter_mut().enumerate() {
                *to = part[(k / columns, k % columns)];
            }
        }
        out.done().astype(dtype)
    }

    /// An array of a vector of `n` numbers for each of the stack.
    pub fn vectors<T: Element>(&self, n: usize, parts: &[Vec<T>], dtype: DType) -> Result<Array> {
        let mut out = Fresh::new(self.op, self.wide.device(), T::DTYPE, &[&self.batch[..], &[n]].concat())?;
        for (i, part) in parts.iter().enumerate() {
            out.slice::<T>()[i * n..][..n].copy_from_slice(part);
        }
        out.done().astype(dtype)
    }

    /// An array of a number for each of the stack.
    pub fn numbers<T: Element>(&self, parts: &[T], dtype: DType) -> Result<Array> {
        Array::from_slice_on(self.device(), parts, &self.batch)?.astype(dtype)
    }
}

/// Whether no element is NaN or infinite.
pub(super) fn finite<T: Number>(x: MatRef<'_, T>) -> bool {
    (0..x.ncols()).all(|k| x.col(k).iter().all(|value| value.is_finite()))
}

/// Refuse arrays that are not of floating-point numbers.
pub(super) fn floating(op: &'static str, x: &Array) -> Result<()> {
    match x.dtype().is_floating() {
        true => Ok(()),
        false => Err(Error::argument(op, format!("array of {}: must be floating point", x.dtype()))),
    }
}

/// The power of two that a matrix is to be divided by, so that squares of its elements are finite and normal, by the greatest
/// distance from 0.
pub(crate) fn exponent(most: f64) -> i32 {
    // Half of the range of exponents, less what sums of squares need.
    let fits = most == 0.0 || (1e-100..1e100).contains(&most);
    if fits { 0 } else { most.log2().floor().clamp(-1000.0, 1000.0) as i32 }
}

/// A matrix times a power of two that keeps squares of its elements finite and normal, and the factor to undo it with.
pub(super) fn balanced<T: Number>(x: MatRef<'_, T>) -> (Mat<T>, f64) {
    let most = (0..x.ncols()).flat_map(|k| x.col(k).iter()).map(|value| value.distance()).fold(0.0, f64::max);
    let exponent = exponent(most);
    let by = T::from_real(2f64.powi(-exponent));
    (Mat::from_fn(x.nrows(), x.ncols(), |i, k| x[(i, k)] * by), 2f64.powi(exponent))
}
