//! Memory of a device, and what operations read and write.
//!
//! The one place where Python's view of memory (an object that keeps it alive) becomes the core's (an address for as long
//! as a call lasts). As with NumPy, a thread that writes an array while another uses it gets unspecified elements; every
//! pattern of bits is some element, so nothing else happens.
#![allow(unsafe_code)]

use crate::device::{Device, DeviceLike};
use crate::error::{brief, call};
use crate::limbs::Limbs;
use crate::protocol;
use icicle::cuda::PointerKind;
use icicle::device::{Dst, Place, Src, current_device, transfer};
use icicle::{Error, Result};
use icicle_array::Array;
use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice};
use std::ffi::c_int;
use std::marker::PhantomData;
use std::sync::Arc;

/// Memory that lives as long as something refers to it.
pub(crate) enum Memory {
    /// Allocated by the core.
    Owned(icicle::Buffer<u8>),
    /// Let go of in its own way when dropped.
    Foreign(Foreign),
}

/// Memory of another library or of another kind, and how to let go of it.
pub(crate) struct Foreign {
    pub address: usize,
    pub device: icicle::Device,
    /// Whether the host may dereference it.
    pub on_host: bool,
    /// Runs when the last view is gone, on any thread.
    pub release: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            // Its owner knows nothing of our streams, and may hand the memory out again at once. A failure to wait has no
            // one to go to here; whatever comes next on the device meets it.
            let _ = icicle::device::synchronize(self.device);
            release();
        }
    }
}

impl Memory {
    fn address(&self) -> usize {
        match self {
            Self::Owned(buffer) => buffer.as_ptr().expose_provenance(),
            Self::Foreign(foreign) => foreign.address,
        }
    }
    fn device(&self) -> icicle::Device {
        match self {
            Self::Owned(buffer) => buffer.device(),
            Self::Foreign(foreign) => foreign.device,
        }
    }
}

/// Bytes of memory on a device, shared by its views and freed after the last of them.
///
/// Buffer(nbytes, device=None): uninitialised memory on a device, the current one if None.
///
/// Raises InvalidDevice if there is none, OutOfMemory, AllocationFailed or InvalidArgument for sizes beyond the address
/// space.
#[pyclass(frozen, module = "icicle")]
pub(crate) struct Buffer {
    memory: Arc<Memory>,
    start: usize,
    bytes: usize,
    /// A copy that nobody would see the changes of.
    read_only: bool,
}

/// An address range for the time of a call: what a buffer or host bytes come down to, sendable to another thread.
#[derive(Clone, Copy)]
pub(crate) struct Span<'a> {
    address: usize,
    bytes: usize,
    place: Place,
    read_only: bool,
    memory: PhantomData<&'a [u8]>,
}

impl<'a> Span<'a> {
    /// A part of it, which lies within it.
    pub fn part(self, start: usize, bytes: usize) -> Self {
        debug_assert!(start + bytes <= self.bytes);
        Self { address: self.address + start, bytes, ..self }
    }
    fn check(self, op: &'static str, arg: &str) -> Result<()> {
        if self.bytes > 0 && !self.address.is_multiple_of(4) {
            return Err(Error::pointer(op, format!("{arg} at {:#x}: must be aligned to 4 bytes", self.address)));
        }
        Ok(())
    }
    /// As an input.
    pub fn src(self, op: &'static str, arg: &str) -> Result<Src<'a>> {
        self.check(op, arg)?;
        Ok(self.raw_src())
    }
    /// As an output.
    pub fn dst(self, op: &'static str, arg: &str) -> Result<Dst<'a>> {
        self.check(op, arg)?;
        self.raw_dst(op, arg)
    }
    /// As the source of a copy, of any alignment.
    pub fn raw_src(self) -> Src<'a> {
        let ptr = std::ptr::with_exposed_provenance(self.address);
        // SAFETY: the range lies in memory its owner keeps alive for `'a`; see the module's head about other threads.
        unsafe { Src::from_raw_parts(ptr, self.bytes, self.place) }
    }
    /// As the destination of a copy, of any alignment.
    pub fn raw_dst(self, op: &'static str, arg: &str) -> Result<Dst<'a>> {
        if self.read_only {
            let rule = "must be an array whose elements lie in order";
            return Err(Error::argument(op, format!("{arg} at strides, of which this is a copy: {rule}")));
        }
        let ptr = std::ptr::with_exposed_provenance_mut(self.address);
        // SAFETY: as above; the owner is a writable buffer.
        Ok(unsafe { Dst::from_raw_parts(ptr, self.bytes, self.place) })
    }
}

/// What an operation reads: a buffer, or host bytes for scalars from Python's integers.
#[derive(FromPyObject)]
pub(crate) enum Operand<'py> {
    #[pyo3(transparent)]
    Device(Bound<'py, Buffer>),
    #[pyo3(transparent)]
    Host(Bound<'py, PyBytes>),
}

impl Operand<'_> {
    /// For the time of a call.
    pub fn span(&self) -> Span<'_> {
        match self {
            Self::Device(buffer) => buffer.get().span(),
            Self::Host(bytes) => host(bytes.as_bytes()),
        }
    }
    /// Whether it is host memory.
    pub fn is_host(&self) -> bool {
        matches!(self, Self::Host(_))
    }
}

/// Host memory for the time of a call.
pub(crate) fn host(bytes: &[u8]) -> Span<'_> {
    let (address, place) = (bytes.as_ptr().expose_provenance(), Place::Host);
    Span { address, bytes: bytes.len(), place, read_only: true, memory: PhantomData }
}

/// What the buffer protocol shows, for the time of a call; it lies in order, as the caller sees to.
pub(crate) fn viewed(view: &PyUntypedBuffer) -> Span<'_> {
    let (address, place) = (view.buf_ptr().expose_provenance(), Place::Host);
    Span { address, bytes: view.len_bytes(), place, read_only: view.readonly(), memory: PhantomData }
}

/// The elements of a dense array of numbers, whose memory is computed, for the time of a call.
pub(crate) fn elements(array: &Array) -> Result<Span<'_>> {
    let (address, bytes) = (array.as_ptr()?.expose_provenance(), array.len() * array.dtype().bytes());
    Ok(Span { address, bytes, place: Place::Device(array.device()), read_only: true, memory: PhantomData })
}

/// Run an operation into the given output, or a new one of `bytes` on a device; the output.
pub(crate) fn produce<'py>(
    py: Python<'py>,
    op: &'static str,
    out: Option<Bound<'py, Buffer>>,
    room: (icicle::Device, usize),
    run: impl FnOnce(Dst<'_>) -> Result<()> + Send,
) -> PyResult<Bound<'py, Buffer>> {
    let out = output(py, op, out, room)?;
    let span = out.get().span();
    call(py, op, || run(span.dst(op, "output")?))?;
    Ok(out)
}

/// Bytes that element-wise operations of a CPU are done with in a few microseconds.
const FEW: usize = 4096;

/// As [`produce`] for an element-wise operation: few elements on a CPU keep the interpreter's lock.
pub(crate) fn produce_each<'py>(
    py: Python<'py>,
    op: &'static str,
    out: Option<Bound<'py, Buffer>>,
    room: (icicle::Device, usize),
    run: impl FnOnce(Dst<'_>) -> Result<()> + Send,
) -> PyResult<Bound<'py, Buffer>> {
    if room.1 > FEW || room.0.kind != icicle::DeviceKind::Cpu {
        return produce(py, op, out, room, run);
    }
    let out = output(py, op, out, room)?;
    brief(py, op, || run(out.get().span().dst(op, "output")?))?;
    Ok(out)
}

/// The given output, or a new one.
fn output<'py>(
    py: Python<'py>,
    op: &'static str,
    out: Option<Bound<'py, Buffer>>,
    (device, bytes): (icicle::Device, usize),
) -> PyResult<Bound<'py, Buffer>> {
    let make = || Bound::new(py, brief(py, op, || Buffer::allocate(device, bytes))?);
    out.map_or_else(make, Ok)
}

impl Buffer {
    /// Uninitialised memory.
    pub fn allocate(device: icicle::Device, bytes: usize) -> Result<Self> {
        Ok(Self::whole(Memory::Owned(icicle::Buffer::on(device, bytes)?), bytes))
    }
    /// Memory that is let go of in its own way, `bytes` long.
    pub fn borrow_foreign(foreign: Foreign, bytes: usize) -> Self {
        Self::whole(Memory::Foreign(foreign), bytes)
    }
    fn whole(memory: Memory, bytes: usize) -> Self {
        Self { memory: Arc::new(memory), start: 0, bytes, read_only: false }
    }
    /// The same memory, not to be written.
    pub fn read_only(&self) -> Self {
        Self { memory: self.keep(), read_only: true, ..*self }
    }
    /// Whether it must not be written.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }
    /// Its length.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
    /// Where it starts.
    pub fn address(&self) -> usize {
        self.memory.address() + self.start
    }
    /// Its device.
    pub fn on(&self) -> icicle::Device {
        self.memory.device()
    }
    /// For the time of a call.
    pub fn span(&self) -> Span<'_> {
        let place = Place::Device(self.on());
        let Self { bytes, read_only, .. } = *self;
        Span { address: self.address(), bytes, place, read_only, memory: PhantomData }
    }
    /// What keeps the memory alive.
    pub fn keep(&self) -> Arc<Memory> {
        Arc::clone(&self.memory)
    }
    /// Whether the host may dereference it.
    pub fn on_host(&self) -> bool {
        match &*self.memory {
            Memory::Owned(buffer) => buffer.device().kind == icicle::DeviceKind::Cpu,
            Memory::Foreign(foreign) => foreign.on_host,
        }
    }
}

#[pymethods]
impl Buffer {
    #[new]
    #[pyo3(signature = (nbytes, device=None))]
    fn new(py: Python<'_>, nbytes: usize, device: Option<DeviceLike>) -> PyResult<Self> {
        let device = device.map_or_else(current_device, |device| device.0);
        call(py, "malloc", || Self::allocate(device, nbytes))
    }

    /// A new buffer on a device, the current one if None, with a copy of a contiguous bytes-like object's memory.
    /// Raises TypeError or BufferError for what is none, InvalidDevice, OutOfMemory.
    #[staticmethod]
    #[pyo3(signature = (data, device=None))]
    fn from_bytes<'py>(data: &Bound<'py, PyAny>, device: Option<DeviceLike>) -> PyResult<Bound<'py, Self>> {
        let py = data.py();
        let device = device.map_or_else(current_device, |device| device.0);
        let view = PyBuffer::<u8>::get(data).or_else(|_| as_bytes(data))?;
        let buffer = call(py, "malloc", || Self::allocate(device, view.len_bytes()))?;
        let buffer = Bound::new(py, buffer)?;
        buffer.get().fill_from(py, &view)?;
        Ok(buffer)
    }

    /// Memory another library owns, without a copy; `owner` is kept alive while it is used.
    ///
    /// The caller vouches for the address: it must be memory of the device, `nbytes` long, while `owner` lives. Raises
    /// TypeError or InvalidDevice for what names no device.
    #[staticmethod]
    fn from_address(address: usize, nbytes: usize, device: DeviceLike, owner: Py<PyAny>) -> Self {
        let release: Box<dyn FnOnce() + Send + Sync> = Box::new(move || drop(owner));
        let (device, on_host) = (device.0, device.0.kind == icicle::DeviceKind::Cpu);
        Self::borrow_foreign(Foreign { address, device, on_host, release: Some(release) }, nbytes)
    }

    /// Length in bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.bytes
    }

    /// Address of the first byte, on the device.
    #[getter]
    fn ptr(&self) -> usize {
        self.address()
    }

    /// The device whose memory it is.
    #[getter]
    fn device(&self) -> Device {
        Device(self.on())
    }

    /// Whether the CUDA driver knows it as page-locked host memory.
    #[getter]
    fn is_pinned(&self) -> bool {
        let address = std::ptr::with_exposed_provenance(self.address());
        icicle::cuda::pointer_info(address).is_ok_and(|known| known.kind == PointerKind::Pinned)
    }

    fn __len__(&self) -> usize {
        self.bytes
    }

    /// A view of a range of bytes.
    fn __getitem__(&self, range: &Bound<'_, PySlice>) -> PyResult<Self> {
        let found = range.indices(self.bytes as isize)?;
        if found.step != 1 {
            let text = format!("slice: step {}: must be 1, a view is contiguous", found.step);
            return Err(pyo3::exceptions::PyIndexError::new_err(text));
        }
        let (start, bytes) = (found.start as usize, found.slicelength);
        Ok(Self { memory: self.keep(), start: self.start + start, bytes, read_only: self.read_only })
    }

    /// Copy a contiguous bytes-like object of the same length in. Raises InvalidArgument for another length, TypeError
    /// or BufferError for what is none, CopyFailed.
    fn write(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let view = PyBuffer::<u8>::get(data).or_else(|_| as_bytes(data))?;
        self.fill_from(data.py(), &view)
    }

    /// Copy another buffer of the same length in, from this device or another. Raises InvalidArgument for another
    /// length or ranges that overlap in part, CopyFailed.
    fn copy_from(&self, source: &Bound<'_, Self>) -> PyResult<()> {
        let (to, from) = (self.span(), source.get().span());
        call(source.py(), "copy", || transfer(to.raw_dst("copy", "output")?, from.raw_src()))
    }

    /// Set every byte to a value. Raises OverflowError for a value that is no byte, CopyFailed.
    fn fill(&self, py: Python<'_>, value: u8) -> PyResult<()> {
        let (span, device) = (self.span(), self.on());
        call(py, "memset", || {
            let out = span.raw_dst("memset", "output")?;
            if span.bytes == 0 {
                return Ok(());
            }
            // SAFETY: the default stream; memory of the device, alive for the call.
            unsafe {
                let exec = icicle::device::Exec::new(device, 0, false);
                icicle::device::registry::backend(device)?.fill(&exec, out.as_ptr(), value, span.bytes)
            }
        })
    }

    /// A copy on a device, its own if None. Raises InvalidDevice, OutOfMemory, CopyFailed.
    #[pyo3(signature = (device=None))]
    fn copy<'py>(&self, py: Python<'py>, device: Option<DeviceLike>) -> PyResult<Bound<'py, Self>> {
        let device = device.map_or_else(|| self.on(), |device| device.0);
        let source = self.span();
        produce_any(py, (device, self.bytes), |out| transfer(out, source.raw_src()))
    }

    /// The contents, on the host. Raises CopyFailed, or SynchronizationFailed if the work that makes them failed.
    fn tobytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let source = self.span();
        PyBytes::new_with(py, self.bytes, |out| call(py, "copy_to_host", || transfer(Dst::from(out), source.raw_src())))
    }

    // SAFETY: called by the interpreter with a view to fill in.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let buffer = slf.get();
        if !buffer.on_host() {
            return Err(PyBufferError::new_err(format!(
                "buffer on {}: the host cannot reach it, copy it",
                buffer.on()
            )));
        }
        let (address, shape, strides) = (buffer.address(), vec![buffer.bytes], vec![1]);
        let bytes = Limbs { address, shape, strides, bytes: 1, contiguous: true };
        let read_only = buffer.read_only.then_some(protocol::COPY);
        // SAFETY: as promised by the interpreter; the view holds a reference to this buffer.
        unsafe { protocol::fill(view, flags, bytes, protocol::format(1), read_only, slf.clone().into_any()) }
    }

    // SAFETY: called by the interpreter with a view filled in above.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: as promised.
        unsafe { protocol::release(view) }
    }

    fn __repr__(&self) -> String {
        format!("<icicle.Buffer of {} bytes on {}>", self.bytes, self.on())
    }
}

/// As [`produce`] for copies, whose outputs have any alignment.
fn produce_any<'py>(
    py: Python<'py>,
    (device, bytes): (icicle::Device, usize),
    run: impl FnOnce(Dst<'_>) -> Result<()> + Send,
) -> PyResult<Bound<'py, Buffer>> {
    let buffer = call(py, "malloc", || Buffer::allocate(device, bytes))?;
    let span = buffer.span();
    call(py, "copy", || run(span.raw_dst("copy", "output")?))?;
    Bound::new(py, buffer)
}

/// A view of an object whose items are not bytes.
pub(crate) fn as_bytes(data: &Bound<'_, PyAny>) -> PyResult<PyBuffer<u8>> {
    let view = data.py().import("builtins")?.getattr("memoryview")?.call1((data,))?;
    PyBuffer::get(&view.call_method1("cast", ("B",))?)
}

impl Buffer {
    fn fill_from(&self, py: Python<'_>, view: &PyBuffer<u8>) -> PyResult<()> {
        if !view.is_c_contiguous() {
            return Err(PyTypeError::new_err("copy_to_device: data must be contiguous"));
        }
        let address = view.buf_ptr().expose_provenance();
        let from = Span { address, bytes: view.len_bytes(), place: Place::Host, read_only: true, memory: PhantomData };
        let to = self.span();
        call(py, "copy_to_device", || transfer(to.raw_dst("copy_to_device", "output")?, from.raw_src()))
    }
}
