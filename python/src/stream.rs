//! Streams and events.

use crate::device::{Device, DeviceLike};
use crate::error::call;
use icicle::Launch;
use icicle::device::{StreamRef, current_device};
use pyo3::prelude::*;

/// A queue of work on a device. Work of one stream runs in order.
///
/// Stream(device=None): a stream of a device, the current one if None. Operations given `stream=` return before they are
/// done on devices that have streams: synchronize it, or let other streams wait for an event, before results are used
/// there. Operations without `stream=` come after all work enqueued before on any stream of the device. On the CPU every
/// call is complete when it returns. Memory of other libraries that enqueued work uses must outlive it.
///
/// Raises StreamCreationFailed, InvalidDevice.
#[pyclass(frozen, module = "icicle")]
pub(crate) struct Stream(StreamRef);

/// How to launch on a stream, if one is given; host operands must be read before the call returns.
pub(crate) fn launch(stream: Option<&Bound<'_, Stream>>, host_operands: bool) -> Launch {
    match stream {
        Some(stream) => Launch { stream: Some(stream.get().0.clone()), is_async: !host_operands },
        None => Launch::default(),
    }
}

impl Stream {
    /// The core's.
    pub(crate) fn core(&self) -> StreamRef {
        self.0.clone()
    }
    /// A stream that a group lends to a job.
    pub(crate) fn of(stream: StreamRef) -> Self {
        Self(stream)
    }
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (device=None))]
    fn new(py: Python<'_>, device: Option<DeviceLike>) -> PyResult<Self> {
        let device = device.map_or_else(current_device, |device| device.0);
        call(py, "stream_create", || Ok(icicle::Stream::on(device)?.as_ref())).map(Self)
    }

    /// The stream's device.
    #[getter]
    fn device(&self) -> Device {
        Device(self.0.device())
    }

    /// The backend's handle, a CUstream on CUDA devices; 0 on the CPU.
    #[getter]
    fn handle(&self) -> usize {
        self.0.raw()
    }

    /// Wait for the work enqueued so far. Raises SynchronizationFailed if it failed.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        call(py, "stream_synchronize", || self.0.synchronize())
    }

    /// Let work enqueued from now on wait for an event, of this or another device. Raises SynchronizationFailed if the
    /// work before it failed.
    fn wait(&self, py: Python<'_>, event: &Bound<'_, Event>) -> PyResult<()> {
        let event = event.get();
        call(py, "stream_wait_event", || self.0.wait(&event.0))
    }

    fn __repr__(&self) -> String {
        format!("<icicle.Stream {:#x} of {}>", self.handle(), self.0.device())
    }
}

/// A point in a stream's work, to ask about, wait for, and measure between.
///
/// Event(device=None, timing=False): an event of a device, the current one if None. Until it is recorded it counts as
/// reached. Raises StreamCreationFailed, InvalidDevice.
#[pyclass(frozen, module = "icicle")]
pub(crate) struct Event(icicle::device::Event);

#[pymethods]
impl Event {
    #[new]
    #[pyo3(signature = (device=None, *, timing=false))]
    fn new(py: Python<'_>, device: Option<DeviceLike>, timing: bool) -> PyResult<Self> {
        let device = device.map_or_else(current_device, |device| device.0);
        call(py, "event_create", || icicle::device::Event::on(device, timing)).map(Self)
    }

    /// The event's device.
    #[getter]
    fn device(&self) -> Device {
        Device(self.0.device())
    }

    /// Mark the end of the work now in a stream, the device's default one if None. Raises InvalidArgument for a stream
    /// of another device, SynchronizationFailed if earlier work failed.
    #[pyo3(signature = (stream=None))]
    fn record(&self, py: Python<'_>, stream: Option<&Bound<'_, Stream>>) -> PyResult<()> {
        let default = || StreamRef::default_of(self.0.device());
        let stream = stream.map_or_else(default, |stream| stream.get().0.clone());
        call(py, "event_record", || self.0.record_on(&stream))
    }

    /// Whether the work before the mark is done. Raises SynchronizationFailed if it failed.
    fn query(&self, py: Python<'_>) -> PyResult<bool> {
        call(py, "event_query", || self.0.query())
    }

    /// Wait for the work before the mark. Raises SynchronizationFailed if it failed.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        call(py, "event_synchronize", || self.0.synchronize())
    }

    /// Milliseconds from this mark to a later one; both events must be made with timing=True and recorded. Waits for
    /// both. Raises InvalidArgument for others, or of two devices; SynchronizationFailed if work failed.
    fn elapsed_ms(&self, py: Python<'_>, end: &Bound<'_, Self>) -> PyResult<f32> {
        let end = end.get();
        call(py, "event_elapsed", || self.0.elapsed_ms(&end.0))
    }

    fn __repr__(&self) -> String {
        format!("<icicle.Event of {}>", self.0.device())
    }
}
