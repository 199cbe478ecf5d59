//! Filling in the buffer protocol's views: items of 1, 4 or 8 bytes.
#![allow(unsafe_code)]

use crate::limbs::Limbs;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int, c_void};

/// Why a copy of elements at strides is not written.
pub(crate) const COPY: &str = "a copy of an array at strides: it must not be written";

/// Shape and strides of a view, alive as long as it is.
struct Extent {
    shape: Vec<ffi::Py_ssize_t>,
    strides: Vec<ffi::Py_ssize_t>,
}

/// The struct format of unsigned items.
pub(crate) fn format(item_bytes: usize) -> &'static CStr {
    match item_bytes {
        1 => c"B",
        4 => c"I",
        _ => c"Q",
    }
}

/// Fill in a view of items of a struct format; where they must not be written, the reason.
///
/// # Safety
/// `view` is the interpreter's to fill in; the memory holds the items while `owner` lives.
pub(crate) unsafe fn fill(
    view: *mut ffi::Py_buffer,
    flags: c_int,
    limbs: Limbs,
    format: &'static CStr,
    read_only: Option<&'static str>,
    owner: Bound<'_, PyAny>,
) -> PyResult<()> {
    if view.is_null() {
        return Err(PyBufferError::new_err("view is null"));
    }
    let wants = |flag: c_int| flags & flag == flag;
    if let Some(reason) = read_only.filter(|_| wants(ffi::PyBUF_WRITABLE)) {
        return Err(PyBufferError::new_err(reason));
    }
    let ordered = [ffi::PyBUF_C_CONTIGUOUS, ffi::PyBUF_F_CONTIGUOUS, ffi::PyBUF_ANY_CONTIGUOUS];
    if !limbs.contiguous && (!wants(ffi::PyBUF_STRIDES) || ordered.into_iter().any(wants)) {
        return Err(PyBufferError::new_err("array at strides: the view asked for has none; see contiguous()"));
    }
    let Limbs { address, shape, strides, bytes: item_bytes, .. } = limbs;
    let items: usize = shape.iter().product();
    let byte_strides = strides.into_iter().map(|stride| stride * item_bytes as ffi::Py_ssize_t);
    let shape = shape.iter().map(|&n| n as ffi::Py_ssize_t).collect();
    let mut extent = Box::new(Extent { shape, strides: byte_strides.collect() });
    let filled = ffi::Py_buffer {
        buf: std::ptr::with_exposed_provenance_mut::<c_void>(address),
        obj: owner.into_ptr(),
        len: (items * item_bytes) as ffi::Py_ssize_t,
        itemsize: item_bytes as ffi::Py_ssize_t,
        readonly: c_int::from(read_only.is_some()),
        ndim: extent.shape.len() as c_int,
        format: if wants(ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { std::ptr::null_mut() },
        shape: if wants(ffi::PyBUF_ND) { extent.shape.as_mut_ptr() } else { std::ptr::null_mut() },
        strides: if wants(ffi::PyBUF_STRIDES) { extent.strides.as_mut_ptr() } else { std::ptr::null_mut() },
        suboffsets: std::ptr::null_mut(),
        internal: Box::into_raw(extent).cast(),
    };
    // SAFETY: not null, the interpreter's.
    unsafe { view.write(filled) };
    Ok(())
}

/// Let go of what [`fill`] made.
///
/// # Safety
/// `view` was filled in by [`fill`], and is released once.
pub(crate) unsafe fn release(view: *mut ffi::Py_buffer) {
    // SAFETY: the caller's.
    let internal = unsafe { (*view).internal };
    // SAFETY: made by `fill` from a box of this type.
    drop(unsafe { Box::from_raw(internal.cast::<Extent>()) });
}
