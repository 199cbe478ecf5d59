//! What all arrays share: a buffer read as elements of some shape, and the views other libraries take of it.
#![allow(unsafe_code)]

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::call;
use crate::limbs::Limbs;
use crate::strided::{self, Rows, Runs};
use crate::vector::vector_binary;
use crate::{dlpack, protocol};
use icicle::DeviceKind;
use icicle::array::{Layout, dense_strides};
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::c_int;

/// Elements of one type in a buffer on a device, one after another or at strides.
///
/// Array(buffer, dtype, shape, start=0, strides=None): where strides (in elements, one an axis) are given, the element at
/// `(i, j, …)` is element `start + i·strides[0] + j·strides[1] + …` of the buffer; otherwise the buffer holds the elements in
/// order and nothing else. `dtype` has `number`, `itemsize` (bytes of an element), `limb_bytes` (4 or 8), `limb_shape`
/// (trailing axes of the limbs, may be empty) and `montgomery`. Other libraries see unsigned limbs of shape
/// `shape + limb_shape`. They get no copy: on the CPU by the buffer protocol, `__array_interface__` and DLPack, on GPUs by
/// `__cuda_array_interface__` and DLPack. Data in Montgomery form is not shared: convert it, or take `buffer`.
#[pyclass(frozen, subclass, module = "icicle")]
pub(crate) struct Array {
    memory: Py<Buffer>,
    dtype: Py<PyAny>,
    shape: Py<PyTuple>,
    size: usize,
    /// Bytes of an element, as the type said when the array was made.
    itemsize: usize,
    /// Only where the elements do not lie in order.
    strided: Option<Layout>,
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
        let limbs: Vec<usize> = dtype.getattr(intern!(py, "limb_shape"))?.extract()?;
        let bytes: usize = dtype.getattr(intern!(py, "limb_bytes"))?.extract()?;
        // A type is an object of Python's, which anyone may change; the view must not leave the memory.
        let held = limbs.iter().try_fold(bytes, |product, &n| product.checked_mul(n));
        if ![4, 8].contains(&bytes) || held != Some(self.itemsize) {
            let text = format!(
                "array: limbs of shape {limbs:?}, {bytes} bytes each: the elements have {} bytes",
                self.itemsize
            );
            return Err(PyBufferError::new_err(text));
        }
        shape.extend(limbs);
        let mut strides = dense_strides(&shape);
        let mut address = self.memory.get().address();
        if let Some(strided) = &self.strided {
            address += strided.offset() * self.itemsize;
            let each = (self.itemsize / bytes) as isize;
            strides.iter_mut().zip(strided.strides()).for_each(|(out, stride)| *out = stride * each);
        }
        Ok(Limbs { address, shape, strides, bytes, contiguous: self.strided.is_none() })
    }

    /// Where its runs of bytes lie.
    fn runs(&self) -> PyResult<Runs> {
        let dense = || Layout::dense("array", &[self.size]).map_err(invalid);
        let layout = self.strided.as_ref().map_or_else(dense, |layout| Ok(layout.clone()))?;
        Ok(Runs::new(&layout, self.itemsize))
    }

    /// Elements chosen along an axis of an array in order.
    fn rows<'a>(&self, numbers: &'a [usize], count: usize, behind: usize) -> PyResult<Rows<'a>> {
        let held = count.checked_mul(behind);
        let fits = held.is_some_and(|held| if held == 0 { self.size == 0 } else { self.size.is_multiple_of(held) });
        if self.strided.is_some() || !fits || numbers.iter().any(|&number| number >= count) {
            return Err(PyValueError::new_err(format!("index: an axis of {count} elements: the array has another")));
        }
        let each = behind * self.itemsize;
        Ok(Rows { numbers, times: held.map_or(0, |held| self.size.checked_div(held).unwrap_or(0)), count, bytes: each })
    }

    /// The keys both array interfaces share, if the array is on a device of this kind.
    fn interface<'py>(&self, py: Python<'py>, kind: DeviceKind) -> PyResult<Bound<'py, PyDict>> {
        let buffer = self.memory.get();
        if buffer.on().kind != kind {
            let text = format!("array on {}: copy it with to() first", buffer.on());
            return Err(PyAttributeError::new_err(text));
        }
        let limbs = self.limbs(py).map_err(|error| PyAttributeError::new_err(error.value(py).to_string()))?;
        let empty = limbs.shape.contains(&0);
        let dict = PyDict::new(py);
        dict.set_item("shape", PyTuple::new(py, limbs.shape)?)?;
        dict.set_item("typestr", format!("<u{}", limbs.bytes))?;
        dict.set_item("data", (if empty { 0 } else { limbs.address }, false))?;
        let bytes = limbs.strides.iter().map(|stride| stride * limbs.bytes as isize);
        let strides = if limbs.contiguous { None } else { Some(PyTuple::new(py, bytes.collect::<Vec<_>>())?) };
        dict.set_item("strides", strides)?;
        dict.set_item("version", 3)?;
        Ok(dict)
    }
}

/// What a layout is refused with.
fn invalid(error: icicle::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Array {
    #[new]
    #[pyo3(signature = (buffer, dtype, shape, start=0, strides=None))]
    fn new(
        py: Python<'_>,
        buffer: Bound<'_, Buffer>,
        dtype: Bound<'_, PyAny>,
        shape: Bound<'_, PyTuple>,
        start: usize,
        strides: Option<Vec<isize>>,
    ) -> PyResult<Self> {
        let mut size = 1usize;
        for n in shape.iter_borrowed() {
            let rule = || PyValueError::new_err("array: shape is too large");
            size = size.checked_mul(n.extract()?).ok_or_else(rule)?;
        }
        let Ok(itemsize) = dtype.getattr(intern!(py, "itemsize")).and_then(|bytes| bytes.extract::<usize>()) else {
            let got = dtype.get_type().name()?;
            return Err(PyTypeError::new_err(format!("array: dtype of type {got}: must be a Field or a PointType")));
        };
        if itemsize == 0 {
            return Err(PyValueError::new_err("array: elements of 0 bytes: must have at least 1"));
        }
        let held = buffer.get().bytes();
        let strided = match strides {
            None if start == 0 && size.checked_mul(itemsize) == Some(held) => None,
            None => {
                let text = format!(
                    "array: buffer holds {held} bytes: shape {shape} of {itemsize}-byte elements needs another number"
                );
                return Err(PyValueError::new_err(text));
            }
            Some(strides) => {
                let lengths: Vec<usize> = shape.extract()?;
                Some(Layout::within("array", &lengths, &strides, start, held / itemsize).map_err(invalid)?)
            }
        };
        Ok(Self { memory: buffer.unbind(), dtype: dtype.unbind(), shape: shape.unbind(), size, itemsize, strided })
    }

    /// The memory the elements lie in, which views share.
    #[getter]
    fn memory(&self, py: Python<'_>) -> Py<Buffer> {
        self.memory.clone_ref(py)
    }

    /// The elements in order: the memory; of an array at strides, a copy of its elements that must not be written.
    #[getter]
    fn buffer(slf: Bound<'_, Self>) -> PyResult<Py<Buffer>> {
        let (py, array) = (slf.py(), slf.get());
        if array.strided.is_none() {
            return Ok(array.memory.clone_ref(py));
        }
        let copy = slf.call_method0(intern!(py, "contiguous"))?.cast_into::<Self>()?;
        Py::new(py, copy.get().memory.get().read_only())
    }

    /// Whether the elements lie in order, the last axis fastest, with nothing between them.
    #[getter]
    fn is_contiguous(&self) -> bool {
        self.strided.is_none()
    }

    /// Which element of the memory is the first.
    #[getter]
    fn start(&self) -> usize {
        self.strided.as_ref().map_or(0, Layout::offset)
    }

    /// Distance along each axis, in elements.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.strided {
            Some(layout) => PyTuple::new(py, layout.strides()),
            None => PyTuple::new(py, dense_strides(&self.shape.bind(py).extract::<Vec<usize>>()?)),
        }
    }

    /// New memory on the same device with the elements in order.
    fn _gather(&self, py: Python<'_>) -> PyResult<Buffer> {
        let (runs, source) = (self.runs()?, self.memory.get());
        let made = call(py, "malloc", || Buffer::allocate(source.on(), runs.bytes()))?;
        call(py, "copy", || strided::gather(&runs, source.span(), made.span()))?;
        Ok(made)
    }

    /// Copy elements in, which lie in order in memory of the same device that shares nothing with this array's.
    fn _scatter(&self, py: Python<'_>, source: &Bound<'_, Buffer>) -> PyResult<()> {
        let (runs, source) = (self.runs()?, source.get());
        let memory = self.memory.get().span();
        call(py, "copy", || strided::scatter(&runs, source.span(), memory))
    }

    /// New memory on the same device with the elements of those numbers, of the `count` along an axis with `behind` elements
    /// behind each of them; of an array whose elements lie in order.
    fn _take(&self, py: Python<'_>, numbers: Vec<usize>, count: usize, behind: usize) -> PyResult<Buffer> {
        let source = self.memory.get();
        let rows = self.rows(&numbers, count, behind)?;
        let bytes = rows.bytes().ok_or_else(|| PyValueError::new_err("index: the result exceeds the address space"))?;
        let made = call(py, "malloc", || Buffer::allocate(source.on(), bytes))?;
        call(py, "copy", || strided::take(&rows, source.span(), made.span()))?;
        Ok(made)
    }

    /// Copy elements in at those numbers, as many as `_take` gives; of two equal numbers the last one counts.
    fn _put(
        &self,
        py: Python<'_>,
        numbers: Vec<usize>,
        count: usize,
        behind: usize,
        source: &Bound<'_, Buffer>,
    ) -> PyResult<()> {
        let (rows, source) = (self.rows(&numbers, count, behind)?, source.get());
        call(py, "copy", || strided::put(&rows, source.span(), self.memory.get().span()))
    }

    /// self ∘ other of two arrays of one type and shape in order, written to self if asked; None for anything else, and where
    /// self shares part of other's memory.
    fn _pairwise<'py>(
        slf: Bound<'py, Self>,
        operation: &str,
        other: &Bound<'py, PyAny>,
        in_place: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, a) = (slf.py(), slf.get());
        let class = slf.get_type();
        if !other.get_type().is(&class) {
            return Ok(None);
        }
        let Ok(b) = other.cast::<Self>().map(|other| other.get()) else {
            return Ok(None);
        };
        let same_shape = || -> PyResult<bool> { Ok(a.shape.is(&b.shape) || a.shape.bind(py).eq(b.shape.bind(py))?) };
        if !a.dtype.is(&b.dtype) || a.strided.is_some() || b.strided.is_some() || !same_shape()? {
            return Ok(None);
        }
        let dtype = a.dtype.bind(py);
        if operation != "add" && operation != "sub" && dtype.getattr(intern!(py, "montgomery"))?.is_truthy()? {
            return Ok(None);
        }
        let number = dtype.getattr(intern!(py, "number"))?.extract()?;
        let (first, second) = (a.memory.bind(py), b.memory.bind(py));
        let (x, y) = (first.get(), second.get());
        if in_place && x.address() != y.address() && x.address().abs_diff(y.address()) < x.bytes() {
            return Ok(None);
        }
        let out = in_place.then(|| first.clone());
        let made = vector_binary(py, operation, number, a.size, 1, false, first, second, out, None)?;
        if in_place {
            return Ok(Some(slf.into_any()));
        }
        class.call1((made, dtype, &a.shape)).map(Some)
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
        Device(self.memory.get().on())
    }

    // SAFETY: called by the interpreter with a view to fill in.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let (py, array) = (slf.py(), slf.get());
        let buffer = array.memory.get();
        if !buffer.on_host() {
            return Err(PyBufferError::new_err(format!("array on {}: copy it with to('cpu') first", buffer.on())));
        }
        let limbs = array.limbs(py)?;
        let owner = slf.clone().into_any();
        let read_only = buffer.is_read_only().then_some(protocol::COPY);
        let format = protocol::format(limbs.bytes);
        // SAFETY: as promised by the interpreter; the view holds a reference to this array.
        unsafe { protocol::fill(view, flags, limbs, format, read_only, owner) }
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
        dlpack::device_pair(self.memory.get().on())
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
        let request = dlpack::Request { stream, max_version, dl_device };
        if copy == Some(true) {
            let limbs = self.limbs(py)?;
            let made = self._gather(py)?;
            let limbs = Limbs { address: made.address(), strides: dense_strides(&limbs.shape), ..limbs };
            return dlpack::export(py, &made, limbs, &request, true);
        }
        dlpack::export(py, self.memory.get(), self.limbs(py)?, &request, false)
    }
}
