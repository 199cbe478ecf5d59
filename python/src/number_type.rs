//! The types of numbers, as Python objects: one for each, compared by what they are.

use crate::error::{exception, refused};
use icicle_array::{DType, can_cast, finfo, iinfo, isdtype, result_type};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The type of an array's numbers: `icicle.xp.float32` and so on.
#[pyclass(frozen, eq, hash, module = "icicle.xp", from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NumberType(pub DType);

/// The object of a type, always the same one.
pub(crate) fn type_object(py: Python<'_>, dtype: DType) -> PyResult<Py<NumberType>> {
    static OBJECTS: PyOnceLock<Vec<Py<NumberType>>> = PyOnceLock::new();
    let made = || DType::ALL.iter().map(|&dtype| Py::new(py, NumberType(dtype))).collect::<PyResult<Vec<_>>>();
    let objects = OBJECTS.get_or_try_init(py, made)?;
    match DType::ALL.iter().position(|&one| one == dtype).and_then(|at| objects.get(at)) {
        Some(object) => Ok(object.clone_ref(py)),
        None => Py::new(py, NumberType(dtype)),
    }
}

/// What is accepted where a dtype is asked for; anything else is a TypeError that says so.
pub(crate) struct TypeLike(pub DType);

impl<'py> FromPyObject<'_, 'py> for TypeLike {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(dtype) = object.cast::<NumberType>() {
            return Ok(Self(dtype.get().0));
        }
        let got = object.get_type().name()?;
        Err(PyTypeError::new_err(format!("dtype of type {got}: must be one of icicle.xp, such as xp.float32")))
    }
}

#[pymethods]
impl NumberType {
    /// The type of a name such as "float32". Raises InvalidArgument for another.
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        name.parse().map(Self).map_err(|error| exception(py, &error))
    }

    /// Its name in the array API.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Bytes of an element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.bytes()
    }

    fn __repr__(&self) -> String {
        format!("icicle.xp.{}", self.0.name())
    }

    fn __str__(&self) -> &'static str {
        self.0.name()
    }

    fn __reduce__(slf: Bound<'_, Self>) -> PyResult<(Bound<'_, PyAny>, (&'static str,))> {
        let name = slf.get().0.name();
        Ok((slf.py().import("icicle._icicle")?.getattr("number_type")?, (name,)))
    }
}

/// The type of a name such as "float32", always the same object. Raises InvalidArgument for another.
#[pyfunction]
pub(crate) fn number_type(py: Python<'_>, name: &str) -> PyResult<Py<NumberType>> {
    let dtype = name.parse().map_err(|error| exception(py, &error))?;
    type_object(py, dtype)
}

/// Every type of numbers.
#[pyfunction]
pub(crate) fn number_types(py: Python<'_>) -> PyResult<Vec<Py<NumberType>>> {
    DType::ALL.iter().map(|&dtype| type_object(py, dtype)).collect()
}

/// Bits, eps, max, smallest normal number and type of a floating-point type. Raises InvalidArgument for another.
#[pyfunction]
pub(crate) fn number_finfo(py: Python<'_>, dtype: TypeLike) -> PyResult<(u32, f64, f64, f64, Py<NumberType>)> {
    let info = finfo(dtype.0).map_err(|error| exception(py, &error))?;
    Ok((info.bits, info.eps, info.max, info.smallest_normal, type_object(py, info.dtype)?))
}

/// Bits, least and greatest value of an integer type. Raises InvalidArgument for another.
#[pyfunction]
pub(crate) fn number_iinfo(py: Python<'_>, dtype: TypeLike) -> PyResult<(u32, i128, i128)> {
    let info = iinfo(dtype.0).map_err(|error| exception(py, &error))?;
    Ok((info.bits, info.min, info.max))
}

/// Whether a type is of a kind. Raises InvalidArgument for an unknown kind.
#[pyfunction]
pub(crate) fn number_isdtype(py: Python<'_>, dtype: TypeLike, kind: &str) -> PyResult<bool> {
    isdtype(dtype.0, kind).map_err(|error| exception(py, &error))
}

/// Whether promotion leads from one type to the other.
#[pyfunction]
pub(crate) fn number_can_cast(start: TypeLike, to: TypeLike) -> bool {
    can_cast(start.0, to.0)
}

/// The type that holds all. Raises InvalidType if there is none.
#[pyfunction]
pub(crate) fn number_promote(py: Python<'_>, dtypes: Vec<TypeLike>) -> PyResult<Py<NumberType>> {
    let dtypes: Vec<_> = dtypes.iter().map(|dtype| dtype.0).collect();
    let found = result_type("result_type", &dtypes);
    type_object(py, found.map_err(|error| refused(py, "InvalidType", &error))?)
}
