//! Memory for the length of a call, and operands brought to the device.
#![allow(unsafe_code)]

use super::gpu::{self, Gpu};
use super::{copy, pool};
use icicle_device::{CopyArgs, Dst, Exec, Place, Src};
use icicle_error::Result;
use std::ptr::NonNull;

/// Device memory of a call, from the pool: usable by work enqueued on the call's stream after it, and given back in
/// stream order when dropped, so that enqueued work may still use it.
pub struct Scratch {
    gpu: &'static Gpu,
    exec: Exec,
    ptr: Option<NonNull<u8>>,
    bytes: usize,
}

impl Scratch {
    /// `bytes` on the call's device and stream; none at all for 0.
    ///
    /// # Errors
    /// `OutOfMemory` with the pool's state.
    pub fn new(op: &'static str, exec: &Exec, bytes: usize) -> Result<Self> {
        let gpu = gpu::gpu(op, exec.device().index)?;
        let ptr = if bytes == 0 { None } else { Some(pool::alloc(gpu, op, bytes, exec.stream())?) };
        Ok(Self { gpu, exec: *exec, ptr, bytes })
    }

    /// Address on the device, 0 for no memory.
    pub fn address(&self) -> u64 {
        self.ptr.map_or(0, |ptr| ptr.as_ptr() as u64)
    }

    fn copy(&self, dst: (*mut u8, Place), src: (*const u8, Place)) -> Result<()> {
        let args =
            CopyArgs { dst: dst.0, dst_place: dst.1, src: src.0, src_place: src.1, bytes: self.bytes, in_order: true };
        let exec = self.exec.with_async(true);
        // SAFETY: one end is this memory; the other an operand as long, valid until the call's stream has passed.
        unsafe { copy::copy(&exec, &args) }
    }

    fn place(&self) -> Place {
        Place::Device(self.exec.device())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(ptr) = self.ptr {
            // SAFETY: our allocation, freed once, in the order of the stream that uses it.
            // A failure is a fault of earlier work and comes up in the next call.
            let _ = unsafe { pool::free(self.gpu, "free", ptr, self.bytes, self.exec.stream()) };
        }
    }
}

/// A source on the device: where it lies already, or a copy of it.
pub struct In {
    address: u64,
    _copy: Option<Scratch>,
}

impl In {
    /// Bring a source to the call's device, in the order of its stream.
    ///
    /// # Errors
    /// `OutOfMemory`, `CopyFailed`.
    pub fn new(op: &'static str, exec: &Exec, src: &Src<'_>) -> Result<Self> {
        if is_on(exec, src.place()) {
            return Ok(Self { address: src.as_ptr() as u64, _copy: None });
        }
        Self::copied(op, exec, src)
    }

    /// A copy of a source on the call's device, also if it lies there already.
    ///
    /// # Errors
    /// As [`In::new`].
    pub fn copied(op: &'static str, exec: &Exec, src: &Src<'_>) -> Result<Self> {
        let copy = Scratch::new(op, exec, src.bytes())?;
        copy.copy((copy.address() as *mut u8, copy.place()), (src.as_ptr(), src.place()))?;
        Ok(Self { address: copy.address(), _copy: Some(copy) })
    }

    /// Address on the device.
    pub fn address(&self) -> u64 {
        self.address
    }
}

/// A destination on the device: where it lies already, or memory that [`Out::finish`] copies to it.
pub struct Out {
    address: u64,
    back: Option<(Scratch, *mut u8, Place)>,
}

impl Out {
    /// Make room for a destination on the call's device.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(op: &'static str, exec: &Exec, dst: &Dst<'_>) -> Result<Self> {
        Self::aligned(op, exec, dst, 1)
    }

    /// As [`Out::new`], at a multiple of `align`, at most that of the allocator.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn aligned(op: &'static str, exec: &Exec, dst: &Dst<'_>, align: u64) -> Result<Self> {
        if is_on(exec, dst.place()) && (dst.as_ptr() as u64).is_multiple_of(align) {
            return Ok(Self { address: dst.as_ptr() as u64, back: None });
        }
        let memory = Scratch::new(op, exec, dst.bytes())?;
        Ok(Self { address: memory.address(), back: Some((memory, dst.as_ptr(), dst.place())) })
    }

    /// Address on the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Copy the result to where it belongs, and wait unless the caller does. A destination in pageable memory is
    /// complete on return; one that is page-locked or on the device once the stream is synchronized.
    ///
    /// # Errors
    /// `CopyFailed`; `SynchronizationFailed` if the work failed.
    pub fn finish(self, op: &'static str, exec: &Exec) -> Result<()> {
        if let Some((memory, dst, place)) = &self.back {
            memory.copy((*dst, *place), (memory.address() as *const u8, memory.place()))?;
        }
        finish(op, exec)
    }
}

/// Wait for the call's stream, unless the caller does.
///
/// # Errors
/// `SynchronizationFailed` if the work failed.
pub fn finish(op: &'static str, exec: &Exec) -> Result<()> {
    if exec.is_async() {
        return Ok(());
    }
    super::backend::stream_wait(op, exec.device().index, exec.stream())
}

fn is_on(exec: &Exec, place: Place) -> bool {
    place == Place::Device(exec.device())
}
