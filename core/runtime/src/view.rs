//! Parts of a buffer, borrowed: operands and copy ends like whole buffers.

use crate::buffer::Buffer;
use crate::copy::{fill_dst, same_length, transfer};
use bytemuck::Pod;
use icicle_device::{Device, Dst, Src};
use icicle_error::reserve::filled;
use icicle_error::{Error, Result};
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};

/// A range of a buffer's elements.
#[derive(Debug)]
pub struct BufferView<'a, T> {
    pub(crate) memory: Src<'a>,
    device: Device,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

/// A range of a buffer's elements, to write.
#[derive(Debug)]
pub struct BufferViewMut<'a, T> {
    pub(crate) memory: Dst<'a>,
    device: Device,
    len: usize,
    elements: PhantomData<&'a mut [T]>,
}

impl<T> Clone for BufferView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for BufferView<'_, T> {}

/// The elements of `range` in `0..len`.
fn resolve(range: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => Ok(start..end),
        _ => {
            let bounds = (range.start_bound(), range.end_bound());
            Err(Error::argument("slice", format!("range {bounds:?}: must lie in 0..{len}")))
        }
    }
}

impl<T: Pod> Buffer<T> {
    /// Copy out to host memory of the same length.
    ///
    /// # Errors
    /// `InvalidArgument` if lengths differ.
    pub fn copy_to_slice(&self, out: &mut [T]) -> Result<()> {
        self.view().copy_to_slice(out)
    }

    /// The contents, on the host.
    ///
    /// # Errors
    /// `OutOfMemory` of the host; `CopyFailed`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.view().to_vec()
    }

    /// All elements, borrowed.
    pub fn view(&self) -> BufferView<'_, T> {
        BufferView::of(self)
    }

    /// All elements, borrowed for writing.
    pub fn view_mut(&mut self) -> BufferViewMut<'_, T> {
        BufferViewMut::of(self)
    }

    /// A range of elements, borrowed.
    ///
    /// # Errors
    /// `InvalidArgument` if it leaves the buffer.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<BufferView<'_, T>> {
        self.view().slice(range)
    }

    /// A range of elements, borrowed for writing.
    ///
    /// # Errors
    /// `InvalidArgument` if it leaves the buffer.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<BufferViewMut<'_, T>> {
        self.view_mut().slice(range)
    }
}

impl<'a, T: Pod> BufferView<'a, T> {
    pub(super) fn of(buffer: &'a Buffer<T>) -> Self {
        Self { memory: buffer.into(), device: buffer.device(), len: buffer.len(), elements: PhantomData }
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }
    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }
    /// Address on the device.
    pub fn as_ptr(&self) -> *const u8 {
        self.memory.as_ptr()
    }

    /// A range of these elements.
    ///
    /// # Errors
    /// `InvalidArgument` if it leaves the view.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let range = resolve(range, self.len)?;
        let memory = self.memory.part("slice", range.start * size_of::<T>(), range.len() * size_of::<T>())?;
        Ok(Self { memory, len: range.len(), ..*self })
    }

    /// Copy out to host memory of the same length.
    ///
    /// # Errors
    /// `InvalidArgument` if lengths differ.
    pub fn copy_to_slice(&self, out: &mut [T]) -> Result<()> {
        same_length("copy_to_host", "host data", out.len(), self.len)?;
        transfer(out.into(), (*self).into())
    }

    /// The contents, on the host.
    ///
    /// # Errors
    /// `OutOfMemory` of the host; `CopyFailed`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut out = filled("copy_to_host", self.len, T::zeroed())?;
        self.copy_to_slice(&mut out).map(|()| out)
    }
}

impl<'a, T: Pod> BufferViewMut<'a, T> {
    pub(super) fn of(buffer: &'a mut Buffer<T>) -> Self {
        let (device, len) = (buffer.device(), buffer.len());
        Self { memory: buffer.into(), device, len, elements: PhantomData }
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }
    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }
    /// Address on the device.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.memory.as_ptr()
    }
    /// The same elements, to read.
    pub fn as_view(&self) -> BufferView<'_, T> {
        BufferView { memory: self.memory.as_src(), device: self.device, len: self.len, elements: PhantomData }
    }
    /// The same elements, for a shorter time.
    pub fn reborrow(&mut self) -> BufferViewMut<'_, T> {
        BufferViewMut { memory: self.memory.reborrow(), device: self.device, len: self.len, elements: PhantomData }
    }

    /// A range of these elements.
    ///
    /// # Errors
    /// `InvalidArgument` if it leaves the view.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let range = resolve(range, self.len)?;
        let memory = self.memory.part("slice", range.start * size_of::<T>(), range.len() * size_of::<T>())?;
        Ok(Self { memory, len: range.len(), ..self })
    }

    /// The first `mid` elements and the others.
    ///
    /// # Errors
    /// `InvalidArgument` if there are fewer.
    pub fn split_at(self, mid: usize) -> Result<(Self, Self)> {
        let range = resolve(..mid, self.len)?;
        let (first, second) = self.memory.split_at("slice", range.len() * size_of::<T>())?;
        let of = |memory, len| Self { memory, device: self.device, len, elements: PhantomData };
        Ok((of(first, mid), of(second, self.len - mid)))
    }

    /// Set every byte.
    ///
    /// # Errors
    /// That of the device.
    pub fn fill(&mut self, byte: u8) -> Result<()> {
        fill_dst(Dst::from(self.reborrow()), byte)
    }

    /// Copy host data of the same length in.
    ///
    /// # Errors
    /// `InvalidArgument` if lengths differ.
    pub fn copy_from_slice(&mut self, data: &[T]) -> Result<()> {
        same_length("copy_to_device", "host data", data.len(), self.len)?;
        transfer(self.reborrow().into(), Src::from(data))
    }

    /// Copy from a view of the same length, on this device or another.
    ///
    /// # Errors
    /// `InvalidArgument` if lengths differ.
    pub fn copy_from(&mut self, source: BufferView<'_, T>) -> Result<()> {
        same_length("copy", "source", source.len, self.len)?;
        transfer(self.reborrow().into(), source.into())
    }
}
