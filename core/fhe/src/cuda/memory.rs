//! Memory of an operation on a GPU, and streams: an operation has one of its own while it runs, so that threads do not wait for
//! each other's.

use icicle_cuda::scratch::Scratch;
use icicle_device::{Device, Exec};
use icicle_error::{Error, Result};
use icicle_runtime::{Buffer, Stream};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Streams of a device that no operation has at the moment.
pub(super) struct Streams {
    pub(super) device: Device,
    idle: Mutex<Vec<Stream>>,
}

impl Streams {
    pub(super) fn new(device: Device) -> Self {
        Self { device, idle: Mutex::new(Vec::new()) }
    }

    /// One that is idle, or a new one.
    pub(super) fn take(&self) -> Result<Stream> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| Stream::non_blocking(self.device), Ok)
    }

    /// Give one back whose work is done.
    pub(super) fn give_back(&self, stream: Stream) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // Where there is no memory for it, it is destroyed.
        if idle.try_reserve(1).is_ok() {
            idle.push(stream);
        }
    }
}

/// So many elements, of an operation's own: given back in the order of its stream.
pub(super) struct Memory<T> {
    scratch: Scratch,
    len: usize,
    elements: PhantomData<T>,
}

impl<T> Memory<T> {
    /// Any values.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn new(op: &'static str, exec: &Exec, len: usize) -> Result<Self> {
        let bytes =
            len.checked_mul(size_of::<T>()).ok_or_else(|| icicle_error::reserve::refused(op, len, size_of::<T>()))?;
        let scratch = Scratch::new(op, exec, bytes).map_err(|error| Error { op, ..error })?;
        Ok(Self { scratch, len, elements: PhantomData })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn address(&self) -> u64 {
        self.scratch.address()
    }

    /// All elements, to read.
    pub(super) fn span(&self) -> Span<'_, T> {
        Span { address: self.address(), len: self.len, memory: PhantomData }
    }
}

/// Elements in a device's memory, to read.
pub(super) struct Span<'a, T> {
    address: u64,
    len: usize,
    memory: PhantomData<&'a T>,
}

impl<T> Clone for Span<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Span<'_, T> {}

impl<'a, T> Span<'a, T> {
    /// A range of a buffer, which lies within.
    pub(super) fn of(buffer: &'a Buffer<T>, range: Range<usize>) -> Self {
        debug_assert!(range.end <= buffer.len());
        Self {
            address: buffer.as_ptr() as u64 + (range.start * size_of::<T>()) as u64,
            len: range.len(),
            memory: PhantomData,
        }
    }

    /// So many from a place on, which lie within.
    pub(super) fn part(self, at: usize, len: usize) -> Self {
        debug_assert!(at + len <= self.len);
        Self { address: self.address + (at * size_of::<T>()) as u64, len, ..self }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn address(&self) -> u64 {
        self.address
    }
}
