//! Arrays from nothing but a rule.

use crate::array::{Array, Fresh, computing};
use crate::cast::to_odd;
use crate::constant::constant;
use crate::dtype::{Visitor, visit};
use crate::layout::count;
use crate::{Complex, DType, Element, Kind, Scalar, bf16, f16};
use icicle_device::Device;
use icicle_error::reserve::with_capacity;
use icicle_error::{Error, Result};

/// All elements 0.
///
/// # Errors
/// `InvalidArgument` if the shape is too large, `InvalidDevice`, `OutOfMemory`.
pub fn zeros(device: Device, shape: &[usize], dtype: DType) -> Result<Array> {
    full(device, shape, Scalar::Int(0), dtype).map_err(|error| Error { op: "zeros", ..error })
}

/// All elements 1.
///
/// # Errors
/// As [`zeros`].
pub fn ones(device: Device, shape: &[usize], dtype: DType) -> Result<Array> {
    full(device, shape, Scalar::Int(1), dtype).map_err(|error| Error { op: "ones", ..error })
}

/// All elements of one value.
///
/// # Errors
/// As [`zeros`]; `InvalidArgument` if the dtype does not hold the value's kind, or the integer.
pub fn full(device: Device, shape: &[usize], value: Scalar, dtype: DType) -> Result<Array> {
    struct Bytes(Scalar);
    impl Visitor for Bytes {
        type Output = Result<[u8; 16]>;
        fn visit<T: Element>(self) -> Self::Output {
            let mut bytes = [0; 16];
            bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&element::<T>("full", self.0)?));
            Ok(bytes)
        }
    }
    count("full", shape)?;
    constant("full", device, shape, dtype, visit(dtype, Bytes(value))?)
}

/// A value as an element, by way of its bytes.
///
/// # Errors
/// `InvalidArgument` if the dtype does not hold the value's kind, or the integer.
pub(crate) fn element<T: Element>(op: &'static str, value: Scalar) -> Result<T> {
    let mut out = T::default();
    let bytes = bytemuck::bytes_of_mut(&mut out);
    let kind = T::DTYPE.kind();
    let complex = value.complex();
    match kind {
        Kind::Bool => bytes.copy_from_slice(&[(complex != Complex::new(0.0, 0.0)) as u8]),
        Kind::Signed | Kind::Unsigned => {
            let value = value.integer(op, T::DTYPE)?;
            let size = bytes.len();
            bytes.copy_from_slice(&value.to_le_bytes()[..size]);
        }
        Kind::Float if matches!(value, Scalar::Complex(_)) => {
            return Err(Error::argument(op, format!("scalar {value:?}: {} holds real numbers", T::DTYPE)));
        }
        Kind::Float | Kind::Complex => match T::DTYPE {
            DType::Float16 => bytes.copy_from_slice(&f16::from_f32(to_odd(complex.re)).to_ne_bytes()),
            DType::BFloat16 => bytes.copy_from_slice(&bf16::from_f32(to_odd(complex.re)).to_ne_bytes()),
            DType::Float32 => bytes.copy_from_slice(&(complex.re as f32).to_ne_bytes()),
            DType::Float64 => bytes.copy_from_slice(&complex.re.to_ne_bytes()),
            DType::Complex64 => {
                bytes.copy_from_slice(bytemuck::bytes_of(&Complex::new(complex.re as f32, complex.im as f32)));
            }
            _ => bytes.copy_from_slice(bytemuck::bytes_of(&complex)),
        },
    }
    Ok(out)
}

/// `start`, `start + step` and so on, up to before `stop`.
///
/// # Errors
/// `InvalidArgument` if the step is 0 or not finite, the elements are too many, or an integer dtype does not hold them.
pub fn arange(device: Device, start: Scalar, stop: Scalar, step: Scalar, dtype: DType) -> Result<Array> {
    const OP: &str = "arange";
    let bad = |rule: &str| Error::argument(OP, format!("{start:?} to {stop:?} by {step:?}: {rule}"));
    if dtype.kind() == Kind::Bool || dtype.kind() == Kind::Complex {
        return Err(Error::argument(OP, format!("dtype {dtype}: must be real and numeric")));
    }
    if let (Scalar::Int(from), Scalar::Int(to), Scalar::Int(by)) = (start, stop, step) {
        if by == 0 {
            return Err(bad("the step must not be 0"));
        }
        let span = to.checked_sub(from).ok_or_else(|| bad("exceeds 128 bits"))?;
        let n = if (span < 0) == (by < 0) { span.unsigned_abs().div_ceil(by.unsigned_abs()) } else { 0 };
        let n = usize::try_from(n).map_err(|_| bad("too many elements"))?;
        let last = if n == 0 { from } else { from + by * (n as i128 - 1) };
        if dtype.is_integer() {
            Scalar::Int(from).integer(OP, dtype).and_then(|_| Scalar::Int(last).integer(OP, dtype))?;
        }
        return sequence(OP, device, n, dtype, Steps::Integers { from, by });
    }
    let (from, to, by) = (start.complex().re, stop.complex().re, step.complex().re);
    let n = ((to - from) / by).ceil();
    if by == 0.0 || !n.is_finite() || !by.is_finite() {
        return Err(bad("must be finite, and the step not 0"));
    }
    if n > isize::MAX as f64 {
        return Err(bad("too many elements"));
    }
    let (from, by) = (Complex::new(from, 0.0), Complex::new(by, 0.0));
    sequence(OP, device, n.max(0.0) as usize, dtype, Steps::Numbers { from, by, last: None })
}

/// `n` numbers from `start` to `stop` at equal distances; without `endpoint`, `stop` is the one after the last.
///
/// # Errors
/// `InvalidArgument` if the dtype is not floating point or too narrow for the numbers' kind; `OutOfMemory`.
pub fn linspace(device: Device, start: Scalar, stop: Scalar, n: usize, dtype: DType, endpoint: bool) -> Result<Array> {
    const OP: &str = "linspace";
    if !dtype.is_floating() {
        return Err(Error::argument(OP, format!("dtype {dtype}: must be floating point")));
    }
    let (from, to) = (start.complex(), stop.complex());
    let parts = if endpoint { n.saturating_sub(1) } else { n };
    let step = (to - from) / parts.max(1) as f64;
    let last = (endpoint && n > 1).then_some(to);
    sequence(OP, device, n, dtype, Steps::Numbers { from, by: step, last })
}

/// Numbers at equal distances.
#[derive(Clone, Copy)]
enum Steps {
    Integers {
        from: i128,
        by: i128,
    },
    Numbers {
        from: Complex<f64>,
        by: Complex<f64>,
        /// What the last one is, if not the sum.
        last: Option<Complex<f64>>,
    },
}

impl Steps {
    /// The one at an index below `n`.
    fn at(self, i: usize, n: usize, dtype: DType) -> Scalar {
        match self {
            Self::Integers { from, by } => Scalar::Int(from + by * i as i128),
            Self::Numbers { from, by, last } => {
                let value = last.filter(|_| i == n - 1).unwrap_or(from + by * i as f64);
                match dtype.kind() {
                    Kind::Complex => Scalar::Complex(value),
                    _ if value.im != 0.0 => Scalar::Complex(value),
                    _ => Scalar::Float(value.re),
                }
            }
        }
    }

    /// All of them on a GPU, to be cast to the dtype they are stored in there first; none if 64 bits do not hold them, or each must
    /// be seen to be one of the dtype.
    #[cfg(feature = "cuda")]
    fn on_gpu(self, op: &'static str, device: Device, n: usize, dtype: DType) -> Result<Option<Array>> {
        use crate::cuda::sequence;
        match self {
            Self::Integers { from, by } => {
                let last = from + by * n.saturating_sub(1) as i128;
                if !dtype.is_integer() && [from, last].iter().any(|&end| i64::try_from(end).is_err()) {
                    return Ok(None);
                }
                // Those of uint64 too, whose bits these are.
                let integers = sequence::integers(op, device, n, from as u64, by as u64)?;
                // As on the host, where numbers are rounded to float64 first.
                Ok(Some(if dtype.is_integer() { integers } else { integers.astype(DType::Float64)? }))
            }
            Self::Numbers { from, by, last } => {
                let is_real = [Some(from), Some(by), last].into_iter().flatten().all(|number| number.im == 0.0);
                let wide = match dtype.kind() {
                    Kind::Complex => DType::Complex128,
                    Kind::Float if is_real => DType::Float64,
                    _ => return Ok(None),
                };
                sequence::numbers(op, device, n, wide, (from, by, last)).map(Some)
            }
        }
    }
}

/// `n` elements by a rule.
fn sequence(op: &'static str, device: Device, n: usize, dtype: DType, steps: Steps) -> Result<Array> {
    struct Run(&'static str, Device, usize, Steps);
    impl Visitor for Run {
        type Output = Result<Array>;
        fn visit<T: Element>(self) -> Result<Array> {
            let Self(op, device, n, steps) = self;
            let mut data = with_capacity::<T>(op, n)?;
            for i in 0..n {
                data.push(element(op, steps.at(i, n, T::DTYPE))?);
            }
            Array::from_slice_on(device, &data, &[n])
        }
    }
    count(op, &[n])?;
    #[cfg(feature = "cuda")]
    if device.kind == icicle_device::DeviceKind::Cuda
        && let Some(numbers) = steps.on_gpu(op, device, n, dtype)?
    {
        return numbers.astype(dtype);
    }
    visit(dtype, Run(op, device, n, steps))
}

/// The numbers of rows plus `k`, as a column, and of columns, as a row: they are equal on the `k`-th diagonal.
fn coordinates(op: &'static str, device: Device, [rows, columns]: [usize; 2], k: isize) -> Result<[Array; 2]> {
    // Diagonals further away are as empty as the first that is.
    let first = k.clamp(-(rows as isize), columns as isize) as i128;
    let axis = |first, n, shape: &[isize]| {
        let steps = Steps::Integers { from: first, by: 1 };
        sequence(op, device, n, DType::Int64, steps)?.reshape(shape)
    };
    Ok([axis(first, rows, &[rows as isize, 1])?, axis(0, columns, &[1, columns as isize])?])
}

/// Ones on a diagonal, `k` to the right of the main one, zeros elsewhere.
///
/// # Errors
/// As [`zeros`].
pub fn eye(device: Device, rows: usize, columns: usize, k: isize, dtype: DType) -> Result<Array> {
    const OP: &str = "eye";
    struct Run<'a>(&'a mut Fresh, usize, usize, isize);
    impl Visitor for Run<'_> {
        type Output = Result<()>;
        fn visit<T: Element>(self) -> Result<()> {
            let Self(out, rows, columns, k) = self;
            let data = out.slice::<T>();
            data.fill(T::default());
            let one = element::<T>(OP, Scalar::Int(1))?;
            for row in 0..rows.min(data.len()) {
                let column = (row as isize).checked_add(k).and_then(|column| usize::try_from(column).ok());
                if let Some(column) = column.filter(|&column| column < columns) {
                    data[row * columns + column] = one;
                }
            }
            Ok(())
        }
    }
    count(OP, &[rows, columns])?;
    #[cfg(feature = "cuda")]
    if device.kind == icicle_device::DeviceKind::Cuda {
        let [rows, columns] = coordinates(OP, device, [rows, columns], k)?;
        return crate::equal(&rows, &columns)?.astype(dtype);
    }
    let mut out = Fresh::new(OP, device, dtype, &[rows, columns])?;
    visit(dtype, Run(&mut out, rows, columns, k))?;
    Ok(out.done())
}

/// The elements on and below the `k`-th diagonal of the last two axes, zeros elsewhere.
///
/// # Errors
/// `InvalidArgument` if there are fewer axes; `OutOfMemory`.
pub fn tril(x: &Array, k: isize) -> Result<Array> {
    triangle("tril", x, k, crate::less_equal)
}

/// The elements on and above the `k`-th diagonal of the last two axes, zeros elsewhere.
///
/// # Errors
/// As [`tril`].
pub fn triu(x: &Array, k: isize) -> Result<Array> {
    triangle("triu", x, k, crate::greater_equal)
}

/// The elements in columns that compare with the `k`-th diagonal's in their row, zeros elsewhere.
fn triangle(op: &'static str, x: &Array, k: isize, keep: fn(&Array, &Array) -> Result<Array>) -> Result<Array> {
    let device = computing(op, &[x])?;
    let [.., rows, columns] = *x.shape() else {
        return Err(Error::argument(op, format!("array of {} axes: must have at least two", x.rank())));
    };
    let [rows, columns] = coordinates(op, device, [rows, columns], k)?;
    crate::select(&keep(&columns, &rows)?, x, &zeros(device, &[], x.dtype())?)
}

/// Coordinates on a grid: for each one-dimensional array, its values along its own axis. With `xy`, the first two axes are
/// exchanged, as for a plot.
///
/// # Errors
/// `InvalidArgument` if an array has more than one axis, or the dtypes differ.
pub fn meshgrid(arrays: &[&Array], xy: bool) -> Result<Vec<Array>> {
    const OP: &str = "meshgrid";
    let rank = arrays.len();
    if let Some(bad) = arrays.iter().find(|array| array.rank() > 1 || array.dtype() != arrays[0].dtype()) {
        let detail =
            format!("array of {} axes of {}: must have at most one, and all one dtype", bad.rank(), bad.dtype());
        return Err(Error::argument(OP, detail));
    }
    let axis = |k: usize| if xy && rank > 1 && k < 2 { 1 - k } else { k };
    let mut shape = vec![1; rank];
    arrays.iter().enumerate().for_each(|(k, array)| shape[axis(k)] = array.len());
    count(OP, &shape)?;
    arrays
        .iter()
        .enumerate()
        .map(|(k, array)| {
            let mut own = vec![1; rank];
            own[axis(k)] = -1;
            if array.is_empty() {
                own[axis(k)] = 0;
            }
            array.reshape(&own)?.broadcast_to(&shape)
        })
        .collect()
}
