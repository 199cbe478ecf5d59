//! How the CPU device cuts work: into tasks by size, and those into blocks that stay in the first-level cache.
//!
//! Where a loop does more than one thing per element, a block is copied to local memory, computed there, and copied out, so
//! an output may be exactly an input and the compiler still vectorises. Cuts depend on sizes only, never on the number of threads.

use super::parallel::indices;
use bytemuck::Pod;
use std::ops::Range;

/// Elements that loops take together.
pub const GROUP: usize = 16;

/// Bytes of a block.
const BLOCK_BYTES: usize = 4096;

/// Local memory for one block of elements of any memory form.
#[repr(C, align(64))]
pub struct Block([u8; BLOCK_BYTES]);

impl Default for Block {
    /// A zeroed block.
    fn default() -> Self {
        Self([0; BLOCK_BYTES])
    }
}

impl Block {
    /// As many elements as fit.
    pub fn of<T: Pod>(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.0[..Self::len::<T>() * size_of::<T>()])
    }
    /// How many fit.
    pub const fn len<T>() -> usize {
        BLOCK_BYTES / size_of::<T>()
    }
}

/// How much there is to do per byte.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Bound by memory: moves and sums.
    Light,
    /// Bound by arithmetic: products.
    Heavy,
}

impl Work {
    /// Bytes of a task: enough to outweigh handing it to a thread (about a microsecond).
    pub const fn task_bytes(self) -> usize {
        match self {
            Self::Light => 1 << 16,
            Self::Heavy => 1 << 14,
        }
    }
    /// Bytes from which on threads are woken (about 10 microseconds).
    const fn parallel_from(self) -> usize {
        match self {
            Self::Light => 1 << 18,
            Self::Heavy => 1 << 15,
        }
    }
}

/// Elements of `size` bytes that are a task: whole groups, as loops take them.
fn step(size: usize, work: Work) -> usize {
    let step = work.task_bytes() / size.max(1);
    if step > GROUP { step / GROUP * GROUP } else { step.max(1) }
}

/// How many ranges [`for_ranges`] makes.
pub fn ranges(n: usize, size: usize, work: Work) -> usize {
    n.div_ceil(step(size, work))
}

/// Do `0..n`, elements of `size` bytes, in ranges; inline if small.
pub fn for_ranges(n: usize, size: usize, work: Work, task: impl Fn(Range<usize>) + Sync) {
    let step = step(size, work);
    let range = pieces(n, step);
    indices(n.div_ceil(step), n.saturating_mul(size) >= work.parallel_from(), &|i| task(range(i)));
}

/// `0..n` cut into pieces of `step`.
pub fn pieces(n: usize, step: usize) -> impl Fn(usize) -> Range<usize> + Copy {
    move |i| i * step..n.min((i + 1) * step)
}

/// Where the elements of a batch of vectors lie.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Elements per vector.
    pub n: usize,
    /// Vectors.
    pub batch: usize,
    /// Interleaved.
    pub columns: bool,
}

impl Layout {
    /// Index of element `i` of vector `b`.
    #[inline(always)]
    pub fn at(&self, b: usize, i: usize) -> usize {
        if self.columns { i * self.batch + b } else { b * self.n + i }
    }
    /// The same data as `(vectors, elements moved together)`: interleaved vectors move as one.
    pub fn cells(&self) -> (usize, usize) {
        if self.columns { (1, self.batch) } else { (self.batch, 1) }
    }
}
