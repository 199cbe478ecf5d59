//! Memory as unsigned limbs of some shape.

/// How other libraries see an array.
pub(crate) struct Limbs {
    pub address: usize,
    pub shape: Vec<usize>,
    /// In limbs.
    pub strides: Vec<isize>,
    pub bytes: usize,
    pub contiguous: bool,
}
