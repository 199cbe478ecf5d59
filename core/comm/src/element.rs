//! What is communicated, and how it is reduced.

use icicle_array::{DType, Kind};
use icicle_error::{Error, Result};
use icicle_params::{CurveId, FieldId};
use std::fmt;

/// The type of a collective's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// Numbers, as in arrays.
    Number(DType),
    /// Elements of a field, canonical, in memory form.
    Field(FieldId),
    /// Projective points of a curve, in memory form.
    Point(CurveId),
}

impl From<DType> for DataType {
    fn from(dtype: DType) -> Self {
        Self::Number(dtype)
    }
}
impl From<FieldId> for DataType {
    fn from(field: FieldId) -> Self {
        Self::Field(field)
    }
}
impl From<CurveId> for DataType {
    fn from(curve: CurveId) -> Self {
        Self::Point(curve)
    }
}

impl DataType {
    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Self::Number(dtype) => dtype.bytes(),
            Self::Field(field) => field.info().bytes(),
            Self::Point(curve) => 3 * curve.info().base.info().bytes(),
        }
    }

    /// What addresses of elements that are reduced are multiples of.
    pub(crate) fn align(self) -> usize {
        match self {
            Self::Number(dtype) => dtype.real().bytes(),
            // Limbs of 32 bits.
            Self::Field(_) | Self::Point(_) => 4,
        }
    }

    /// A number that no other type has, for the wire.
    pub(crate) fn number(self) -> u64 {
        let (class, number) = match self {
            Self::Number(dtype) => (1u64, dtype as i32),
            Self::Field(field) => (2, field as i32),
            Self::Point(curve) => (3, curve as i32),
        };
        class << 32 | u64::from(number as u32)
    }

    /// The type of a number that came over the wire, if it names one.
    pub(crate) fn from_number(number: u64) -> Option<Self> {
        let low = number as u32 as i32;
        match number >> 32 {
            1 => DType::from_number(low).ok().map(Self::Number),
            2 => FieldId::from_number(low).map(Self::Field),
            3 => CurveId::from_number(low).map(Self::Point),
            _ => None,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(dtype) => f.write_str(dtype.name()),
            Self::Field(field) => write!(f, "elements of {}", field.name()),
            Self::Point(curve) => write!(f, "points of {}", curve.info().name),
        }
    }
}

/// How the elements of all ranks become one. They are taken in the order of ranks, so that every rank gets the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOp {
    /// The sum. Integers wrap; booleans: whether any is true. 16-bit floats are summed in `float32` and rounded once.
    Sum,
    /// The product, as [`ReduceOp::Sum`]; booleans: whether all are true.
    Prod,
    /// The smallest; NaN if any is.
    Min,
    /// The largest; NaN if any is.
    Max,
    /// The sum, divided by the number of ranks; integers towards zero.
    Avg,
}

impl ReduceOp {
    /// Every one.
    pub const ALL: [Self; 5] = [Self::Sum, Self::Prod, Self::Min, Self::Max, Self::Avg];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Min => "min",
            Self::Max => "max",
            Self::Avg => "avg",
        }
    }

    /// Whether elements of a type are reduced so; exactly then the call does not return `Unsupported`.
    ///
    /// All five for integers and real floats; no average of booleans; no least and greatest complex numbers; sums and
    /// products of field elements; sums of points.
    pub const fn takes(self, data_type: DataType) -> bool {
        match data_type {
            DataType::Number(dtype) => match dtype.kind() {
                Kind::Bool => !matches!(self, Self::Avg),
                Kind::Signed | Kind::Unsigned | Kind::Float => true,
                Kind::Complex => matches!(self, Self::Sum | Self::Prod | Self::Avg),
            },
            DataType::Field(_) => matches!(self, Self::Sum | Self::Prod),
            DataType::Point(_) => matches!(self, Self::Sum),
        }
    }

    pub(crate) fn need(self, op: &'static str, data_type: DataType) -> Result<()> {
        match self.takes(data_type) {
            true => Ok(()),
            false => Err(Error::unsupported(op, format!("reduction {} of {data_type}", self.name()))),
        }
    }

    /// The number that bindings in other languages and the wire know it by.
    pub const fn number(self) -> u8 {
        match self {
            Self::Sum => 1,
            Self::Prod => 2,
            Self::Min => 3,
            Self::Max => 4,
            Self::Avg => 5,
        }
    }
}
