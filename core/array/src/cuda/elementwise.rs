//! Values computed for each element and stored.
#![allow(unsafe_code)] // launches

use super::call::Call;
use super::draft::{Draft, Value};
use super::source::{Source, THREADS, Target};
use crate::array::{Array, Fresh};
use crate::blocks::Step;
use crate::job::{Job, Order};
use crate::layout::Layout;
use crate::lazy::Asks;
use crate::{DType, layout};
use icicle_device::Device;
use icicle_error::Result;

/// Bytes that a thread stores, if it can: enough loads under way at once for the memory's latency.
const BYTES: usize = 16;

/// Do an operation, with what it waits for, on each element.
///
/// # Errors
/// `InvalidArgument` if operands do not broadcast or cannot be cast; `OutOfMemory`; `Unsupported` without NVRTC.
pub(crate) fn compute(job: &Job, step: Step, dtype: DType, operands: &[&Array]) -> Result<Fresh> {
    let mut out = job.out(dtype)?;
    let mut draft = Draft::new(job.op);
    let value = draft.step(&job.order, step, operands, dtype)?;
    store(job.op, job.device, &draft, &value, dtype, &job.order, (out.start() as u64, None))?;
    Ok(out)
}

/// The elements in C order.
///
/// # Errors
/// As [`compute`].
pub(crate) fn in_order(job: &Job, array: &Array) -> Result<Fresh> {
    let mut out = job.out(array.dtype())?;
    let mut draft = Draft::new(job.op);
    let value = draft.operand(&job.order, array, array.dtype(), Asks::Call)?;
    store(job.op, job.device, &draft, &value, array.dtype(), &job.order, (out.start() as u64, None))?;
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
    let mut draft = Draft::new(op);
    let value = draft.operand(&order, array, dtype, Asks::Call)?;
    store(op, array.device(), &draft, &value, dtype, &order, (to, Some(target)))
}

fn store(
    op: &'static str,
    device: Device,
    draft: &Draft,
    value: &Value,
    dtype: DType,
    order: &Order,
    (address, target): (u64, Option<&Layout>),
) -> Result<()> {
    let shape: Vec<_> = match &order.axes {
        None => order.shape.clone(),
        Some(axes) => axes.iter().map(|&k| order.shape[k]).collect(),
    };
    let n = layout::count(op, &shape)?;
    if n == 0 {
        return Ok(());
    }
    let call = Call::new(op, device)?;
    let target = Target { address, layout: target };
    let source = Source::new(draft, value, dtype, &shape, Some(&target));
    let pack = source.pack;
    let unroll = (BYTES / (pack * dtype.bytes())).clamp(1, 8);
    let body = format!("  elementwise<{pack}, {unroll}>(source, a.word[0]);\n");
    // One more than whole packs, for what is left.
    let blocks = (n / pack + 1).div_ceil(THREADS as usize * unroll);
    // SAFETY: reads what layouts of arrays name, which stay within their storage; writes the target.
    unsafe { source.launch(&call, "elementwise.cuh", &body, blocks as u64) }
}
