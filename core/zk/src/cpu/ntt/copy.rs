//! Inputs copied to where they are transformed.

use bytemuck::Pod;
use icicle_cpu::memory::{In, Out};
use icicle_cpu::parallel::indices;

/// Elements copied by one task.
const COPY: usize = 1 << 14;

/// Copy inputs to outputs, as many, elsewhere.
pub(super) fn copy<T: Pod + Send + Sync>(src: &In<'_, T>, dst: &Out<'_, T>) {
    let n = dst.len();
    indices(n.div_ceil(COPY), true, &|i| dst.copy(src, i * COPY, COPY.min(n - i * COPY)));
}
