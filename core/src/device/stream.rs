//! Streams: queues of work on a device.

use super::{Device, RawStream, current_device, registry};
use crate::Result;

/// A stream by device and handle, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamRef {
    /// The device.
    pub device: Device,
    /// The backend's handle.
    pub raw: RawStream,
}

/// A queue of work on a device, destroyed when dropped. Work of one stream runs in order. On the CPU every call is
/// complete when it returns, and a stream only names its device.
#[derive(Debug)]
pub struct Stream(StreamRef);

impl Stream {
    /// A stream of the thread's current device.
    ///
    /// # Errors
    /// `StreamCreationFailed`, or `InvalidDevice`.
    pub fn new() -> Result<Self> {
        Self::on(current_device())
    }

    /// A stream of a device.
    ///
    /// # Errors
    /// `StreamCreationFailed`, or `InvalidDevice`.
    pub fn on(device: Device) -> Result<Self> {
        let raw = registry::backend(device)?.stream_create(device.index)?;
        Ok(Self(StreamRef { device, raw }))
    }

    /// A stream of a device that neither waits for the default stream nor makes it wait.
    ///
    /// # Errors
    /// `StreamCreationFailed`, or `InvalidDevice`.
    pub fn non_blocking(device: Device) -> Result<Self> {
        let raw = registry::backend(device)?.stream_create_with(device.index, true)?;
        Ok(Self(StreamRef { device, raw }))
    }

    /// The stream's device.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The stream, borrowed, for [`Launch`](super::Launch).
    pub fn as_ref(&self) -> StreamRef {
        self.0
    }

    /// Wait for the work enqueued so far.
    ///
    /// # Errors
    /// `SynchronizationFailed` if it failed.
    pub fn synchronize(&self) -> Result<()> {
        registry::backend(self.0.device)?.stream_synchronize(self.0.device.index, self.0.raw)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Ok(backend) = registry::backend(self.0.device) {
            // A failure here has no one to go to; the handle is gone either way.
            let _ = backend.stream_destroy(self.0.device.index, self.0.raw);
        }
    }
}
