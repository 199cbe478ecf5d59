//! Values computed for each element and stored.
#![allow(unsafe_code)] // launches

use super::ahead;
use super::call::Call;
use super::draft::{Draft, Value};
use super::source::{Source, THREADS, Target};
use crate::array::{Array, Fresh};
use crate::blocks::Step;
use crate::job::{Job, Order};
use crate::layout::Layout;
use crate::lazy::Asks;
use crate::{DType, cast, layout};
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
    let mut out = job.out(dtype)?;
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
    let mut out = job.out(array.dtype())?;
    let target = Target { address: out.start() as u64, layout: None };
    // SAFETY: the result's own memory.
    unsafe { copy(job.op, array, array.dtype(), &job.order, &target)? };
    Ok(out)
}

/// Write an array's elements, which broadcast to a layout's shape, to where the layout says, as a dtype.
///
/// # Errors
/// As [`compute`].
///
/// # Safety
/// The layout stays within memory of the array's device that starts at `to` and that nobody else uses before the stream has
/// passed this.
pub(crate) unsafe fn scatter(op: &'static str, array: &Array, dtype: DType, to: u64, target: &Layout) -> Result<()> {
    let order = Order::of(&target.shape);
    // SAFETY: the caller's.
    unsafe { copy(op, array, dtype, &order, &Target { address: to, layout: Some(target) }) }
}

/// # Safety
/// The target takes the elements; as [`scatter`].
unsafe fn copy(op: &'static str, array: &Array, dtype: DType, order: &Order, target: &Target<'_>) -> Result<()> {
    if ahead::is_needed() {
        let call = Call::new(op, array.device())?;
        // SAFETY: the caller's.
        return unsafe { ahead::step(&call, order, cast::step_to(op, dtype), &[array], dtype, target) };
    }
    let mut draft = Draft::new(op);
    let value = draft.operand(order, array, dtype, Asks::Call)?;
    // SAFETY: the caller's.
    unsafe { store(op, array.device(), &draft, &value, dtype, order, target) }
}

/// # Safety
/// The target takes the values; as [`scatter`].
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
