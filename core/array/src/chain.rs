//! Chains of operations that wait: which of them are computed where they are used.
//!
//! An operation's values are computed where they are used, block by block, if nothing else can ask for them any more; else
//! they are kept. So none are computed more than twice.

use crate::array::{Array, Pending};
use crate::job::Order;
use icicle_cpu::blocks::Work;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Who asks for an operand's elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// An operation that holds the operand; if nothing else does, nothing can ask for them again.
    Chain,
    /// A call, whose caller may still ask for them: once they are computed without being kept, if that is cheap.
    Call,
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
