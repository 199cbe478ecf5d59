//! Where a call runs.

use super::{Device, Place, RawStream, StreamRef, current_device, registry};
use crate::{Error, Result};

/// How a caller wants an operation launched.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Stream to enqueue on; none means the default stream of the chosen device.
    pub stream: Option<StreamRef>,
    /// Return before completion. On the CPU every call is complete when it returns, and so is one with a slice or vector that
    /// lies in page-locked memory, as its borrow ends with the call: only memory given by address
    /// ([`Src::from_raw_parts`](super::Src::from_raw_parts), [`Dst::from_raw_parts`](super::Dst::from_raw_parts)) is copied
    /// from or to later, until the stream is synchronized. Pageable memory is read and written before the call returns.
    pub is_async: bool,
}

/// The device and stream an operation runs on.
#[derive(Clone, Copy, Debug)]
pub struct Exec {
    /// The device.
    pub(crate) device: Device,
    /// One of its streams.
    pub(crate) stream: RawStream,
    /// Whether to return before completion.
    pub(crate) is_async: bool,
}

/// What a call reads or writes, as far as it decides where and how the call runs.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub(crate) place: Place,
    pub(crate) ptr: *const u8,
    pub(crate) bytes: usize,
    /// A borrow of host memory, which ends with the call.
    pub(crate) is_borrowed: bool,
}

impl Exec {
    /// A device and a stream by its handle.
    ///
    /// # Safety
    /// `stream` is 0 or a stream of the device that is not destroyed while this is used.
    #[allow(unsafe_code)]
    pub const unsafe fn new(device: Device, stream: RawStream, is_async: bool) -> Self {
        Self { device, stream, is_async }
    }

    /// Choose where `op` runs: on the stream's device, else on that of its buffers, else on the thread's current one. A call
    /// that would still copy from or to borrowed memory after it returns is not asynchronous.
    ///
    /// # Errors
    /// `InvalidPointer` if a buffer lies on another device than the chosen one; both are named.
    pub fn choose(op: &'static str, launch: &Launch, operands: &[Operand]) -> Result<Self> {
        let of_buffer = operands.iter().find_map(|operand| match operand.place {
            Place::Device(device) => Some(device),
            Place::Host => None,
        });
        let device = match (&launch.stream, of_buffer) {
            (Some(stream), _) => stream.device(),
            (None, Some(device)) => device,
            (None, None) => current_device(),
        };
        for operand in operands {
            if let Place::Device(other) = operand.place
                && other != device
            {
                return Err(Error::pointer(
                    op,
                    format!(
                        "memory on {other}: the call runs on {device}; copy it there first or use a stream of {other}"
                    ),
                ));
            }
        }
        let stream = launch.stream.as_ref().map_or(0, StreamRef::raw);
        let mut exec = Self { device, stream, is_async: launch.is_async };
        if exec.is_async && operands.iter().any(|operand| operand.is_borrowed) {
            let backend = exec.backend()?;
            exec.is_async = !operands.iter().any(|o| o.is_borrowed && backend.is_pinned(device.index, o.ptr, o.bytes));
        }
        Ok(exec)
    }

    /// The backend of the device.
    pub fn backend(&self) -> Result<&'static dyn super::Backend> {
        registry::backend(self.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The CPU pins nothing, so that no borrow makes a call wait.
    #[test]
    fn only_calls_that_are_to_be_asynchronous_are() {
        let data = [0u8; 8];
        let operand = |is_borrowed| Operand { place: Place::Host, ptr: data.as_ptr(), bytes: 8, is_borrowed };
        for borrowed in [[false, false], [false, true], [true, true]] {
            for is_async in [false, true] {
                let launch = Launch { stream: None, is_async };
                let exec = Exec::choose("test", &launch, &borrowed.map(operand)).unwrap();
                assert_eq!(exec.is_async, is_async, "borrowed {borrowed:?}");
            }
        }
    }
}
