//! Discrete Fourier transforms: the array API's extension `fft`.
//!
//! ```text
//! forward:  y[k] = scale * sum over j of x[j] * exp(-2 pi i j k / n)       inverse: with +2 pi i
//! ```
//!
//! In the precision of the array's dtype, 16-bit floats in `float32`. On CPUs the plans are rustfft's and realfft's: powers of two,
//! small factors and primes alike take `n log n` steps, and lines of an array are divided among the threads. On GPUs transforms are
//! cuFFT's, where it is.

pub(crate) mod shape;

use crate::array::{Array, Fresh, computing};
use crate::layout::{self, count};
use crate::{Complex, DType, Element, Kind};
use icicle_cpu::parallel;
use icicle_device::Device;
use icicle_error::{Error, Result};
use realfft::{FftNum, RealFftPlanner};
use rustfft::FftPlanner;
use shape::Shape;

/// Which direction is divided by the number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The inverse.
    Backward,
    /// Both, by its root.
    Ortho,
    /// The forward one.
    Forward,
}

impl Norm {
    fn scale(self, n: usize, inverse: bool) -> f64 {
        match (self, inverse) {
            (Self::Ortho, _) => (n as f64).sqrt().recip(),
            (Self::Backward, true) | (Self::Forward, false) => (n as f64).recip(),
            _ => 1.0,
        }
    }
}

/// Bytes of an array from which on its lines are divided among threads.
const PARALLEL: usize = 1 << 16;
/// Elements of lines that one task takes at least.
const LINES_TOGETHER: usize = 1 << 10;

/// The real numbers transforms are computed in.
trait Real: Element + FftNum {
    fn scaled(self, by: f64) -> Self;
}
impl Real for f32 {
    fn scaled(self, by: f64) -> Self {
        self * by as f32
    }
}
impl Real for f64 {
    fn scaled(self, by: f64) -> Self {
        self * by
    }
}

/// A transform along the last axis of a dense array.
#[derive(Clone, Copy)]
struct Transform {
    op: &'static str,
    /// Elements of a line in time.
    n: usize,
    inverse: bool,
    scale: f64,
}

impl Transform {
    /// An array whose lines are those of `x`, cut or with zeros at the end, gone through `line`, which is also given memory to
    /// work in: elements of all three are counted by `lengths`.
    fn lines<A: Element, B: Element, C: Element>(
        &self,
        x: &Array,
        lengths: [usize; 3],
        line: impl Fn(&mut [A], &mut [B], &mut [C]) + Sync,
    ) -> Result<Array> {
        let [from, to, scratch] = lengths;
        let extent = x.shape().last().copied().unwrap_or(0);
        let mut shape = x.shape().to_vec();
        shape.pop();
        let lines = count(self.op, &shape)?;
        shape.push(to);
        let x = x.contiguous()?;
        let elements = x.elements::<A>()?;
        let mut out = Fresh::new(self.op, x.device(), B::DTYPE, &shape)?;
        let together = parallel::run_length(lines, LINES_TOGETHER.div_ceil(to));
        let work = |run: usize, out: &mut [B]| {
            let kept = extent.min(from);
            let (mut padded, mut scratch) = (vec![A::default(); from], vec![C::default(); scratch]);
            for (i, out) in out.chunks_mut(to).enumerate() {
                padded[..kept].copy_from_slice(&elements[(run * together + i) * extent..][..kept]);
                padded[kept..].fill(A::default());
                line(&mut padded, out, &mut scratch);
            }
        };
        let out_elements = out.slice::<B>();
        match lines > together && std::mem::size_of_val(out_elements) >= PARALLEL {
            true => parallel::chunks(out_elements, together * to, &work),
            false => out_elements.chunks_mut(together * to).enumerate().for_each(|(run, out)| work(run, out)),
        }
        Ok(out.done())
    }

    fn complex<T: Real>(&self, x: &Array) -> Result<Array>
    where
        Complex<T>: Element,
    {
        let mut planner = FftPlanner::<T>::new();
        let plan = if self.inverse { planner.plan_fft_inverse(self.n) } else { planner.plan_fft_forward(self.n) };
        let line = |line: &mut [Complex<T>], out: &mut [Complex<T>], scratch: &mut [Complex<T>]| {
            plan.process_with_scratch(line, scratch);
            for (out, value) in out.iter_mut().zip(line) {
                *out = Complex::new(value.re.scaled(self.scale), value.im.scaled(self.scale));
            }
        };
        self.lines(x, [self.n, self.n, plan.get_inplace_scratch_len()], line)
    }

    /// Of real numbers: the first half of the result, which is the other's conjugate.
    fn halved<T: Real>(&self, x: &Array) -> Result<Array>
    where
        Complex<T>: Element,
    {
        let plan = RealFftPlanner::<T>::new().plan_fft_forward(self.n);
        let line = |line: &mut [T], out: &mut [Complex<T>], scratch: &mut [Complex<T>]| {
            // Lengths are those of the plan, which is all that can be wrong.
            let _always = plan.process_with_scratch(line, out, scratch);
            for value in out {
                let sign = if self.inverse { -self.scale } else { self.scale };
                *value = Complex::new(value.re.scaled(self.scale), value.im.scaled(sign));
            }
        };
        self.lines(x, [self.n, self.n / 2 + 1, plan.get_scratch_len()], line)
    }

    /// Back to real numbers, from the first half.
    fn doubled<T: Real>(&self, x: &Array) -> Result<Array>
    where
        Complex<T>: Element,
    {
        let plan = RealFftPlanner::<T>::new().plan_fft_inverse(self.n);
        let half = self.n / 2 + 1;
        let line = |line: &mut [Complex<T>], out: &mut [T], scratch: &mut [Complex<T>]| {
            // The parts that symmetry says are 0.
            line[0].im = T::default();
            if self.n.is_multiple_of(2) {
                line[half - 1].im = T::default();
            }
            if !self.inverse {
                line.iter_mut().for_each(|value| *value = value.conj());
            }
            let _always = plan.process_with_scratch(line, out, scratch);
            out.iter_mut().for_each(|value| *value = value.scaled(self.scale));
        };
        self.lines(x, [half, self.n, plan.get_scratch_len()], line)
    }
}

/// The elements in time along an axis, and the dtype that is computed in.
///
/// # Errors
/// `InvalidArgument` for an axis that is not there, an `n` of 0, or a dtype that the transform does not take; `Unsupported`.
fn checked(op: &'static str, x: &Array, shape: Shape, n: Option<usize>, axis: isize) -> Result<(usize, DType)> {
    computing(op, &[x])?;
    let real = x.dtype().kind() == Kind::Float;
    if !x.dtype().is_floating() || (shape == Shape::Halved && !real) {
        let rule = if shape == Shape::Halved { "real floating point" } else { "floating point" };
        return Err(Error::argument(op, format!("array of {}: must be {rule}", x.dtype())));
    }
    let extent = x.shape()[layout::axis(op, axis, x.rank())?];
    let natural = if shape == Shape::Doubled { 2 * extent.saturating_sub(1) } else { extent };
    let n = n.unwrap_or(natural);
    if n == 0 {
        return Err(Error::argument(op, format!("n 0 along axis {axis} of extent {extent}: must be at least 1")));
    }
    let wide = matches!(x.dtype(), DType::Float64 | DType::Complex128);
    let dtype = match (shape, wide) {
        (Shape::Halved, false) => DType::Float32,
        (Shape::Halved, true) => DType::Float64,
        (_, false) => DType::Complex64,
        (_, true) => DType::Complex128,
    };
    Ok((n, dtype))
}

/// Transform along an axis, of as many elements in time as `n` says.
fn along(
    op: &'static str,
    x: &Array,
    shape: Shape,
    n: Option<usize>,
    axis: isize,
    norm: Norm,
    inverse: bool,
) -> Result<Array> {
    let (n, dtype) = checked(op, x, shape, n, axis)?;
    let lines = x.astype(dtype)?.moveaxis(&[axis], &[-1])?;
    #[cfg(feature = "cuda")]
    if x.device().kind == icicle_device::DeviceKind::Cuda {
        let scale = norm.scale(n, inverse);
        return crate::cuda::fft::transform(op, &lines, shape, &[n], inverse, scale)?.moveaxis(&[-1], &[axis]);
    }
    let transform = Transform { op, n, inverse, scale: norm.scale(n, inverse) };
    match (shape, matches!(dtype, DType::Float64 | DType::Complex128)) {
        (Shape::Complex, false) => transform.complex::<f32>(&lines),
        (Shape::Complex, true) => transform.complex::<f64>(&lines),
        (Shape::Halved, false) => transform.halved::<f32>(&lines),
        (Shape::Halved, true) => transform.halved::<f64>(&lines),
        (Shape::Doubled, false) => transform.doubled::<f32>(&lines),
        (Shape::Doubled, true) => transform.doubled::<f64>(&lines),
    }?
    .moveaxis(&[-1], &[axis])
}

macro_rules! along_one {
    ($($name:ident $shape:ident $inverse:literal $meaning:literal)*) => {
        $(
            #[doc = $meaning]
            ///
            /// Of `n` elements in time, what the axis has if not said: lines are cut, or zeros put at their ends.
            ///
            /// # Errors
            /// `InvalidArgument` for an axis that is not there, an `n` of 0, or a dtype that is not floating point, or not
            /// real where real numbers are taken; `OutOfMemory`; on a GPU `Unsupported` without cuFFT, or for a length that it has
            /// no transform of.
            pub fn $name(x: &Array, n: Option<usize>, axis: isize, norm: Norm) -> Result<Array> {
                along(stringify!($name), x, Shape::$shape, n, axis, norm, $inverse)
            }
        )*
    };
}
along_one! {
    fft Complex false "The transform along an axis, complex."
    ifft Complex true "The inverse transform along an axis, complex."
    rfft Halved false "The transform of real numbers along an axis: the first `n / 2 + 1`; the rest is their conjugates reversed."
    irfft Doubled true "The inverse of [`rfft`]: real numbers; without `n`, an even number of them."
}

/// The transform, real, of what is its own conjugate reversed, given by its first `n / 2 + 1` elements; without `n`, an even
/// number of results.
///
/// # Errors
/// As [`fft`].
pub fn hfft(x: &Array, n: Option<usize>, axis: isize, norm: Norm) -> Result<Array> {
    along("hfft", x, Shape::Doubled, n, axis, norm, false)
}

/// The inverse of [`hfft`]: of real numbers, the first `n / 2 + 1`.
///
/// # Errors
/// As [`rfft`].
pub fn ihfft(x: &Array, n: Option<usize>, axis: isize, norm: Norm) -> Result<Array> {
    along("ihfft", x, Shape::Halved, n, axis, norm, true)
}

/// Axes, and how many elements in time each has if that is said: the last ones if only their extents are, all if nothing is.
fn plan(
    op: &'static str,
    x: &Array,
    extents: Option<&[usize]>,
    axes: Option<&[isize]>,
) -> Result<Vec<(isize, Option<usize>)>> {
    let rank = x.rank() as isize;
    let last = extents.map_or(rank, |extents| extents.len() as isize);
    let axes = axes.map_or_else(|| (rank - last..rank).collect::<Vec<_>>(), <[isize]>::to_vec);
    let taken = layout::axes(op, &axes, x.rank())?;
    if extents.is_some_and(|extents| extents.len() != taken.len()) {
        let detail = format!("s {:?} and axes {axes:?}: must be as many", extents.unwrap_or(&[]));
        return Err(Error::argument(op, detail));
    }
    if taken.is_empty() {
        return Err(Error::argument(op, "axes []: must name at least one"));
    }
    Ok(taken.iter().enumerate().map(|(k, &axis)| (axis as isize, extents.map(|extents| extents[k]))).collect())
}

/// One axis after the other, from the last on; on a GPU several at once.
fn along_all(op: &'static str, x: &Array, axes: &[(isize, Option<usize>)], norm: Norm, inverse: bool) -> Result<Array> {
    #[cfg(feature = "cuda")]
    if x.device().kind == icicle_device::DeviceKind::Cuda {
        return axes
            .rchunks(crate::cuda::fft::AXES)
            .try_fold(x.clone(), |x, axes| together(op, &x, axes, norm, inverse));
    }
    axes.iter().rev().try_fold(x.clone(), |x, &(axis, n)| along(op, &x, Shape::Complex, n, axis, norm, inverse))
}

/// A transform of complex numbers along several axes.
#[cfg(feature = "cuda")]
fn together(op: &'static str, x: &Array, axes: &[(isize, Option<usize>)], norm: Norm, inverse: bool) -> Result<Array> {
    let (mut extents, mut scale, mut wide) = (Vec::new(), 1.0, x.dtype());
    for &(axis, n) in axes {
        let (n, dtype) = checked(op, x, Shape::Complex, n, axis)?;
        extents.push(n);
        (scale, wide) = (scale * norm.scale(n, inverse), dtype);
    }
    let (from, to): (Vec<_>, Vec<_>) =
        (axes.iter().map(|&(axis, _)| axis).collect(), (-(axes.len() as isize)..0).collect());
    let lines = x.astype(wide)?.moveaxis(&from, &to)?;
    crate::cuda::fft::transform(op, &lines, Shape::Complex, &extents, inverse, scale)?.moveaxis(&to, &from)
}

macro_rules! along_many {
    ($($name:ident $inverse:literal $meaning:literal)*) => {
        $(
            #[doc = $meaning]
            ///
            /// Along axes, all if not named, of `extents` elements in time; extents without axes are of the last ones.
            ///
            /// # Errors
            /// As [`fft`]; `InvalidArgument` for extents that are not as many as axes, or no axis.
            pub fn $name(x: &Array, extents: Option<&[usize]>, axes: Option<&[isize]>, norm: Norm) -> Result<Array> {
                let axes = plan(stringify!($name), x, extents, axes)?;
                along_all(stringify!($name), x, &axes, norm, $inverse)
            }
        )*
    };
}
along_many! {
    fftn false "The transform along several axes, complex."
    ifftn true "The inverse transform along several axes, complex."
}

/// As [`fftn`], of real numbers: of the last of the axes, the first half as in [`rfft`].
///
/// # Errors
/// As [`fftn`] and [`rfft`].
pub fn rfftn(x: &Array, extents: Option<&[usize]>, axes: Option<&[isize]>, norm: Norm) -> Result<Array> {
    const OP: &str = "rfftn";
    let mut axes = plan(OP, x, extents, axes)?;
    let (axis, n) = axes.pop().unwrap_or((-1, None));
    along_all(OP, &along(OP, x, Shape::Halved, n, axis, norm, false)?, &axes, norm, false)
}

/// The inverse of [`rfftn`]: real numbers.
///
/// # Errors
/// As [`fftn`].
pub fn irfftn(x: &Array, extents: Option<&[usize]>, axes: Option<&[isize]>, norm: Norm) -> Result<Array> {
    const OP: &str = "irfftn";
    let mut axes = plan(OP, x, extents, axes)?;
    let (axis, n) = axes.pop().unwrap_or((-1, None));
    along(OP, &along_all(OP, x, &axes, norm, true)?, Shape::Doubled, n, axis, norm, true)
}

/// The frequencies of [`fft`]'s results, in cycles per unit of the distance `d` of samples: from 0 up, then the negative ones.
///
/// # Errors
/// `InvalidArgument` for an `n` or a distance of 0, or a dtype that is not real floating point; `InvalidDevice`; `OutOfMemory`.
pub fn fftfreq(device: Device, n: usize, d: f64, dtype: DType) -> Result<Array> {
    let positive = n.div_ceil(2) as i64;
    frequencies("fftfreq", device, n, d, dtype, (0..positive).chain(-(n as i64 / 2)..0))
}

/// The frequencies of [`rfft`]'s results.
///
/// # Errors
/// As [`fftfreq`].
pub fn rfftfreq(device: Device, n: usize, d: f64, dtype: DType) -> Result<Array> {
    frequencies("rfftfreq", device, n, d, dtype, 0..n as i64 / 2 + 1)
}

fn frequencies(
    op: &'static str,
    device: Device,
    n: usize,
    d: f64,
    dtype: DType,
    steps: impl Iterator<Item = i64>,
) -> Result<Array> {
    if n == 0 || d == 0.0 {
        return Err(Error::argument(op, format!("n {n} and d {d}: must not be 0")));
    }
    if dtype.kind() != Kind::Float {
        return Err(Error::argument(op, format!("dtype {dtype}: must be real floating point")));
    }
    let mut values = icicle_error::reserve::with_capacity(op, n)?;
    values.extend(steps.map(|step| step as f64 / (n as f64 * d)));
    Array::from_slice_on(Device::cpu(0), &values, &[values.len()])?.astype(dtype)?.to_device(device)
}

/// The zero frequency in the middle of axes, all if not named.
///
/// # Errors
/// As [`roll`](crate::roll).
pub fn fftshift(x: &Array, axes: Option<&[isize]>) -> Result<Array> {
    shift("fftshift", x, axes, |extent| extent / 2)
}

/// The inverse of [`fftshift`].
///
/// # Errors
/// As [`roll`](crate::roll).
pub fn ifftshift(x: &Array, axes: Option<&[isize]>) -> Result<Array> {
    shift("ifftshift", x, axes, |extent| extent.div_ceil(2))
}

fn shift(op: &'static str, x: &Array, axes: Option<&[isize]>, by: impl Fn(usize) -> usize) -> Result<Array> {
    let all: Vec<isize> = (0..x.rank() as isize).collect();
    let axes = axes.unwrap_or(&all);
    let shifts = layout::axes(op, axes, x.rank())?.into_iter().map(|axis| by(x.shape()[axis]) as isize);
    crate::roll(x, &shifts.collect::<Vec<_>>(), Some(axes))
}
