//! Pivots of matrices, whose product is the determinant.

use super::stack::Number;

/// The pivots of a matrix, all 0 if one is, and -1 if its rows were exchanged an odd number of times, else 1.
pub(crate) type Pivots<T> = (Vec<T>, f64);

/// Pivots as they were found: those that follow a 0 come from dividing by it.
pub(crate) fn settled<T: Number>(mut pivots: Vec<T>, finite: bool) -> Vec<T> {
    if pivots.iter().any(|pivot| pivot.distance() == 0.0) && finite {
        pivots.fill(T::from_real(0.0));
    }
    pivots
}
