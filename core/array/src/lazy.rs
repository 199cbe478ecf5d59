//! Elementwise operations that wait until their values are needed, so that a chain of them reads what it starts from once.
//!
//! Nobody can see the difference but in time and memory: an array is a value, and what an operation waits for cannot change.
//! Its arguments are checked when it is called; memory for its results is reserved, and may be refused, when they are needed.
//!
//! An operation's values are computed where they are used, block by block, if nothing else can ask for them any more; else
//! they are kept. So none are computed more than twice.

use crate::DType;
use crate::array::{Array, Fresh};
use crate::blocks::{Code, Step, evaluate};
use crate::job::{Job, Order};
use crate::source::{Draft, Source};
use crate::storage::Storage;
#[cfg(feature = "cuda")]
use crate::{blocks::Kernel, layout::Layout};
use icicle_cpu::blocks::Work;
use icicle_device::{Device, DeviceKind};
use icicle_error::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Elements from which on an operation waits on a CPU. Fewer are computed in less time than it takes to put them off; on other
/// devices, a launch takes more.
const WAITS_FROM: usize = 1 << 14;

/// Operations of one chain. More do not save memory traffic worth mentioning, and their blocks leave the first-level cache.
const MOST: usize = 16;

/// An array's memory.
#[derive(Clone, Debug)]
pub(crate) enum Memory {
    Held(Arc<Storage>),
    /// What an operation will write, or has written.
    Pending(Arc<Pending>),
}

/// An operation that may not have been computed yet.
#[derive(Debug)]
pub(crate) struct Pending {
    job: Job,
    pub(crate) step: Step,
    pub(crate) dtype: DType,
    /// Empty once it is computed.
    operands: Mutex<Vec<Array>>,
    /// Operations that computing it takes.
    length: usize,
    /// Whether one of them is bound by arithmetic.
    work: Work,
    /// Whether its values have been computed without being kept.
    passed: AtomicBool,
    result: OnceLock<Arc<Storage>>,
}

/// Do an operation on each element of operands that broadcast together, now or when it is needed.
///
/// # Errors
/// As of [`Job::new`]; `OutOfMemory`.
pub(crate) fn apply(step: Step, dtype: DType, operands: &[&Array]) -> Result<Array> {
    let job = Job::new(step.op, operands)?;
    let layout = job.layout();
    if job.len() < WAITS_FROM && job.device.kind == DeviceKind::Cpu || job.len() == 0 {
        let out = compute(&job, step, dtype, operands, step.work)?;
        return Ok(Array { memory: Memory::Held(Arc::new(out.into_storage().into())), dtype, layout });
    }
    let waits = |array: &&Array| array.pending().map_or(0, |pending| pending.length);
    let mut length = 1 + operands.iter().map(waits).sum::<usize>();
    if length > MOST {
        operands.iter().try_for_each(|array| array.storage().map(drop))?;
        length = 1;
    }
    let heavy = |array: &&Array| array.pending().is_some_and(|pending| matches!(pending.work, Work::Heavy));
    let work = if operands.iter().any(heavy) { Work::Heavy } else { step.work };
    let operands = Mutex::new(operands.iter().map(|&array| array.clone()).collect());
    let (passed, result) = (AtomicBool::new(false), OnceLock::new());
    let pending = Pending { job, step, dtype, operands, length, work, passed, result };
    Ok(Array { memory: Memory::Pending(Arc::new(pending)), dtype, layout })
}

fn compute(job: &Job, step: Step, dtype: DType, operands: &[&Array], work: Work) -> Result<Fresh> {
    #[cfg(feature = "cuda")]
    if job.device.kind == DeviceKind::Cuda {
        return crate::cuda::elementwise::compute(job, step, dtype, operands);
    }
    let mut out = job.out(dtype)?;
    let mut draft = Draft::new(job.op);
    let source = draft.step(&job.order, step, operands, dtype)?;
    evaluate(&draft, &source, job.len(), work, &mut out);
    Ok(out)
}

impl Pending {
    pub(crate) fn device(&self) -> Device {
        self.job.device
    }

    /// Its results, computed if they are not there.
    ///
    /// # Errors
    /// `OutOfMemory`; then it waits on.
    pub(crate) fn results(&self) -> Result<&Arc<Storage>> {
        if let Some(results) = self.result.get() {
            return Ok(results);
        }
        let mut operands = self.operands();
        if let Some(results) = self.result.get() {
            return Ok(results);
        }
        let out = compute(&self.job, self.step, self.dtype, &operands.iter().collect::<Vec<_>>(), self.work)?;
        let results = self.result.get_or_init(|| Arc::new(out.into_storage().into()));
        operands.clear();
        Ok(results)
    }

    // What an operand leaves behind when another thread's use of it panicked is whole.
    pub(crate) fn operands(&self) -> MutexGuard<'_, Vec<Array>> {
        self.operands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An array of one value on a GPU, which takes no memory until it is needed.
///
/// # Errors
/// `InvalidDevice`.
#[cfg(feature = "cuda")]
pub(crate) fn constant(
    op: &'static str,
    device: Device,
    shape: &[usize],
    dtype: DType,
    bytes: [u8; 16],
) -> Result<Array> {
    icicle_cuda::gpu::gpu(op, device.index)?;
    let job = Job { op, device, order: Order::of(shape) };
    let (code, kernel) = (Code::Constant(bytes), Kernel::Cast);
    let step = Step { op, code, kernel, takes: [dtype; 3], gives: dtype, work: Work::Light };
    let layout = Layout::dense(op, shape)?;
    let (operands, passed, result) = (Mutex::default(), AtomicBool::new(false), OnceLock::new());
    let pending = Pending { job, step, dtype, operands, length: 0, work: Work::Light, passed, result };
    Ok(Array { memory: Memory::Pending(Arc::new(pending)), dtype, layout })
}

impl Array {
    /// The value of all its elements, if it was made of one.
    pub(crate) fn constant(&self) -> Option<[u8; 16]> {
        match &self.memory {
            Memory::Pending(pending) => match pending.step.code {
                Code::Constant(bytes) => Some(bytes),
                _ => None,
            },
            Memory::Held(_) => None,
        }
    }

    /// The operation its elements wait for, if they do.
    pub(crate) fn pending(&self) -> Option<&Arc<Pending>> {
        match &self.memory {
            Memory::Pending(pending) if pending.result.get().is_none() => Some(pending),
            _ => None,
        }
    }
}

/// Who asks for an operand's elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// An operation that holds the operand; if nothing else does, nothing can ask for them again.
    Chain,
    /// A call, whose caller may still ask for them: once they are computed without being kept, if that is cheap.
    Call,
}

impl Draft {
    /// An operand's elements in an order, as a dtype: from memory, or computed block by block.
    ///
    /// # Errors
    /// `InvalidArgument` if it does not broadcast or cannot be cast; `OutOfMemory`.
    pub(crate) fn operand(&mut self, order: &Order, array: &Array, to: DType, asks: Asks) -> Result<Source> {
        if let Some(pending) = array.pending()
            && passes(pending, array, order, asks)
            && let Some(source) = self.inline(order, pending, to)?
        {
            return Ok(source);
        }
        self.memory(order, array, to)
    }

    /// What an operation gives, computed block by block; none if it has been computed, or the blocks have no room.
    fn inline(&mut self, order: &Order, pending: &Pending, to: DType) -> Result<Option<Source>> {
        let operands = pending.operands();
        if operands.is_empty() {
            return Ok(None);
        }
        let before = self.clone();
        let source = self.step(order, pending.step, &operands.iter().collect::<Vec<_>>(), pending.dtype)?;
        let source = self.cast(source, pending.dtype, to)?;
        if self.fits() {
            return Ok(Some(source));
        }
        *self = before;
        Ok(None)
    }
}

/// Whether an operand's elements are computed without being kept.
pub(crate) fn passes(pending: &Arc<Pending>, array: &Array, order: &Order, asks: Asks) -> bool {
    let whole = array.shape() == order.shape && array.layout == pending.job.layout();
    whole
        && match asks {
            Asks::Chain => Arc::strong_count(pending) == 1,
            Asks::Call => matches!(pending.work, Work::Light) && !pending.passed.swap(true, Ordering::Relaxed),
        }
}
