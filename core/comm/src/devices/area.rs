//! Memory that enqueued work uses after the call that it came with has returned.
#![allow(unsafe_code)]

use crate::call::Call;
use icicle_device::{Device, Dst, Place, Src};
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::{StreamRef, copy};

/// Memory of an operand, or scratch memory. The plan says who writes which part when; streams and events keep that order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    ptr: *mut u8,
    bytes: usize,
    place: Place,
}

// SAFETY: an address; what is done with it, streams order.
unsafe impl Send for Area {}

impl Area {
    /// Nothing, where an operand is not significant.
    pub const NONE: Self = Self { ptr: std::ptr::null_mut(), bytes: 0, place: Place::Host };

    /// What a call sends.
    pub fn of_send(call: &Call<'_>) -> Self {
        let of = |src: &Src<'_>| Self { ptr: src.as_ptr().cast_mut(), bytes: src.bytes(), place: src.place() };
        call.send.as_ref().map_or(Self::NONE, of)
    }
    /// Where a call receives.
    pub fn of_recv(call: &Call<'_>) -> Self {
        let of = |dst: &Dst<'_>| Self { ptr: dst.as_ptr(), bytes: dst.bytes(), place: dst.place() };
        call.recv.as_ref().map_or(Self::NONE, of)
    }
    pub fn address(&self) -> *mut u8 {
        self.ptr
    }
    pub fn bytes(&self) -> usize {
        self.bytes
    }
    pub fn place(&self) -> Place {
        self.place
    }

    /// Some bytes of it.
    pub fn part(&self, op: &'static str, offset: usize, bytes: usize) -> Result<Self> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(Self { ptr: self.ptr.wrapping_add(offset), bytes, ..*self }),
            _ => Err(Error::new(ErrorCode::Internal, op, "a part leaves its memory")),
        }
    }

    /// To be read by an operation that is enqueued next.
    pub fn src(&self) -> Src<'static> {
        // SAFETY: of an operand or scratch memory, which the call's owner keeps until the stream has passed: of a device
        // memory is given back in the order of its streams, and whoever gave host memory waits. Nothing else of the call
        // writes it meanwhile, as the plan says.
        unsafe { Src::from_raw_parts(self.ptr, self.bytes, self.place) }
    }

    /// To be written by an operation that is enqueued next.
    pub fn dst(&self) -> Dst<'static> {
        // SAFETY: as above; it came from memory that may be written, as only such is where a plan receives.
        unsafe { Dst::from_raw_parts(self.ptr, self.bytes, self.place) }
    }
}

/// Enqueue a copy on a stream of the device at one end. What is the same memory is left alone.
pub(super) fn enqueue(to: Area, from: Area, stream: &StreamRef) -> Result<()> {
    if std::ptr::eq(to.ptr, from.ptr) {
        return Ok(());
    }
    // SAFETY: as of `Area::src`.
    unsafe { copy::enqueue(&to.dst(), &from.src(), stream) }
}

/// Memory of a device for the length of a call, given back in the order of its stream.
#[derive(Debug)]
pub(super) struct Scratch {
    area: Area,
    stream: StreamRef,
}

impl Scratch {
    /// Memory of the stream's device.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(stream: &StreamRef, bytes: usize) -> Result<Self> {
        let device: Device = stream.device();
        let ptr = copy::malloc(bytes, Some(stream))?;
        Ok(Self { area: Area { ptr, bytes, place: Place::Device(device) }, stream: stream.clone() })
    }
    pub fn area(&self) -> Area {
        self.area
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A failure has no one to go to.
        // SAFETY: from `malloc`, and used by nothing that is enqueued later.
        let _ = unsafe { copy::free(self.area.ptr, Some(&self.stream)) };
    }
}
