//! Devices: which there are, which one a thread works on, what they are.

use crate::error::{call, exception};
use icicle::device::{self, DeviceGuard};
use icicle::ops::{Domain, Op};
use icicle::{Error, ErrorCode};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyAny;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

thread_local! {
    /// The `with` blocks this thread is in.
    static BLOCKS: RefCell<Vec<DeviceGuard>> = const { RefCell::new(Vec::new()) };
}

/// A device by kind and index. It need not exist; what uses it then raises InvalidDevice.
///
/// Device("cuda:1"), Device("cpu"), Device(("cuda", 1)), Device(device). As a context manager it is the thread's current
/// device inside the block; blocks nest, and leaving one restores the device before, also on exceptions. Coroutines of
/// one thread share its current device: pass device= there.
///
/// Raises TypeError for anything else, InvalidDevice for a name that is not of this form.
#[pyclass(frozen, eq, hash, ord, module = "icicle", from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Device(pub icicle::Device);

/// What is accepted where a device is asked for: a Device, its name, or kind and index.
pub(crate) struct DeviceLike(pub icicle::Device);

impl<'py> FromPyObject<'_, 'py> for DeviceLike {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(device) = object.cast::<Device>() {
            return Ok(Self(device.get().0));
        }
        let name = match (object.extract::<&str>(), object.extract::<(String, u32)>()) {
            (Ok(name), _) => name.to_string(),
            (_, Ok((kind, index))) => format!("{kind}:{index}"),
            _ => {
                let got = object.get_type().name()?;
                return Err(PyTypeError::new_err(format!("device: {got}: must be a Device, str or (str, int)")));
            }
        };
        name.parse().map(Self).map_err(|error| exception(object.py(), &error))
    }
}

/// What a device is.
#[pyclass(frozen, get_all, module = "icicle")]
pub(crate) struct DeviceInfo {
    /// Which device.
    device: Device,
    /// The processor's or GPU's marketing name.
    name: String,
    /// Bytes of memory in all, None where unknown.
    total_memory: Option<u64>,
    /// Hardware threads of a CPU, multiprocessors of a GPU.
    units: u32,
    /// Whether the device computes directly in host memory.
    uses_host_memory: bool,
    /// Whether page-locked host memory speeds up copies.
    supports_pinned: bool,
    /// Further facts, such as "compute capability": "9.0".
    facts: BTreeMap<String, String>,
}

#[pymethods]
impl DeviceInfo {
    fn __repr__(&self) -> String {
        format!("<DeviceInfo of {}: {}, {} units>", self.device.0, self.name, self.units)
    }
}

/// A device's memory in numbers, all but `allocations` in bytes.
#[pyclass(frozen, get_all, module = "icicle")]
pub(crate) struct MemoryStats {
    /// Memory of the device in all.
    total: u64,
    /// Memory no process uses, as far as the limit allows it to be handed out.
    free: u64,
    /// Handed out by this library and not yet freed.
    used: u64,
    /// Held by the pool, handed out or cached.
    reserved: u64,
    /// Highest `used` since the process started.
    high_water: u64,
    /// Allocations alive.
    allocations: u64,
    /// Limit of `used`, None if there is none.
    limit: Option<u64>,
}

#[pymethods]
impl MemoryStats {
    fn __repr__(&self) -> String {
        let Self { total, free, used, reserved, high_water, allocations, limit } = self;
        let limit = limit.map_or("None".into(), |limit| limit.to_string());
        format!(
            "MemoryStats(total={total}, free={free}, used={used}, reserved={reserved}, high_water={high_water}, \
             allocations={allocations}, limit={limit})"
        )
    }
}

#[pymethods]
impl Device {
    #[new]
    fn new(name: DeviceLike) -> Self {
        Self(name.0)
    }

    /// Which kind of device: "cpu" or "cuda".
    #[getter]
    fn kind(&self) -> String {
        self.0.kind.name().to_ascii_lowercase()
    }

    /// Which device of its kind, from 0.
    #[getter]
    fn index(&self) -> u32 {
        self.0.index
    }

    /// What the device is. Raises InvalidDevice if there is none.
    #[getter]
    fn info(&self, py: Python<'_>) -> PyResult<DeviceInfo> {
        let info = call(py, "device_info", || device::device_info(self.0))?;
        Ok(DeviceInfo {
            device: *self,
            name: info.name,
            total_memory: info.total_memory,
            units: info.units,
            uses_host_memory: info.uses_host_memory,
            supports_pinned: info.supports_pinned,
            facts: info.facts.into_iter().collect(),
        })
    }

    /// The device's memory in numbers. Raises InvalidDevice if there is none.
    #[getter]
    fn memory(&self, py: Python<'_>) -> PyResult<MemoryStats> {
        let stats = call(py, "memory", || device::memory_stats(self.0))?;
        let device::MemoryStats { total, free, used, reserved, high_water, allocations, limit } = stats;
        Ok(MemoryStats { total, free, used, reserved, high_water, allocations, limit })
    }

    /// Limit the bytes handed out at a time; None lifts the limit. Memory already handed out stays valid. Raises
    /// InvalidDevice if there is none.
    #[pyo3(signature = (limit))]
    fn set_memory_limit(&self, py: Python<'_>, limit: Option<u64>) -> PyResult<()> {
        call(py, "set_memory_limit", || device::set_memory_limit(self.0, limit))
    }

    /// Give cached memory back until at most `keep` bytes stay reserved. On a GPU, waits for its work. Raises
    /// InvalidDevice if there is none.
    #[pyo3(signature = (keep=0))]
    fn trim(&self, py: Python<'_>, keep: u64) -> PyResult<()> {
        call(py, "trim", || device::trim(self.0, keep))
    }

    /// Wait for all work of the device. Raises SynchronizationFailed if work failed, InvalidDevice if there is no device.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        call(py, "device_synchronize", || device::synchronize(self.0))
    }

    /// Whether the device offers an operation of `icicle.operations()` over a field or curve; exactly then the call does
    /// not raise Unsupported. Raises InvalidArgument for another name, TypeError for what is neither field nor curve,
    /// InvalidDevice.
    fn supports(&self, py: Python<'_>, operation: &str, domain: &Bound<'_, PyAny>) -> PyResult<bool> {
        let facts = || Ok::<_, PyErr>((domain.getattr("number")?.extract()?, domain.getattr("is_curve")?.extract()?));
        let Ok::<(i32, bool), _>((number, is_curve)) = facts() else {
            let got = domain.get_type().name()?;
            return Err(PyTypeError::new_err(format!("supports: domain of type {got}: must be a Field or a Curve")));
        };
        call(py, "supports", || {
            let op = Op::ALL.iter().copied().find(|&op| op.name() == operation);
            let op = op.ok_or_else(|| {
                Error::argument("supports", format!("operation {operation:?}: must be one of operations()"))
            })?;
            let domain = match is_curve {
                true => Domain::Curve(crate::error::curve("supports", number)?),
                false => Domain::Field(crate::error::field("supports", number)?),
            };
            device::supports(self.0, op, domain)
        })
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        let guard = DeviceGuard::new(slf.get().0).map_err(|error| exception(slf.py(), &error))?;
        BLOCKS.with_borrow_mut(|blocks| blocks.push(guard));
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        if BLOCKS.with_borrow_mut(Vec::pop).is_none() {
            let detail = format!("{}: left on a thread that did not enter it", self.0);
            return Err(exception(py, &Error::new(ErrorCode::InvalidArgument, "device", detail)));
        }
        Ok(())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("icicle.Device('{}')", self.0)
    }

    fn __reduce__(slf: Bound<'_, Self>) -> (Bound<'_, pyo3::types::PyType>, (String,)) {
        (slf.get_type(), (slf.get().0.to_string(),))
    }
}

/// Every device of the machine, CPU devices first.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> PyResult<Vec<Device>> {
    call(py, "devices", || Ok(device::devices().into_iter().map(Device).collect()))
}

/// The device this thread works on: that of the innermost `with` block, else the process's default.
#[pyfunction]
pub(crate) fn current_device() -> Device {
    Device(device::current_device())
}

/// Say where the file of one of NVIDIA's libraries is, before anything needs it: "NVRTC", which compiles what arrays on GPUs
/// compute, "cuBLAS", which multiplies matrices there, "cuFFT", which does Fourier transforms, "cuSOLVER", which does linear
/// algebra, or "NCCL", which carries collectives between them. Those that pip installed are found without it. What the process has
/// loaded is taken before it, and so is a file that the environment names (ICICLE_NVRTC_PATH, ICICLE_CUBLAS_PATH and so on).
/// Raises InvalidArgument if there is no such library or file, or the library has been looked for; nothing is changed.
#[pyfunction]
pub(crate) fn set_library_path(py: Python<'_>, library: &str, path: PathBuf) -> PyResult<()> {
    call(py, "set_library_path", || icicle::cuda::set_library_path(library, &path))
}

/// Set the device of threads that are in no `with` block, now and later. Raises InvalidDevice if there is none, and the
/// default stays.
#[pyfunction]
pub(crate) fn set_default_device(py: Python<'_>, device: DeviceLike) -> PyResult<()> {
    call(py, "device", || device::set_default_device(device.0))
}
