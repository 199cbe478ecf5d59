//! Arrays in unified memory, which the host and every GPU reach at one address.

use crate::device::DeviceLike;
use crate::number_array::{NumberArray, made, work};
use icicle::device::current_device;
use pyo3::prelude::*;

#[pymethods]
impl NumberArray {
    /// A dense copy in unified memory of a device, by default the current one: a GPU's managed memory (CUDA's `cudaMallocManaged`),
    /// of which the driver moves pages to who touches them, or a CPU's plain memory, which all CPU devices reach. shared_with() gives
    /// it to another device, or to NumPy through a CPU device, without a copy.
    ///
    /// Elements of one device should be multiples of 2 MiB, the unit in which pages move. The memory does not count as the device's
    /// used memory, is no more than the device has free, and is given back with the last array in it. The copy is done on return.
    ///
    /// Raises Unsupported if the device has no managed memory, or cannot use it while the host does; OutOfMemory; InvalidDevice.
    #[pyo3(signature = (device=None, /))]
    fn to_unified(slf: Bound<'_, Self>, device: Option<DeviceLike>) -> PyResult<Self> {
        let array = slf.try_borrow()?.0.clone();
        let device = device.map_or_else(current_device, |device| device.0);
        made(slf.py(), "to_unified", &[&array], || array.to_unified(device))
    }

    /// Whether its memory is unified, as that of CPUs always is. What it depends on is computed. Raises OutOfMemory.
    #[getter]
    fn is_unified(&self, py: Python<'_>) -> PyResult<bool> {
        work(py, "is_unified", &[&self.0], || self.0.is_unified())
    }

    /// The same memory for use by another device, without a copy: an array of any CPU device for another, one in unified memory of
    /// a GPU for a CPU or any GPU. What the device computes from it comes after what was enqueued before; for a CPU device the call
    /// waits for that. The memory stays as long as one of the arrays.
    ///
    /// Raises InvalidArgument if the device does not reach the memory, InvalidDevice.
    #[pyo3(signature = (device, /))]
    fn shared_with(slf: Bound<'_, Self>, device: DeviceLike) -> PyResult<Self> {
        let array = slf.try_borrow()?.0.clone();
        made(slf.py(), "shared_with", &[&array], || array.shared_with(device.0))
    }

    /// Move the pages from its first to its last element to its device, enqueued on the default stream there, so that what follows
    /// does not fetch them one by one. On a CPU device pages of a GPU's unified memory move to the host, and plain memory stays.
    ///
    /// Raises InvalidArgument if it lies in a GPU's own memory; see to_unified(). CopyFailed.
    fn prefetch(slf: Bound<'_, Self>) -> PyResult<()> {
        let array = slf.try_borrow()?.0.clone();
        work(slf.py(), "prefetch", &[&array], || array.prefetch())
    }
}
