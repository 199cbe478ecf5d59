//! Elementwise operations that wait until their values are needed, so that a chain of them reads what it starts from once.
//!
//! Nobody can see the difference but in time and memory: an array is a value, and what an operation waits for cannot change.
//! Its arguments are checked when it is called; memory for its results is reserved, and may be refused, when they are needed.

use crate::DType;
use crate::array::{Array, Fresh, Pending, computing};
use crate::job::Job;
use crate::source::{Draft, evaluate};
use crate::step::Step;
use icicle_cpu::blocks::Work;
use icicle_device::DeviceKind;
use icicle_error::Result;
use icicle_runtime::Buffer;

/// Elements from which on an operation waits on a CPU. Fewer are computed in less time than it takes to put them off; on other
/// devices, a launch takes more.
const WAITS_FROM: usize = 1 << 14;

/// Operations of one chain. More do not save memory traffic worth mentioning, and their blocks leave the first-level cache.
const MOST: usize = 16;

/// Do an operation on each element of operands that broadcast together, now or when it is needed.
///
/// # Errors
/// `InvalidArgument` for several devices; as of [`Job::new`]; `OutOfMemory`.
pub(crate) fn apply(step: Step, dtype: DType, operands: &[&Array]) -> Result<Array> {
    let device = computing(step.op, operands)?;
    let job = Job::new(step.op, device, operands.iter().map(|array| &array.layout))?;
    let layout = job.layout();
    if job.len() < WAITS_FROM && job.device.kind == DeviceKind::Cpu || job.len() == 0 {
        let out = compute(&job, step, dtype, operands, step.work)?;
        return Ok(out.done_by(layout));
    }
    let waits = |array: &&Array| array.pending().map_or(0, |pending| pending.length);
    let mut length = 1 + operands.iter().map(waits).sum::<usize>();
    if length > MOST {
        operands.iter().try_for_each(|array| array.storage().map(drop))?;
        length = 1;
    }
    let heavy = |array: &&Array| array.pending().is_some_and(|pending| matches!(pending.work, Work::Heavy));
    let work = if operands.iter().any(heavy) { Work::Heavy } else { step.work };
    Ok(Pending::new(job, step, dtype, compute_pending).on(operands, length, work).array(layout))
}

/// What computes such an operation when it is needed.
pub(crate) fn compute_pending(pending: &Pending, operands: &[&Array]) -> Result<Buffer<u8>> {
    compute(&pending.job, pending.step, pending.dtype, operands, pending.work).map(Fresh::into_storage)
}

fn compute(job: &Job, step: Step, dtype: DType, operands: &[&Array], work: Work) -> Result<Fresh> {
    #[cfg(feature = "cuda")]
    if job.device.kind == DeviceKind::Cuda {
        return crate::cuda::elementwise::compute(job, step, dtype, operands);
    }
    let mut out = Fresh::of(job, dtype)?;
    let mut draft = Draft::new(job.op);
    let source = draft.step(&job.order, step, operands, dtype)?;
    evaluate(&draft, &source, job.len(), work, &mut out);
    Ok(out)
}
