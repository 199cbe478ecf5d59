//! Inputs copied to where they are transformed.

use icicle_cpu::memory::{In, Out};
use icicle_cpu::parallel::chunks;

/// Elements copied by one task.
const COPY: usize = 1 << 14;

pub(super) fn copy<T: bytemuck::Pod + Send + Sync>(src: &In<'_, T>, dst: &Out<'_, T>) {
    // SAFETY: the output is not the input, so by contract they are disjoint.
    #[allow(unsafe_code)]
    let (src, dst) = (unsafe { src.slice() }, unsafe { dst.slice() });
    chunks(dst, COPY, &|i, dst| dst.copy_from_slice(&src[i * COPY..][..dst.len()]));
}
