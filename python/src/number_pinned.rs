//! Arrays in page-locked (pinned) memory of the host.

use crate::number_array::{NumberArray, made, work};
use pyo3::prelude::*;

#[pymethods]
impl NumberArray {
    /// A dense copy in page-locked (pinned) memory of the host, on the array's device if that is a CPU, else on `cpu:0`. GPUs copy it,
    /// with to_device(), at the rate of their link; other memory of the host passes through page-locked chunks. Where there is no GPU
    /// it is plain memory. NumPy sees it where it is.
    ///
    /// Page-locking takes longer than copying, and the pages are lost to the rest of the system: it pays for arrays that are copied
    /// several times, which assignment in place fills again. The copy is done on return; the memory is given back with the last array
    /// in it, and does not count as the device's used memory.
    ///
    /// Raises OutOfMemory or AllocationFailed if the system refuses; CopyFailed.
    fn to_pinned(slf: Bound<'_, Self>) -> PyResult<Self> {
        let array = slf.try_borrow()?.0.clone();
        made(slf.py(), "to_pinned", &[&array], || array.to_pinned())
    }

    /// Whether its memory is page-locked, as to_pinned() makes it where there is a GPU. What it depends on is computed. Raises
    /// OutOfMemory.
    #[getter]
    fn is_pinned(&self, py: Python<'_>) -> PyResult<bool> {
        work(py, "is_pinned", &[&self.0], || self.0.is_pinned())
    }
}
