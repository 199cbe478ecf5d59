//! Networks of butterflies on tiles of one-word primes. Loops here do without closures over vectors: what is not inlined is
//! not compiled for the instructions either.

use super::tile::DOWN;
use super::word_vectors::{Job, Vectors};

/// Twiddles: that of block `i` of the level with `2^l` blocks at `2^l + i`.
pub struct Tree<C> {
    pub(super) nodes: Vec<C>,
    /// Whether the first block of every level has twiddle 1.
    pub(super) ones: bool,
}

/// Log of the vectors of a block that goes through all its levels before the next one does: what the first-level cache
/// holds.
const LOG_LEAF: u32 = 8;

/// All levels of a block of `2^log_rows` rows, the one at `node` of the tree.
pub(super) fn walk<V: Vectors<K>, const K: usize, const WAY: bool>(
    vectors: V,
    tree: &Tree<V::Constant>,
    data: &mut [V::Vector],
    node: usize,
    log_rows: u32,
) {
    if data.len() <= 1 << LOG_LEAF || log_rows <= V::LEVELS {
        vectors.enter(Levels::<V, K, WAY> { vectors, tree, data, node, levels: log_rows });
        return;
    }
    let levels = first_levels(log_rows, V::LEVELS);
    if WAY == DOWN {
        vectors.enter(Levels::<V, K, WAY> { vectors, tree, data, node, levels });
    }
    let size = data.len() >> levels;
    for (i, block) in data.chunks_exact_mut(size).enumerate() {
        walk::<V, K, WAY>(vectors, tree, block, (node << levels) + i, log_rows - levels);
    }
    if WAY != DOWN {
        vectors.enter(Levels::<V, K, WAY> { vectors, tree, data, node, levels });
    }
}

/// How many levels to do first, so that all steps are of `most` levels or one less if possible.
#[inline(always)]
fn first_levels(levels: u32, most: u32) -> u32 {
    levels.div_ceil(levels.div_ceil(most))
}

/// Levels of a block.
struct Levels<'a, V: Vectors<K>, const K: usize, const WAY: bool> {
    vectors: V,
    tree: &'a Tree<V::Constant>,
    data: &'a mut [V::Vector],
    node: usize,
    levels: u32,
}

impl<V: Vectors<K>, const K: usize, const WAY: bool> Job for Levels<'_, V, K, WAY> {
    #[inline(always)]
    fn run(self) {
        // Above each step, and how many it does.
        let (mut steps, mut count, mut above) = ([(0u32, 0u32); 16], 0, 0);
        while above < self.levels {
            let levels = first_levels(self.levels - above, V::LEVELS);
            steps[count] = (above, levels);
            (above, count) = (above + levels, count + 1);
        }
        for i in 0..count {
            let (above, levels) = steps[if WAY == DOWN { i } else { count - 1 - i }];
            let size = self.data.len() >> above;
            for (i, block) in self.data.chunks_exact_mut(size).enumerate() {
                step::<V, K, WAY>(self.vectors, self.tree, block, (self.node << above) + i, levels);
            }
        }
    }
}

/// How the twiddles of a block are: any, or the first of each level 1, or any for operands that are fresh.
const ANY: u8 = 0;
pub(super) const ONES: u8 = 1;
pub(super) const FRESH: u8 = 2;

#[inline(always)]
fn step<V: Vectors<K>, const K: usize, const WAY: bool>(
    vectors: V,
    tree: &Tree<V::Constant>,
    data: &mut [V::Vector],
    node: usize,
    levels: u32,
) {
    let kind = if tree.ones && node.is_power_of_two() {
        ONES
    } else if node == 1 && WAY == DOWN {
        FRESH
    } else {
        ANY
    };
    match (levels, kind) {
        (1, ANY) => radix::<V, K, 2, WAY, ANY>(vectors, tree, data, node),
        (1, ONES) => radix::<V, K, 2, WAY, ONES>(vectors, tree, data, node),
        (1, _) => radix::<V, K, 2, WAY, FRESH>(vectors, tree, data, node),
        (2, ANY) => radix::<V, K, 4, WAY, ANY>(vectors, tree, data, node),
        (2, ONES) => radix::<V, K, 4, WAY, ONES>(vectors, tree, data, node),
        (2, _) => radix::<V, K, 4, WAY, FRESH>(vectors, tree, data, node),
        (_, ANY) => radix::<V, K, 8, WAY, ANY>(vectors, tree, data, node),
        (_, ONES) => radix::<V, K, 8, WAY, ONES>(vectors, tree, data, node),
        _ => radix::<V, K, 8, WAY, FRESH>(vectors, tree, data, node),
    }
}

/// The levels of a block cut into `R` parts.
#[inline(always)]
fn radix<V: Vectors<K>, const K: usize, const R: usize, const WAY: bool, const KIND: u8>(
    vectors: V,
    tree: &Tree<V::Constant>,
    data: &mut [V::Vector],
    node: usize,
) {
    let mut twiddles = [vectors.repeat(&tree.nodes[node]); R];
    for i in 2..R {
        // Place 2^l + i of the block's own tree.
        let level = i.ilog2();
        twiddles[i] = vectors.repeat(&tree.nodes[(node << level) + i - (1 << level)]);
    }
    let n = data.len() / R;
    let start = data.as_mut_ptr();
    for j in 0..n {
        let mut x = [vectors.zero(); R];
        for i in 0..R {
            // SAFETY: `i·n + j` is below `R·n`, which is at most the length.
            x[i] = unsafe { start.add(i * n + j).read() };
        }
        levels::<V, K, R, WAY, KIND>(vectors, &mut x, &twiddles);
        for i in 0..R {
            // SAFETY: as above.
            unsafe { start.add(i * n + j).write(x[i]) };
        }
    }
}

/// All levels of a block of `R` vectors, at most 16.
#[inline(always)]
pub(super) fn levels<V: Vectors<K>, const K: usize, const R: usize, const WAY: bool, const KIND: u8>(
    vectors: V,
    x: &mut [V::Vector; R],
    twiddles: &[V::Factor; R],
) {
    if WAY == DOWN {
        level::<V, K, R, 0, WAY, KIND>(vectors, x, twiddles);
        level::<V, K, R, 1, WAY, KIND>(vectors, x, twiddles);
        level::<V, K, R, 2, WAY, KIND>(vectors, x, twiddles);
        level::<V, K, R, 3, WAY, KIND>(vectors, x, twiddles);
    } else {
        level::<V, K, R, 3, WAY, KIND>(vectors, x, twiddles);
        level::<V, K, R, 2, WAY, KIND>(vectors, x, twiddles);
        level::<V, K, R, 1, WAY, KIND>(vectors, x, twiddles);
        level::<V, K, R, 0, WAY, KIND>(vectors, x, twiddles);
    }
}

/// One level, if there are as many: all its loops are of known length, so that they unroll.
#[inline(always)]
fn level<V: Vectors<K>, const K: usize, const R: usize, const LEVEL: u32, const WAY: bool, const KIND: u8>(
    vectors: V,
    x: &mut [V::Vector; R],
    twiddles: &[V::Factor; R],
) {
    let half = R >> (LEVEL + 1);
    if half == 0 {
        return;
    }
    for block in 0..1 << LEVEL {
        let w = &twiddles[(1 << LEVEL) + block];
        for i in 2 * half * block..2 * half * block + half {
            let (a, b) = (i, i + half);
            let first = if KIND == FRESH && LEVEL == 0 && WAY == DOWN { vectors.raise(x[a]) } else { x[a] };
            [x[a], x[b]] = if KIND == ONES && block == 0 {
                vectors.one(first, x[b])
            } else if WAY == DOWN {
                vectors.down(first, x[b], w)
            } else {
                vectors.up(first, x[b], w)
            };
        }
    }
}
