//! The array: shared memory on a device, or the operation that will write it, and how its elements lie there.
//!
//! How operations run is not known here: one that waits brings what computes it.
#![allow(unsafe_code)] // memory by address

use crate::job::Job;
use crate::layout::{Layout, count};
use crate::step::{Code, Step};
use crate::storage::Storage;
use crate::walk::{Walk, gather, scatter};
use crate::{DType, Element};
use icicle_cpu::blocks::Work;
use icicle_device::{Device, DeviceKind, Dst, Place, Src};
use icicle_error::reserve::with_capacity;
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::Buffer;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// An n-dimensional array of numbers of one dtype on a device.
///
/// Views (slices, transposes, broadcasts) share memory with what they are views of. Nothing changes what is shared:
/// assignment copies first if anyone else holds the memory, so an array is a value.
#[derive(Clone, Debug)]
pub struct Array {
    pub(crate) memory: Memory,
    pub(crate) dtype: DType,
    pub(crate) layout: Layout,
}

/// An array's memory.
#[derive(Clone, Debug)]
pub(crate) enum Memory {
    Held(Arc<Storage>),
    /// What an operation will write, or has written.
    Pending(Arc<Pending>),
}

/// What computes an operation that waits, of these operands.
///
/// # Errors
/// `OutOfMemory`; those of the device.
pub(crate) type Compute = fn(&Pending, &[&Array]) -> Result<Buffer<u8>>;

/// An operation that may not have been computed yet.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) job: Job,
    pub(crate) step: Step,
    pub(crate) dtype: DType,
    /// Operations that computing it takes.
    pub(crate) length: usize,
    /// Whether one of them is bound by arithmetic.
    pub(crate) work: Work,
    /// Empty once it is computed.
    operands: Mutex<Vec<Array>>,
    /// Whether its values have been computed without being kept.
    pub(crate) passed: AtomicBool,
    compute: Compute,
    result: OnceLock<Arc<Storage>>,
}

impl Pending {
    /// An operation without operands.
    pub(crate) fn new(job: Job, step: Step, dtype: DType, compute: Compute) -> Self {
        let (operands, passed, result) = (Mutex::default(), AtomicBool::new(false), OnceLock::new());
        Self { job, step, dtype, length: 0, work: step.work, operands, passed, compute, result }
    }

    /// The operation on operands, with how many operations these take, and whether one of all is bound by arithmetic.
    pub(crate) fn on(self, operands: &[&Array], length: usize, work: Work) -> Self {
        let operands = Mutex::new(operands.iter().map(|&array| array.clone()).collect());
        Self { operands, length, work, ..self }
    }

    /// The array that it will write.
    pub(crate) fn array(self, layout: Layout) -> Array {
        Array { dtype: self.dtype, layout, memory: Memory::Pending(Arc::new(self)) }
    }

    /// Its results, computed if they are not there.
    ///
    /// # Errors
    /// `OutOfMemory`; then it waits on.
    #[inline(never)] // so that asking for memory that is there stays short
    fn results(&self) -> Result<&Arc<Storage>> {
        if let Some(results) = self.result.get() {
            return Ok(results);
        }
        let mut operands = self.operands();
        if let Some(results) = self.result.get() {
            return Ok(results);
        }
        let out = (self.compute)(self, &operands.iter().collect::<Vec<_>>())?;
        let results = self.result.get_or_init(|| Arc::new(out.into()));
        operands.clear();
        Ok(results)
    }

    // What an operand leaves behind when another thread's use of it panicked is whole.
    pub(crate) fn operands(&self) -> MutexGuard<'_, Vec<Array>> {
        self.operands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An array that nobody else holds yet, with dense memory of any content.
pub(crate) struct Fresh {
    storage: Buffer<u8>,
    dtype: DType,
    layout: Layout,
}

impl Fresh {
    /// Memory for a shape.
    ///
    /// # Errors
    /// `InvalidArgument` if the shape is too large, `OutOfMemory`.
    pub(crate) fn new(op: &'static str, device: Device, dtype: DType, shape: &[usize]) -> Result<Self> {
        let bytes = count(op, shape)? * dtype.bytes();
        let layout = Layout::dense(op, shape)?;
        Ok(Self { storage: Buffer::on(device, bytes.max(1))?, dtype, layout })
    }
    /// Memory for a job's results of a dtype, in the job's order.
    ///
    /// # Errors
    /// As [`Fresh::new`].
    pub(crate) fn of(job: &Job, dtype: DType) -> Result<Self> {
        Self::new(job.op, job.device, dtype, &job.order.extents())
    }
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }
    /// Where its elements are to be written, all of them.
    pub(crate) fn start(&mut self) -> *mut u8 {
        self.storage.as_mut_ptr()
    }
    /// Its elements, to write.
    pub(crate) fn slice<T: Element>(&mut self) -> &mut [T] {
        let len = if self.dtype == T::DTYPE { self.layout.len() } else { 0 };
        // SAFETY: the storage holds so many elements, aligned; uniquely borrowed; any bytes are plain data.
        unsafe { std::slice::from_raw_parts_mut(self.start().cast(), len) }
    }
    /// Its bytes, to write, on a CPU.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        let is_here = self.storage.device().kind == DeviceKind::Cpu;
        let bytes = if is_here { self.layout.len() * self.dtype.bytes() } else { 0 };
        // SAFETY: the storage holds so many; uniquely borrowed; any bytes are plain data.
        unsafe { std::slice::from_raw_parts_mut(self.start(), bytes) }
    }
    /// The array, once written.
    #[inline]
    pub(crate) fn done(self) -> Array {
        Array { memory: Memory::Held(Arc::new(self.storage.into())), dtype: self.dtype, layout: self.layout }
    }
    /// The array, once written, by another layout of as many elements.
    #[inline]
    pub(crate) fn done_by(self, layout: Layout) -> Array {
        Array { memory: Memory::Held(Arc::new(self.storage.into())), dtype: self.dtype, layout }
    }
    /// Its memory, once written.
    pub(crate) fn into_storage(self) -> Buffer<u8> {
        self.storage
    }
}

impl Array {
    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }
    /// The device its memory is on.
    pub fn device(&self) -> Device {
        match &self.memory {
            Memory::Held(storage) => storage.device(),
            Memory::Pending(pending) => pending.job.device,
        }
    }
    /// Extents of its axes.
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }
    /// Elements from one index of an axis to the next.
    pub fn strides(&self) -> &[isize] {
        &self.layout.strides
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.layout.shape.len()
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.layout.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }
    /// Whether elements follow each other in memory, the last axis densest.
    pub fn is_dense(&self) -> bool {
        self.layout.is_dense()
    }
    /// Its memory, with what it waits for computed.
    #[inline]
    pub(crate) fn storage(&self) -> Result<&Arc<Storage>> {
        match &self.memory {
            Memory::Held(storage) => Ok(storage),
            Memory::Pending(pending) => pending.results(),
        }
    }
    /// The value of all its elements, if it was made of one.
    pub(crate) fn constant(&self) -> Option<[u8; 16]> {
        match &self.memory {
            Memory::Pending(pending) => match pending.step.code {
                Code::Constant(bytes) => Some(bytes),
                _ => None,
            },
            Memory::Held(_) => None,
        }
    }
    /// The operation its elements wait for, if they do.
    pub(crate) fn pending(&self) -> Option<&Arc<Pending>> {
        match &self.memory {
            Memory::Pending(pending) if pending.result.get().is_none() => Some(pending),
            _ => None,
        }
    }
    /// The address of the element whose indices are all 0, for other languages and kernels. What the array waits for is
    /// computed first.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn as_ptr(&self) -> Result<*const u8> {
        Ok(self.storage()?.as_ptr().wrapping_add(self.layout.offset * self.dtype.bytes()))
    }

    /// The elements that a buffer holds, dense in C order, without a copy.
    ///
    /// # Errors
    /// `InvalidArgument` if they are not as many as the shape says.
    pub fn from_buffer(buffer: Buffer<u8>, dtype: DType, shape: &[usize]) -> Result<Self> {
        let op = "from_buffer";
        let need = count(op, shape)? * dtype.bytes();
        if buffer.len() != need {
            let rule = format!("shape {shape:?} of {dtype} needs {need}");
            return Err(Error::argument(op, format!("buffer of {} bytes: {rule}", buffer.len())));
        }
        // Memory of no bytes has no address.
        let fresh = match need {
            0 => Fresh::new(op, buffer.device(), dtype, shape)?,
            _ => Fresh { storage: buffer, dtype, layout: Layout::dense(op, shape)? },
        };
        Ok(fresh.done())
    }

    /// The same memory by another layout, which must stay within it.
    pub(crate) fn with_layout(&self, layout: Layout) -> Self {
        Self { memory: self.memory.clone(), dtype: self.dtype, layout }
    }

    /// A dense array of host data in C order, on the thread's current device.
    ///
    /// # Errors
    /// `InvalidArgument` if the data are not as many as the shape says; `OutOfMemory`.
    pub fn from_slice<T: Element>(data: &[T], shape: &[usize]) -> Result<Self> {
        Self::from_slice_on(icicle_device::current_device(), data, shape)
    }

    /// As [`Array::from_slice`], on a device.
    ///
    /// # Errors
    /// As there, and `InvalidDevice`.
    pub fn from_slice_on<T: Element>(device: Device, data: &[T], shape: &[usize]) -> Result<Self> {
        let need = count("from_slice", shape)?;
        if data.len() != need {
            let detail = format!("data of {} elements: shape {shape:?} has {need}", data.len());
            return Err(Error::argument("from_slice", detail));
        }
        let mut out = Fresh::new("from_slice", device, T::DTYPE, shape)?;
        let bytes: &[u8] = bytemuck::cast_slice(data);
        // SAFETY: the storage holds at least so many bytes on its device.
        let to = unsafe { Dst::from_raw_parts(out.start(), bytes.len(), Place::Device(device)) };
        icicle_runtime::transfer(to, Src::from(bytes))?;
        Ok(out.done())
    }

    /// A copy of strided host memory, strides in bytes, on a device.
    ///
    /// # Errors
    /// `InvalidArgument` if the strides are not as many as the axes or no multiples of an element; `OutOfMemory`.
    ///
    /// # Safety
    /// Every element that shape and strides name from `start` on can be read, and is not written meanwhile.
    pub unsafe fn from_strided(
        device: Device,
        dtype: DType,
        start: *const u8,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self> {
        const OP: &str = "asarray";
        let (n, bytes) = (count(OP, shape)?, dtype.bytes() as isize);
        if strides.len() != shape.len()
            || strides.iter().any(|s| s % bytes != 0)
            || !start.addr().is_multiple_of(dtype.align())
        {
            let rule = format!("one for each of {} axes, multiples of {bytes}, from an aligned address", shape.len());
            return Err(Error::argument(OP, format!("strides {strides:?} in bytes from {start:?}: must be {rule}")));
        }
        let mut host = Fresh::new(OP, Device::cpu(0), dtype, shape)?;
        let strides: Vec<_> = strides.iter().map(|s| s / bytes).collect();
        // SAFETY: the caller's memory is readable where the walk goes; the destination holds all `n` elements.
        unsafe { gather(start, dtype.bytes(), &Walk::new(shape, &strides), 0, n, host.start()) };
        host.done().dense_on(OP, device)
    }

    /// Copy elements `start..start + n`, in C order, to memory on the host.
    ///
    /// # Safety
    /// The array is on a CPU and has these elements; `to` takes them.
    pub(crate) unsafe fn read(&self, start: usize, n: usize, to: *mut u8) -> Result<()> {
        let walk = Walk::new(self.shape(), self.strides());
        // SAFETY: the caller's; a layout stays within its storage.
        unsafe { gather(self.as_ptr()?, self.dtype.bytes(), &walk, start, n, to) };
        Ok(())
    }

    /// Copy the elements, in C order, to as many of their type.
    ///
    /// # Errors
    /// `Unsupported` if the array is not on a CPU, `InvalidArgument` if its dtype is another or it has not as many elements;
    /// those of computing the array.
    pub(crate) fn read_all<T: Element>(&self, op: &'static str, to: &mut [T]) -> Result<()> {
        compute_on(op, self.device())?;
        if (T::DTYPE, to.len()) != (self.dtype, self.len()) {
            let of = format!("{} elements of {}: the array holds {} of {}", to.len(), T::DTYPE, self.len(), self.dtype);
            return Err(Error::argument(op, of));
        }
        // SAFETY: on a CPU; all its elements, for as many of their type.
        unsafe { self.read(0, to.len(), to.as_mut_ptr().cast()) }
    }

    /// The elements of an array on a CPU, in C order.
    ///
    /// # Errors
    /// As [`Array::read_all`].
    pub(crate) fn read_vec<T: Element>(&self, op: &'static str) -> Result<Vec<T>> {
        compute_on(op, self.device())?;
        self.check_type::<T>(op)?;
        let mut out = with_capacity::<T>(op, self.len())?;
        // SAFETY: on a CPU; room for all elements was reserved, of their type, and all are written; plain data.
        unsafe {
            self.read(0, self.len(), out.as_mut_ptr().cast())?;
            out.set_len(self.len());
        }
        Ok(out)
    }

    /// Check that elements are of a type.
    ///
    /// # Errors
    /// `InvalidArgument` if `T` is not the dtype's type.
    pub(crate) fn check_type<T: Element>(&self, op: &'static str) -> Result<()> {
        match T::DTYPE == self.dtype {
            true => Ok(()),
            false => Err(Error::argument(op, format!("elements of {}: the array holds {}", T::DTYPE, self.dtype))),
        }
    }

    /// Write values to the elements a layout names, which is one of this array's: as many, dense, of the dtype, both on CPUs. The
    /// memory is copied first if shared.
    ///
    /// # Errors
    /// `OutOfMemory`; those of computing the values.
    pub(crate) fn write(&mut self, op: &'static str, target: &Layout, values: &Array) -> Result<()> {
        compute_on(op, self.device()).and(compute_on(op, values.device()))?;
        if (values.is_dense(), values.dtype, values.len()) != (true, self.dtype, target.len()) {
            return Err(Error::new(ErrorCode::Internal, op, "values: must be dense, and as many of the dtype"));
        }
        let bytes = self.dtype.bytes();
        let storage = self.unshared()?;
        let walk = Walk::new(&target.shape, &target.strides);
        // SAFETY: the layout stays within the storage, as `target` came from this array's; the values are dense and as many;
        // they lie elsewhere, since the storage has no other holder.
        unsafe { scatter(values.as_ptr()?, bytes, &walk, target.len(), storage.wrapping_add(target.offset * bytes)) };
        Ok(())
    }

    /// The storage's first address, held by nobody else; a copy of all of it if it was, with the same layout.
    pub(crate) fn unshared(&mut self) -> Result<*mut u8> {
        // Without the operation that wrote it, which would hold it too.
        self.memory = Memory::Held(Arc::clone(self.storage()?));
        let device = self.device();
        let Memory::Held(storage) = &mut self.memory else {
            return Err(Error::new(ErrorCode::Internal, "assign", "memory is not held"));
        };
        if Storage::unique(storage).is_none() {
            let mut copy = Arc::new(storage.alike()?);
            // SAFETY: the memory holds so many bytes, on this device.
            let from = unsafe { Src::from_raw_parts(storage.as_ptr(), storage.len(), Place::Device(device)) };
            copy_to(&mut copy, from)?;
            *storage = copy;
        }
        match Storage::unique(storage) {
            Some(start) => Ok(start),
            None => Err(Error::new(ErrorCode::Internal, "assign", "a new copy is held by another")),
        }
    }

    /// The elements of a dense array on a CPU.
    ///
    /// # Errors
    /// `OutOfMemory` for what it waits for.
    pub(crate) fn elements<T: Element>(&self) -> Result<&[T]> {
        let fits = self.is_dense() && self.dtype == T::DTYPE && self.device().kind == DeviceKind::Cpu;
        debug_assert!(fits);
        let len = if fits { self.len() } else { 0 };
        // SAFETY: a dense layout within the storage, which is aligned to 64; shared memory is not written.
        Ok(unsafe { std::slice::from_raw_parts(self.as_ptr()?.cast(), len) })
    }
}

/// Copy to memory that nobody else holds, and that takes as much.
pub(crate) fn copy_to(storage: &mut Arc<Storage>, from: Src<'_>) -> Result<()> {
    let (device, bytes) = (storage.device(), from.bytes().min(storage.len()));
    let Some(to) = Storage::unique(storage) else {
        return Err(Error::new(ErrorCode::Internal, "copy", "new memory is held by another"));
    };
    // SAFETY: the storage holds so many bytes, of which nobody else knows.
    let to = unsafe { Dst::from_raw_parts(to, bytes, Place::Device(device)) };
    icicle_runtime::transfer(to, from)
}

/// Check that arrays are on one device, and say which.
///
/// # Errors
/// `InvalidArgument` for several devices.
pub(crate) fn on_one(op: &'static str, arrays: &[&Array]) -> Result<Device> {
    let Some(device) = arrays.first().map(|array| array.device()) else {
        return Ok(icicle_device::current_device());
    };
    match arrays.iter().map(|array| array.device()).find(|&other| other != device) {
        None => Ok(device),
        Some(other) => {
            let detail = format!("arrays on {device} and {other}: must be on one device; move one with to_device");
            Err(Error::argument(op, detail))
        }
    }
}

/// Check that arrays are on one device that computes elementwise operations and folds, and say which.
///
/// # Errors
/// `InvalidArgument` for several devices; `Unsupported`.
pub(crate) fn computing(op: &'static str, arrays: &[&Array]) -> Result<Device> {
    let device = on_one(op, arrays)?;
    if cfg!(feature = "cuda") { Ok(device) } else { compute_on(op, device) }
}

/// Check that an operation that only CPUs do is asked of one.
///
/// # Errors
/// `Unsupported`.
pub(crate) fn compute_on(op: &'static str, device: Device) -> Result<Device> {
    match device.kind {
        DeviceKind::Cpu => Ok(device),
        DeviceKind::Cuda => Err(Error::unsupported(op, format!("device {device}: done on CPUs only"))),
    }
}
