//! Pairs of points to add, named by index.

/// Added to an index, names the opposite of a point.
pub const NEGATE: u32 = 1 << 31;

/// Where the point is that an index names.
#[inline(always)]
pub fn place(index: u32) -> usize {
    (index & !NEGATE) as usize
}

/// `next[out] = points[a] + points[b]`.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Index of the first point, [`NEGATE`] or not.
    pub a: u32,
    /// Index of the second point, [`NEGATE`] or not.
    pub b: u32,
    /// Where the sum goes.
    pub out: u32,
}
