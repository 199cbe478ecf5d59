//! DLPack, both ways: <https://dmlc.github.io/dlpack/latest/>. Structures of version 1.1 and of the time before versions.
#![allow(unsafe_code)]

use crate::buffer::{Buffer, Foreign};
use crate::device::DeviceLike;
use crate::error::call;
use crate::limbs::Limbs;
use icicle::array::dense_strides;
use icicle::device::{Device, Event, StreamRef, registry};
use icicle::{DeviceKind, Error};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

const VERSION: [u32; 2] = [1, 1];
const CPU: i32 = 1;
const CUDA: i32 = 2;
const UINT: u8 = 1;
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;
const LEGACY: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
struct ManagedVersioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    flags: u64,
    tensor: Tensor,
}

/// What a consumer asks for.
pub(crate) struct Request {
    pub stream: Option<isize>,
    pub max_version: Option<(u32, u32)>,
    pub dl_device: Option<(i32, i32)>,
}

/// What an exported tensor points to.
struct Context {
    shape: Vec<i64>,
    strides: Vec<i64>,
    _memory: Box<dyn Send + Sync>,
}

/// DLPack's name of a device. Virtual CPU devices are one to others.
pub(crate) fn device_pair(device: Device) -> (i32, i32) {
    match device.kind {
        DeviceKind::Cpu => (CPU, 0),
        DeviceKind::Cuda => (CUDA, device.index as i32),
    }
}

/// Make the consumer's stream wait for the work now on any of ours.
fn order(py: Python<'_>, device: Device, stream: Option<isize>) -> PyResult<()> {
    let raw = match (device.kind, stream) {
        (DeviceKind::Cpu, None | Some(-1)) => return Ok(()),
        (DeviceKind::Cpu, Some(stream)) => {
            return Err(PyValueError::new_err(format!("dlpack: stream {stream}: must be None or -1 on the CPU")));
        }
        // The default stream already comes after all our streams.
        (DeviceKind::Cuda, None | Some(1 | -1)) => return Ok(()),
        (DeviceKind::Cuda, Some(stream)) if stream >= 2 => stream as usize,
        (DeviceKind::Cuda, Some(stream)) => {
            let rule = "must be -1, 1, 2 or a handle; 0 is ambiguous";
            return Err(PyValueError::new_err(format!("dlpack: stream {stream}: {rule}")));
        }
    };
    call(py, "dlpack", || {
        let event = Event::on(device, false)?;
        event.record_on(&StreamRef::default_of(device))?;
        // SAFETY: the consumer's stream, which the protocol has it keep, and our event.
        unsafe { registry::backend(device)?.stream_wait_event(device.index, raw, event.raw()) }
    })
}

/// What is exported: elements in memory, and what keeps it alive.
pub(crate) struct Exported {
    pub device: Device,
    pub limbs: Limbs,
    /// DLPack's kind of element.
    pub code: u8,
    pub keep: Box<dyn Send + Sync>,
    pub copied: bool,
    /// Only versioned capsules can say so.
    pub read_only: bool,
}

/// A capsule of limbs in a buffer, which may be a copy made for it.
pub(crate) fn export<'py>(
    py: Python<'py>,
    buffer: &Buffer,
    limbs: Limbs,
    request: &Request,
    copied: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let keep = Box::new(buffer.keep());
    export_tensor(py, Exported { device: buffer.on(), limbs, code: UINT, keep, copied, read_only: false }, request)
}

/// A capsule of elements in memory.
pub(crate) fn export_tensor<'py>(
    py: Python<'py>,
    exported: Exported,
    request: &Request,
) -> PyResult<Bound<'py, PyAny>> {
    let Exported { device, limbs, code, keep, copied, read_only } = exported;
    let own = device_pair(device);
    if request.dl_device.is_some_and(|asked| asked != own) {
        let text =
            format!("dlpack: dl_device {:?}: the array is on {own:?}, copy it with to() first", request.dl_device);
        return Err(PyBufferError::new_err(text));
    }
    order(py, device, request.stream)?;
    let mut context = Box::new(Context {
        strides: limbs.strides.into_iter().map(|n| n as i64).collect(),
        shape: limbs.shape.into_iter().map(|n| n as i64).collect(),
        _memory: keep,
    });
    let tensor = Tensor {
        data: std::ptr::with_exposed_provenance_mut(limbs.address),
        device_type: own.0,
        device_id: own.1,
        ndim: context.shape.len() as i32,
        code,
        bits: 8 * limbs.bytes as u8,
        lanes: 1,
        shape: context.shape.as_mut_ptr(),
        strides: context.strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let context = Box::into_raw(context).cast();
    if request.max_version.is_some_and(|(major, _)| major >= 1) {
        let flags = if copied { IS_COPIED } else { 0 } | if read_only { READ_ONLY } else { 0 };
        let managed = ManagedVersioned { version: VERSION, context, deleter: Some(delete_versioned), flags, tensor };
        capsule(py, managed, VERSIONED, destroy_versioned)
    } else {
        capsule(py, Managed { tensor, context, deleter: Some(delete) }, LEGACY, destroy)
    }
}

fn capsule<'py, T>(
    py: Python<'py>,
    managed: T,
    name: &'static CStr,
    destroy: ffi::PyCapsule_Destructor,
) -> PyResult<Bound<'py, PyAny>> {
    let pointer = NonNull::from(Box::leak(Box::new(managed))).cast();
    // SAFETY: the pointer stays valid until its deleter runs, which the destructor sees to if no consumer does.
    let made = unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer, name, Some(destroy)) };
    made.map(Bound::into_any)
}

/// # Safety
/// `managed` came from [`capsule`], and is not used again.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: the caller's; boxed there.
    let managed = unsafe { Box::from_raw(managed) };
    // SAFETY: boxed by `export`, once for each managed tensor.
    drop(unsafe { Box::from_raw(managed.context.cast::<Context>()) });
}

/// # Safety
/// As [`delete`].
unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: the caller's; boxed by `capsule`.
    let managed = unsafe { Box::from_raw(managed) };
    // SAFETY: boxed by `export`, once for each managed tensor.
    drop(unsafe { Box::from_raw(managed.context.cast::<Context>()) });
}

/// The pointer of a capsule nobody consumed: a consumer renames it.
///
/// # Safety
/// `object` is a capsule.
unsafe fn unconsumed<T>(object: *mut ffi::PyObject, name: &CStr) -> Option<*mut T> {
    // SAFETY: the caller's.
    let pending = unsafe { ffi::PyCapsule_IsValid(object, name.as_ptr()) } == 1;
    // SAFETY: valid under this name, as just asked.
    pending.then(|| unsafe { ffi::PyCapsule_GetPointer(object, name.as_ptr()) }.cast())
}

/// # Safety
/// Called by the interpreter with the capsule.
unsafe extern "C" fn destroy(object: *mut ffi::PyObject) {
    // SAFETY: the caller's.
    if let Some(managed) = unsafe { unconsumed(object, LEGACY) } {
        // SAFETY: of `capsule`, and nobody else's.
        unsafe { delete(managed) }
    }
}

/// # Safety
/// As [`destroy`].
unsafe extern "C" fn destroy_versioned(object: *mut ffi::PyObject) {
    // SAFETY: the caller's.
    if let Some(managed) = unsafe { unconsumed(object, VERSIONED) } {
        // SAFETY: of `capsule`, and nobody else's.
        unsafe { delete_versioned(managed) }
    }
}

/// A capsule nobody has consumed: its structure, and what it says.
struct Pending<'a> {
    pointer: NonNull<c_void>,
    versioned: bool,
    read_only: bool,
    tensor: &'a Tensor,
}

fn pending<'a>(capsule: &'a Bound<'_, PyCapsule>) -> PyResult<Pending<'a>> {
    let versioned = capsule.is_valid_checked(Some(VERSIONED));
    if !versioned && !capsule.is_valid_checked(Some(LEGACY)) {
        return Err(PyTypeError::new_err("from_dlpack: capsule: must be an unused dltensor or dltensor_versioned"));
    }
    let name = if versioned { VERSIONED } else { LEGACY };
    let pointer = capsule.pointer_checked(Some(name))?;
    if !pointer.as_ptr().addr().is_multiple_of(align_of::<ManagedVersioned>().max(align_of::<Managed>())) {
        return Err(PyBufferError::new_err("from_dlpack: capsule: its structure is misaligned"));
    }
    let (tensor, read_only) = if versioned {
        // SAFETY: the name says what it is; its owner keeps it until the deleter runs.
        let managed = unsafe { pointer.cast::<ManagedVersioned>().as_ref() };
        if managed.version[0] != VERSION[0] {
            let text = format!("from_dlpack: version {:?}: must be 1.x", managed.version);
            return Err(PyBufferError::new_err(text));
        }
        (&managed.tensor, managed.flags & READ_ONLY != 0)
    } else {
        // SAFETY: as above.
        (unsafe { &pointer.cast::<Managed>().as_ref().tensor }, false)
    };
    Ok(Pending { pointer, versioned, read_only, tensor })
}

/// Mark a capsule as consumed, and what lets go of its tensor.
fn consume(capsule: &Bound<'_, PyCapsule>, pending: &Pending<'_>) -> PyResult<Box<dyn FnOnce() + Send + Sync>> {
    let Pending { versioned, pointer, .. } = *pending;
    let used = if versioned { c"used_dltensor_versioned" } else { c"used_dltensor" };
    // SAFETY: a capsule; the name is static. From here on the deleter is ours to call.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) } != 0 {
        return Err(PyErr::fetch(capsule.py()));
    }
    let address = pointer.as_ptr().expose_provenance();
    Ok(Box::new(move || {
        if versioned {
            let managed = std::ptr::with_exposed_provenance_mut::<ManagedVersioned>(address);
            // SAFETY: alive until its deleter runs, which is here, once; it takes the interpreter's lock if it needs it.
            unsafe { (*managed).deleter.into_iter().for_each(|deleter| deleter(managed)) }
        } else {
            let managed = std::ptr::with_exposed_provenance_mut::<Managed>(address);
            // SAFETY: as above.
            unsafe { (*managed).deleter.into_iter().for_each(|deleter| deleter(managed)) }
        }
    }))
}

/// Take a capsule: its memory without a copy, the shape, the bytes of an item, and whether it must not be written.
///
/// Memory on the CPU counts as memory of `device`, a CPU device. Raises BufferError for data that is not unsigned
/// integers of 4 or 8 bytes, not C-contiguous, misaligned or on an unknown device; the capsule is then left alone.
#[pyfunction]
pub(crate) fn from_dlpack<'py>(
    capsule: &Bound<'py, PyCapsule>,
    device: DeviceLike,
) -> PyResult<(Buffer, Bound<'py, PyTuple>, usize, bool)> {
    let pending = pending(capsule)?;
    let found = Found::of(pending.tensor, device.0).map_err(PyBufferError::new_err)?;
    let release = consume(capsule, &pending)?;
    let read_only = pending.read_only;
    let Found { address, device, .. } = found;
    let on_host = device.kind == DeviceKind::Cpu;
    let foreign = Foreign { address, device, on_host, release: Some(release) };
    let shape = PyTuple::new(capsule.py(), &found.shape)?;
    Ok((Buffer::borrow_foreign(foreign, found.bytes), shape, found.item, read_only))
}

/// Elements on the host, strides counted in them.
pub(crate) struct HostTensor {
    pub address: usize,
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    pub code: u8,
    pub bits: u8,
}

/// Read a capsule's tensor, which must be on the host, and then let go of it; a capsule that is refused is left alone.
pub(crate) fn with_host_tensor<T>(
    capsule: &Bound<'_, PyCapsule>,
    read: impl FnOnce(&HostTensor) -> PyResult<T>,
) -> PyResult<T> {
    let pending = pending(capsule)?;
    let tensor = host_tensor(pending.tensor).map_err(PyBufferError::new_err)?;
    let done = read(&tensor)?;
    consume(capsule, &pending)?();
    Ok(done)
}

fn host_tensor(tensor: &Tensor) -> Result<HostTensor, String> {
    let refuse = |detail: String| Err(Error::argument("from_dlpack", detail).to_string());
    let (shape, numbers) = extents(tensor)?;
    let &Tensor { code, bits, lanes, device_type, byte_offset, .. } = tensor;
    if device_type != CPU || lanes != 1 {
        return refuse(format!("data on device type {device_type}, {lanes} lanes: must be 1 (CPU) and 1"));
    }
    let start = tensor.data.expose_provenance();
    let bytes = bytes_of(&shape, usize::from(bits).div_ceil(8));
    let address = usize::try_from(byte_offset).ok().and_then(|offset| start.checked_add(offset));
    match (bytes, address) {
        (Some(bytes), Some(address)) if bytes == 0 || start != 0 => {
            let strides = match tensor.strides.is_null() {
                true => dense_strides(&shape),
                false => numbers(tensor.strides).into_iter().map(|stride| stride as isize).collect(),
            };
            // No elements may lie nowhere.
            let address = if bytes == 0 { std::mem::align_of::<u128>() } else { address };
            Ok(HostTensor { address, shape, strides, code, bits })
        }
        _ => refuse(format!("shape {shape:?} of {bits} bits at {start:#x}: not within the address space")),
    }
}

/// The extents of a tensor, and how its other numbers are read.
#[allow(clippy::type_complexity)]
fn extents(tensor: &Tensor) -> Result<(Vec<usize>, impl Fn(*const i64) -> Vec<i64>), String> {
    let refuse = |detail: String| Err(Error::argument("from_dlpack", detail).to_string());
    let ndim = tensor.ndim;
    if !(0..=MOST_AXES).contains(&ndim) {
        return refuse(format!("ndim {ndim}: must be 0 to {MOST_AXES}"));
    }
    if ndim > 0 && tensor.shape.is_null() {
        return refuse(format!("shape of {ndim} axes is null: must not be"));
    }
    let numbers = move |pointer: *const i64| -> Vec<i64> {
        // SAFETY: not null, and then `ndim` numbers, as DLPack promises.
        (0..ndim as usize).map(|i| unsafe { pointer.add(i).read_unaligned() }).collect()
    };
    let given = numbers(tensor.shape);
    match given.iter().map(|&n| usize::try_from(n)).collect::<Result<Vec<_>, _>>() {
        Ok(shape) => Ok((shape, numbers)),
        Err(_) => refuse(format!("shape {given:?}: must not be negative")),
    }
}

/// A tensor that can be used as it is.
struct Found {
    address: usize,
    device: Device,
    shape: Vec<usize>,
    item: usize,
    bytes: usize,
}

/// Axes of the largest tensor taken: as many as NumPy has.
const MOST_AXES: i32 = 64;

impl Found {
    fn of(tensor: &Tensor, cpu: Device) -> Result<Self, String> {
        let refuse = |detail: String| Err(Error::argument("from_dlpack", detail).to_string());
        if tensor.code != UINT || tensor.lanes != 1 || ![32, 64].contains(&tensor.bits) {
            let Tensor { code, bits, lanes, .. } = tensor;
            return refuse(format!("type code {code}, {bits} bits, {lanes} lanes: must be unsigned, 32 or 64 bits"));
        }
        let (shape, numbers) = extents(tensor)?;
        let item = tensor.bits as usize / 8;
        let Some(bytes) = bytes_of(&shape, item) else {
            return refuse(format!("shape {shape:?} of {item} bytes each: exceeds the address space"));
        };
        if !tensor.strides.is_null() {
            let strides = numbers(tensor.strides);
            // The stride of an axis of one element says nothing.
            let mut each = strides.iter().zip(dense_strides(&shape)).zip(&shape);
            if bytes > 0 && !each.all(|((&got, want), &n)| got as isize == want || n <= 1) {
                return refuse(format!("strides {strides:?} of shape {shape:?}: must be C-contiguous"));
            }
        }
        let start = tensor.data.expose_provenance();
        let offset = usize::try_from(tensor.byte_offset).ok();
        let address = offset.and_then(|offset| start.checked_add(offset));
        let Some(address) = address.filter(|&at| at.checked_add(bytes).is_some()) else {
            let offset = tensor.byte_offset;
            return refuse(format!("data at {start:#x}, byte_offset {offset}: exceeds the address space"));
        };
        if bytes > 0 && start == 0 {
            return refuse(format!("data of {bytes} bytes is null: must not be"));
        }
        if bytes > 0 && !address.is_multiple_of(4) {
            return refuse(format!("data at {address:#x}: must be aligned to 4 bytes"));
        }
        let device = place(tensor, cpu, address, bytes)?;
        Ok(Self { address, device, shape, item, bytes })
    }
}

/// Length of items of a shape, if memory can have it; of no items too where the other axes alone exceed it.
fn bytes_of(shape: &[usize], item: usize) -> Option<usize> {
    let whole = shape.iter().filter(|&&n| n > 0).try_fold(item, |product, &n| product.checked_mul(n));
    let bytes = whole.filter(|&bytes| bytes <= isize::MAX as usize)?;
    Some(if shape.contains(&0) { 0 } else { bytes })
}

/// The device a tensor lies on; memory on the CPU counts as memory of `cpu`.
fn place(tensor: &Tensor, cpu: Device, address: usize, bytes: usize) -> Result<Device, String> {
    let refuse = |detail: String| Err(Error::argument("from_dlpack", detail).to_string());
    let id = tensor.device_id;
    match tensor.device_type {
        CPU if cpu.kind != DeviceKind::Cpu => refuse(format!("data on the CPU: device {cpu} must be a CPU device")),
        CPU if id != 0 => refuse(format!("device id {id} of the CPU: must be 0")),
        CPU => Ok(cpu),
        CUDA => {
            let count = registry::device_count(DeviceKind::Cuda);
            let Some(index) = u32::try_from(id).ok().filter(|&index| index < count) else {
                return refuse(format!("device id {id} of CUDA: there are {count} CUDA devices"));
            };
            let device = Device::cuda(index);
            // The driver knows whose memory it is: an address of another device, or the host's, would fault on this one.
            let known = icicle::cuda::pointer_info(std::ptr::with_exposed_provenance(address));
            let known = known.map_err(|error| error.to_string())?.device;
            if bytes > 0 && known != Some(device) {
                let found = known.map_or("no CUDA device".to_string(), |device| device.to_string());
                return refuse(format!("data at {address:#x} of {found}: the tensor says {device}"));
            }
            Ok(device)
        }
        other => refuse(format!("device type {other}: must be 1 (CPU) or 2 (CUDA)")),
    }
}

/// The CUDA device an address belongs to, as the driver says.
#[pyfunction]
pub(crate) fn pointer_device(py: Python<'_>, address: usize) -> PyResult<crate::device::Device> {
    let op = "pointer_info";
    call(py, op, || {
        let known = icicle::cuda::pointer_info(std::ptr::with_exposed_provenance(address))?;
        let rule = || Error::pointer(op, format!("{address:#x}: must be memory of a CUDA device"));
        known.device.map(crate::device::Device).ok_or_else(rule)
    })
}
