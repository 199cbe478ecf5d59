//! Tiles of large primes: rows of sixteen elements in limbs of 52 bits.
//!
//! The network is the one of the CPU's transforms (`cpu/ntt/network.rs`). Values stay loose from load to store. Going
//! down they are below `4M + 4` moduli, going up below 4: the operand that is not multiplied is reduced in every step.

use super::constant::{COARSE, Constant, FINE, Lazy};
use super::ifma::{LIMB, Lanes};
use super::pairs;
use super::tile::{DOWN, ROW, Tile, Tiles, UP};
use crate::fp::Fp;
use crate::{Field, Limbs};
use icicle_error::Result;
use icicle_error::reserve::with_capacity;
use icicle_params::Prime;
use std::marker::PhantomData;

/// A row: lane `l` of vector `s` is element `2l + s`.
pub type Row<const M: usize> = [Lanes<M>; 2];

/// Twiddles of a network of `2^k` rows: that of block `i` of the level with `2^l` blocks at `2^l + i`.
pub struct Tree<const M: usize> {
    nodes: Vec<Constant<M>>,
    /// Whether the first block of every level has twiddle 1.
    ones: bool,
}

/// Arithmetic on rows of a prime field; there is one only where the processor has what it takes.
pub struct Rows<P, const N: usize, const M: usize> {
    lazy: Lazy<M>,
    prime: PhantomData<P>,
}

/// What steps of a network share.
struct Steps<'a, const M: usize> {
    tree: &'a Tree<M>,
    lazy: Lazy<M>,
    /// A multiple of the modulus not below any sum subtracted of values that were reduced or, going up, any.
    small: Lanes<M>,
    /// A multiple of the modulus not below a product.
    large: Lanes<M>,
}

// SAFETY: rows are arrays of vectors of integers.
unsafe impl<P: Prime<N>, const N: usize, const M: usize> Tiles for Rows<P, N, M> {
    type Field = Fp<P, N>;
    type Row = Row<M>;
    type Tree = Tree<M>;
    type Constant = Constant<M>;
    /// 1.3 MB, so that transforms of up to 2^22 elements take two passes (2^22 of BN254 on Sapphire Rapids with 2 MB of
    /// second-level cache: 0.6 of the time that three take).
    const LOG_ROWS: u32 = 11;
    const BESIDE: usize = 1;
    const ROWS: usize = 1;

    fn available() -> Option<Self> {
        let () = const { assert!((N == 4 || N == 6) && LIMB * M > 64 * N && P::BITS < 64 * N as u32) };
        // Going down, a sum of an operand and a product comes to 6M + 5 moduli.
        let served = super::available() && Lazy::<M>::room::<P, N>() >= 6 * M as u64 + 5;
        // SAFETY: the processor has the features, as just checked.
        served.then(|| Self { lazy: unsafe { Lazy::of::<P, N>() }, prime: PhantomData })
    }

    fn zero(&self) -> Row<M> {
        // SAFETY: all bits 0 are a vector.
        unsafe { std::mem::zeroed() }
    }

    fn tree(&self, levels: u32, twiddle: impl Fn(u32, usize) -> Fp<P, N>) -> Result<Tree<M>> {
        let mut nodes = with_capacity("ntt", 1 << levels)?;
        nodes.push(Constant::new(Fp::<P, N>::ONE));
        for level in 0..levels {
            nodes.extend((0..1 << level).map(|i| Constant::new(twiddle(level, i))));
        }
        Ok(Tree { nodes, ones: (0..levels).all(|level| twiddle(level, 0) == Fp::ONE) })
    }

    fn constant(&self, by: Fp<P, N>) -> Constant<M> {
        Constant::new(by)
    }

    fn load(&self, elements: &[Limbs<N>], rows: &mut [Row<M>], transposed: bool) {
        assert!(elements.len() == ROW * rows.len() && rows.len().is_multiple_of(1 + usize::from(transposed)));
        // SAFETY: the processor has the features, as this value exists; lengths as just checked.
        unsafe { load::<N, M>(elements, rows, transposed) }
    }

    fn store(&self, rows: &[Row<M>], elements: &mut [Limbs<N>], transposed: bool, canonical: bool) {
        assert!(elements.len() == ROW * rows.len() && rows.len().is_multiple_of(1 + usize::from(transposed)));
        // SAFETY: as in `load`.
        unsafe { store::<N, M>(&self.lazy, rows, elements, transposed, canonical) }
    }

    fn network<const WAY: bool>(&self, tiles: &mut [Row<M>], tree: &Tree<M>) {
        assert!(tiles.len() == tree.nodes.len());
        // SAFETY: the processor has the features, as this value exists.
        unsafe { network::<P, N, M, WAY>(self.lazy, tiles, tree) }
    }

    fn twist<const WAY: bool>(&self, tiles: &mut [Row<M>], tile: Tile, scale: Fp<P, N>, bases: &[Fp<P, N>; ROW]) {
        assert!(tile.beside == 1);
        // SAFETY: the processor has the features, as this value exists.
        unsafe { twist::<P, N, M>(&self.lazy, tiles, scale, bases) }
    }

    fn scale(&self, rows: &mut [Row<M>], by: &Constant<M>) {
        // SAFETY: the processor has the features, as this value exists.
        unsafe { scale::<M>(&self.lazy, rows, by) }
    }
}

/// Addresses of eight pairs of the same row, or of element pairs of every other row.
fn addresses<const N: usize>(elements: &[Limbs<N>], row: usize, count: usize, transposed: bool) -> [usize; 8] {
    debug_assert!(elements.len() == ROW * count);
    std::array::from_fn(|l| if transposed { row + 2 * l * count } else { row * ROW + 2 * l })
}

/// # Safety
/// AVX-512 IFMA; lengths as in [`Tiles::load`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn load<const N: usize, const M: usize>(elements: &[Limbs<N>], rows: &mut [Row<M>], transposed: bool) {
    let count = rows.len();
    let at = |first: usize, places: [usize; 8]| places.map(|i| (&raw const elements[first + i..][..2]).cast::<u64>());
    if transposed {
        for j in (0..count).step_by(2) {
            for s in 0..2 {
                let places = addresses(elements, j, count, true);
                // SAFETY: two elements at each place, by the slice taken there.
                let (x, y) = unsafe { pairs::load::<N, M>(at(s * count, places)) };
                (rows[j][s], rows[j + 1][s]) = (x, y);
            }
        }
    } else {
        for j in 0..count {
            // SAFETY: two elements at each place, by the slice taken there.
            let (x, y) = unsafe { pairs::load::<N, M>(at(0, addresses(elements, j, count, false))) };
            rows[j] = [x, y];
        }
    }
}

/// # Safety
/// AVX-512 IFMA; lengths as in [`Tiles::store`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn store<const N: usize, const M: usize>(
    lazy: &Lazy<M>,
    rows: &[Row<M>],
    elements: &mut [Limbs<N>],
    transposed: bool,
    canonical: bool,
) {
    let count = rows.len();
    let ready = |x: Lanes<M>| {
        let x = x.below_two(lazy);
        if canonical { x.canonical(lazy) } else { x.tight() }
    };
    for j in (0..count).step_by(1 + usize::from(transposed)) {
        for s in 0..1 + usize::from(transposed) {
            let (x, y) = if transposed { (rows[j][s], rows[j + 1][s]) } else { (rows[j][0], rows[j][1]) };
            let places = addresses(elements, j, count, transposed);
            let at = places.map(|i| (&raw mut elements[s * count + i..][..2]).cast::<u64>());
            // SAFETY: two elements at each place, by the slice taken there.
            unsafe { pairs::store::<N, M>(at, ready(x), ready(y)) };
        }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn network<P: Prime<N>, const N: usize, const M: usize, const WAY: bool>(
    lazy: Lazy<M>,
    rows: &mut [Row<M>],
    tree: &Tree<M>,
) {
    let product = 2 * M as u64 + 1;
    let steps = Steps {
        tree,
        lazy,
        small: Lanes::multiple::<P, N>(if WAY == DOWN { 4 } else { 8 }),
        large: Lanes::multiple::<P, N>(if WAY == DOWN { product } else { 8 }),
    };
    walk::<M, WAY>(&steps, rows, 1);
}

/// All levels of a block, the one at `node` of the tree.
#[target_feature(enable = "avx512f,avx512ifma")]
fn walk<const M: usize, const WAY: bool>(steps: &Steps<'_, M>, rows: &mut [Row<M>], node: usize) {
    let n = rows.len();
    if n < 2 {
        return;
    }
    // One level makes the number of those left even.
    let levels = 2 - n.trailing_zeros() as usize % 2;
    let ones = steps.tree.ones && node.is_power_of_two();
    if WAY == DOWN {
        level::<M, WAY>(steps, rows, node, levels, ones);
    }
    if n >> levels > 1 {
        for (i, block) in rows.chunks_exact_mut(n >> levels).enumerate() {
            walk::<M, WAY>(steps, block, (node << levels) + i);
        }
    }
    if WAY != DOWN {
        level::<M, WAY>(steps, rows, node, levels, ones);
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn level<const M: usize, const WAY: bool>(
    steps: &Steps<'_, M>,
    rows: &mut [Row<M>],
    node: usize,
    levels: usize,
    ones: bool,
) {
    match (levels, ones) {
        (1, false) => pair::<M, WAY, false>(steps, rows, node),
        (1, true) => pair::<M, WAY, true>(steps, rows, node),
        (_, false) => quad::<M, WAY, false>(steps, rows, node),
        (_, true) => quad::<M, WAY, true>(steps, rows, node),
    }
}

/// One level of a block.
#[target_feature(enable = "avx512f,avx512ifma")]
fn pair<const M: usize, const WAY: bool, const ONES: bool>(steps: &Steps<'_, M>, rows: &mut [Row<M>], node: usize) {
    let Steps { lazy, small, large, .. } = steps;
    let w = &steps.tree.nodes[node];
    let n = rows.len();
    let (upper, lower) = rows.as_flattened_mut().split_at_mut(n);
    for (x, y) in upper.iter_mut().zip(lower) {
        let (a, b) = (*x, *y);
        (*x, *y) = match (WAY, ONES) {
            (DOWN, false) => {
                let (a, b) = (a.below_two(lazy), b.times_constant::<COARSE>(w, lazy));
                (a.loose_sum(&b), a.loose_difference(&b, large))
            }
            (DOWN, true) => {
                let (a, b) = (a.below_two(lazy), b.below_two(lazy));
                (a.loose_sum(&b), a.loose_difference(&b, small))
            }
            (UP, _) => {
                let difference = a.loose_difference(&b, small);
                let difference =
                    if ONES { difference.below_two(lazy) } else { difference.times_constant::<FINE>(w, lazy) };
                (a.loose_sum(&b).below_two(lazy), difference)
            }
        };
    }
}

/// Two levels of a block.
#[target_feature(enable = "avx512f,avx512ifma")]
fn quad<const M: usize, const WAY: bool, const ONES: bool>(steps: &Steps<'_, M>, rows: &mut [Row<M>], node: usize) {
    let nodes = &steps.tree.nodes;
    let w = [&nodes[node], &nodes[2 * node], &nodes[2 * node + 1]];
    let n = rows.len() / 2;
    let (upper, lower) = rows.as_flattened_mut().split_at_mut(2 * n);
    let ((a, b), (c, d)) = (upper.split_at_mut(n), lower.split_at_mut(n));
    for i in 0..n {
        let x = [a[i], b[i], c[i], d[i]];
        [a[i], b[i], c[i], d[i]] = if WAY == DOWN { down::<M, ONES>(steps, x, w) } else { up::<M, ONES>(steps, x, w) };
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn down<const M: usize, const ONES: bool>(
    steps: &Steps<'_, M>,
    [a, b, c, d]: [Lanes<M>; 4],
    w: [&Constant<M>; 3],
) -> [Lanes<M>; 4] {
    let Steps { lazy, small, large, .. } = steps;
    let a = a.below_two(lazy);
    if ONES {
        // Below 2 each; then 4 and 6, and the product; in the end at most 6 + 2M + 1.
        let (b, c, d) = (b.below_two(lazy), c.below_two(lazy), d.below_two(lazy));
        let (a, c) = (a.loose_sum(&c), a.loose_difference(&c, small));
        let (b, d) = (b.loose_sum(&d), b.loose_difference(&d, small).times_constant::<COARSE>(w[2], lazy));
        return [a.loose_sum(&b), a.loose_difference(&b, small), c.loose_sum(&d), c.loose_difference(&d, large)];
    }
    let (c, d) = (c.times_constant::<COARSE>(w[0], lazy), d.times_constant::<COARSE>(w[0], lazy));
    let (e, f) = (b.loose_sum(&d), b.loose_difference(&d, large));
    let (b, d) = (e.times_constant::<COARSE>(w[1], lazy), f.times_constant::<COARSE>(w[2], lazy));
    let (a, c) = (a.loose_sum(&c), a.loose_difference(&c, large));
    [a.loose_sum(&b), a.loose_difference(&b, large), c.loose_sum(&d), c.loose_difference(&d, large)]
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn up<const M: usize, const ONES: bool>(
    steps: &Steps<'_, M>,
    [a, b, c, d]: [Lanes<M>; 4],
    w: [&Constant<M>; 3],
) -> [Lanes<M>; 4] {
    let Steps { lazy, small, .. } = steps;
    // Sums below 8, differences below 12, products below 2.
    let (e, g) = (a.loose_sum(&b), c.loose_sum(&d));
    let (f, h) = (a.loose_difference(&b, small), c.loose_difference(&d, small));
    let h = h.times_constant::<FINE>(w[2], lazy);
    let (sum, difference) = (e.loose_sum(&g), e.loose_difference(&g, small));
    if ONES {
        return [sum, f.loose_sum(&h), difference, f.loose_difference(&h, small)].map(|x| x.below_two(lazy));
    }
    let f = f.times_constant::<FINE>(w[1], lazy);
    [
        sum.below_two(lazy),
        f.loose_sum(&h),
        difference.times_constant::<FINE>(w[0], lazy),
        f.loose_difference(&h, small).times_constant::<FINE>(w[0], lazy),
    ]
}

/// Sixteen numbers times `2^(52M)`, below `2^(52M - 64N)·p`.
#[target_feature(enable = "avx512f,avx512ifma")]
fn montgomery<P: Prime<N>, const N: usize, const M: usize>(numbers: &[Fp<P, N>; ROW]) -> Row<M> {
    let words = numbers.map(|x| Limbs(x.montgomery()));
    let at = std::array::from_fn(|l| (&raw const words[2 * l..][..2]).cast::<u64>());
    // SAFETY: two elements at each place, by the slice taken there.
    let (x, y) = unsafe { pairs::load::<N, M>(at) };
    let excess = (LIMB * M - 64 * N) as u64;
    [x.shifted(excess), y.shifted(excess)]
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn twist<P: Prime<N>, const N: usize, const M: usize>(
    lazy: &Lazy<M>,
    rows: &mut [Row<M>],
    scale: Fp<P, N>,
    bases: &[Fp<P, N>; ROW],
) {
    let base = montgomery::<P, N, M>(bases);
    let mut power = montgomery::<P, N, M>(&[scale; ROW]);
    for row in rows {
        for s in 0..2 {
            row[s] = row[s].tight().times(&power[s], &lazy.modulus);
            power[s] = power[s].times(&base[s], &lazy.modulus);
        }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn scale<const M: usize>(lazy: &Lazy<M>, rows: &mut [Row<M>], by: &Constant<M>) {
    for row in rows {
        *row = row.map(|x| x.times_constant::<FINE>(by, lazy));
    }
}
