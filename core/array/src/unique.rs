//! The values of an array, each once.

use crate::array::Array;

/// What [`unique_all`](crate::unique_all) finds.
#[derive(Clone, Debug)]
pub struct Unique {
    /// Each value once, ascending; every NaN is one of its own.
    pub values: Array,
    /// Where each value occurs first in the flattened array, in `int64`.
    pub indices: Array,
    /// For each element of the array, the index of its value, in the array's shape and `int64`.
    pub inverse: Array,
    /// How often each value occurs, in `int64`.
    pub counts: Array,
}
