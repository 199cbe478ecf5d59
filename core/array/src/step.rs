//! What an operation on each element is, whatever arrays it is done on: which it is, its loop and its dtypes.

use crate::DType;
use icicle_cpu::blocks::Work;

/// The most operands of an operation.
pub(crate) const OPERANDS: usize = 3;

/// A loop over `n` elements from dense memory to dense memory elsewhere.
pub(crate) type Loop = unsafe fn(usize, *const u8, *mut u8);
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

/// Which operation a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Cast,
    /// One of the tables, by its number among their rows; [`Step::op`] is its name in them.
    Row(usize),
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

impl Step {
    /// What does nothing but cast.
    pub(crate) fn cast(op: &'static str, to: DType) -> Self {
        Self { op, code: Code::Cast, kernel: Kernel::Cast, takes: [to; OPERANDS], gives: to, work: Work::Light }
    }
}
