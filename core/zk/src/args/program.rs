//! Checked arguments of an execution.

use crate::program::compile::Program;
use icicle_device::Dst;
use icicle_params::FieldId;

/// Checked arguments of [`execute`](crate::program::execute).
#[derive(Debug)]
pub struct ExecuteArgs<'a> {
    /// Field of the elements.
    pub(crate) field: FieldId,
    /// Positions: elements of each vector.
    pub(crate) n: usize,
    /// What to compute; its constants are long enough for the field.
    pub(crate) program: &'a Program,
    /// One vector for each parameter, pairwise disjoint.
    pub(crate) vectors: &'a [Dst<'a>],
}
