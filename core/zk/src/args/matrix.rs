//! Options and checked arguments of operations on matrices.

use icicle_device::{Dst, Src};
use icicle_params::FieldId;
use icicle_runtime::Launch;

/// Flags of a matrix product.
#[derive(Clone, Debug, Default)]
pub struct MatMulConfig {
    /// Stream and asynchrony.
    pub launch: Launch,
    /// `a` is stored transposed.
    pub a_transposed: bool,
    /// `b` is stored transposed.
    pub b_transposed: bool,
    /// Store the result transposed.
    pub result_transposed: bool,
}

/// Checked arguments of [`transpose`](crate::matrix::transpose).
#[derive(Debug)]
pub struct TransposeArgs<'a> {
    /// Field of the elements.
    pub(crate) field: FieldId,
    /// Rows of each input matrix.
    pub(crate) rows: usize,
    /// Columns of each input matrix.
    pub(crate) cols: usize,
    /// Number of matrices.
    pub(crate) batch: usize,
    /// Whether the matrices are interleaved: entry `i` of matrix `m` lies at `i·batch + m`.
    pub(crate) columns: bool,
    /// Input.
    pub(crate) a: Src<'a>,
    /// Output; may be exactly the input.
    pub(crate) out: Dst<'a>,
}

/// Checked arguments of [`multiply`](crate::matrix::multiply): `rows × inner` times `inner × cols`.
#[derive(Debug)]
pub struct MultiplyArgs<'a> {
    /// Field of the elements.
    pub(crate) field: FieldId,
    /// Rows of the result (before it is transposed).
    pub(crate) rows: usize,
    /// Columns of the left operand.
    pub(crate) inner: usize,
    /// Columns of the result (before it is transposed).
    pub(crate) cols: usize,
    /// `a` is stored `inner × rows`.
    pub(crate) a_transposed: bool,
    /// `b` is stored `cols × inner`.
    pub(crate) b_transposed: bool,
    /// Store the result `cols × rows`.
    pub(crate) result_transposed: bool,
    /// Left operand.
    pub(crate) a: Src<'a>,
    /// Right operand.
    pub(crate) b: Src<'a>,
    /// Result; disjoint from both.
    pub(crate) out: Dst<'a>,
}
