//! Options and checked arguments of transforms.

use icicle_device::{Dst, Src};
use icicle_params::{CurveId, FieldId};
use icicle_runtime::Launch;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs)] // the names say it
pub enum Direction {
    Forward = 0,
    Inverse = 1,
}

/// Order of inputs and outputs: natural, bit-reversed, or mixed (any order that the counterpart undoes; here bit-reversed).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs)] // input order, then output order
pub enum Ordering {
    #[default]
    NaturalNatural = 0,
    NaturalReversed = 1,
    ReversedNatural = 2,
    ReversedReversed = 3,
    NaturalMixed = 4,
    MixedNatural = 5,
}

impl Ordering {
    /// Whether inputs are in bit-reversed order.
    pub fn input_reversed(self) -> bool {
        matches!(self, Self::ReversedNatural | Self::ReversedReversed | Self::MixedNatural)
    }
    /// Whether outputs are in bit-reversed order.
    pub fn output_reversed(self) -> bool {
        matches!(self, Self::NaturalReversed | Self::ReversedReversed | Self::NaturalMixed)
    }
}

/// Options of a transform.
#[derive(Clone, Debug)]
pub struct NttConfig {
    /// Stream and asynchrony.
    pub launch: Launch,
    /// Coset generator, canonical words of the scalar field; none means 1.
    pub coset: Option<[u64; 12]>,
    /// Number of transforms, at least 1.
    pub batch: usize,
    /// Interleave the transforms: element `i` of transform `b` lies at `i·batch + b`.
    pub columns: bool,
    /// Order of inputs and outputs.
    pub ordering: Ordering,
}

impl Default for NttConfig {
    fn default() -> Self {
        Self { launch: Launch::default(), coset: None, batch: 1, columns: false, ordering: Ordering::default() }
    }
}

/// A domain to make ready: the powers of a root of unity.
#[derive(Clone, Debug)]
pub struct DomainArgs {
    /// A scalar field with NTT.
    pub(crate) field: FieldId,
    /// Root of unity of order `2^log_n`, canonical words.
    pub(crate) root: [u64; 12],
    /// Log of the domain's size.
    pub(crate) log_n: u32,
}

/// A block of a network: in the network of a transform `2^log_blocks` times as large, block `index` of the level with so
/// many blocks is a transform of the coset that `w^r` generates, `w` the larger one's root of unity and `r` the index with
/// its bits reversed. Twiddles belong to blocks, so the larger transform's serve it, and its coset costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Log of the blocks of its level.
    pub(crate) log_blocks: u32,
    /// Which of them.
    pub(crate) index: u32,
}

/// Checked arguments of [`ntt`](crate::ntt::ntt).
#[derive(Debug)]
pub struct NttArgs<'a> {
    /// Field of the data: a scalar field or its extension.
    pub(crate) field: FieldId,
    /// Log of the length of each transform.
    pub(crate) log_n: u32,
    /// Number of transforms.
    pub(crate) batch: usize,
    /// Interleaved.
    pub(crate) columns: bool,
    /// Which way.
    pub(crate) direction: Direction,
    /// Order of inputs and outputs.
    pub(crate) ordering: Ordering,
    /// Coset generator other than 1, nonzero, canonical words.
    pub(crate) coset: Option<[u64; 12]>,
    /// The block of a larger transform's network that the coset makes of this one, if it is known to be one.
    pub(crate) block: Option<Block>,
    /// Input.
    pub(crate) input: Src<'a>,
    /// Output; may be exactly the input.
    pub(crate) out: Dst<'a>,
}

/// Checked arguments of [`ecntt`](crate::ntt::ecntt): projective points, the domain of the curve's scalar field.
#[derive(Debug)]
pub struct EcNttArgs<'a> {
    /// Curve of the points.
    pub(crate) curve: CurveId,
    /// As for fields; `field` is the curve's scalar field.
    pub(crate) ntt: NttArgs<'a>,
}

/// Where the rows of interleaved transforms begin, on the device that transforms them or on others within its reach: before,
/// and after.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// Addresses of the rows that are read, in order.
    pub(crate) from: &'a [u64],
    /// And of those that are written.
    pub(crate) to: &'a [u64],
}

/// Rows of a larger transform's matrix, one after another in memory, and where the pieces of the vector begin, each as long as
/// a row, that consists of the elements of all rows of the matrix by turns.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The number of the first row.
    pub(crate) first: usize,
    /// Addresses of the pieces, as many as the matrix has rows, within reach.
    pub(crate) pieces: &'a [u64],
}
