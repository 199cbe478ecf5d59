//! What is named of an array: places by indices on its axes, and rows by places in its blocks.

use crate::array::Array;
use crate::{DType, Kind};
use icicle_error::{Error, Result};

/// Integer indices on an axis.
pub(crate) struct Indices {
    array: Array,
    /// Elements of the axis.
    pub(crate) extent: usize,
    /// Whether negative ones count from the axis' end.
    pub(crate) wraps: bool,
}

impl Indices {
    pub(crate) fn new(op: &'static str, array: Array, extent: usize) -> Result<Self> {
        if !array.dtype().is_integer() {
            return Err(Error::argument(op, format!("indices of {}: must be integers", array.dtype())));
        }
        let wraps = array.dtype().kind() == Kind::Signed;
        Ok(Self { array, extent, wraps })
    }

    /// The indices, dense and in `int64`.
    pub(crate) fn wide(&self) -> Result<Array> {
        self.array.astype(DType::Int64)?.contiguous()
    }

    /// The place that an index names.
    pub(crate) fn place(&self, op: &'static str, index: i64) -> Result<usize> {
        let extent = self.extent;
        let place = if index < 0 && self.wraps { index.saturating_add_unsigned(extent as u64) } else { index };
        match usize::try_from(place) {
            Ok(place) if place < extent => Ok(place),
            _ => Err(outside(op, index, extent)),
        }
    }
}

/// An index that names no place on its axis.
pub(crate) fn outside(op: &'static str, index: i64, extent: usize) -> Error {
    Error::argument(op, format!("index {index}: the axis has {extent} elements"))
}

/// How an array is cut into blocks of rows, of each of which some are taken.
#[derive(Clone, Copy)]
pub(crate) struct Blocks {
    /// Number of blocks.
    pub(crate) outer: usize,
    /// Rows of a block.
    pub(crate) extent: usize,
    /// Whether each block has places of its own, one block's after another's; else all have the same.
    pub(crate) each: bool,
}

impl Blocks {
    /// All rows in one block.
    pub(crate) const ONE: Self = Self { outer: 1, extent: 0, each: false };

    /// Rows that are taken of a block, of so many places.
    pub(crate) fn taken(self, places: usize) -> usize {
        if self.each { places / self.outer.max(1) } else { places }
    }
}
