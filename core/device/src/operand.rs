//! Memory that operations read and write: an address, a length, and where it lies. Never a slice unless on the host.
//!
//! [`Src::locate`] and [`Dst::locate`] are the one place that turns a foreign pointer into memory: null, alignment, range
//! and place are checked there.
#![allow(unsafe_code)]

pub use super::place::Place;

use super::allocations;
use bytemuck::Pod;
use icicle_error::{Error, Result};
use std::marker::PhantomData;

/// What a call reads or writes, as far as it decides where and how the call runs.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Where it lies.
    pub place: Place,
    /// Address.
    pub ptr: *const u8,
    /// Length.
    pub bytes: usize,
    /// Whether it is a borrow of host memory, which ends with the call.
    pub is_borrowed: bool,
}

/// Memory an operation reads.
#[derive(Clone, Copy, Debug)]
pub struct Src<'a> {
    ptr: *const u8,
    bytes: usize,
    place: Place,
    /// Whether it is a borrow of host memory, which ends with the call.
    is_borrowed: bool,
    memory: PhantomData<&'a [u8]>,
}

/// Memory an operation writes; it may be exactly a source of the same call where the operation says so.
#[derive(Debug)]
pub struct Dst<'a> {
    ptr: *mut u8,
    bytes: usize,
    place: Place,
    /// Whether it is a borrow of host memory, which ends with the call.
    is_borrowed: bool,
    memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: plain memory that is only read, for as long as it is borrowed; any thread may, as with `&[u8]`.
unsafe impl Send for Src<'_> {}
// SAFETY: as above.
unsafe impl Sync for Src<'_> {}
// SAFETY: plain memory that nobody else reads or writes while it is borrowed; any thread may, as with `&mut [u8]`.
unsafe impl Send for Dst<'_> {}
// SAFETY: as above; shared use only reads.
unsafe impl Sync for Dst<'_> {}

/// The range of `bytes` bytes from `offset` on in memory of `len` bytes.
#[inline]
fn part(op: &'static str, offset: usize, bytes: usize, len: usize) -> Result<()> {
    match offset.checked_add(bytes) {
        Some(end) if end <= len => Ok(()),
        _ => Err(leaves(op, offset, bytes, len)),
    }
}

#[cold]
fn leaves(op: &'static str, offset: usize, bytes: usize, len: usize) -> Error {
    Error::argument(op, format!("{bytes} bytes from {offset} on: the memory holds {len}"))
}

impl<'a> Src<'a> {
    /// Memory by address.
    ///
    /// # Safety
    /// `ptr` is valid for reads of `bytes` for `'a` (for device memory: on that device), and not written meanwhile except
    /// by the call it is passed to.
    pub unsafe fn from_raw_parts(ptr: *const u8, bytes: usize, place: Place) -> Self {
        Self { ptr, bytes, place, is_borrowed: false, memory: PhantomData }
    }

    /// Memory by address, its place looked up; `flagged` says the caller declares it device memory. Zero bytes may have
    /// any address.
    ///
    /// # Errors
    /// `InvalidPointer` if it is null, not aligned to 4, leaves its allocation, or is declared device memory and is not.
    ///
    /// # Safety
    /// As [`Src::from_raw_parts`], except that memory of a device need only be an address.
    pub unsafe fn locate(op: &'static str, arg: &str, ptr: *const u8, bytes: usize, flagged: bool) -> Result<Self> {
        let place = place_of(op, arg, ptr, bytes, flagged)?;
        Ok(Self { ptr, bytes, place, is_borrowed: false, memory: PhantomData })
    }

    /// Some bytes of this memory.
    ///
    /// # Errors
    /// `InvalidArgument` if they leave it.
    #[inline]
    pub fn part(&self, op: &'static str, offset: usize, bytes: usize) -> Result<Self> {
        part(op, offset, bytes, self.bytes)?;
        Ok(Self { ptr: self.ptr.wrapping_add(offset), bytes, ..*self })
    }
    /// Address.
    pub fn as_ptr(&self) -> *const u8 {
        self.ptr
    }
    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
    /// Where it lies.
    pub fn place(&self) -> Place {
        self.place
    }
    /// What decides where and how a call runs.
    pub fn operand(&self) -> Operand {
        let Self { ptr, bytes, place, is_borrowed, .. } = *self;
        Operand { place, ptr, bytes, is_borrowed }
    }
}

impl<'a> Dst<'a> {
    /// Memory by address.
    ///
    /// # Safety
    /// `ptr` is valid for reads and writes of `bytes` for `'a` (for device memory: on that device), and not accessed
    /// meanwhile except by the call it is passed to.
    pub unsafe fn from_raw_parts(ptr: *mut u8, bytes: usize, place: Place) -> Self {
        Self { ptr, bytes, place, is_borrowed: false, memory: PhantomData }
    }

    /// As [`Src::locate`].
    ///
    /// # Errors
    /// As [`Src::locate`].
    ///
    /// # Safety
    /// As [`Dst::from_raw_parts`], except that memory of a device need only be an address.
    pub unsafe fn locate(op: &'static str, arg: &str, ptr: *mut u8, bytes: usize, flagged: bool) -> Result<Self> {
        let place = place_of(op, arg, ptr, bytes, flagged)?;
        Ok(Self { ptr, bytes, place, is_borrowed: false, memory: PhantomData })
    }

    /// The same memory as a source, for operations in place.
    pub fn as_src(&self) -> Src<'a> {
        Src { ptr: self.ptr, bytes: self.bytes, place: self.place, is_borrowed: self.is_borrowed, memory: PhantomData }
    }
    /// Address.
    pub fn as_ptr(&self) -> *mut u8 {
        self.ptr
    }
    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
    /// Where it lies.
    pub fn place(&self) -> Place {
        self.place
    }
    /// What decides where and how a call runs.
    pub fn operand(&self) -> Operand {
        let Self { ptr, bytes, place, is_borrowed, .. } = *self;
        Operand { place, ptr: ptr.cast_const(), bytes, is_borrowed }
    }
    /// Some bytes of this memory; the rest is given up.
    ///
    /// # Errors
    /// `InvalidArgument` if they leave it.
    #[inline]
    pub fn part(self, op: &'static str, offset: usize, bytes: usize) -> Result<Self> {
        part(op, offset, bytes, self.bytes)?;
        Ok(Self { ptr: self.ptr.wrapping_add(offset), bytes, ..self })
    }
    /// The first bytes of this memory, and the others.
    ///
    /// # Errors
    /// `InvalidArgument` if there are fewer.
    #[inline]
    pub fn split_at(self, op: &'static str, bytes: usize) -> Result<(Self, Self)> {
        part(op, 0, bytes, self.bytes)?;
        let rest = Self { ptr: self.ptr.wrapping_add(bytes), bytes: self.bytes - bytes, ..self };
        Ok((Self { bytes, ..self }, rest))
    }
    /// Consecutive parts of this memory of so many bytes each, which together fill it.
    ///
    /// # Errors
    /// `InvalidArgument` if they do not.
    pub fn split(self, op: &'static str, sizes: impl IntoIterator<Item = usize>) -> Result<Vec<Dst<'a>>> {
        let (mut parts, mut offset) = (Vec::new(), 0);
        for bytes in sizes {
            part(op, offset, bytes, self.bytes)?;
            let ptr = self.ptr.wrapping_add(offset);
            // Disjoint from the other parts, of memory that is borrowed for `'a`.
            let part = Dst { ptr, bytes, place: self.place, is_borrowed: self.is_borrowed, memory: PhantomData };
            icicle_error::reserve::push(op, &mut parts, part)?;
            offset += bytes;
        }
        match offset == self.bytes {
            true => Ok(parts),
            false => Err(Error::argument(op, format!("parts of {offset} bytes: the memory holds {}", self.bytes))),
        }
    }
    /// The same memory, for a shorter time.
    pub fn reborrow(&mut self) -> Dst<'_> {
        Dst { ptr: self.ptr, bytes: self.bytes, place: self.place, is_borrowed: self.is_borrowed, memory: PhantomData }
    }
}

fn place_of(op: &'static str, arg: &str, ptr: *const u8, bytes: usize, flagged: bool) -> Result<Place> {
    if bytes == 0 {
        return Ok(Place::Host);
    }
    if ptr.is_null() {
        return Err(Error::pointer(op, format!("{arg} of {bytes} bytes is null")));
    }
    if !ptr.addr().is_multiple_of(4) {
        return Err(Error::pointer(op, format!("{arg} at {ptr:?}: must be aligned to 4 bytes")));
    }
    allocations::locate(op, arg, ptr, bytes, flagged)
}

impl<'a, T: Pod> From<&'a [T]> for Src<'a> {
    fn from(slice: &'a [T]) -> Self {
        Self {
            ptr: slice.as_ptr().cast(),
            bytes: size_of_val(slice),
            place: Place::Host,
            is_borrowed: true,
            memory: PhantomData,
        }
    }
}
impl<'a, T: Pod> From<&'a Vec<T>> for Src<'a> {
    fn from(vec: &'a Vec<T>) -> Self {
        Self::from(vec.as_slice())
    }
}
impl<'a, T: Pod> From<&'a mut [T]> for Dst<'a> {
    fn from(slice: &'a mut [T]) -> Self {
        Self {
            ptr: slice.as_mut_ptr().cast(),
            bytes: size_of_val(slice),
            place: Place::Host,
            is_borrowed: true,
            memory: PhantomData,
        }
    }
}
impl<'a, T: Pod> From<&'a mut Vec<T>> for Dst<'a> {
    fn from(vec: &'a mut Vec<T>) -> Self {
        Self::from(vec.as_mut_slice())
    }
}
