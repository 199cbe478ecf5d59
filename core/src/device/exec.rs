//! Where a call runs.

use super::{Device, Place, RawStream, StreamRef, current_device, registry};
use crate::{Error, Result};

/// How a caller wants an operation launched.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Stream to enqueue on; none means the default stream of the chosen device.
    pub stream: Option<StreamRef>,
    /// Return before completion. Host outputs are valid after the stream is synchronized. On the CPU every call is complete when it returns.
    pub is_async: bool,
}

/// The device and stream an operation runs on.
#[derive(Clone, Copy, Debug)]
pub struct Exec {
    /// The device.
    pub device: Device,
    /// One of its streams.
    pub stream: RawStream,
    /// Whether to return before completion.
    pub is_async: bool,
}

impl Exec {
    /// Choose where `op` runs: on the stream's device, else on that of its buffers, else on the thread's current one.
    ///
    /// # Errors
    /// `InvalidPointer` if a buffer lies on another device than the chosen one; both are named.
    pub fn choose(op: &'static str, launch: &Launch, places: &[Place]) -> Result<Self> {
        let of_buffer = places.iter().find_map(|place| match place {
            Place::Device(device) => Some(*device),
            Place::Host => None,
        });
        let device = match (&launch.stream, of_buffer) {
            (Some(stream), _) => stream.device(),
            (None, Some(device)) => device,
            (None, None) => current_device(),
        };
        for place in places {
            if let Place::Device(other) = place
                && *other != device
            {
                return Err(Error::pointer(
                    op,
                    format!(
                        "memory on {other}: the call runs on {device}; copy it there first or use a stream of {other}"
                    ),
                ));
            }
        }
        Ok(Self { device, stream: launch.stream.as_ref().map_or(0, StreamRef::raw), is_async: launch.is_async })
    }

    /// The backend of the device.
    pub fn backend(&self) -> Result<&'static dyn super::Backend> {
        registry::backend(self.device)
    }
}
