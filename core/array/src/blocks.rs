//! Elementwise work by blocks that stay in the first-level cache.
#![allow(unsafe_code)] // memory by address

use crate::DType;
use crate::array::Fresh;
use crate::cast::Loop;
use crate::elementwise::{BinaryOp, UnaryOp};
use crate::source::{Draft, Source};
use icicle_cpu::blocks::{Work, for_ranges};

/// Elements of a block.
pub(crate) const BLOCK: usize = 512;

/// Elements that a loop takes at once where no operand needs a block.
const RUN: usize = 1 << 14;

/// The most operands of an operation.
pub(crate) const OPERANDS: usize = 3;

/// A loop over `n` elements of two dense operands, to dense memory elsewhere.
pub(crate) type PairLoop = unsafe fn(usize, *const u8, *const u8, *mut u8);
/// A loop over `n` elements of three.
pub(crate) type TripleLoop = unsafe fn(usize, *const u8, *const u8, *const u8, *mut u8);

/// The loop of an operation, by its number of operands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    /// None: its operand, cast.
    Cast,
    One(Loop),
    Two(PairLoop),
    Three(TripleLoop),
}

impl Kernel {
    /// # Safety
    /// The operands are `n` dense elements each of the loop's dtypes; `to` takes as many results and lies elsewhere.
    pub(crate) unsafe fn run(self, n: usize, [x, y, z]: [*const u8; OPERANDS], to: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            match self {
                // Its operand stands for it: see `Draft::step`.
                Self::Cast => {}
                Self::One(run) => run(n, x, to),
                Self::Two(run) => run(n, x, y, to),
                Self::Three(run) => run(n, x, y, z, to),
            }
        }
    }
}

/// Which operation a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Cast,
    Unary(UnaryOp),
    Binary(BinaryOp),
    Where,
    /// No operation: one value for all elements, by its bytes, without an operand. On a device that is no CPU, where it takes
    /// no memory.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    Constant([u8; 16]),
}

/// An operation on each element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) op: &'static str,
    pub(crate) code: Code,
    pub(crate) kernel: Kernel,
    /// The dtype in which it takes each operand.
    pub(crate) takes: [DType; OPERANDS],
    /// The dtype of what its loop gives.
    pub(crate) gives: DType,
    pub(crate) work: Work,
}

/// Write a source's `n` elements to a result.
pub(crate) fn evaluate(draft: &Draft, source: &Source, n: usize, work: Work, out: &mut Fresh) {
    let step = if draft.is_direct() { RUN } else { BLOCK };
    let size = out.dtype().bytes();
    let memory = Memory(out.start());
    for_ranges(n, draft.bytes + size, work, |range| {
        draft.with(|scratch| {
            for start in range.clone().step_by(step) {
                let n = step.min(range.end - start);
                // SAFETY: the source has all elements, the result takes them; no more than a block if blocks are needed.
                unsafe { source.write(start, n, scratch, memory.at(start * size)) };
            }
        });
    });
}

/// Memory of which tasks write disjoint parts.
pub(crate) struct Memory(pub(crate) *mut u8);
// SAFETY: tasks write disjoint parts.
unsafe impl Sync for Memory {}
impl Memory {
    /// The address some bytes on.
    pub(crate) fn at(&self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}
