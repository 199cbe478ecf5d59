//! Buffers, their views and page-locked memory as operands of a call, for as long as they are borrowed.
#![allow(unsafe_code)] // memory by address

use crate::{Buffer, BufferView, BufferViewMut, PinnedBuffer};
use bytemuck::Pod;
use icicle_device::{Dst, Place, Src};

impl<'a, T: Pod> From<&'a Buffer<T>> for Src<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        // SAFETY: borrowed for `'a`, as long as it says.
        unsafe { Self::from_raw_parts(buffer.as_ptr(), buffer.bytes(), Place::Device(buffer.device())) }
    }
}

impl<'a, T: Pod> From<&'a mut Buffer<T>> for Dst<'a> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        let place = Place::Device(buffer.device());
        // SAFETY: borrowed for `'a` by nobody else, as long as it says.
        unsafe { Self::from_raw_parts(buffer.as_mut_ptr(), buffer.bytes(), place) }
    }
}

impl<'a, T: Pod> From<BufferView<'a, T>> for Src<'a> {
    fn from(view: BufferView<'a, T>) -> Self {
        // SAFETY: borrowed for `'a`, as long as it says.
        unsafe { Self::from_raw_parts(view.as_ptr(), view.bytes(), Place::Device(view.device())) }
    }
}

impl<'a, T: Pod> From<BufferViewMut<'a, T>> for Dst<'a> {
    fn from(mut view: BufferViewMut<'a, T>) -> Self {
        let place = Place::Device(view.device());
        // SAFETY: borrowed for `'a` by nobody else, as long as it says.
        unsafe { Self::from_raw_parts(view.as_mut_ptr(), view.bytes(), place) }
    }
}

impl<'a, T: Pod> From<&'a PinnedBuffer<T>> for Src<'a> {
    fn from(buffer: &'a PinnedBuffer<T>) -> Self {
        Self::from(&buffer[..])
    }
}

impl<'a, T: Pod> From<&'a mut PinnedBuffer<T>> for Dst<'a> {
    fn from(buffer: &'a mut PinnedBuffer<T>) -> Self {
        Self::from(&mut buffer[..])
    }
}
