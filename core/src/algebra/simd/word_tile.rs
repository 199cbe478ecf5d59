//! Tiles of one-word primes: networks, twists and scales written once over vectors of elements ([`Vectors`]).
//!
//! Loops here do without closures over vectors: what is not inlined is not compiled for the instructions either.

use super::tile::{DOWN, ROW, Raw, Tiles, reversed};
use crate::algebra::{Field, PrimeField};

/// Work that is compiled for the instructions a [`Vectors`] needs: `run` and all below it is `#[inline(always)]`.
pub(crate) trait Job {
    /// Do it.
    fn run(self);
}

/// Vectors of elements of a prime field, `K` to a row. There is a value of this only where the processor has what it
/// takes, so that its methods are safe.
///
/// An element is *fresh* as it was loaded or is a product; what it may be else is each implementation's affair, so long
/// as a fresh one comes through all levels of a network of `2^LOG_ROWS` rows.
pub(crate) trait Vectors<const K: usize>: Copy + Send + Sync + Sized + 'static {
    /// Whose elements.
    type Field: PrimeField;
    /// Elements of a vector.
    type Vector: Copy + Send + Sync;
    /// A number, prepared to multiply by.
    type Constant: Copy + Send + Sync;
    /// Numbers prepared to multiply by, one for each element.
    type Factor: Copy;
    /// Log of the rows of a tile, at most.
    const LOG_ROWS: u32;
    /// Levels done between a load and a store, at most 3: as many as there are registers for.
    const LEVELS: u32;

    /// The arithmetic, if the processor has it and may use it.
    fn available() -> Option<Self>;
    /// Prepare a number.
    fn constant(w: Self::Field) -> Self::Constant;
    /// The word by which products with a power are taken, as if it were an element in memory.
    fn power(w: Self::Field) -> <Self::Field as Field>::Raw;
    /// A vector of zeros.
    fn zero(self) -> Self::Vector;
    /// Do a job.
    fn enter<J: Job>(self, job: J);
    /// A row of elements.
    fn load(self, from: &[<Self::Field as Field>::Raw; ROW]) -> [Self::Vector; K];
    /// The reverse, canonical if asked.
    fn store(self, row: [Self::Vector; K], to: &mut [<Self::Field as Field>::Raw; ROW], canonical: bool);
    /// Rows from a block of as many columns.
    fn load_block(self, from: [&[<Self::Field as Field>::Raw; ROW]; ROW], to: &mut [[Self::Vector; K]; ROW]);
    /// The reverse, column `i` to `to[i] + offset`, canonical if asked.
    ///
    /// # Safety
    /// Sixteen elements may be written there.
    unsafe fn store_block(
        self,
        from: &[[Self::Vector; K]; ROW],
        to: &[*mut <Self::Field as Field>::Raw; ROW],
        offset: usize,
        canonical: bool,
    );
    /// The constant for every element.
    fn repeat(self, constant: &Self::Constant) -> Self::Factor;
    /// Factors from loaded [powers](Vectors::power).
    fn prepare(self, power: Self::Vector) -> Self::Factor;
    /// A product, fresh.
    fn times(self, x: Self::Vector, w: &Self::Factor) -> Self::Vector;
    /// The product of a fresh element and a power, fresh; powers times a factor are powers.
    fn times_power(self, x: Self::Vector, power: Self::Vector) -> Self::Vector;
    /// The same element, fresh.
    fn freshen(self, x: Self::Vector) -> Self::Vector;
    /// What the first operand of the first butterfly is to be if the factor is not 1.
    fn raise(self, x: Self::Vector) -> Self::Vector;
    /// `(x + w·y, x - w·y)`.
    fn down(self, x: Self::Vector, y: Self::Vector, w: &Self::Factor) -> [Self::Vector; 2];
    /// `(x + y, w·(x - y))`.
    fn up(self, x: Self::Vector, y: Self::Vector, w: &Self::Factor) -> [Self::Vector; 2];
    /// `(x + y, x - y)`.
    fn one(self, x: Self::Vector, y: Self::Vector) -> [Self::Vector; 2];
}

/// Twiddles: that of block `i` of the level with `2^l` blocks at `2^l + i`.
pub(crate) struct Tree<C> {
    nodes: Vec<C>,
    /// Whether the first block of every level has twiddle 1.
    ones: bool,
}

/// Tiles of vectors.
#[derive(Clone, Copy)]
pub(crate) struct Words<V, const K: usize>(V);

impl<V: Vectors<K>, const K: usize> Tiles for Words<V, K> {
    type Field = V::Field;
    type Row = [V::Vector; K];
    type Tree = Tree<V::Constant>;
    type Constant = V::Constant;
    const LOG_ROWS: u32 = V::LOG_ROWS;

    fn available() -> Option<Self> {
        V::available().map(Self)
    }

    fn zero(&self) -> Self::Row {
        [self.0.zero(); K]
    }

    fn tree(&self, levels: u32, twiddle: impl Fn(u32, usize) -> Self::Field) -> Self::Tree {
        let mut nodes = Vec::with_capacity(1 << levels);
        nodes.push(V::constant(V::Field::ONE));
        for level in 0..levels {
            nodes.extend((0..1 << level).map(|i| V::constant(twiddle(level, i))));
        }
        Tree { nodes, ones: (0..levels).all(|level| twiddle(level, 0) == V::Field::ONE) }
    }

    fn constant(&self, by: Self::Field) -> Self::Constant {
        V::constant(by)
    }

    fn load(&self, elements: &[Raw<Self>], rows: &mut [Self::Row], transposed: bool) {
        assert!(elements.len() == ROW * rows.len());
        let (n, start) = (rows.len(), elements.as_ptr());
        // SAFETY: as many elements as there are in the slice.
        unsafe {
            if transposed {
                assert!(n == ROW);
                self.gather_columns(&std::array::from_fn(|i| start.add(i * ROW)), rows);
            } else {
                self.gather(start, ROW, false, rows);
            }
        }
    }

    fn store(&self, rows: &[Self::Row], elements: &mut [Raw<Self>], transposed: bool, canonical: bool) {
        assert!(elements.len() == ROW * rows.len());
        let (n, start) = (rows.len(), elements.as_mut_ptr());
        // SAFETY: as many elements as there are in the slice.
        unsafe {
            if transposed {
                assert!(n == ROW);
                self.scatter_columns(rows, &std::array::from_fn(|i| start.add(i * ROW)), canonical);
            } else {
                self.scatter(rows, start, ROW, false, canonical);
            }
        }
    }

    unsafe fn gather(&self, start: *const Raw<Self>, stride: usize, reverse: bool, rows: &mut [Self::Row]) {
        self.0.enter(Gather { vectors: self.0, start: start.cast(), stride, reverse, rows });
    }

    unsafe fn scatter(&self, rows: &[Self::Row], start: *mut Raw<Self>, stride: usize, reverse: bool, canonical: bool) {
        self.0.enter(Scatter { vectors: self.0, rows, start: start.cast(), stride, reverse, canonical });
    }

    unsafe fn gather_columns(&self, starts: &[*const Raw<Self>; ROW], rows: &mut [Self::Row]) {
        self.0.enter(GatherColumns { vectors: self.0, starts, rows });
    }

    unsafe fn scatter_columns(&self, rows: &[Self::Row], starts: &[*mut Raw<Self>; ROW], canonical: bool) {
        self.0.enter(ScatterColumns { vectors: self.0, rows, starts, canonical });
    }

    fn network<const WAY: bool>(&self, rows: &mut [Self::Row], tree: &Self::Tree) {
        assert!(rows.len() == tree.nodes.len());
        walk::<V, K, WAY>(self.0, tree, rows.as_flattened_mut(), 1, rows_log(tree));
    }

    fn twist<const WAY: bool>(&self, rows: &mut [Self::Row], scale: Self::Field, bases: &[Self::Field; ROW]) {
        self.0.enter(Twist::<V, K, WAY> { vectors: self.0, rows, scale, bases });
    }

    fn scale(&self, rows: &mut [Self::Row], by: &Self::Constant) {
        self.0.enter(Scale { vectors: self.0, rows, by });
    }
}

fn rows_log<C>(tree: &Tree<C>) -> u32 {
    tree.nodes.len().trailing_zeros()
}

/// [`Tiles::gather`].
struct Gather<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    start: *const [<V::Field as Field>::Raw; ROW],
    /// In elements.
    stride: usize,
    reverse: bool,
    rows: &'a mut [[V::Vector; K]],
}

impl<V: Vectors<K>, const K: usize> Job for Gather<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        let n = self.rows.len();
        for j in 0..n {
            let at = if self.reverse { reversed(j, n) } else { j };
            // SAFETY: by the contract of `Tiles::gather`.
            let row = unsafe { &*self.start.cast::<<V::Field as Field>::Raw>().add(at * self.stride).cast() };
            self.rows[j] = self.vectors.load(row);
        }
    }
}

/// [`Tiles::scatter`].
struct Scatter<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    rows: &'a [[V::Vector; K]],
    start: *mut [<V::Field as Field>::Raw; ROW],
    /// In elements.
    stride: usize,
    reverse: bool,
    canonical: bool,
}

impl<V: Vectors<K>, const K: usize> Job for Scatter<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        let n = self.rows.len();
        for j in 0..n {
            let at = if self.reverse { reversed(j, n) } else { j };
            // SAFETY: by the contract of `Tiles::scatter`.
            let row = unsafe { &mut *self.start.cast::<<V::Field as Field>::Raw>().add(at * self.stride).cast() };
            self.vectors.store(self.rows[j], row, self.canonical);
        }
    }
}

/// [`Tiles::gather_columns`].
struct GatherColumns<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    starts: &'a [*const <V::Field as Field>::Raw; ROW],
    rows: &'a mut [[V::Vector; K]],
}

impl<V: Vectors<K>, const K: usize> Job for GatherColumns<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        for (j, to) in self.rows.as_chunks_mut::<ROW>().0.iter_mut().enumerate() {
            // SAFETY: by the contract of `Tiles::gather_columns`.
            let mut from = [unsafe { &*self.starts[0].add(j * ROW).cast() }; ROW];
            for i in 1..ROW {
                // SAFETY: as above.
                from[i] = unsafe { &*self.starts[i].add(j * ROW).cast() };
            }
            self.vectors.load_block(from, to);
        }
    }
}

/// [`Tiles::scatter_columns`].
struct ScatterColumns<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    rows: &'a [[V::Vector; K]],
    starts: &'a [*mut <V::Field as Field>::Raw; ROW],
    canonical: bool,
}

impl<V: Vectors<K>, const K: usize> Job for ScatterColumns<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        for (j, from) in self.rows.as_chunks::<ROW>().0.iter().enumerate() {
            // SAFETY: by the contract of `Tiles::scatter_columns`, which says that places are different ones.
            unsafe { self.vectors.store_block(from, self.starts, j * ROW, self.canonical) };
        }
    }
}

struct Scale<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    rows: &'a mut [[V::Vector; K]],
    by: &'a V::Constant,
}

impl<V: Vectors<K>, const K: usize> Job for Scale<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        let by = self.vectors.repeat(self.by);
        for x in self.rows.as_flattened_mut() {
            *x = self.vectors.times(*x, &by);
        }
    }
}

struct Twist<'a, V: Vectors<K>, const K: usize, const WAY: bool> {
    vectors: V,
    rows: &'a mut [[V::Vector; K]],
    scale: V::Field,
    bases: &'a [V::Field; ROW],
}

/// Powers that are raised side by side: a product waits for the one before it.
const CHAINS: usize = 4;

impl<V: Vectors<K>, const K: usize, const WAY: bool> Job for Twist<'_, V, K, WAY> {
    #[inline(always)]
    fn run(self) {
        let v = self.vectors;
        let mut words = [[V::power(self.scale); ROW]; 3];
        for (i, base) in self.bases.iter().enumerate() {
            (words[1][i], words[2][i]) = (V::power(*base), V::power(base.square().square()));
        }
        let mut powers = [v.load(&words[0]); CHAINS];
        let (bases, steps) = (v.load(&words[1]), v.load(&words[2]));
        let (mut base, mut step) = ([v.prepare(bases[0]); K], [v.prepare(steps[0]); K]);
        for k in 1..K {
            (base[k], step[k]) = (v.prepare(bases[k]), v.prepare(steps[k]));
        }
        for i in 1..CHAINS {
            for k in 0..K {
                powers[i][k] = v.times(powers[i - 1][k], &base[k]);
            }
        }
        for rows in self.rows.chunks_mut(CHAINS) {
            for (row, power) in rows.iter_mut().zip(&mut powers) {
                for k in 0..K {
                    let x = if WAY == DOWN { row[k] } else { v.freshen(row[k]) };
                    row[k] = v.times_power(x, power[k]);
                    power[k] = v.times(power[k], &step[k]);
                }
            }
        }
    }
}

/// Log of the vectors of a block that goes through all its levels before the next one does: what the first-level cache
/// holds.
const LOG_LEAF: u32 = 8;

/// All levels of a block of `2^log_rows` rows, the one at `node` of the tree.
fn walk<V: Vectors<K>, const K: usize, const WAY: bool>(
    vectors: V,
    tree: &Tree<V::Constant>,
    data: &mut [V::Vector],
    node: usize,
    log_rows: u32,
) {
    if data.len() <= 1 << LOG_LEAF || log_rows <= V::LEVELS {
        vectors.enter(Leaf::<V, K, WAY> { vectors, tree, data, node, log_rows });
        return;
    }
    let levels = first_levels(log_rows, V::LEVELS);
    if WAY == DOWN {
        vectors.enter(Step::<V, K, WAY> { vectors, tree, data, node, levels });
    }
    let size = data.len() >> levels;
    for (i, block) in data.chunks_exact_mut(size).enumerate() {
        walk::<V, K, WAY>(vectors, tree, block, (node << levels) + i, log_rows - levels);
    }
    if WAY != DOWN {
        vectors.enter(Step::<V, K, WAY> { vectors, tree, data, node, levels });
    }
}

/// How many levels to do first, so that all steps are of `most` levels or one less if possible.
fn first_levels(levels: u32, most: u32) -> u32 {
    levels.div_ceil(levels.div_ceil(most))
}

/// Levels of a block.
struct Step<'a, V: Vectors<K>, const K: usize, const WAY: bool> {
    vectors: V,
    tree: &'a Tree<V::Constant>,
    data: &'a mut [V::Vector],
    node: usize,
    levels: u32,
}

impl<V: Vectors<K>, const K: usize, const WAY: bool> Job for Step<'_, V, K, WAY> {
    #[inline(always)]
    fn run(self) {
        step::<V, K, WAY>(self.vectors, self.tree, self.data, self.node, self.levels);
    }
}

/// All levels of a block.
struct Leaf<'a, V: Vectors<K>, const K: usize, const WAY: bool> {
    vectors: V,
    tree: &'a Tree<V::Constant>,
    data: &'a mut [V::Vector],
    node: usize,
    log_rows: u32,
}

impl<V: Vectors<K>, const K: usize, const WAY: bool> Job for Leaf<'_, V, K, WAY> {
    #[inline(always)]
    fn run(self) {
        // Above each step, and how many it does.
        let (mut steps, mut count, mut above) = ([(0u32, 0u32); 16], 0, 0);
        while above < self.log_rows {
            let levels = first_levels(self.log_rows - above, V::LEVELS);
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
const ONES: u8 = 1;
const FRESH: u8 = 2;

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
        if WAY == DOWN {
            level::<V, K, R, 0, WAY, KIND>(vectors, &mut x, &twiddles);
            level::<V, K, R, 1, WAY, KIND>(vectors, &mut x, &twiddles);
            level::<V, K, R, 2, WAY, KIND>(vectors, &mut x, &twiddles);
        } else {
            level::<V, K, R, 2, WAY, KIND>(vectors, &mut x, &twiddles);
            level::<V, K, R, 1, WAY, KIND>(vectors, &mut x, &twiddles);
            level::<V, K, R, 0, WAY, KIND>(vectors, &mut x, &twiddles);
        }
        for i in 0..R {
            // SAFETY: as above.
            unsafe { start.add(i * n + j).write(x[i]) };
        }
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
            let first = if KIND == FRESH && LEVEL == 0 { vectors.raise(x[a]) } else { x[a] };
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
