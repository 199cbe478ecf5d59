//! Transforms of complex numbers, and those of real ones, which do half the work.

/// The kinds of transform, by what they take and give.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Complex numbers to complex ones.
    Complex,
    /// Real numbers to the first half of the result, of which the other is the conjugate.
    Halved,
    /// Back to real numbers, from the first half.
    Doubled,
}
