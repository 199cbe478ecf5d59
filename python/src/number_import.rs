//! Arrays of numbers from other memory: the buffer protocol, DLPack, nested sequences. All copy.
#![allow(unsafe_code)]

use crate::device::DeviceLike;
use crate::dlpack;
use crate::error::{brief, call, exception};
use crate::number_array::{NumberArray, Weak, address, scalar};
use crate::number_codes::{of_code, of_format};
use crate::number_type::TypeLike;
use icicle::Error;
use icicle::device::{Device, current_device};
use icicle_array::{Array, Bool, Complex, DType, Kind, Scalar, dense_strides};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyTuple};

/// A copy of strided host memory, on a device.
///
/// # Safety
/// As of [`Array::from_strided`], while the call lasts.
unsafe fn copied(
    py: Python<'_>,
    device: Device,
    dtype: DType,
    address: usize,
    shape: &[usize],
    strides: &[isize],
) -> PyResult<NumberArray> {
    let copy = || {
        let start = std::ptr::with_exposed_provenance(address);
        // SAFETY: the caller's.
        unsafe { Array::from_strided(device, dtype, start, shape, strides) }
    };
    let small = shape.iter().product::<usize>().saturating_mul(dtype.bytes()) <= 1 << 16;
    if small { brief(py, "asarray", copy) } else { call(py, "asarray", copy) }.map(NumberArray)
}

/// A copy of an object's memory as the buffer protocol shows it. Raises BufferError or TypeError for an object that shows
/// none or items that are no numbers, InvalidArgument for items that are not aligned.
#[pyfunction]
#[pyo3(signature = (data, device=None))]
pub(crate) fn number_from_buffer(data: &Bound<'_, PyAny>, device: Option<DeviceLike>) -> PyResult<NumberArray> {
    let py = data.py();
    let view = PyUntypedBuffer::get(data)?;
    let format = view.format().to_string_lossy();
    let refuse =
        || PyTypeError::new_err(format!("asarray: items of format {format:?}: must be numbers of this machine"));
    let dtype = of_format(&format, view.item_size()).ok_or_else(refuse)?;
    if view.suboffsets().is_some() {
        return Err(PyBufferError::new_err("asarray: items by way of pointers: must lie at strides"));
    }
    let address = view.buf_ptr().expose_provenance();
    let device = device.map_or_else(current_device, |device| device.0);
    // SAFETY: the view keeps the memory for the call, and says where its items are; see `buffer` about other threads.
    unsafe { copied(py, device, dtype, address, view.shape(), view.strides()) }
}

/// A copy of bytes in C order, as pickle needs it. Raises InvalidArgument if they are not as many as the shape says.
#[pyfunction]
pub(crate) fn number_from_bytes(
    data: &Bound<'_, PyBytes>,
    shape: Vec<usize>,
    dtype: TypeLike,
    device: DeviceLike,
) -> PyResult<NumberArray> {
    let py = data.py();
    let wrong = |error: Error| exception(py, &error);
    let plain = Array::from_slice_on(Device::cpu(0), data.as_bytes(), &[data.as_bytes().len()]).map_err(wrong)?;
    let need = icicle_array::broadcast_shapes("from_bytes", &[&shape]).map_err(wrong)?.iter().product::<usize>();
    if need * dtype.0.bytes() != plain.len() {
        let detail = format!("data of {} bytes: shape {shape:?} of {} needs another number", plain.len(), dtype.0);
        return Err(wrong(Error::argument("from_bytes", detail)));
    }
    let bytes = dtype.0.bytes() as isize;
    let strides: Vec<_> = dense_strides(&shape).into_iter().map(|stride| stride * bytes).collect();
    // SAFETY: the bytes are as many as shape and strides name, and `plain` holds them for the call.
    unsafe { copied(py, device.0, dtype.0, address(py, "from_bytes", &plain)?, &shape, &strides) }
}

/// A copy of a DLPack capsule's elements; the capsule is used up. Raises BufferError for elements that are no numbers or
/// not on the CPU, TypeError for a capsule of another kind.
#[pyfunction]
#[pyo3(signature = (capsule, device=None))]
pub(crate) fn number_from_dlpack(capsule: &Bound<'_, PyCapsule>, device: Option<DeviceLike>) -> PyResult<NumberArray> {
    let device = device.map_or_else(current_device, |device| device.0);
    dlpack::with_host_tensor(capsule, |tensor| {
        let dtype = of_code(tensor.code, tensor.bits).ok_or_else(|| {
            let text = format!("from_dlpack: type code {}, {} bits: no dtype", tensor.code, tensor.bits);
            PyBufferError::new_err(text)
        })?;
        let strides: Vec<_> = tensor.strides.iter().map(|stride| stride * dtype.bytes() as isize).collect();
        // SAFETY: the tensor's owner keeps it until the capsule is used up, after this.
        unsafe { copied(capsule.py(), device, dtype, tensor.address, &tensor.shape, &strides) }
    })
}

/// Numbers in nested sequences: the extents, and all in C order.
#[derive(Default)]
struct Nested {
    shape: Vec<usize>,
    values: Vec<Scalar>,
    /// The shape has been seen to its end.
    closed: bool,
}

impl Nested {
    fn read(&mut self, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        let ragged = || PyValueError::new_err(format!("asarray: sequences of several lengths at depth {depth}"));
        let list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        if !list {
            if self.closed && depth != self.shape.len() {
                return Err(ragged());
            }
            self.closed = true;
            self.values.push(element(object)?);
            return Ok(());
        }
        let entries = object.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        if depth == self.shape.len() && !self.closed {
            if depth == icicle_array::MAX_RANK {
                return Err(PyValueError::new_err("asarray: sequences nested too deep: at most 64 axes"));
            }
            self.shape.push(entries.len());
            self.closed = entries.is_empty();
        } else if self.shape.get(depth) != Some(&entries.len()) {
            return Err(ragged());
        }
        entries.iter().try_for_each(|entry| self.read(entry, depth + 1))
    }
}

/// One number: Python's, or that of an array or NumPy scalar without axes.
fn element(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    if let Some(value) = scalar(object)? {
        return Ok(value);
    }
    if let Ok(array) = object.cast::<NumberArray>() {
        return brief(object.py(), "asarray", || {
            array
                .try_borrow()
                .map(|array| array.0.item())
                .unwrap_or_else(|_| Err(Error::argument("asarray", "array in use by another thread")))
        });
    }
    // NumPy's scalars.
    let alone = object.getattr("shape").is_ok_and(|shape| shape.is_truthy().is_ok_and(|axes| !axes));
    if let Some(value) =
        object.call_method0("item").ok().filter(|_| alone).and_then(|item| scalar(&item).ok().flatten())
    {
        return Ok(value);
    }
    let got = object.get_type().name()?;
    Err(PyTypeError::new_err(format!("asarray: object of type {got}: must be numbers, sequences of them, or an array")))
}

/// An array of nested lists or tuples of numbers, or one number. Without a dtype it is bool, int64, float64 or complex128 by
/// what occurs. Raises TypeError for what is no number, ValueError for sequences of several lengths, OverflowError for
/// integers that the dtype does not hold.
#[pyfunction]
#[pyo3(signature = (data, dtype=None, device=None))]
pub(crate) fn number_from_nested(
    data: &Bound<'_, PyAny>,
    dtype: Option<TypeLike>,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    let py = data.py();
    let mut found = Nested::default();
    found.read(data, 0)?;
    let Nested { shape, values, .. } = found;
    let any = |test: fn(&Scalar) -> bool| values.iter().any(test);
    let natural =
        if values.is_empty() || any(|v| matches!(v, Scalar::Float(_))) && !any(|v| matches!(v, Scalar::Complex(_))) {
            DType::Float64
        } else if any(|v| matches!(v, Scalar::Complex(_))) {
            DType::Complex128
        } else if any(|v| matches!(v, Scalar::Int(_))) {
            DType::Int64
        } else {
            DType::Bool
        };
    let dtype = dtype.map_or(natural, |dtype| dtype.0);
    let device = device.map_or_else(current_device, |device| device.0);
    if dtype.is_integer() {
        let info = icicle_array::iinfo(dtype).map_err(|error| exception(py, &error))?;
        if let Some(value) = values.iter().find_map(|v| match v {
            Scalar::Int(value) if *value < info.min || *value > info.max => Some(value),
            _ => None,
        }) {
            let text = format!("asarray: integer {value}: {dtype} holds {} to {}", info.min, info.max);
            return Err(PyOverflowError::new_err(text));
        }
    }
    let complex = values.iter().any(|v| matches!(v, Scalar::Complex(_)));
    let int = |v: &Scalar| if let Scalar::Int(value) = v { *value } else { v.complex().re as i128 };
    brief(py, "asarray", || {
        let each = |v: &Scalar| v.complex();
        let wide = if complex || dtype.kind() == Kind::Complex {
            let list: Vec<Complex<f64>> = values.iter().map(each).collect();
            Array::from_slice_on(device, &list, &shape)
        } else if dtype.kind() == Kind::Bool {
            let list: Vec<Bool> = values.iter().map(|v| Bool::from(each(v).re != 0.0)).collect();
            Array::from_slice_on(device, &list, &shape)
        } else if dtype == DType::UInt64 {
            let list: Vec<u64> = values.iter().map(|v| int(v) as u64).collect();
            Array::from_slice_on(device, &list, &shape)
        } else if dtype.is_integer() {
            let list: Vec<i64> = values.iter().map(|v| int(v) as i64).collect();
            Array::from_slice_on(device, &list, &shape)
        } else {
            let list: Vec<f64> = values.iter().map(|v| each(v).re).collect();
            Array::from_slice_on(device, &list, &shape)
        };
        wide?.astype(dtype)
    })
    .map(NumberArray)
}

/// All elements of one value. Raises InvalidArgument for a value the dtype does not hold, or a shape too large.
#[pyfunction]
#[pyo3(signature = (shape, value, dtype, device=None))]
pub(crate) fn number_full(
    py: Python<'_>,
    shape: Vec<usize>,
    value: Weak,
    dtype: TypeLike,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    let device = device.map_or_else(current_device, |device| device.0);
    let fill = || icicle_array::full(device, &shape, value.0, dtype.0);
    let small = shape.iter().fold(dtype.0.bytes(), |bytes, &n| bytes.saturating_mul(n)) <= 1 << 16;
    if small { brief(py, "full", fill) } else { call(py, "full", fill) }.map(NumberArray)
}

/// Numbers from a start by a step up to before a stop.
#[pyfunction]
pub(crate) fn number_arange(
    py: Python<'_>,
    start: Weak,
    stop: Weak,
    step: Weak,
    dtype: TypeLike,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    let device = device.map_or_else(current_device, |device| device.0);
    call(py, "arange", || icicle_array::arange(device, start.0, stop.0, step.0, dtype.0)).map(NumberArray)
}

/// Numbers at equal distances.
#[pyfunction]
pub(crate) fn number_linspace(
    py: Python<'_>,
    start: Weak,
    stop: Weak,
    n: usize,
    dtype: TypeLike,
    endpoint: bool,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    let device = device.map_or_else(current_device, |device| device.0);
    call(py, "linspace", || icicle_array::linspace(device, start.0, stop.0, n, dtype.0, endpoint)).map(NumberArray)
}

/// Ones on a diagonal.
#[pyfunction]
pub(crate) fn number_eye(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    k: isize,
    dtype: TypeLike,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    let device = device.map_or_else(current_device, |device| device.0);
    call(py, "eye", || icicle_array::eye(device, rows, columns, k, dtype.0)).map(NumberArray)
}
