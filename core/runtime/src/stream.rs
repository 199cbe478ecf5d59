//! Streams: queues of work on a device.
#![allow(unsafe_code)]

use crate::registry;
use icicle_device::{Device, Exec, RawStream, StreamHandle, StreamKind, current_device};
use icicle_error::Result;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// A backend's stream, destroyed with its last owner.
#[derive(Debug)]
struct Owned {
    device: Device,
    raw: RawStream,
}

impl Owned {
    /// # Safety
    /// The stream is not used again.
    unsafe fn destroy(&self) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { registry::backend(self.device)?.stream_destroy(self.device.index, self.raw) }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // A failure here has no one to go to; the handle is gone either way.
        // SAFETY: the last owner is gone.
        let _ = unsafe { self.destroy() };
    }
}

/// A stream to launch on: one made by [`Stream`], which stays alive while this does, or a device's default stream.
#[derive(Clone, Debug)]
pub struct StreamRef {
    device: Device,
    /// None is the device's default stream.
    owned: Option<Arc<Owned>>,
}

impl StreamRef {
    /// The default stream of a device.
    pub fn default_of(device: Device) -> Self {
        Self { device, owned: None }
    }

    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The backend's handle, such as a CUstream; 0 is the default stream. It is valid while this is alive.
    pub fn raw(&self) -> RawStream {
        self.owned.as_ref().map_or(0, |owned| owned.raw)
    }

    /// A call on it that waits, for as long as this is alive.
    pub(crate) fn exec(&self) -> Exec {
        // SAFETY: the default stream, or one that lives as long as its reference, which the launch of a call holds.
        unsafe { Exec::new(self.device, self.raw(), false) }
    }

    /// Wait for the work enqueued so far.
    ///
    /// # Errors
    /// `SynchronizationFailed` if it failed.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream lives as long as its reference.
        unsafe { registry::backend(self.device)?.stream_synchronize(self.device.index, self.raw()) }
    }
}

// SAFETY: the default stream, or one whose owner is kept.
unsafe impl StreamHandle for StreamRef {
    fn device(&self) -> Device {
        self.device
    }
    fn raw(&self) -> RawStream {
        Self::raw(self)
    }
}

/// A queue of work on a device, destroyed once dropped and no [`StreamRef`] of it is left. Work of one stream runs in
/// order. On the CPU every call is complete when it returns, and a stream only names its device.
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
        Self::create(device, StreamKind::InOrder)
    }

    /// A stream of a device that neither waits for the default stream nor makes it wait.
    ///
    /// # Errors
    /// `StreamCreationFailed`, or `InvalidDevice`.
    pub fn non_blocking(device: Device) -> Result<Self> {
        Self::create(device, StreamKind::NonBlocking)
    }

    /// As [`Stream::non_blocking`]; kernels of it start before those of other streams that wait for room on the device.
    ///
    /// # Errors
    /// `StreamCreationFailed`, or `InvalidDevice`.
    pub fn urgent(device: Device) -> Result<Self> {
        Self::create(device, StreamKind::Urgent)
    }

    fn create(device: Device, kind: StreamKind) -> Result<Self> {
        let raw = registry::backend(device)?.stream_create_with(device.index, kind)?;
        Ok(Self(StreamRef { device, owned: Some(Arc::new(Owned { device, raw })) }))
    }

    /// The stream's device.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The stream, for [`Launch`](crate::Launch); it keeps the stream alive.
    pub fn as_ref(&self) -> StreamRef {
        self.0.clone()
    }

    /// Wait for the work enqueued so far.
    ///
    /// # Errors
    /// `SynchronizationFailed` if it failed.
    pub fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }

    /// Destroy the stream, as dropping it does, and say whether that failed. Where a [`StreamRef`] is left, the last one
    /// destroys it.
    ///
    /// # Errors
    /// `StreamDestructionFailed`.
    pub fn destroy(self) -> Result<()> {
        match self.0.owned.map(Arc::try_unwrap) {
            // SAFETY: the last owner, and nobody destroys it again.
            Some(Ok(owned)) => unsafe { ManuallyDrop::new(owned).destroy() },
            _ => Ok(()),
        }
    }
}
