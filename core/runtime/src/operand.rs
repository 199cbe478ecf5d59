//! Buffers, their views and page-locked memory as operands of a call, for as long as they are borrowed.
use crate::{Buffer, BufferView, BufferViewMut, PinnedBuffer};
use bytemuck::Pod;
use icicle_device::{Dst, Src};

impl<'a, T: Pod> From<&'a Buffer<T>> for Src<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        buffer.src()
    }
}

impl<'a, T: Pod> From<&'a mut Buffer<T>> for Dst<'a> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        buffer.dst()
    }
}

impl<'a, T: Pod> From<BufferView<'a, T>> for Src<'a> {
    fn from(view: BufferView<'a, T>) -> Self {
        view.memory
    }
}

impl<'a, T: Pod> From<BufferViewMut<'a, T>> for Dst<'a> {
    fn from(view: BufferViewMut<'a, T>) -> Self {
        view.memory
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
