//! Checked arguments of operations on polynomials.

use icicle_device::{Dst, Src};
use icicle_params::FieldId;

/// Checked arguments of [`evaluate`](crate::polynomial::evaluate).
#[derive(Debug)]
pub struct EvaluateArgs<'a> {
    /// Field of the elements.
    pub(crate) field: FieldId,
    /// Coefficients per polynomial.
    pub(crate) n: usize,
    /// Points.
    pub(crate) points: usize,
    /// Polynomials.
    pub(crate) batch: usize,
    /// Whether coefficients and values of the batch are interleaved.
    pub(crate) columns: bool,
    /// `batch × n` coefficients.
    pub(crate) coeffs: Src<'a>,
    /// The points, shared by the batch.
    pub(crate) domain: Src<'a>,
    /// `batch × points` values.
    pub(crate) out: Dst<'a>,
}

/// Checked arguments of [`divide`](crate::polynomial::divide).
#[derive(Debug)]
pub struct DivideArgs<'a> {
    /// Field of the elements.
    pub(crate) field: FieldId,
    /// Coefficients per numerator.
    pub(crate) n: usize,
    /// Coefficients per denominator.
    pub(crate) m: usize,
    /// Room per quotient.
    pub(crate) q_size: usize,
    /// Room per remainder.
    pub(crate) r_size: usize,
    /// Pairs.
    pub(crate) batch: usize,
    /// Whether the batch is interleaved.
    pub(crate) columns: bool,
    /// `batch × n`.
    pub(crate) numerator: Src<'a>,
    /// `batch × m`.
    pub(crate) denominator: Src<'a>,
    /// `batch × q_size`, zero-padded.
    pub(crate) quotient: Dst<'a>,
    /// `batch × r_size`, zero-padded.
    pub(crate) remainder: Dst<'a>,
}
