//! Where a call runs.

use super::device::Device;
use super::handle::RawStream;

/// The device and stream an operation runs on.
#[derive(Clone, Copy, Debug)]
pub struct Exec {
    /// The device.
    device: Device,
    /// One of its streams.
    stream: RawStream,
    /// Whether to return before completion.
    is_async: bool,
}

impl Exec {
    /// A device and a stream by its handle.
    ///
    /// # Safety
    /// `stream` is 0 or a stream of the device that is not destroyed while this is used.
    #[allow(unsafe_code)] // a stream by its handle
    pub const unsafe fn new(device: Device, stream: RawStream, is_async: bool) -> Self {
        Self { device, stream, is_async }
    }

    /// The default stream of a device; the call waits.
    pub const fn on(device: Device) -> Self {
        Self { device, stream: 0, is_async: false }
    }

    /// The same device and stream.
    pub const fn with_async(self, is_async: bool) -> Self {
        Self { is_async, ..self }
    }

    /// The device.
    pub const fn device(&self) -> Device {
        self.device
    }
    /// One of its streams, which lives as long as this is used.
    pub const fn stream(&self) -> RawStream {
        self.stream
    }
    /// Whether to return before completion.
    pub const fn is_async(&self) -> bool {
        self.is_async
    }
}
