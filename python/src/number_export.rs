//! Arrays of numbers as other libraries see them: the buffer protocol, DLPack and pickle. What is shared is not written by either side.
#![allow(unsafe_code)]

use crate::dlpack::{self, Request};
use crate::limbs::Limbs;
use crate::number_array::{NumberArray, address, made, work};
use crate::number_codes::{code, format};
use crate::number_type::type_object;
use crate::protocol;
use icicle::DeviceKind;
use icicle_array::Array;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::c_int;

/// Where the elements lie.
fn limbs(py: Python<'_>, op: &'static str, array: &Array) -> PyResult<Limbs> {
    Ok(Limbs {
        address: address(py, op, array)?,
        shape: array.shape().to_vec(),
        strides: array.strides().to_vec(),
        bytes: array.dtype().bytes(),
        contiguous: array.is_dense(),
    })
}

/// The bytes of a dense array on the CPU.
fn bytes<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    let len = array.len() * array.dtype().bytes();
    let held: &[u8] = match array.is_dense() && array.device().kind == DeviceKind::Cpu {
        // SAFETY: a dense array's elements lie there while it lives; what arrays share is not written.
        true => unsafe {
            std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address(py, "bytes", array)?), len)
        },
        false => &[],
    };
    Ok(pyo3::types::PyBytes::new(py, held).into_any())
}

#[pymethods]
impl NumberArray {
    // SAFETY: called by the interpreter with a view to fill in.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let py = slf.py();
        // The view holds a share of its own, so that assigning to this array copies first.
        let array = slf.try_borrow()?.0.clone();
        if array.device().kind != DeviceKind::Cpu {
            let text = format!("array on {}: copy it with to_device('cpu') first", array.device());
            return Err(PyBufferError::new_err(text));
        }
        let none =
            || PyBufferError::new_err(format!("array of {}: Python has no such items; see astype", array.dtype()));
        let format = format(array.dtype()).ok_or_else(none)?;
        let limbs = limbs(py, "buffer", &array)?;
        let owner = Bound::new(py, Self(array))?.into_any();
        let reason = Some("an array's memory, which other arrays may share: must not be written; copy it");
        // SAFETY: as promised by the interpreter; the view holds a reference to the share.
        unsafe { protocol::fill(view, flags, limbs, format, reason, owner) }
    }

    // SAFETY: called by the interpreter with a view filled in above.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: as promised.
        unsafe { protocol::release(view) }
    }

    /// For NumPy, where the buffer protocol is refused: the reason. Raises TypeError.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let view = py.import("builtins")?.getattr("memoryview")?.call1((slf,));
        let view = view.map_err(|error| PyTypeError::new_err(error.value(py).to_string()))?;
        let keywords = PyDict::new(py);
        keywords.set_item("dtype", dtype)?;
        if let Some(copy) = copy {
            keywords.set_item("copy", copy)?;
        }
        py.import("numpy")?.getattr("array")?.call((view,), Some(&keywords))
    }

    /// NumPy's universal functions on arrays of icicle's: the operation of `icicle.xp`. Raises as that.
    #[pyo3(signature = (ufunc, method, *inputs, **options))]
    fn __array_ufunc__<'py>(
        slf: Bound<'py, Self>,
        ufunc: Bound<'py, PyAny>,
        method: Bound<'py, PyAny>,
        inputs: Bound<'py, PyTuple>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = options.unwrap_or_else(|| PyDict::new(slf.py()));
        slf.py().import("icicle.xp.protocols")?.getattr("ufunc")?.call1((ufunc, method, inputs, options))
    }

    /// NumPy's other functions on arrays of icicle's: those of `icicle.xp`. Raises as they do.
    fn __array_function__<'py>(
        slf: Bound<'py, Self>,
        func: Bound<'py, PyAny>,
        types: Bound<'py, PyAny>,
        args: Bound<'py, PyAny>,
        kwargs: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("icicle.xp.protocols")?.getattr("function")?.call1((func, types, args, kwargs))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let array = slf.try_borrow()?.0.clone();
        let host = work(py, "pickle", &[&array], || array.to_device(icicle::Device::cpu(0))?.contiguous())?;
        let bytes = bytes(py, &host)?;
        let shape = PyTuple::new(py, host.shape())?;
        let arguments = (bytes, shape, type_object(py, host.dtype())?, array.device().to_string());
        let rebuild = py.import("icicle._icicle")?.getattr("number_from_bytes")?;
        Ok((rebuild, arguments.into_pyobject(py)?.into_any()))
    }

    /// The DLPack device: (1, 0) for the CPU, (2, index) for CUDA.
    fn __dlpack_device__(slf: &Bound<'_, Self>) -> PyResult<(i32, i32)> {
        Ok(dlpack::device_pair(slf.try_borrow()?.0.device()))
    }

    /// A DLPack capsule, marked as not to be written; a copy of its own where `copy` is true, or where the consumer's
    /// version of DLPack cannot be told so. Such a consumer that asks for `copy=False` must know not to write. Raises
    /// BufferError for another `dl_device`.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<isize>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let array = slf.try_borrow()?.0.clone();
        let versioned = max_version.is_some_and(|(major, _)| major >= 1);
        let copied = copy.unwrap_or(!versioned);
        let array = if copied { made(py, "dlpack", &[&array], || array.copy())?.0 } else { array };
        let request = Request { stream, max_version, dl_device };
        let exported = dlpack::Exported {
            device: array.device(),
            limbs: limbs(py, "dlpack", &array)?,
            code: code(array.dtype()),
            keep: Box::new(array),
            copied,
            read_only: !copied,
        };
        dlpack::export_tensor(py, exported, &request)
    }
}
