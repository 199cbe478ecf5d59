//! How and where a call runs.

use crate::StreamRef;
use crate::registry::backend;
use icicle_device::{Exec, Operand, Place, current_device};
use icicle_error::{Error, Result};

/// How a caller wants an operation launched.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Stream to enqueue on; none means the default stream of the chosen device.
    pub stream: Option<StreamRef>,
    /// Return before completion. On the CPU every call is complete when it returns, and so is one with a slice or vector that
    /// lies in page-locked memory, as its borrow ends with the call: only memory given by address
    /// ([`Src::from_raw_parts`](icicle_device::Src::from_raw_parts), [`Dst::from_raw_parts`](icicle_device::Dst::from_raw_parts)) is copied
    /// from or to later, until the stream is synchronized. Pageable memory is read and written before the call returns.
    pub is_async: bool,
}

/// Choose where `op` runs: on the stream's device, else on that of its buffers, else on the thread's current one. A call
/// that would still copy from or to borrowed memory after it returns is not asynchronous.
///
/// # Errors
/// `InvalidPointer` if a buffer lies on another device than the chosen one; both are named.
pub fn choose(op: &'static str, launch: &Launch, operands: &[Operand]) -> Result<Exec> {
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
                format!("memory on {other}: the call runs on {device}; copy it there first or use a stream of {other}"),
            ));
        }
    }
    let mut is_async = launch.is_async;
    if is_async && operands.iter().any(|operand| operand.is_borrowed) {
        let backend = backend(device)?;
        is_async = !operands.iter().any(|o| o.is_borrowed && backend.is_pinned(device.index, o.ptr, o.bytes));
    }
    let exec = launch.stream.as_ref().map_or(Exec::on(device), StreamRef::exec);
    Ok(exec.with_async(is_async))
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
                let exec = choose("test", &launch, &borrowed.map(operand)).unwrap();
                assert_eq!(exec.is_async(), is_async, "borrowed {borrowed:?}");
            }
        }
    }
}
