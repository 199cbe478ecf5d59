//! Streams beside a call's own, on which operands are copied while the call's stream works on other parts of them.
#![allow(unsafe_code)]

use super::driver::{self, Handle, Outcome};
use super::gpu::{self, Gpu};
use icicle_device::{Exec, RawStream, StreamKind};
use icicle_error::{ErrorCode, Result};

/// An event of this call.
pub struct Event(&'static Gpu, Handle);

impl Event {
    /// An event of the device a call runs on.
    ///
    /// # Errors
    /// `StreamCreationFailed`, or that the device is lost.
    pub fn new(op: &'static str, exec: &Exec) -> Result<Self> {
        Self::of(op, gpu::gpu(op, exec.device().index)?)
    }
    /// An event of a device.
    ///
    /// # Errors
    /// `StreamCreationFailed`.
    pub fn of(op: &'static str, gpu: &'static Gpu) -> Result<Self> {
        Ok(Self(gpu, gpu.with(op, ErrorCode::StreamCreationFailed, || driver::event_create(false))?))
    }
    /// Mark the work now in a stream.
    ///
    /// # Errors
    /// The driver's.
    pub fn mark(&self, op: &'static str, stream: RawStream) -> Result<()> {
        self.0.with(op, ErrorCode::Internal, || self.mark_in_context(stream))
    }
    /// As [`Event::mark`], in the current context, which is the event's.
    pub fn mark_in_context(&self, stream: RawStream) -> Outcome<()> {
        // SAFETY: our event, alive; a stream of the call.
        unsafe { driver::event_record(self.1, stream) }
    }
    /// Let a stream wait for what was marked last, if anything was.
    pub fn hold(&self, op: &'static str, stream: RawStream) -> Result<()> {
        // SAFETY: our event, alive; a stream of the call.
        self.0.with(op, ErrorCode::Internal, || unsafe { driver::stream_wait_event(stream, self.1) })
    }
    /// As [`Event::hold`], for a stream of the current context, which may be another device's.
    pub fn hold_in_context(&self, stream: RawStream) -> Outcome<()> {
        // SAFETY: as above.
        unsafe { driver::stream_wait_event(stream, self.1) }
    }
    /// Let one stream wait for another.
    fn order(&self, op: &'static str, before: RawStream, after: RawStream) -> Result<()> {
        self.mark(op, before)?;
        self.hold(op, after)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: ours, not used again; what waits for it already goes on. A failure is a fault of earlier work.
        let _ = self.0.calls(|| unsafe { driver::event_destroy(self.1) });
    }
}

/// A stream that copies, after all that the call's stream holds now. The call's stream waits for it in the end.
pub struct Side {
    gpu: &'static Gpu,
    exec: Exec,
    stream: RawStream,
    event: Event,
}

impl Side {
    /// A stream beside that of a call.
    ///
    /// # Errors
    /// `StreamCreationFailed`, or that the device is lost.
    pub fn new(op: &'static str, exec: &Exec) -> Result<Self> {
        let gpu = gpu::gpu(op, exec.device().index)?;
        let event = Event::new(op, exec)?;
        let stream =
            gpu.with(op, ErrorCode::StreamCreationFailed, || driver::stream_create(StreamKind::NonBlocking))?;
        let side = Self { gpu, exec: *exec, stream, event };
        side.after_call(op)?;
        Ok(side)
    }

    /// The device of this stream.
    pub fn gpu(&self) -> &'static Gpu {
        self.gpu
    }

    /// The stream.
    pub fn stream(&self) -> RawStream {
        self.stream
    }

    /// A call on this stream that is not waited for.
    pub fn exec(&self) -> Exec {
        // SAFETY: ours, and alive as long as this.
        unsafe { Exec::new(self.exec.device(), self.stream, true) }
    }

    /// Let the call's stream wait for what this one holds now.
    pub fn before_call(&self, op: &'static str) -> Result<()> {
        self.event.order(op, self.stream, self.exec.stream())
    }

    /// Let this stream wait for what the call's holds now.
    pub fn after_call(&self, op: &'static str) -> Result<()> {
        self.event.order(op, self.exec.stream(), self.stream)
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // What the call's stream frees next, copies may still use, be it because the call ended with an error. A failure is
        // a fault of earlier work.
        let _ = self.before_call("copy");
        // SAFETY: our stream, not used again; the driver destroys it once its work is done.
        let _ = self.gpu.calls(|| unsafe { driver::stream_destroy(self.stream) });
    }
}
