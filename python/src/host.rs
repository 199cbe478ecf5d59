//! Host memory that GPUs copy at full speed, or reach themselves: allocated so, or locked in place.
#![allow(unsafe_code)]

use crate::buffer::{Buffer, Foreign, as_bytes};
use crate::device::DeviceLike;
use crate::error::{call, exception};
use icicle::cuda::{Managed, host_register, host_unregister};
use icicle::device::{Device, PinnedBuffer, registry};
use icicle::{DeviceKind, Error};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

fn has_cuda() -> bool {
    registry::device_count(DeviceKind::Cuda) > 0
}

/// `nbytes` zeroed bytes of host memory, aligned to 64, memory of a CPU device (the first if None).
///
/// Where there are CUDA devices it is page-locked for all of them: `to("cuda:0")` from it, and copies into it, go straight
/// over the link, two to three times as fast as other memory. Elsewhere it is ordinary memory.
///
/// Raises OutOfMemory, AllocationFailed for impossible sizes, InvalidArgument for a device that is no CPU.
#[pyfunction]
#[pyo3(signature = (nbytes, device=None))]
pub(crate) fn pinned_empty(py: Python<'_>, nbytes: usize, device: Option<DeviceLike>) -> PyResult<Buffer> {
    let device = device.map_or(Device::cpu(0), |device| device.0);
    call(py, "host_alloc", || {
        if device.kind != DeviceKind::Cpu {
            let rule = "must be a CPU device: page-locked memory is the host's";
            return Err(Error::argument("host_alloc", format!("device {device}: {rule}")));
        }
        registry::backend(device)?;
        let mut memory = PinnedBuffer::<u8>::on(if has_cuda() { Device::cuda(0) } else { device }, nbytes)?;
        let address = memory.as_mut_ptr().expose_provenance();
        let release: Box<dyn FnOnce() + Send + Sync> = Box::new(move || drop(memory));
        Ok(Buffer::borrow_foreign(Foreign { address, device, on_host: true, release: Some(release) }, nbytes))
    })
}

/// `nbytes` zeroed bytes, at least 1, of a CUDA device's managed memory, the current device's if None.
///
/// The host reaches it too, by the buffer protocol; pages move to who touches them. Operations without `stream=` are done
/// when they return: then the host may touch it; with a stream, synchronize that first.
///
/// Raises InvalidDevice on CPUs, Unsupported where the device has none, OutOfMemory.
#[pyfunction]
#[pyo3(signature = (nbytes, device=None))]
pub(crate) fn managed_empty(py: Python<'_>, nbytes: usize, device: Option<DeviceLike>) -> PyResult<Buffer> {
    let device = device.map_or_else(icicle::device::current_device, |device| device.0);
    call(py, "managed", || {
        let mut memory = Managed::new(device, nbytes)?;
        let address = memory.as_mut_ptr().expose_provenance();
        // One owner at a time, as releases may be asked for from any thread.
        let memory = Mutex::new(memory);
        let release: Box<dyn FnOnce() + Send + Sync> = Box::new(move || drop(memory));
        Ok(Buffer::borrow_foreign(Foreign { address, device, on_host: true, release: Some(release) }, nbytes))
    })
}

/// Page-locks an object's memory, such as a NumPy array's, while the `with` block lasts or until close().
///
/// registered(data): any contiguous object with the buffer protocol, of at least one byte. Copies from and to it then run as
/// from memory of `pinned_empty`. Where there are no CUDA devices there is nothing to lock for, and nothing is done.
///
/// Raises InvalidPointer if the memory is locked already, OutOfMemory if the system refuses.
#[pyclass(frozen, module = "icicle", name = "registered")]
pub(crate) struct Registered(Mutex<Option<PyBuffer<u8>>>);

impl Registered {
    fn unlock(&self) -> icicle::Result<()> {
        let Some(view) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(()) };
        match NonNull::new(view.buf_ptr().cast::<u8>()) {
            Some(ptr) if has_cuda() => host_unregister(ptr),
            _ => Ok(()),
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        // A failure has no one to go to here; the memory stays locked until the process ends.
        let _ = self.unlock();
    }
}

#[pymethods]
impl Registered {
    #[new]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let view = PyBuffer::<u8>::get(data).or_else(|_| as_bytes(data))?;
        if !view.is_c_contiguous() {
            return Err(PyTypeError::new_err("host_register: data must be contiguous"));
        }
        let (address, bytes) = (view.buf_ptr().expose_provenance(), view.len_bytes());
        call(data.py(), "host_register", || {
            let ptr = NonNull::new(std::ptr::with_exposed_provenance_mut::<u8>(address));
            let Some(ptr) = ptr.filter(|_| bytes > 0) else {
                return Err(Error::argument("host_register", "size 0: must be at least 1"));
            };
            if !has_cuda() {
                return Ok(());
            }
            // SAFETY: the view keeps the memory mapped until it is dropped, after the range is unlocked.
            unsafe { host_register(ptr, bytes) }
        })?;
        Ok(Self(Mutex::new(Some(view))))
    }

    /// Unlock the memory; further calls do nothing. Raises DeallocationFailed.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.unlock().map_err(|error| exception(py, &error))
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.close(py)
    }
}
