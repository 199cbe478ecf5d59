//! Options and checked arguments of operations on vectors.

use icicle_device::check::{bytes_for, count_for};
use icicle_device::{Dst, Src};
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use icicle_runtime::Launch;

/// How vectors lie in memory, and how to launch.
#[derive(Clone, Debug)]
pub struct VectorConfig {
    /// Stream and asynchrony.
    pub launch: Launch,
    /// Number of vectors, at least 1.
    pub batch: usize,
    /// Interleave the vectors of the batch: element `i` of vector `b` lies at `i·batch + b`.
    pub columns: bool,
}

impl Default for VectorConfig {
    fn default() -> Self {
        Self { launch: Launch::default(), batch: 1, columns: false }
    }
}

/// An element-wise operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Binary {
    Add,
    Sub,
    Mul,
    /// `a/b`, zero where `b` has no inverse.
    Div,
}

/// A reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Reduce {
    Sum,
    Product,
}

impl Binary {
    /// The operation's name.
    pub(crate) fn op(self) -> &'static str {
        match self {
            Self::Add => "vector_add",
            Self::Sub => "vector_sub",
            Self::Mul => "vector_mul",
            Self::Div => "vector_div",
        }
    }
    /// The operation's name where one operand is a scalar.
    pub(crate) fn scalar_op(self) -> &'static str {
        match self {
            Self::Add => "scalar_add_vec",
            Self::Sub => "scalar_sub_vec",
            Self::Mul => "scalar_mul_vec",
            Self::Div => "scalar_vec",
        }
    }
}

impl Reduce {
    /// The operation's name.
    pub(crate) fn op(self) -> &'static str {
        match self {
            Self::Sum => "vector_sum",
            Self::Product => "vector_product",
        }
    }
}

/// Shape common to all: field, elements per vector, vectors, interleaving.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Field of the elements (of `a`, where two fields meet).
    pub field: FieldId,
    /// Elements per vector.
    pub n: usize,
    /// Vectors.
    pub batch: usize,
    /// Interleaved.
    pub columns: bool,
}

impl Shape {
    pub(crate) fn new(op: &'static str, field: FieldId, n: usize, config: &VectorConfig) -> Result<Self> {
        if config.batch == 0 {
            return Err(Error::argument(op, "batch_size 0: must be at least 1"));
        }
        let total = count_for(op, "vectors", n, config.batch)?;
        bytes_for(op, "vectors", total, field.info().bytes())?;
        Ok(Self { field, n, batch: config.batch, columns: config.columns })
    }
    /// Elements in all.
    pub fn total(&self) -> usize {
        self.n * self.batch
    }
    pub(crate) fn bytes(&self) -> usize {
        self.field.info().bytes()
    }
}

/// Two inputs. For scalar operations `a` holds one scalar for each vector; for mixed products `b` is over the scalar field.
#[derive(Debug)]
pub struct BinaryArgs<'a> {
    /// Which operation; `Mul` for mixed products.
    pub(crate) binary: Binary,
    /// Shape of `b` and `out`.
    pub(crate) shape: Shape,
    /// First operand.
    pub(crate) a: Src<'a>,
    /// Second operand.
    pub(crate) b: Src<'a>,
    /// Result; may be exactly an operand of the same length.
    pub(crate) out: Dst<'a>,
}

/// One input.
#[derive(Debug)]
pub struct UnaryArgs<'a> {
    /// Shape of `a`.
    pub(crate) shape: Shape,
    /// Operand.
    pub(crate) a: Src<'a>,
    /// Result; may be exactly `a`, where as long.
    pub(crate) out: Dst<'a>,
}

/// A reduction of each vector to one element.
#[derive(Debug)]
pub struct ReduceArgs<'a> {
    /// Which.
    pub(crate) reduce: Reduce,
    /// Shape of `a`.
    pub(crate) shape: Shape,
    /// Operand.
    pub(crate) a: Src<'a>,
    /// `batch` elements.
    pub(crate) out: Dst<'a>,
}

/// A conversion to or from Montgomery form.
#[derive(Debug)]
pub struct ConvertArgs<'a> {
    /// Multiply by R if true, divide if false.
    pub(crate) to_montgomery: bool,
    /// Shape of `a` and `out`.
    pub(crate) shape: Shape,
    /// Operand.
    pub(crate) a: Src<'a>,
    /// Result; may be exactly `a`.
    pub(crate) out: Dst<'a>,
}

/// Every `stride`-th element from `offset`.
#[derive(Debug)]
pub struct SliceArgs<'a> {
    /// First index.
    pub(crate) offset: usize,
    /// Distance.
    pub(crate) stride: usize,
    /// Elements taken of each vector.
    pub(crate) n_out: usize,
    /// Shape of `a`.
    pub(crate) shape: Shape,
    /// Operand.
    pub(crate) a: Src<'a>,
    /// `batch` vectors of `n_out`, laid out as `a`; disjoint from it.
    pub(crate) out: Dst<'a>,
}
