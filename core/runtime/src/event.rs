//! Events: points in a stream's work to ask about, wait for, and measure between.
#![allow(unsafe_code)]

use crate::{Stream, StreamRef, registry};
use icicle_device::{Device, RawEvent, current_device};
use icicle_error::{Error, Result};

/// A point in a stream's work, destroyed when dropped. Until it is recorded it counts as reached.
#[derive(Debug)]
pub struct Event {
    device: Device,
    raw: RawEvent,
}

impl Event {
    /// An event of the thread's current device, without timing: cheaper to record and to ask.
    ///
    /// # Errors
    /// `StreamCreationFailed`, or `InvalidDevice`.
    pub fn new() -> Result<Self> {
        Self::on(current_device(), false)
    }

    /// An event of a device; `timing` lets it measure.
    ///
    /// # Errors
    /// As [`Event::new`].
    pub fn on(device: Device, timing: bool) -> Result<Self> {
        let raw = registry::backend(device)?.event_create(device.index, timing)?;
        Ok(Self { device, raw })
    }

    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The backend's handle, such as a CUevent. It is valid while this is alive.
    pub fn raw(&self) -> RawEvent {
        self.raw
    }

    /// Mark the end of the work now in a stream; an earlier mark is forgotten.
    ///
    /// # Errors
    /// `InvalidArgument` if the stream is another device's.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.record_on(&stream.as_ref())
    }

    /// As [`Event::record`], for a borrowed stream.
    ///
    /// # Errors
    /// As [`Event::record`].
    pub fn record_on(&self, stream: &StreamRef) -> Result<()> {
        self.same_device("event_record", "stream", stream.device())?;
        // SAFETY: ours, and a stream of the same device that lives as long as its reference.
        unsafe { registry::backend(self.device)?.event_record(self.device.index, self.raw, stream.raw()) }
    }

    /// Whether the work before the mark is done.
    ///
    /// # Errors
    /// `SynchronizationFailed` if it failed.
    pub fn query(&self) -> Result<bool> {
        // SAFETY: our event.
        unsafe { registry::backend(self.device)?.event_query(self.device.index, self.raw) }
    }

    /// Wait for the work before the mark.
    ///
    /// # Errors
    /// `SynchronizationFailed` if it failed.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: our event.
        unsafe { registry::backend(self.device)?.event_synchronize(self.device.index, self.raw) }
    }

    /// Milliseconds from this mark to a later one; negative if it is an earlier one.
    ///
    /// # Errors
    /// `InvalidArgument` if either event has no timing, was never recorded, or is another device's.
    pub fn elapsed_ms(&self, end: &Event) -> Result<f32> {
        self.same_device("event_elapsed", "end event", end.device)?;
        // SAFETY: two events of the device.
        unsafe { registry::backend(self.device)?.event_elapsed_ms(self.device.index, self.raw, end.raw) }
    }

    fn same_device(&self, op: &'static str, arg: &str, other: Device) -> Result<()> {
        if other == self.device {
            return Ok(());
        }
        Err(Error::argument(op, format!("{arg} of {other}: the event is of {}, both must be the same", self.device)))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(backend) = registry::backend(self.device) {
            // A failure here has no one to go to; the handle is gone either way.
            // SAFETY: our event, which nobody has any more.
            let _ = unsafe { backend.event_destroy(self.device.index, self.raw) };
        }
    }
}

impl StreamRef {
    /// Let work enqueued from now on wait for an event, of this or another device. Where the two are of different kinds
    /// the host waits.
    ///
    /// # Errors
    /// `SynchronizationFailed` if the work before the event failed.
    pub fn wait(&self, event: &Event) -> Result<()> {
        let device = self.device();
        if device.kind != event.device.kind {
            return event.synchronize();
        }
        // SAFETY: a stream that lives as long as its reference, and an event of the same kind of device.
        unsafe { registry::backend(device)?.stream_wait_event(device.index, self.raw(), event.raw) }
    }
}

impl Stream {
    /// As [`StreamRef::wait`].
    ///
    /// # Errors
    /// As [`StreamRef::wait`].
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.as_ref().wait(event)
    }
}
