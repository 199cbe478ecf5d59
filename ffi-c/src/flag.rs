//! Booleans as they come over the boundary.

/// A boolean in a struct: any nonzero byte is true.
pub type Flag = u8;
