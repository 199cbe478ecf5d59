//! What an operation works over.

use icicle_params::{CurveId, FieldId};

/// What an operation works over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// A field.
    Field(FieldId),
    /// A curve group.
    Curve(CurveId),
}
