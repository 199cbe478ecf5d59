//! How a transform is cut into passes and tiles (`ntt/shape.cuh`). Data for the host code.

use crate::launch::Plan;
use crate::signature::{Address, Entry, KernelArg, Parameter, kernels};
use std::ffi::c_void;

/// `[log_n, lo, levels, log_cols, log_grps, block, mirrored, factor_mask]`: `NttShape` of `ntt/shape.cuh`.
pub type Shape = [u32; 8];

/// 32-bit words of the longest element.
const MOST_WORDS: usize = 24;

/// `NttBits` of a field: a factor and an element for each of 32 bits of an index, canonical. The kernel reads as many words
/// as its elements have.
#[derive(Clone, Copy)]
pub struct Bits([u32; 33 * MOST_WORDS]);

impl Bits {
    /// From canonical little-endian words, for elements of `words` 32-bit ones; bits that are not given have zero.
    pub fn new(words: usize, scale: &[u64; MOST_WORDS / 2], of_bit: &[[u64; MOST_WORDS / 2]]) -> Self {
        let mut all = [0; 33 * MOST_WORDS];
        for (element, limbs) in std::iter::once(scale).chain(of_bit).zip(all.chunks_exact_mut(words)) {
            (0..words).for_each(|i| limbs[i] = (element[i / 2] >> (32 * (i % 2))) as u32);
        }
        Self(all)
    }
}

impl KernelArg for Bits {
    fn address(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }
}

impl Parameter for Bits {
    const BYTES: Option<usize> = None;
}

/// `NttPieces` of `ntt/reach.cuh`: where rows, or pieces of a vector, begin that several devices hold.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Pieces([u64; Self::MOST]);

impl Pieces {
    /// As many at most.
    pub const MOST: usize = 64;

    /// Addresses, multiples of 16; none if there are too many.
    pub fn new(addresses: &[u64]) -> Option<Self> {
        let mut all = [0; Self::MOST];
        all.get_mut(..addresses.len())?.copy_from_slice(addresses);
        Some(Self(all))
    }
}

impl KernelArg for Pieces {
    fn address(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }
}

impl Parameter for Pieces {
    const BYTES: Option<usize> = Some(size_of::<Self>());
}

/// `[first, log_vectors, log_rows, log_piece]`: `NttRows` of `ntt/reach.cuh`.
pub type Rows = [u32; 4];

/// Transforms of one pass down columns.
pub type ColumnsKernel = Entry<(Address, Address, u64, Shape, Pieces, Pieces)>;

/// The pass over the low rows of the transforms of rows.
pub type RowsKernel = Entry<(Address, Address, Address, Shape, Rows, Pieces)>;

/// A pass.
pub type PassKernel = Entry<(Address, Address, Address, Address, u64, u64, Shape)>;

kernels! {
    /// Kernels of each scalar field with transforms, `<field>_<op>` in the image [`crate::image_of`] the field. The `small`
    /// ones, and those of columns and rows, exist for elements of at least 8 words.
    NTT_KERNELS: Ntt {
        DOWN = "ntt_down"(
            a: Address, out: Address, table: Address, factors: Address, inner: u64, groups: u64, shape: Shape,
        );
        UP = "ntt_up"(
            a: Address, out: Address, table: Address, factors: Address, inner: u64, groups: u64, shape: Shape,
        );
        DOWN_SMALL = "ntt_down_small"(
            a: Address, out: Address, table: Address, factors: Address, inner: u64, groups: u64, shape: Shape,
        );
        UP_SMALL = "ntt_up_small"(
            a: Address, out: Address, table: Address, factors: Address, inner: u64, groups: u64, shape: Shape,
        );
        DOWN_COLUMNS = "ntt_down_columns"(
            table: Address, factors: Address, inner: u64, shape: Shape, from: Pieces, to: Pieces,
        );
        DOWN_ROWS = "ntt_down_rows"(
            memory: Address, table: Address, factors: Address, shape: Shape, rows: Rows, pieces: Pieces,
        );
        UP_COLUMNS = "ntt_up_columns"(
            table: Address, factors: Address, inner: u64, shape: Shape, from: Pieces, to: Pieces,
        );
        UP_ROWS = "ntt_up_rows"(
            memory: Address, table: Address, factors: Address, shape: Shape, rows: Rows, pieces: Pieces,
        );
        PRODUCTS = "ntt_products"(out: Address, count: u32, bits: Bits);
        MULTIPLY = "ntt_multiply"(a: Address, out: Address, count: u32, width: u64, batch: u64, bits: Bits);
        SHIFT = "ntt_shift"(table: Address, out: Address, log_n: u32, levels: u32, bits: Bits);
    }
}

/// Most levels of a pass, by words of an element: what leaves a tile at least 16 bytes of adjacent elements, 32 of large
/// ones.
const fn most_levels(words: usize) -> u32 {
    match words {
        0..=2 => 10,
        3..=8 => 9,
        _ => 8,
    }
}

/// Logs of the elements in a thread's registers and in a block's tile; `NttSize` in `ntt/shape.cuh`.
const fn size(words: usize, small: bool) -> (u32, u32) {
    match (words, small) {
        (0..=1, _) => (5, 12),
        (2, _) => (4, 11),
        (3..=8, true) => (1, 10),
        (_, true) => (1, 9),
        (_, false) => (2, 9),
    }
}

/// Most elements of transforms that leave most of the machine idle: then threads hold few elements. Large ones only.
const SMALL: u64 = 1 << 18;

/// Bytes that a tile should read from one place.
const RUN_BYTES: u64 = 32;

/// What all passes of a transform share. Elements are those of the prime field: an element of an extension is a row of
/// several, interleaved transforms are rows of one element each.
#[derive(Clone, Copy, Debug)]
pub struct Transform {
    /// 32-bit words of an element.
    pub words: usize,
    /// Log of the rows.
    pub log_n: u32,
    /// Elements of a row.
    pub width: u64,
    /// Transforms one after another.
    pub batch: u64,
    /// Whether both sides are in natural order, so that one is permuted.
    pub mirrored: bool,
}

impl Transform {
    fn small(&self) -> bool {
        self.words >= 8 && self.width * self.batch <= SMALL >> self.log_n
    }

    /// The kernel of its passes, from natural to reversed order or back.
    pub fn kernel(&self, down: bool) -> PassKernel {
        match (down, self.small()) {
            (true, false) => DOWN,
            (false, false) => UP,
            (true, true) => DOWN_SMALL,
            (false, true) => UP_SMALL,
        }
    }
}

/// Whether elements of so many words have kernels of columns and rows that several devices hold.
pub const fn reach(words: usize) -> bool {
    words >= 8
}

/// A pass over row bits `lo .. lo + levels`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Lowest row bit.
    pub lo: u32,
    /// Levels.
    pub levels: u32,
    /// Log of the adjacent elements of a tile, and of the groups of rows.
    pub log_cols: u32,
    /// See `log_cols`.
    pub log_grps: u32,
    /// Elements from row to row of a group.
    pub inner: u64,
    /// Groups of all transforms.
    pub groups: u64,
    /// Grid and block.
    pub plan: Plan,
}

impl Pass {
    /// The kernel's parameter: of a transform, which block of the table's network it is, and what rows' indices are masked
    /// with to find their factors.
    pub const fn shape(&self, of: &Transform, block: u32, factor_mask: u32) -> Shape {
        let mirrored = of.mirrored && self.lo == 0;
        let Self { lo, levels, log_cols, log_grps, .. } = *self;
        [of.log_n, lo, levels, log_cols, log_grps, block, mirrored as u32, factor_mask]
    }

    fn tiles(&self) -> u64 {
        self.inner.div_ceil(1 << self.log_cols) * self.groups.div_ceil(1 << self.log_grps)
    }
}

fn log_up(x: u64) -> u32 {
    x.next_power_of_two().ilog2()
}

/// The passes of a transform of at least two rows, from the low rows up; going down they run from the last to the first.
/// Tiles shrink as long as there are fewer than `sms` of them.
pub fn passes(of: &Transform, sms: u32) -> Vec<Pass> {
    cut(of, of.small(), divided(of.log_n, of.log_n.div_ceil(most_levels(of.words))), sms)
}

/// Those of transforms of [`Rows`], of more than one pass: the pass over the low rows leaves room in its tiles for the
/// elements of the same index of eight rows, unless that took a pass more.
pub fn passes_of_rows(of: &Transform, sms: u32) -> Vec<Pass> {
    let most = most_levels(of.words);
    let more = |low: u32| of.log_n.saturating_sub(low).div_ceil(most).max(1);
    let least = of.log_n.div_ceil(most).max(2) - 1;
    let together = size(of.words, false).1 - 3;
    let low = (together..=most).find(|&low| more(low) == least).unwrap_or(together).min(of.log_n - 1);
    cut(of, false, [low].into_iter().chain(divided(of.log_n - low, more(low))), sms)
}

/// The one pass of transforms down columns.
pub fn pass_of_columns(of: &Transform, sms: u32) -> Vec<Pass> {
    cut(of, false, [of.log_n], sms)
}

/// Levels in as many parts, the longer ones first.
fn divided(levels: u32, count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(move |i| levels / count + u32::from(i < levels % count))
}

/// Passes of so many levels.
fn cut(of: &Transform, small: bool, levels: impl IntoIterator<Item = u32>, sms: u32) -> Vec<Pass> {
    let (held, tile) = size(of.words, small);
    let mut lo = 0;
    let mut out = Vec::new();
    for levels in levels {
        let (inner, groups) = (of.width << lo, of.batch << (of.log_n - lo - levels));
        let room = tile - levels;
        let log_cols = room.min(log_up(inner));
        let log_grps = (room - log_cols).min(log_up(groups));
        let plan = Plan { grid: (1, 1), threads: 1 };
        let mut pass = Pass { lo, levels, log_cols, log_grps, inner, groups, plan };
        while pass.tiles() < u64::from(sms) {
            let adjacent = pass.log_cols + if lo == 0 { pass.log_grps } else { 0 };
            if (of.words as u64 * 4) << adjacent <= RUN_BYTES {
                break;
            }
            if pass.log_grps > 0 {
                pass.log_grps -= 1;
            } else if pass.log_cols > 0 {
                pass.log_cols -= 1;
            } else {
                break;
            }
        }
        // A thread's registers are all used, by groups that do not exist if need be.
        pass.log_grps += held.saturating_sub(levels + pass.log_cols + pass.log_grps);
        let threads = 1 << (levels + pass.log_cols + pass.log_grps - held);
        pass.plan = Plan { grid: (pass.tiles().clamp(1, 1 << 30) as u32, 1), threads };
        out.push(pass);
        lo += levels;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_cover_all_levels_and_fit_blocks() {
        for words in [1, 2, 8, 12] {
            for log_n in 1..=27 {
                for (width, batch) in [(1, 1), (4, 3), (1000, 1), (1, 1 << 20)] {
                    for mirrored in [false, true] {
                        let of = Transform { words, log_n, width, batch, mirrored };
                        let (held, tile) = size(words, of.small());
                        let mut lo = 0;
                        for pass in passes(&of, 132) {
                            assert_eq!(pass.lo, lo);
                            lo += pass.levels;
                            let bits = pass.levels + pass.log_cols + pass.log_grps;
                            assert!(bits <= tile && bits >= held, "{pass:?}");
                            assert_eq!(pass.plan.threads, 1 << (bits - held));
                            assert_eq!(pass.shape(&of, 0, 0)[6], u32::from(mirrored && pass.lo == 0));
                        }
                        assert_eq!(lo, log_n);
                    }
                }
            }
        }
    }

    #[test]
    fn bits_are_limbs_of_elements_one_after_another() {
        let mut x = [0; 12];
        x[0] = 0x2_0000_0003;
        let mut one = [0; 12];
        one[0] = 1;
        assert_eq!(Bits::new(2, &one, &[x, x]).0[..8], [1, 0, 3, 2, 3, 2, 0, 0]);
        assert_eq!(Bits::new(24, &one, &[[u64::MAX; 12]; 32]).0[23..], [vec![0], vec![u32::MAX; 32 * 24]].concat());
    }

    #[test]
    fn large_transforms_read_whole_lines() {
        let of = Transform { words: 8, log_n: 24, width: 1, batch: 1, mirrored: true };
        let all = passes(&of, 132);
        assert_eq!(all.iter().map(|pass| pass.levels).collect::<Vec<_>>(), [8, 8, 8]);
        assert!(all.iter().all(|pass| pass.plan.threads == 128 && pass.log_cols + pass.log_grps == 1));
    }

    #[test]
    fn small_transforms_of_large_elements_have_kernels_of_their_own() {
        let of = |words, log_n, batch| Transform { words, log_n, width: 1, batch, mirrored: true };
        for (transform, kernel) in [
            (of(8, 18, 1), DOWN_SMALL),
            (of(8, 18, 2), DOWN),
            (of(8, 19, 1), DOWN),
            (of(12, 4, 1 << 14), DOWN_SMALL),
            (of(2, 10, 1), DOWN),
        ] {
            assert_eq!(transform.kernel(true).index, kernel.index, "{transform:?}");
        }
        assert_eq!((of(8, 18, 1).kernel(false).index, of(8, 20, 1).kernel(false).index), (UP_SMALL.index, UP.index));
        // A block for each multiprocessor, and every thread with one butterfly a level.
        let passes = passes(&of(8, 16, 1), 132);
        assert!(passes.iter().all(|pass| pass.plan == Plan { grid: (256, 1), threads: 128 }), "{passes:?}");
    }
}
