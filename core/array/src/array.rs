//! The array: shared memory on a device, and how its elements lie there.
#![allow(unsafe_code)] // memory by address

use crate::layout::{Layout, count};
use crate::lazy::Memory;
use crate::storage::Storage;
use crate::walk::{Walk, gather, scatter};
use crate::{DType, Element, Scalar, cast, creation};
use icicle_device::{Device, DeviceKind, Dst, Place, Src};
use icicle_error::reserve::with_capacity;
use icicle_error::{Error, Result};
use icicle_runtime::Buffer;
use std::sync::Arc;

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
    /// The array, once written.
    pub(crate) fn done(self) -> Array {
        Array { memory: Memory::Held(Arc::new(self.storage.into())), dtype: self.dtype, layout: self.layout }
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
            Memory::Pending(pending) => pending.device(),
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
    pub(crate) fn storage(&self) -> Result<&Arc<Storage>> {
        match &self.memory {
            Memory::Held(storage) => Ok(storage),
            Memory::Pending(pending) => pending.results(),
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
        host.done().to_device(device)
    }

    /// A copy of the elements in C order, on the host.
    ///
    /// # Errors
    /// `InvalidArgument` if `T` is not the dtype's type; `OutOfMemory`.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        const OP: &str = "to_vec";
        if T::DTYPE != self.dtype {
            return Err(Error::argument(OP, format!("elements of {}: the array holds {}", T::DTYPE, self.dtype)));
        }
        let host = self.to_device(Device::cpu(0))?;
        let mut out = with_capacity::<T>(OP, self.len())?;
        // SAFETY: room for all elements was reserved, and all are written; plain data.
        unsafe {
            host.read(0, self.len(), out.as_mut_ptr().cast())?;
            out.set_len(self.len());
        }
        Ok(out)
    }

    /// The value of an array of one element.
    ///
    /// # Errors
    /// `InvalidArgument` if there is not exactly one.
    pub fn item(&self) -> Result<Scalar> {
        if self.len() != 1 {
            return Err(Error::argument("item", format!("array of {} elements: must have exactly one", self.len())));
        }
        let one = self.to_device(Device::cpu(0))?;
        Ok(match self.dtype.kind() {
            crate::Kind::Bool => Scalar::Bool(one.to_vec::<crate::Bool>()?[0].into()),
            crate::Kind::Unsigned => Scalar::Int(one.astype(DType::UInt64)?.to_vec::<u64>()?[0].into()),
            crate::Kind::Signed => Scalar::Int(one.astype(DType::Int64)?.to_vec::<i64>()?[0].into()),
            crate::Kind::Float => Scalar::Float(one.astype(DType::Float64)?.to_vec::<f64>()?[0]),
            crate::Kind::Complex => Scalar::Complex(one.astype(DType::Complex128)?.to_vec()?[0]),
        })
    }

    /// Copy a dense array's bytes to new memory.
    ///
    /// # Errors
    /// `CopyFailed`; those of computing the array.
    pub(crate) fn copy_dense_to(&self, storage: &mut Arc<Storage>) -> Result<()> {
        debug_assert!(self.is_dense());
        let bytes = self.len() * self.dtype.bytes();
        // SAFETY: a dense array's elements lie there, on its device.
        let from = unsafe { Src::from_raw_parts(self.as_ptr()?, bytes, Place::Device(self.device())) };
        copy_to(storage, from)
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

    /// The same values on a device: itself if it is there.
    ///
    /// # Errors
    /// `InvalidDevice`, `OutOfMemory`, `CopyFailed`; as of [`Array::contiguous`].
    pub fn to_device(&self, device: Device) -> Result<Self> {
        if self.device() == device {
            return Ok(self.clone());
        }
        if self.is_empty() {
            return Ok(Fresh::new("to_device", device, self.dtype, self.shape())?.done());
        }
        if let Some(constant) = self.constant() {
            return creation::constant("to_device", device, self.shape(), self.dtype, constant);
        }
        let dense = self.contiguous()?;
        let mut out = Fresh::new("to_device", device, self.dtype, self.shape())?;
        let bytes = self.len() * self.dtype.bytes();
        // SAFETY: a dense array's elements lie there; the storage holds as many bytes on its device.
        let (to, from) = unsafe {
            let to = Dst::from_raw_parts(out.start(), bytes, Place::Device(device));
            (to, Src::from_raw_parts(dense.as_ptr()?, bytes, Place::Device(self.device())))
        };
        icicle_runtime::transfer(to, from)?;
        Ok(out.done())
    }

    /// The same values with dense memory: itself if it has.
    ///
    /// # Errors
    /// `Unsupported` for a strided array that is not on a CPU; `OutOfMemory`.
    pub fn contiguous(&self) -> Result<Self> {
        if self.is_dense() { Ok(self.clone()) } else { self.copy() }
    }

    /// A dense copy in C order.
    ///
    /// # Errors
    /// As [`Array::contiguous`].
    pub fn copy(&self) -> Result<Self> {
        cast::convert_in_order("copy", self)
    }

    /// The values in another dtype. Integers wrap, floats to integers saturate with NaN as 0, anything to bool says whether
    /// it is not 0. Without need it shares the memory.
    ///
    /// # Errors
    /// `InvalidArgument` for complex to real; `Unsupported` if it is not on a CPU; `OutOfMemory`.
    pub fn astype(&self, dtype: DType) -> Result<Self> {
        if dtype == self.dtype {
            return Ok(self.clone());
        }
        cast::convert("astype", self, dtype)
    }

    /// Write values to the elements a layout names, which is one of this array's; the memory is copied first if shared.
    pub(crate) fn overwrite(&mut self, op: &'static str, target: Layout, values: &Array) -> Result<()> {
        #[cfg(feature = "cuda")]
        if values.device().kind == DeviceKind::Cuda && (values.device() == self.device() || self.is_shared_with_gpus())
        {
            // Computed before the memory is written, which it may be computed from.
            let values = values.astype(self.dtype)?;
            values.storage()?;
            let (dtype, to) = (self.dtype, self.unshared()? as u64);
            return crate::storage::written_by(self.device(), values.device(), || {
                // SAFETY: the layout stays within the storage, which has no other holder, and which the values' device reaches.
                unsafe { crate::cuda::elementwise::scatter(op, &values, dtype, to, &target) }
            });
        }
        let device = computing(op, &[self, values])?;
        compute_on(op, device)?;
        let values = values.astype(self.dtype)?.broadcast_to(&target.shape)?.contiguous()?;
        let (n, bytes) = (target.len(), self.dtype.bytes());
        let storage = self.unshared()?;
        let walk = Walk::new(&target.shape, &target.strides);
        // SAFETY: the layout stays within the storage, as `target` came from this array's; the values are dense and as many;
        // they lie elsewhere, since the storage has no other holder.
        unsafe { scatter(values.as_ptr()?, bytes, &walk, n, storage.wrapping_add(target.offset * bytes)) };
        Ok(())
    }

    /// The storage's first address, held by nobody else; a copy of all of it if it was, with the same layout.
    pub(crate) fn unshared(&mut self) -> Result<*mut u8> {
        // Without the operation that wrote it, which would hold it too.
        self.memory = Memory::Held(Arc::clone(self.storage()?));
        let device = self.device();
        let Memory::Held(storage) = &mut self.memory else {
            return Err(Error::new(icicle_error::ErrorCode::Internal, "assign", "memory is not held"));
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
            None => Err(Error::new(icicle_error::ErrorCode::Internal, "assign", "a new copy is held by another")),
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
fn copy_to(storage: &mut Arc<Storage>, from: Src<'_>) -> Result<()> {
    let (device, bytes) = (storage.device(), from.bytes().min(storage.len()));
    let Some(to) = Storage::unique(storage) else {
        return Err(Error::new(icicle_error::ErrorCode::Internal, "copy", "new memory is held by another"));
    };
    // SAFETY: the storage holds so many bytes, of which nobody else knows.
    let to = unsafe { Dst::from_raw_parts(to, bytes, Place::Device(device)) };
    icicle_runtime::transfer(to, from)
}

impl DType {
    /// The alignment of an element.
    pub const fn align(self) -> usize {
        match self {
            Self::Complex64 => 4,
            Self::Complex128 => 8,
            other => other.bytes(),
        }
    }
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
