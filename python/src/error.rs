//! The way into the core: without the interpreter's lock where it takes time, errors as exceptions of `icicle.errors`, panics as errors.

use icicle::{CurveId, Error, ErrorCode, FieldId, Result};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Run a call of the core with the interpreter's lock released.
pub(crate) fn call<T: Send>(py: Python<'_>, op: &'static str, run: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| guarded(op, run)).map_err(|error| exception(py, &error))
}

/// As [`call`], with the lock held: for work of less than a few microseconds, which letting others run would double.
pub(crate) fn brief<T>(py: Python<'_>, op: &'static str, run: impl FnOnce() -> Result<T>) -> PyResult<T> {
    guarded(op, run).map_err(|error| exception(py, &error))
}

fn guarded<T>(op: &'static str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panicked");
        Err(Error::new(ErrorCode::Internal, op, text))
    })
}

/// An error of the core as the exception that bears its code's name.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let make = || {
        let class = py.import("icicle.errors")?.getattr(format!("{:?}", error.code))?;
        class.call1((error.op, &error.detail)).map(PyErr::from_value)
    };
    make().unwrap_or_else(|failure| failure)
}

/// An error of the core as a class of `icicle.xp.errors`, which is also a TypeError or an IndexError.
pub(crate) fn refused(py: Python<'_>, class: &str, error: &Error) -> PyErr {
    let make = || {
        let class = py.import("icicle.xp.errors")?.getattr(class)?;
        class.call1((error.op, &error.detail)).map(PyErr::from_value)
    };
    make().unwrap_or_else(|failure| failure)
}

/// Name and number of every error of the core.
#[pyfunction]
pub(crate) fn error_codes() -> Vec<(String, i32)> {
    ErrorCode::ALL.iter().map(|&code| (format!("{code:?}"), code as i32)).collect()
}

/// The field with a number.
pub(crate) fn field(op: &'static str, number: i32) -> Result<FieldId> {
    FieldId::from_number(number).ok_or_else(|| Error::argument(op, format!("field {number}: must be one of fields()")))
}

/// The curve group with a number.
pub(crate) fn curve(op: &'static str, number: i32) -> Result<CurveId> {
    CurveId::from_number(number).ok_or_else(|| Error::argument(op, format!("curve {number}: must be one of curves()")))
}
