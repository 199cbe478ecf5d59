//! Values computed for each element and stored.
#![allow(unsafe_code)] // launches

use super::ahead;
use super::call::Call;
use super::draft::{Draft, Value};
use super::source::{Source, THREADS, Target};
use crate::array::{Array, Fresh};
use crate::chain::Asks;
use crate::job::{Job, Order};
use crate::layout::Layout;
use crate::step::Step;
use crate::storage::used_by;
use crate::{DType, layout};
use icicle_device::Device;
use icicle_error::Result;

/// Bytes that a thread stores, if it can: enough loads under way at once for the memory's latency.
const BYTES: usize = 16;

/// Do an operation, with what it waits for, on each element.
///
/// # Errors
/// `InvalidArgument` if operands do not broadcast or cannot be cast; `OutOfMemory`; `Unsupported` with neither NVRTC nor
/// kernels.
pub(crate) fn compute(job: &Job, step: Step, dtype: DType, operands: &[&Array]) -> Result<Fresh> {
    let mut out = Fresh::of(job, dtype)?;
    if ahead::is_needed() {
        let target = Target { address: out.start() as u64, layout: None };
        // SAFETY: the result's own memory.
        unsafe { ahead::step(&Call::new(job.op, job.device)?, &job.order, step, operands, dtype, &target)? };
        return Ok(out);
    }
    let mut draft = Draft::new(job.op);
    let value = draft.step(&job.order, step, operands, dtype)?;
    let target = Target { address: out.start() as u64, layout: None };
    // SAFETY: the result's own memory.
    unsafe { store(job.op, job.device, &draft, &value, dtype, &job.order, &target)? };
    Ok(out)
}

/// The elements in C order.
///
/// # Errors
/// As [`compute`].
pub(crate) fn in_order(job: &Job, array: &Array) -> Result<Fresh> {
    let mut out = Fresh::of(job, array.dtype())?;
    let target = Target { address: out.start() as u64, layout: None };
    // SAFETY: the result's own memory.
    unsafe { copy(job.op, array, array.dtype(), &job.order, &target)? };
    Ok(out)
}

/// Write values, which broadcast to a layout's shape, to the elements it names of an array, of whose layouts it is one, both of one
/// dtype: by the values' device, which reaches the array's memory. That is copied first if shared.
///
/// # Errors
/// As [`compute`].
pub(crate) fn overwrite(op: &'static str, array: &mut Array, target: &Layout, values: &Array) -> Result<()> {
    // Computed before the memory is written, which they may be computed from.
    values.storage()?;
    let (dtype, to) = (array.dtype(), array.unshared()? as u64);
    used_by(array.device(), values.device(), || {
        let (order, target) = (Order::of(&target.shape), Target { address: to, layout: Some(target) });
        // SAFETY: the layout stays within the storage, which has no other holder, and which the values' device reaches.
        unsafe { copy(op, values, dtype, &order, &target) }
    })
}

/// Write an array's elements in an order to where the target says, as a dtype.
///
/// # Safety
/// The target takes the elements, within memory that the array's device reaches and nobody else uses before the stream has passed
/// this.
unsafe fn copy(op: &'static str, array: &Array, dtype: DType, order: &Order, target: &Target<'_>) -> Result<()> {
    if ahead::is_needed() {
        let call = Call::new(op, array.device())?;
        // SAFETY: the caller's.
        return unsafe { ahead::step(&call, order, Step::cast(op, dtype), &[array], dtype, target) };
    }
    let mut draft = Draft::new(op);
    let value = draft.operand(order, array, dtype, Asks::Call)?;
    // SAFETY: the caller's.
    unsafe { store(op, array.device(), &draft, &value, dtype, order, target) }
}

/// # Safety
/// The target takes the values; as of [`copy`].
unsafe fn store(
    op: &'static str,
    device: Device,
    draft: &Draft,
    value: &Value,
    dtype: DType,
    order: &Order,
    target: &Target<'_>,
) -> Result<()> {
    let shape = order.extents();
    let n = layout::count(op, &shape)?;
    if n == 0 {
        return Ok(());
    }
    let call = Call::new(op, device)?;
    let source = Source::new(draft, value, dtype, &shape, Some(target));
    let pack = source.pack;
    let unroll = (BYTES / (pack * dtype.bytes())).clamp(1, 8);
    let body = format!("  elementwise<{pack}, {unroll}>(source, a.word[0]);\n");
    // One more than whole packs, for what is left.
    let blocks = (n / pack + 1).div_ceil(THREADS as usize * unroll);
    // SAFETY: reads what layouts of arrays name, which stay within their storage; writes the target.
    unsafe { source.launch(&call, "elementwise.cuh", &body, blocks as u64) }
}
