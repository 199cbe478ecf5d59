//! What all arrays share: a buffer read as elements of some shape, and the views other libraries take of it.
#![allow(unsafe_code)]

use crate::buffer::Buffer;
use crate::device::Device;
use crate::{dlpack, protocol};
use icicle::DeviceKind;
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::c_int;

/// Elements of one type in a buffer on a device, C-contiguous.
///
/// Array(buffer, dtype, shape). `dtype` has `itemsize` (bytes of an element), `limb_bytes` (4 or 8), `limb_shape` (trailing
/// axes of the limbs, may be empty) and `montgomery`. Other libraries see unsigned limbs of shape `shape + limb_shape`.
/// They get no copy: on the CPU by the buffer protocol, `__array_interface__` and DLPack, on GPUs by
/// `__cuda_array_interface__` and DLPack. Data in Montgomery form is not shared: convert it, or take `buffer`.
#[pyclass(frozen, subclass, module = "icicle")]
pub(crate) struct Array {
    buffer: Py<Buffer>,
    dtype: Py<PyAny>,
    shape: Py<PyTuple>,
    size: usize,
}

/// How other libraries see an array.
pub(crate) struct Limbs {
    pub shape: Vec<usize>,
    pub bytes: usize,
}

impl Array {
    fn limbs(&self, py: Python<'_>) -> PyResult<Limbs> {
        let dtype = self.dtype.bind(py);
        if dtype.getattr(intern!(py, "montgomery"))?.is_truthy()? {
            let text =
                format!("array of {}: data in Montgomery form is not shared, convert it with astype()", dtype.str()?);
            return Err(PyBufferError::new_err(text));
        }
        let mut shape: Vec<usize> = self.shape.bind(py).extract()?;
        shape.extend(dtype.getattr(intern!(py, "limb_shape"))?.extract::<Vec<usize>>()?);
        Ok(Limbs { shape, bytes: dtype.getattr(intern!(py, "limb_bytes"))?.extract()? })
    }

    /// The keys both array interfaces share, if the array is on a device of this kind.
    fn interface<'py>(&self, py: Python<'py>, kind: DeviceKind) -> PyResult<Bound<'py, PyDict>> {
        let buffer = self.buffer.get();
        if buffer.on().kind != kind {
            let text = format!("array on {}: copy it with to() first", buffer.on());
            return Err(PyAttributeError::new_err(text));
        }
        let limbs = self.limbs(py).map_err(|error| PyAttributeError::new_err(error.value(py).to_string()))?;
        let empty = limbs.shape.contains(&0);
        let dict = PyDict::new(py);
        dict.set_item("shape", PyTuple::new(py, limbs.shape)?)?;
        dict.set_item("typestr", format!("<u{}", limbs.bytes))?;
        dict.set_item("data", (if empty { 0 } else { buffer.address() }, false))?;
        dict.set_item("version", 3)?;
        Ok(dict)
    }
}

#[pymethods]
impl Array {
    #[new]
    fn new(
        py: Python<'_>,
        buffer: Bound<'_, Buffer>,
        dtype: Bound<'_, PyAny>,
        shape: Bound<'_, PyTuple>,
    ) -> PyResult<Self> {
        let size = shape.iter().try_fold(1usize, |product, n| {
            let rule = || PyValueError::new_err("array: shape is too large");
            product.checked_mul(n.extract()?).ok_or_else(rule)
        })?;
        let itemsize: usize = dtype.getattr(intern!(py, "itemsize"))?.extract()?;
        let held = buffer.get().span().raw_src().bytes();
        if size.checked_mul(itemsize) != Some(held) {
            let text = format!(
                "array: buffer holds {held} bytes: shape {shape} of {itemsize}-byte elements needs another number"
            );
            return Err(PyValueError::new_err(text));
        }
        Ok(Self { buffer: buffer.unbind(), dtype: dtype.unbind(), shape: shape.unbind(), size })
    }

    /// The memory.
    #[getter]
    fn buffer(&self, py: Python<'_>) -> Py<Buffer> {
        self.buffer.clone_ref(py)
    }

    /// Elements along each axis.
    #[getter]
    fn shape(&self, py: Python<'_>) -> Py<PyTuple> {
        self.shape.clone_ref(py)
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.size
    }

    /// The type of the elements, which also says whether they are in Montgomery form.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> Py<PyAny> {
        self.dtype.clone_ref(py)
    }

    /// The device it lies on.
    #[getter]
    fn device(&self) -> Device {
        Device(self.buffer.get().on())
    }

    // SAFETY: called by the interpreter with a view to fill in.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let (py, array) = (slf.py(), slf.get());
        let buffer = array.buffer.get();
        if !buffer.on_host() {
            return Err(PyBufferError::new_err(format!("array on {}: copy it with to('cpu') first", buffer.on())));
        }
        let Limbs { shape, bytes } = array.limbs(py)?;
        let address = buffer.address();
        // SAFETY: as promised by the interpreter; the view holds a reference to this array.
        unsafe { protocol::fill(view, flags, address, shape, bytes, slf.clone().into_any()) }
    }

    // SAFETY: called by the interpreter with a view filled in above.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: as promised.
        unsafe { protocol::release(view) }
    }

    /// NumPy's array interface, version 3, on the CPU.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.interface(py, DeviceKind::Cpu)
    }

    /// The CUDA array interface, version 3. Work on it must come after what the legacy default stream holds.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = self.interface(py, DeviceKind::Cuda)?;
        dict.set_item("strides", py.None())?;
        dict.set_item("stream", 1)?;
        Ok(dict)
    }

    /// Refuse to be copied to the host unasked; reached where the buffer protocol is refused.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let builtins = py.import("builtins")?;
        let view = builtins.getattr("memoryview")?.call1((slf,));
        let view = view.map_err(|error| PyTypeError::new_err(error.value(py).to_string()))?;
        let keywords = PyDict::new(py);
        keywords.set_item("dtype", dtype)?;
        if let Some(copy) = copy {
            keywords.set_item("copy", copy)?;
        }
        py.import("numpy")?.getattr("array")?.call((view,), Some(&keywords))
    }

    /// The DLPack device: (1, 0) for the CPU, (2, index) for CUDA.
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::device_pair(self.buffer.get().on())
    }

    /// A DLPack capsule of the limbs.
    ///
    /// `stream` is the consumer's CUDA stream, which is made to wait for ours: 1 or None the legacy default, 2 the
    /// per-thread default, -1 no waiting, a handle. Raises BufferError for another `dl_device` or Montgomery form.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<isize>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let limbs = self.limbs(py)?;
        let request = dlpack::Request { stream, max_version, dl_device, copy: copy == Some(true) };
        dlpack::export(py, self.buffer.get(), limbs, &request)
    }
}
