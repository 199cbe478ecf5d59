//! Operations on each element: by the tables of the core, as functions, and what Python's operators do.

use crate::error::{brief, refused};
use crate::number_array::{NumberArray, Numbers, made, scalar, work};
use icicle::{Error, ErrorCode};
use icicle_array::{Array, BinaryOp, Float32Precision, Scalar, UnaryOp, broadcast_shapes, full, matmul, promote};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Number, name and meaning.
type Operations = Vec<(usize, &'static str, &'static str)>;

/// Number, name and meaning of each operation on one array, and of each on two.
#[pyfunction]
pub(crate) fn number_operations() -> (Operations, Operations) {
    let unary = UnaryOp::ALL.iter().enumerate().map(|(k, op)| (k, op.name(), op.meaning()));
    let binary = BinaryOp::ALL.iter().enumerate().map(|(k, op)| (k, op.name(), op.meaning()));
    (unary.collect(), binary.collect())
}

fn unknown(number: usize) -> PyErr {
    PyTypeError::new_err(format!("operation {number}: must be one of number_operations()"))
}

/// The operation of a number on an array. Raises InvalidType if it has no meaning for its dtype.
#[pyfunction]
pub(crate) fn number_unary(py: Python<'_>, operation: usize, x: Numbers) -> PyResult<NumberArray> {
    apply(py, *UnaryOp::ALL.get(operation).ok_or_else(|| unknown(operation))?, &x.0)
}

pub(crate) fn apply(py: Python<'_>, op: UnaryOp, x: &Array) -> PyResult<NumberArray> {
    let run = || Ok(icicle_array::unary(op, x));
    work(py, op.name(), &[x], run)?.map(NumberArray).map_err(|error| match error.code {
        // Shape and device of one array are always right.
        ErrorCode::InvalidArgument => refused(py, "InvalidType", &error),
        _ => crate::error::exception(py, &error),
    })
}

/// The operation of a number on two arrays, or an array and a number of Python's. Raises InvalidType if their dtypes have
/// no common one or the operation no meaning for it, InvalidArgument if their shapes do not broadcast.
#[pyfunction]
pub(crate) fn number_binary(
    py: Python<'_>,
    operation: usize,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
) -> PyResult<NumberArray> {
    let op = *BinaryOp::ALL.get(operation).ok_or_else(|| unknown(operation))?;
    let (x, y) = operands(op.name(), x, y)?;
    combine(py, op, &x, &y)
}

/// Two operands, one of which may be a number of Python's.
pub(crate) fn operands(op: &'static str, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<(Array, Array)> {
    let py = x.py();
    if let Ok(array) = x.cast::<NumberArray>() {
        let array = array.try_borrow()?.0.clone();
        return match other(py, op, &array, y)? {
            Some(second) => Ok((array, second)),
            None => Err(no_operand(op, y)),
        };
    }
    let Ok(array) = y.cast::<NumberArray>() else { return Err(no_operand(op, x)) };
    let array = array.try_borrow()?.0.clone();
    match other(py, op, &array, x)? {
        Some(first) => Ok((first, array)),
        None => Err(no_operand(op, x)),
    }
}

fn no_operand(op: &'static str, object: &Bound<'_, PyAny>) -> PyErr {
    let got = object.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string());
    let rule = "operands must be arrays, one of them may be a number; see xp.asarray()";
    PyTypeError::new_err(format!("{op}: operand of type {got}: {rule}"))
}

/// What stands beside an array: another, or a number of Python's in the dtype it takes there; none if it is neither.
fn other(py: Python<'_>, op: &'static str, array: &Array, object: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    if let Ok(second) = object.cast::<NumberArray>() {
        return Ok(Some(second.try_borrow()?.0.clone()));
    }
    if let Some(value) = scalar(object)? {
        return beside(py, op, array, value).map(Some);
    }
    if !object.hasattr("__array_interface__")? {
        return Ok(None);
    }
    // NumPy's scalars are numbers; left to NumPy, an operation on its arrays would be done there.
    let number = object.get_type().getattr("__module__")?.eq("numpy")? && !object.hasattr("__setitem__")?;
    match if number { scalar(&object.call_method0("item")?)? } else { None } {
        Some(value) => beside(py, op, array, value).map(Some),
        None => Err(no_operand(op, object)),
    }
}

fn beside(py: Python<'_>, op: &'static str, array: &Array, value: Scalar) -> PyResult<Array> {
    let dtype = value.dtype_with(op, array.dtype()).map_err(|error| refused(py, "InvalidType", &error))?;
    crate::error::brief(py, op, || full(array.device(), &[], value, dtype).map_err(|error| Error { op, ..error }))
}

/// The class of an error of an operation on two arrays: dtypes are what is wrong if nothing else is.
pub(crate) fn judged(py: Python<'_>, x: &Array, y: &Array, error: &Error) -> PyErr {
    let fits = broadcast_shapes(error.op, &[x.shape(), y.shape()]).is_ok() && x.device() == y.device();
    let dtypes = promote(error.op, x.dtype(), y.dtype()).is_err();
    match error.code {
        ErrorCode::InvalidArgument if dtypes || fits => refused(py, "InvalidType", error),
        _ => crate::error::exception(py, error),
    }
}

fn combine(py: Python<'_>, op: BinaryOp, x: &Array, y: &Array) -> PyResult<NumberArray> {
    let run = || Ok(icicle_array::binary(op, x, y));
    work(py, op.name(), &[x, y], run)?.map(NumberArray).map_err(|error| judged(py, x, y, &error))
}

pub(crate) fn operate(
    op: BinaryOp,
    slf: &Bound<'_, NumberArray>,
    object: &Bound<'_, PyAny>,
    back: bool,
) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    let x = slf.try_borrow()?.0.clone();
    let Some(y) = other(py, op.name(), &x, object)? else { return Ok(py.NotImplemented()) };
    let result = if back { combine(py, op, &y, &x) } else { combine(py, op, &x, &y) };
    Ok(Py::new(py, result?)?.into_any())
}

/// `x op= y`: the result takes the array's place, with its shape and dtype.
pub(crate) fn replace(op: BinaryOp, slf: &Bound<'_, NumberArray>, object: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = slf.py();
    let x = slf.try_borrow()?.0.clone();
    let Some(y) = other(py, op.name(), &x, object)? else { return Err(no_operand(op.name(), object)) };
    keep(py, op.name(), slf, &x, combine(py, op, &x, &y)?.0)
}

pub(crate) fn keep(
    py: Python<'_>,
    op: &'static str,
    slf: &Bound<'_, NumberArray>,
    x: &Array,
    result: Array,
) -> PyResult<()> {
    if result.dtype() != x.dtype() {
        let detail = format!("result of {} in place of {}: must have the array's dtype", result.dtype(), x.dtype());
        return Err(refused(py, "InvalidType", &Error::argument(op, detail)));
    }
    if result.shape() != x.shape() {
        let rule = "must have the array's shape";
        let detail = format!("result of shape {:?} in place of {:?}: {rule}", result.shape(), x.shape());
        return Err(crate::error::exception(py, &Error::argument(op, detail)));
    }
    slf.try_borrow_mut()?.0 = result;
    Ok(())
}

pub(crate) fn multiply(py: Python<'_>, x: &Array, y: &Array) -> PyResult<NumberArray> {
    made(py, "matmul", &[x, y], || matmul(x, y)).map_err(|error| types_first(py, "matmul", x, y, error))
}

/// The error, or, if the dtypes have no common one, the one that says so.
fn types_first(py: Python<'_>, op: &'static str, x: &Array, y: &Array, error: PyErr) -> PyErr {
    match promote(op, x.dtype(), y.dtype()) {
        Err(types) => refused(py, "InvalidType", &types),
        Ok(_) => error,
    }
}

/// The matrix product over the last two axes. Raises InvalidType if the dtypes have no common one, InvalidArgument for
/// shapes that do not fit.
#[pyfunction]
pub(crate) fn number_matmul(py: Python<'_>, x: Numbers, y: Numbers) -> PyResult<NumberArray> {
    multiply(py, &x.0, &y.0)
}

/// The sum of products along an axis.
#[pyfunction]
pub(crate) fn number_vecdot(py: Python<'_>, x: Numbers, y: Numbers, axis: isize) -> PyResult<NumberArray> {
    made(py, "vecdot", &[&x.0, &y.0], || icicle_array::vecdot(&x.0, &y.0, axis))
        .map_err(|error| types_first(py, "vecdot", &x.0, &y.0, error))
}

/// The sum of products over pairs of axes.
#[pyfunction]
pub(crate) fn number_tensordot(
    py: Python<'_>,
    x: Numbers,
    y: Numbers,
    x_axes: Vec<isize>,
    y_axes: Vec<isize>,
) -> PyResult<NumberArray> {
    made(py, "tensordot", &[&x.0, &y.0], || icicle_array::tensordot(&x.0, &y.0, &x_axes, &y_axes))
        .map_err(|error| types_first(py, "tensordot", &x.0, &y.0, error))
}

/// The element of `x` where the condition is true, else that of `y`; one of them may be a number of Python's.
#[pyfunction]
pub(crate) fn number_where(
    py: Python<'_>,
    condition: Numbers,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
) -> PyResult<NumberArray> {
    let (x, y) = operands("where", x, y)?;
    let run = || Ok(icicle_array::select(&condition.0, &x, &y));
    let types = promote("where", x.dtype(), y.dtype()).is_err() || condition.0.dtype() != icicle_array::DType::Bool;
    work(py, "where", &[&condition.0, &x, &y], run)?.map(NumberArray).map_err(|error| match types {
        true => refused(py, "InvalidType", &error),
        false => crate::error::exception(py, &error),
    })
}

/// Elements between bounds, each an array, a number of Python's or None.
#[pyfunction]
#[pyo3(signature = (x, min=None, max=None))]
pub(crate) fn number_clip(
    py: Python<'_>,
    x: Numbers,
    min: Option<&Bound<'_, PyAny>>,
    max: Option<&Bound<'_, PyAny>>,
) -> PyResult<NumberArray> {
    let bound = |object: Option<&Bound<'_, PyAny>>| match object {
        None => Ok(None),
        Some(object) => other(py, "clip", &x.0, object)?.map(Some).ok_or_else(|| no_operand("clip", object)),
    };
    let (min, max) = (bound(min)?, bound(max)?);
    let run = || Ok(icicle_array::clip(&x.0, min.as_ref(), max.as_ref()));
    let fits = [&min, &max].into_iter().flatten().all(|bound| bound.dtype() == x.0.dtype());
    work(py, "clip", &[&x.0], run)?.map(NumberArray).map_err(|error| match fits {
        true => crate::error::exception(py, &error),
        false => refused(py, "InvalidType", &error),
    })
}

/// Set how exactly products of float32 matrices are computed from now on, in all threads.
///
/// "highest", as at first: in float32. "high": GPUs may round operands to 10 bits behind the point before they are multiplied
/// (TF32), where they have units for it; sums are in float32. Several times as fast, with relative errors near 1e-3. CPUs always
/// compute with "highest". Raises InvalidArgument for another name.
#[pyfunction]
pub(crate) fn set_float32_matmul_precision(py: Python<'_>, precision: &str) -> PyResult<()> {
    let op = "set_float32_matmul_precision";
    brief(py, op, || {
        let found = Float32Precision::ALL.into_iter().find(|one| one.name() == precision);
        let rule = || Error::argument(op, format!("precision {precision:?}: must be \"highest\" or \"high\""));
        icicle_array::set_float32_matmul_precision(found.ok_or_else(rule)?);
        Ok(())
    })
}

/// What set_float32_matmul_precision set: "highest" or "high".
#[pyfunction]
pub(crate) fn float32_matmul_precision() -> &'static str {
    icicle_array::float32_matmul_precision().name()
}
