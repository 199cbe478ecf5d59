//! Tiles of one-word primes: how they are read and written, twisted and scaled, written once over vectors of elements
//! ([`Vectors`]); [`word_network`](super::word_network) has their butterflies.

pub use super::word_vectors::{Job, Vectors};

use super::tile::{DOWN, LINE, ROW, Raw, Strided, Tile, Tiles};
use super::word_network::{Tree, walk};
use crate::Field;
use icicle_error::Result;
use icicle_error::reserve::with_capacity;

/// Tiles of vectors.
#[derive(Clone, Copy)]
pub struct Words<V, const K: usize>(V);

impl<V: Vectors<K>, const K: usize> Words<V, K> {
    /// Their arithmetic.
    pub fn vectors(&self) -> V {
        self.0
    }
}

// SAFETY: rows are arrays of vectors of integers.
unsafe impl<V: Vectors<K>, const K: usize> Tiles for Words<V, K> {
    type Field = V::Field;
    type Row = [V::Vector; K];
    type Tree = Tree<V::Constant>;
    type Constant = V::Constant;
    const LOG_ROWS: u32 = V::LOG_ROWS;
    const BESIDE: usize = (2 * LINE / (ROW * size_of::<Raw<Self>>())).next_power_of_two();
    const ROWS: usize = 128;

    fn available() -> Option<Self> {
        V::available().map(Self)
    }

    fn zero(&self) -> Self::Row {
        [self.0.zero(); K]
    }

    fn tree(&self, levels: u32, twiddle: impl Fn(u32, usize) -> Self::Field) -> Result<Self::Tree> {
        let mut nodes = with_capacity("ntt", 1 << levels)?;
        nodes.push(V::constant(V::power(V::Field::ONE)));
        for level in 0..levels {
            nodes.extend((0..1 << level).map(|i| V::constant(V::power(twiddle(level, i)))));
        }
        Ok(Tree { nodes, ones: (0..levels).all(|level| twiddle(level, 0) == V::Field::ONE) })
    }

    fn constant(&self, by: Self::Field) -> Self::Constant {
        V::constant(V::power(by))
    }

    fn load(&self, elements: &[Raw<Self>], rows: &mut [Self::Row], transposed: bool) {
        assert!(elements.len() == ROW * rows.len());
        let (n, start) = (rows.len(), elements.as_ptr());
        // SAFETY: as many elements as there are in the slice.
        unsafe {
            if transposed {
                assert!(n == ROW);
                self.gather_columns(&std::array::from_fn(|i| start.add(i * ROW)), rows, Tile::ONLY);
            } else {
                self.gather(&Strided { start, stride: ROW, reverse: false, beside: 1 }, rows);
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
                self.scatter_columns(rows, Tile::ONLY, &std::array::from_fn(|i| start.add(i * ROW)), canonical);
            } else {
                self.scatter(rows, &Strided { start, stride: ROW, reverse: false, beside: 1 }, canonical);
            }
        }
    }

    unsafe fn gather(&self, from: &Strided<*const Raw<Self>>, tiles: &mut [Self::Row]) {
        self.0.enter(Gather { vectors: self.0, from, tiles });
    }

    unsafe fn scatter(&self, tiles: &[Self::Row], to: &Strided<*mut Raw<Self>>, canonical: bool) {
        self.0.enter(Scatter { vectors: self.0, tiles, to, canonical });
    }

    unsafe fn gather_columns(&self, starts: &[*const Raw<Self>; ROW], rows: &mut [Self::Row], tile: Tile) {
        self.0.enter(GatherColumns { vectors: self.0, starts, rows, tile });
    }

    unsafe fn scatter_columns(&self, rows: &[Self::Row], tile: Tile, starts: &[*mut Raw<Self>; ROW], canonical: bool) {
        self.0.enter(ScatterColumns { vectors: self.0, rows, tile, starts, canonical });
    }

    fn network<const WAY: bool>(&self, tiles: &mut [Self::Row], tree: &Self::Tree) {
        let n = tree.nodes.len();
        assert!(tiles.len().is_multiple_of(n));
        walk::<V, K, WAY>(self.0, tree, tiles.as_flattened_mut(), 1, n.trailing_zeros());
    }

    fn twist<const WAY: bool>(
        &self,
        tiles: &mut [Self::Row],
        tile: Tile,
        scale: Self::Field,
        bases: &[Self::Field; ROW],
    ) {
        self.0.enter(Twist::<V, K, WAY> { vectors: self.0, tiles, tile, scale, bases });
    }

    fn scale(&self, rows: &mut [Self::Row], by: &Self::Constant) {
        self.0.enter(Scale { vectors: self.0, rows, by });
    }
}

/// [`Tiles::gather`].
struct Gather<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    from: &'a Strided<*const <V::Field as Field>::Raw>,
    tiles: &'a mut [[V::Vector; K]],
}

impl<V: Vectors<K>, const K: usize> Job for Gather<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        let beside = self.from.beside;
        let n = self.tiles.len() / beside;
        for j in 0..n {
            let at = self.from.row(j, n);
            for k in 0..beside {
                // SAFETY: by the contract of `Tiles::gather`.
                let row = unsafe { &*self.from.start.add(at + k * ROW).cast() };
                self.tiles[j * beside + k] = self.vectors.load(row);
            }
        }
    }
}

/// [`Tiles::scatter`].
struct Scatter<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    tiles: &'a [[V::Vector; K]],
    to: &'a Strided<*mut <V::Field as Field>::Raw>,
    canonical: bool,
}

impl<V: Vectors<K>, const K: usize> Job for Scatter<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        let beside = self.to.beside;
        let n = self.tiles.len() / beside;
        for j in 0..n {
            let at = self.to.row(j, n);
            for k in 0..beside {
                // SAFETY: by the contract of `Tiles::scatter`.
                let row = unsafe { &mut *self.to.start.add(at + k * ROW).cast() };
                self.vectors.store(self.tiles[j * beside + k], row, self.canonical);
            }
        }
    }
}

/// [`Tiles::gather_columns`].
struct GatherColumns<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    starts: &'a [*const <V::Field as Field>::Raw; ROW],
    rows: &'a mut [[V::Vector; K]],
    tile: Tile,
}

impl<V: Vectors<K>, const K: usize> Job for GatherColumns<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        let Tile { number, beside } = self.tile;
        for (j, rows) in self.rows.chunks_exact_mut(ROW * beside).enumerate() {
            // SAFETY: by the contract of `Tiles::gather_columns`.
            let mut from = [unsafe { &*self.starts[0].add(j * ROW).cast() }; ROW];
            for i in 1..ROW {
                // SAFETY: as above.
                from[i] = unsafe { &*self.starts[i].add(j * ROW).cast() };
            }
            let block = self.vectors.load_block(from);
            for i in 0..ROW {
                rows[i * beside + number] = block[i];
            }
        }
    }
}

/// [`Tiles::scatter_columns`].
struct ScatterColumns<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    rows: &'a [[V::Vector; K]],
    tile: Tile,
    starts: &'a [*mut <V::Field as Field>::Raw; ROW],
    canonical: bool,
}

impl<V: Vectors<K>, const K: usize> Job for ScatterColumns<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        let Tile { number, beside } = self.tile;
        for (j, rows) in self.rows.chunks_exact(ROW * beside).enumerate() {
            let mut block = [rows[number]; ROW];
            for i in 1..ROW {
                block[i] = rows[i * beside + number];
            }
            // SAFETY: by the contract of `Tiles::scatter_columns`, which says that places are different ones.
            unsafe { self.vectors.store_block(&block, self.starts, j * ROW, self.canonical) };
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

/// Powers that are raised side by side: a product waits for the one before it.
const CHAINS: usize = 4;

struct Twist<'a, V: Vectors<K>, const K: usize, const WAY: bool> {
    vectors: V,
    tiles: &'a mut [[V::Vector; K]],
    tile: Tile,
    scale: V::Field,
    bases: &'a [V::Field; ROW],
}

impl<V: Vectors<K>, const K: usize, const WAY: bool> Job for Twist<'_, V, K, WAY> {
    #[inline(always)]
    fn run(self) {
        let (v, Tile { number, beside }) = (self.vectors, self.tile);
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
        for rows in self.tiles.chunks_mut(CHAINS * beside) {
            for (row, power) in rows[number..].iter_mut().step_by(beside).zip(&mut powers) {
                for k in 0..K {
                    let x = if WAY == DOWN { row[k] } else { v.freshen(row[k]) };
                    row[k] = v.times_power(x, power[k]);
                    power[k] = v.times(power[k], &step[k]);
                }
            }
        }
    }
}
