//! Arrays of numbers: the class, what it says of itself, and how calls reach the core.

use crate::device::{Device, DeviceLike};
use crate::error::{brief, call, exception, refused};
use crate::number_type::{NumberType, type_object};
use icicle::{Error, Result};
use icicle_array::{Array, Bool, Complex, DType, Kind, Scalar};
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyTuple};

/// An n-dimensional array of numbers of one dtype on a device: the `Array` of `icicle.xp`.
///
/// Made by asarray() and the other functions there. Slices and transposes share memory, but an array is a value: assigning
/// to one (`x[0] = 1`, `x += y`) changes no other, and memory that others hold is copied first. While a thread assigns more
/// than 64 KiB, use of the array by another raises RuntimeError.
#[pyclass(module = "icicle.xp")]
pub(crate) struct NumberArray(pub Array);

/// An array as an argument: a share of its memory, so that no one's assignment disturbs the call.
pub(crate) struct Numbers(pub Array);

impl<'py> FromPyObject<'_, 'py> for Numbers {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<NumberArray>() {
            Ok(array) => Ok(Self(array.try_borrow()?.0.clone())),
            Err(_) => {
                let got = object.get_type().name()?;
                Err(PyTypeError::new_err(format!("object of type {got}: must be an array; see xp.asarray()")))
            }
        }
    }
}

/// A number of Python's, which takes the dtype of the array it meets.
pub(crate) fn scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    Ok(Some(if object.is_instance_of::<PyBool>() {
        Scalar::Bool(object.extract()?)
    } else if object.is_instance_of::<PyInt>() {
        Scalar::Int(object.extract()?)
    } else if object.is_instance_of::<PyFloat>() {
        Scalar::Float(object.extract()?)
    } else if let Ok(number) = object.cast::<PyComplex>() {
        Scalar::Complex(Complex::new(number.real(), number.imag()))
    } else {
        return Ok(None);
    }))
}

/// A number of Python's where nothing else will do.
pub(crate) struct Weak(pub Scalar);

impl<'py> FromPyObject<'_, 'py> for Weak {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let got = object.get_type().name()?;
        let refuse = || PyTypeError::new_err(format!("value of type {got}: must be a bool, int, float or complex"));
        scalar(&object)?.map(Self).ok_or_else(refuse)
    }
}

/// Bytes that are worked on before another thread would have the interpreter's lock.
const FEW: usize = 1 << 16;

/// Work on arrays in the core: without the interpreter's lock where they are large.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    op: &'static str,
    arrays: &[&Array],
    run: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    match arrays.iter().map(|array| array.len().saturating_mul(array.dtype().bytes())).sum::<usize>() <= FEW {
        true => brief(py, op, run),
        false => call(py, op, run),
    }
}

/// The address of an array's first element; what it waits for is computed.
pub(crate) fn address(py: Python<'_>, op: &'static str, array: &Array) -> PyResult<usize> {
    work(py, op, &[array], || Ok(array.as_ptr()?.expose_provenance()))
}

/// As [`work`], for one array as the result.
pub(crate) fn made(
    py: Python<'_>,
    op: &'static str,
    arrays: &[&Array],
    run: impl FnOnce() -> Result<Array> + Send,
) -> PyResult<NumberArray> {
    work(py, op, arrays, run).map(NumberArray)
}

/// A number of the core as Python's.
pub(crate) fn number<'py>(py: Python<'py>, value: Scalar) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Scalar::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Scalar::Int(value) => value.into_pyobject(py)?.into_any(),
        Scalar::Float(value) => PyFloat::new(py, value).into_any(),
        Scalar::Complex(value) => PyComplex::from_doubles(py, value.re, value.im).into_any(),
    })
}

/// All elements as numbers of Python's, in C order.
fn numbers<'py>(py: Python<'py>, array: &Array) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let cast = |dtype| brief(py, "tolist", || array.astype(dtype));
    let each = |list: Vec<Scalar>| list.into_iter().map(|value| number(py, value)).collect();
    let read = |error: Error| exception(py, &error);
    each(match array.dtype().kind() {
        Kind::Bool => {
            array.to_vec::<Bool>().map_err(read)?.into_iter().map(|value| Scalar::Bool(value.into())).collect()
        }
        Kind::Unsigned => cast(DType::UInt64)?.to_vec::<u64>().map_err(read)?.into_iter().map(Scalar::from).collect(),
        Kind::Signed => cast(DType::Int64)?.to_vec::<i64>().map_err(read)?.into_iter().map(Scalar::from).collect(),
        Kind::Float => cast(DType::Float64)?.to_vec::<f64>().map_err(read)?.into_iter().map(Scalar::from).collect(),
        Kind::Complex => {
            let values = cast(DType::Complex128)?.to_vec::<Complex<f64>>().map_err(read)?;
            values.into_iter().map(Scalar::Complex).collect()
        }
    })
}

fn nested<'py>(
    py: Python<'py>,
    shape: &[usize],
    values: &mut std::vec::IntoIter<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match shape.split_first() {
        None => values.next().ok_or_else(|| PyValueError::new_err("tolist: an element is missing")),
        Some((&n, rest)) => {
            let list = PyList::empty(py);
            for _ in 0..n {
                list.append(nested(py, rest, values)?)?;
            }
            Ok(list.into_any())
        }
    }
}

impl NumberArray {
    /// The number of an array without axes, where Python asks for one of its own.
    fn only<'py>(&self, py: Python<'py>, what: &'static str) -> PyResult<Bound<'py, PyAny>> {
        if self.0.rank() != 0 {
            let rule = "must have no axes; see all(), any() and x[index]";
            let detail = format!("array of shape {:?} as one number: {rule}", self.0.shape());
            return Err(refused(py, "InvalidType", &Error::argument(what, detail)));
        }
        number(py, brief(py, what, || self.0.item())?)
    }

    fn refuse_type(&self, py: Python<'_>, what: &'static str, rule: &str) -> PyErr {
        let detail = format!("array of {}: {rule}", self.0.dtype());
        refused(py, "InvalidType", &Error::argument(what, detail))
    }
}

#[pymethods]
impl NumberArray {
    /// Extents of its axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    /// Bytes from one index of an axis to the next.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let bytes = self.0.dtype().bytes() as isize;
        PyTuple::new(py, self.0.strides().iter().map(|stride| stride * bytes).collect::<Vec<_>>())
    }

    /// The type of its elements.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<NumberType>> {
        type_object(py, self.0.dtype())
    }

    /// Number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.0.rank()
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.0.len()
    }

    /// Bytes of its elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.len() * self.0.dtype().bytes()
    }

    /// Address of the element whose indices are all 0, on the device. Raises OutOfMemory.
    #[getter]
    fn address(&self, py: Python<'_>) -> PyResult<usize> {
        address(py, "address", &self.0)
    }

    /// The device its memory is on.
    #[getter]
    fn device(&self) -> Device {
        Device(self.0.device())
    }

    /// The transpose of an array of two axes. Raises InvalidArgument for another number of them.
    #[getter]
    #[pyo3(name = "T")]
    fn transpose(&self, py: Python<'_>) -> PyResult<Self> {
        if self.0.rank() != 2 {
            let detail = format!("array of {} axes: must have two; see mT and permute_dims()", self.0.rank());
            return Err(exception(py, &Error::argument("T", detail)));
        }
        self.matrix_transpose(py)
    }

    /// The last two axes exchanged. Raises InvalidArgument if there are fewer.
    #[getter]
    #[pyo3(name = "mT")]
    fn matrix_transpose(&self, py: Python<'_>) -> PyResult<Self> {
        brief(py, "mT", || self.0.matrix_transpose()).map(Self)
    }

    /// The array on a device: itself if it is there, else a copy. Raises InvalidDevice if there is none, OutOfMemory,
    /// CopyFailed, InvalidArgument for a stream, which the CPU has none of.
    #[pyo3(signature = (device, /, *, stream=None))]
    fn to_device(slf: Bound<'_, Self>, device: DeviceLike, stream: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let py = slf.py();
        if let Some(stream) = stream {
            let detail = format!("stream {}: must be None", stream.repr()?);
            return Err(exception(py, &Error::argument("to_device", detail)));
        }
        let array = slf.try_borrow()?.0.clone();
        made(py, "to_device", &[&array], || array.to_device(device.0))
    }

    /// The elements as nested lists of Python's numbers; without axes, one number. Raises OutOfMemory.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        nested(py, self.0.shape(), &mut numbers(py, &self.0)?.into_iter())
    }

    /// The namespace of functions on arrays, `icicle.xp`. Raises InvalidArgument for another version of the standard.
    #[pyo3(signature = (*, api_version=None))]
    fn __array_namespace__<'py>(&self, py: Python<'py>, api_version: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let namespace = py.import("icicle.xp")?.into_any();
        match api_version {
            None => Ok(namespace),
            Some(version) if namespace.getattr("VERSIONS")?.contains(version)? => Ok(namespace),
            Some(version) => {
                let detail = format!("version {version:?}: must be one of xp.VERSIONS");
                Err(exception(py, &Error::argument("array_namespace", detail)))
            }
        }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let none = || self.refuse_type(py, "len", "has no axes and so no length");
        self.0.shape().first().copied().ok_or_else(none)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.0.rank() == 0 {
            return Err(self.refuse_type(py, "iter", "has no axes to go along"));
        }
        let rows = brief(py, "iter", || icicle_array::unstack(&self.0, 0))?;
        let rows: Vec<_> = rows.into_iter().map(Self).map(|row| Bound::new(py, row)).collect::<PyResult<_>>()?;
        Ok(PyTuple::new(py, rows)?.try_iter()?.into_any())
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        self.only(py, "bool")?.is_truthy()
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.0.dtype().kind() == Kind::Complex {
            return Err(self.refuse_type(py, "int", "complex numbers are no integers"));
        }
        py.get_type::<PyInt>().call1((self.only(py, "int")?,))
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.0.dtype().kind() == Kind::Complex {
            return Err(self.refuse_type(py, "float", "complex numbers are not real"));
        }
        py.get_type::<PyFloat>().call1((self.only(py, "float")?,))
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyComplex>().call1((self.only(py, "complex")?,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if !self.0.dtype().is_integer() {
            return Err(self.refuse_type(py, "index", "must be of integers"));
        }
        self.only(py, "index")
    }

    fn __repr__<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("icicle.xp.display")?.getattr("text")?.call1((slf,))
    }

    /// A number as Python formats it; other arrays as str() gives them. Raises TypeError for those with a specification.
    fn __format__<'py>(slf: &Bound<'py, Self>, spec: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let array = slf.try_borrow()?;
        if array.0.rank() > 0 {
            return match spec {
                "" => Ok(slf.str()?.into_any()),
                _ => Err(array.refuse_type(py, "format", "only an array without axes takes a specification")),
            };
        }
        array.tolist(py)?.call_method1("__format__", (spec,))
    }

    /// The error for an attribute that there is not, which says where its like is.
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        // Others look for protocols by names like these, and drop the error.
        if name.starts_with('_') {
            return Err(PyAttributeError::new_err(format!("array has no attribute '{name}'")));
        }
        let text = slf.py().import("icicle.xp.hints")?.getattr("of_array")?.call1((name,))?;
        Err(PyAttributeError::new_err(text.unbind()))
    }

    fn __copy__(&self) -> Self {
        Self(self.0.clone())
    }

    fn __deepcopy__(&self, _memo: Bound<'_, PyAny>) -> Self {
        Self(self.0.clone())
    }
}
