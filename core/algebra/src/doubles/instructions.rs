//! What a set of instructions on vectors of doubles has.

/// A set of instructions on vectors of doubles.
///
/// Loops over them are compiled for it where all functions between [`Kernel::run`] and the loop are `#[inline(always)]`.
pub trait Doubles: Copy {
    /// Numbers in a vector, a power of two.
    const COUNT: usize;
    /// The binary logarithm of how many vectors' complex numbers registers hold, beside what is computed with them.
    const RADIX_LOG: u32;
    /// A vector in a register.
    type V: Copy;
    /// A vector in memory: `[f64; COUNT]`.
    type Block;
    /// As many words in memory: `[u64; COUNT]`.
    type Words;

    /// The vectors of a slice; what is beyond the last whole one is left out.
    fn blocks(from: &[f64]) -> &[Self::Block];
    /// As [`blocks`](Self::blocks), to write.
    fn blocks_mut(from: &mut [f64]) -> &mut [Self::Block];
    /// Words, in as many.
    fn words_mut(from: &mut [u64]) -> &mut [Self::Words];
    /// Read a vector.
    fn load(self, from: &Self::Block) -> Self::V;
    /// Write a vector.
    fn store(self, x: Self::V, to: &mut Self::Block);
    /// The same number everywhere.
    fn splat(self, x: f64) -> Self::V;
    /// a + b.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// a·b.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// a·b + c, rounded once where the instructions do that.
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// a·b - c, likewise.
    fn mul_sub(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// c - a·b, likewise.
    fn sub_mul(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// Of two vectors as runs of `run` numbers, `run` below `COUNT`: exchange the odd runs of the first with the even ones of the
    /// second. Doing it again undoes it.
    fn exchange(self, run: usize, a: Self::V, b: Self::V) -> [Self::V; 2];
    /// Add the fraction of each number, which lies between -2⁵¹ and 2⁵¹, to a word, in units of 2⁻⁶⁴ and rounded to 2⁻⁵².
    fn add_fraction(self, x: Self::V, to: &mut Self::Words);
}

/// Work over vectors of whatever width.
pub trait Kernel {
    /// What it computes.
    type Output;
    /// Do it; `#[inline(always)]`.
    fn run<D: Doubles>(self, doubles: D) -> Self::Output;
}
