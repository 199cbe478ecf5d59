//! The element that Rust has no plain type for: its `bool` must be 0 or 1, and memory may hold anything.

/// A boolean as it lies in memory: 0 or 1. Kernels that read it take any other value for true or for a number, never for a `bool`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(transparent)]
pub struct Bool(pub(crate) u8);

impl From<bool> for Bool {
    fn from(value: bool) -> Self {
        Self(value as u8)
    }
}

impl From<Bool> for bool {
    fn from(value: Bool) -> Self {
        value.0 != 0
    }
}

impl std::fmt::Debug for Bool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0 != 0)
    }
}
