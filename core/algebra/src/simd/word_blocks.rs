//! Blocks of one-word primes that are transformed where they lie: steps of a few levels whose rows are read and written in
//! sequence, and leaves of sixteen rows of sixteen elements, whose eight levels are done between one load and one store.
//!
//! A leaf modulo `x^256 - γ^256` does its first four levels on rows, with twiddles of its own. What is left are rows modulo
//! `x^16 - (γ·t)^16` with sixteen numbers `t` that are the same in all leaves: transposed, and element `c` times `(γ·t)^c`,
//! they share one network. The powers of `γ` are multiplied before, where they are the same for all rows, and those of `t`
//! after. Going up is the reverse.

use super::tile::{DOWN, ROW, Raw, Tiles};
use super::word_network::{FRESH, ONES, levels};
use super::word_tile::Words;
use super::word_vectors::{Job, Vectors};
use crate::{Field, PrimeField};

/// Log of the elements of a leaf.
pub const LOG_LEAF: u32 = 2 * ROW.trailing_zeros();

/// Twiddles of a leaf's first levels, that of block `i` of the level with `2^l` blocks at `2^l + i`, then `γ^c` for `c < 16`.
pub type Leaf<F> = [F; 2 * ROW];

/// By what the numbers of a leaf are multiplied if its `γ` is multiplied by `g`.
pub fn turns<F: PrimeField>(g: F) -> Leaf<F> {
    let mut leaf = [F::ONE; 2 * ROW];
    for i in ROW + 1..2 * ROW {
        leaf[i] = leaf[i - 1] * g;
    }
    let mut power = leaf[2 * ROW - 1] * g;
    for level in (0..ROW.trailing_zeros()).rev() {
        leaf[1 << level..2 << level].fill(power);
        power = power.square();
    }
    leaf
}

/// The numbers of the leaf whose `γ` is 1, from the twiddles of a domain.
pub fn first_leaf<F: PrimeField>(table: &[F]) -> Leaf<F> {
    std::array::from_fn(|i| if (1..ROW).contains(&i) { table[i - (1 << i.ilog2())] } else { F::ONE })
}

/// Where rows of a block, or leaves one behind the other, are read and written.
#[derive(Clone, Copy)]
pub struct Place<R> {
    /// Where elements are read.
    pub from: *const R,
    /// Where they are written.
    pub to: *mut R,
    /// Whether results are to be canonical.
    pub canonical: bool,
}

/// Arithmetic on blocks where they lie; there is one only where the processor has what it takes.
pub trait InPlace: Tiles {
    /// What is common to all leaves.
    type Common: Sync;
    /// Levels of a step, at most.
    const LEVELS: u32;

    /// Of the twiddles of a domain, a coset's generator and a factor of all elements.
    fn common(&self, table: &[Self::Field], generator: Self::Field, scale: Self::Field) -> Self::Common;
    /// Levels of a block: `columns` of rows that are `stride` elements apart, one for each of the `twiddles`, which are
    /// those of a tree.
    ///
    /// # Safety
    /// All rows may be read at one place and written at the other, and nobody else accesses the latter meanwhile.
    unsafe fn step<const WAY: bool>(
        &self,
        twiddles: &[Self::Field],
        place: Place<Raw<Self>>,
        stride: usize,
        columns: usize,
    );
    /// All levels of leaves; going down, results are canonical in any case.
    ///
    /// # Safety
    /// As many elements as they have may be read at one place and written at the other, and nobody else accesses the
    /// latter meanwhile.
    unsafe fn leaves<const WAY: bool>(
        &self,
        common: &Self::Common,
        leaves: &[Leaf<Self::Field>],
        place: Place<Raw<Self>>,
    );
}

/// [`InPlace::Common`].
pub struct Common<V: Vectors<K>, const K: usize> {
    /// What the numbers of a leaf are multiplied by.
    factors: [[V::Factor; K]; 2],
    /// `t^c` of all sixteen `t`, for `c` from 1 on.
    turns: [[V::Factor; K]; ROW],
    /// The network of all rows.
    tree: [V::Constant; ROW],
}

impl<V: Vectors<K>, const K: usize> InPlace for Words<V, K> {
    type Common = Common<V, K>;
    const LEVELS: u32 = V::LEVELS;

    fn common(&self, table: &[V::Field], generator: V::Field, scale: V::Field) -> Common<V, K> {
        let one = V::Field::ONE;
        // From numbers as they are in a table to powers.
        let unit = V::Field::from_limbs(V::power(one));
        let (leaf, units) = (turns(generator), [unit, unit * scale]);
        let factors = std::array::from_fn(|half| std::array::from_fn(|i| V::power(leaf[half * ROW + i] * units[half])));
        let turns = std::array::from_fn(|r| V::power(table[r * ROW / 2]));
        let tree =
            std::array::from_fn(|i| V::constant(V::power(if i == 0 { one } else { table[i - (1 << i.ilog2())] })));
        let vectors = self.vectors();
        let none = vectors.prepare(vectors.zero());
        let mut common = Common { factors: [[none; K]; 2], turns: [[none; K]; ROW], tree };
        vectors.enter(Prepare { vectors, factors: &factors, turns: &turns, common: &mut common });
        common
    }

    unsafe fn step<const WAY: bool>(
        &self,
        twiddles: &[V::Field],
        place: Place<Raw<Self>>,
        stride: usize,
        columns: usize,
    ) {
        let vectors = self.vectors();
        let ones = (0..twiddles.len().ilog2()).all(|level| twiddles[1 << level] == V::Field::ONE);
        macro_rules! step {
            ($rows:literal, $kind:ident) => {
                vectors.enter(Step::<V, K, $rows, WAY, $kind> {
                    vectors,
                    twiddles: std::array::from_fn(|i| V::constant(V::power(twiddles[i]))),
                    place,
                    stride,
                    columns,
                })
            };
        }
        match (twiddles.len(), ones) {
            (2, true) => step!(2, ONES),
            (2, false) => step!(2, FRESH),
            (4, true) => step!(4, ONES),
            (4, false) => step!(4, FRESH),
            (_, true) => step!(8, ONES),
            (_, false) => step!(8, FRESH),
        }
    }

    unsafe fn leaves<const WAY: bool>(
        &self,
        common: &Common<V, K>,
        leaves: &[Leaf<V::Field>],
        place: Place<Raw<Self>>,
    ) {
        self.vectors().enter(Leaves::<V, K, WAY> { vectors: self.vectors(), common, leaves, place });
    }
}

/// Factors of the numbers of a leaf and powers of the turns, from their words.
struct Prepare<'a, V: Vectors<K>, const K: usize> {
    vectors: V,
    factors: &'a [[<V::Field as Field>::Raw; ROW]; 2],
    turns: &'a [<V::Field as Field>::Raw; ROW],
    common: &'a mut Common<V, K>,
}

impl<V: Vectors<K>, const K: usize> Job for Prepare<'_, V, K> {
    #[inline(always)]
    fn run(self) {
        let v = self.vectors;
        self.common.factors = [factors(v, &self.factors[0]), factors(v, &self.factors[1])];
        let base = factors(v, self.turns);
        self.common.turns[1] = base;
        let mut power = *self.turns;
        for turn in &mut self.common.turns[2..] {
            let mut row = v.load(&power);
            for k in 0..K {
                row[k] = v.times(row[k], &base[k]);
            }
            v.store(row, &mut power, true);
            *turn = factors(v, &power);
        }
    }
}

/// Of a row of powers.
#[inline(always)]
fn factors<V: Vectors<K>, const K: usize>(v: V, powers: &[<V::Field as Field>::Raw; ROW]) -> [V::Factor; K] {
    let row = v.load(powers);
    let mut factors = [v.prepare(row[0]); K];
    for k in 1..K {
        factors[k] = v.prepare(row[k]);
    }
    factors
}

/// [`InPlace::step`], of `R` rows.
struct Step<V: Vectors<K>, const K: usize, const R: usize, const WAY: bool, const KIND: u8> {
    vectors: V,
    twiddles: [V::Constant; R],
    place: Place<<V::Field as Field>::Raw>,
    stride: usize,
    columns: usize,
}

impl<V: Vectors<K>, const K: usize, const R: usize, const WAY: bool, const KIND: u8> Job for Step<V, K, R, WAY, KIND> {
    #[inline(always)]
    fn run(self) {
        let (v, Place { from, to, canonical }) = (self.vectors, self.place);
        let mut twiddles = [v.repeat(&self.twiddles[0]); R];
        for i in 1..R {
            twiddles[i] = v.repeat(&self.twiddles[i]);
        }
        for j in (0..self.columns).step_by(ROW) {
            let mut x = [[v.zero(); R]; K];
            for i in 0..R {
                // SAFETY: by the contract of `InPlace::step`.
                let row = v.load(unsafe { &*from.add(i * self.stride + j).cast() });
                for k in 0..K {
                    x[k][i] = row[k];
                }
            }
            for k in 0..K {
                levels::<V, K, R, WAY, KIND>(v, &mut x[k], &twiddles);
            }
            for i in 0..R {
                let mut row = [x[0][i]; K];
                for k in 1..K {
                    row[k] = x[k][i];
                }
                // SAFETY: as above.
                v.store(row, unsafe { &mut *to.add(i * self.stride + j).cast() }, canonical);
            }
        }
    }
}

/// Leaves whose numbers are prepared together, as each waits for its products.
const AHEAD: usize = 8;

/// [`InPlace::leaves`].
struct Leaves<'a, V: Vectors<K>, const K: usize, const WAY: bool> {
    vectors: V,
    common: &'a Common<V, K>,
    leaves: &'a [Leaf<V::Field>],
    place: Place<<V::Field as Field>::Raw>,
}

impl<V: Vectors<K>, const K: usize, const WAY: bool> Job for Leaves<'_, V, K, WAY> {
    #[inline(always)]
    fn run(self) {
        let (v, common, place) = (self.vectors, self.common, self.place);
        let mut tree = [v.repeat(&common.tree[0]); ROW];
        for i in 1..ROW {
            tree[i] = v.repeat(&common.tree[i]);
        }
        let mut numbers = [common.factors; AHEAD];
        for i in 0..self.leaves.len() {
            if i % AHEAD == 0 {
                for (leaf, numbers) in self.leaves[i..].iter().zip(&mut numbers) {
                    *numbers = prepared(v, leaf, &common.factors);
                }
            }
            let [first, powers] = &numbers[i % AHEAD];
            let mut twiddles = [tree[0]; ROW];
            for j in 1..ROW {
                twiddles[j] = v.one_of(first, j);
            }
            // SAFETY: by the contract of `InPlace::leaves`.
            let (from, to) = unsafe { (place.from.add(i << LOG_LEAF), place.to.add(i << LOG_LEAF)) };
            // SAFETY: as above, for the rows of the leaf.
            let mut sources = [unsafe { &*from.cast::<[_; ROW]>() }; ROW];
            let mut places = [to; ROW];
            for j in 1..ROW {
                // SAFETY: as above.
                sources[j] = unsafe { &*from.add(j * ROW).cast() };
                // SAFETY: as above.
                places[j] = unsafe { to.add(j * ROW) };
            }
            if WAY == DOWN {
                let mut rows = [v.load(sources[0]); ROW];
                for j in 1..ROW {
                    rows[j] = v.load(sources[j]);
                }
                for k in 0..K {
                    let mut x = [rows[0][k]; ROW];
                    for j in 0..ROW {
                        x[j] = v.times(rows[j][k], &powers[k]);
                    }
                    levels::<V, K, ROW, WAY, FRESH>(v, &mut x, &twiddles);
                    for j in 0..ROW {
                        rows[j][k] = x[j];
                    }
                }
                rows = v.transposed(rows);
                for k in 0..K {
                    let mut x = [v.freshen(rows[0][k]); ROW];
                    for j in 1..ROW {
                        x[j] = v.times(rows[j][k], &common.turns[j][k]);
                    }
                    levels::<V, K, ROW, WAY, ONES>(v, &mut x, &tree);
                    for j in 0..ROW {
                        rows[j][k] = x[j];
                    }
                }
                // SAFETY: as above.
                unsafe { v.store_block(&rows, &places, 0, true) };
            } else {
                let mut rows = v.load_block(sources);
                for k in 0..K {
                    let mut x = [rows[0][k]; ROW];
                    for j in 1..ROW {
                        x[j] = rows[j][k];
                    }
                    levels::<V, K, ROW, WAY, ONES>(v, &mut x, &tree);
                    rows[0][k] = x[0];
                    for j in 1..ROW {
                        rows[j][k] = v.times(x[j], &common.turns[j][k]);
                    }
                }
                rows = v.transposed(rows);
                for k in 0..K {
                    let mut x = [rows[0][k]; ROW];
                    for j in 1..ROW {
                        x[j] = rows[j][k];
                    }
                    levels::<V, K, ROW, WAY, FRESH>(v, &mut x, &twiddles);
                    for j in 0..ROW {
                        rows[j][k] = v.times(x[j], &powers[k]);
                    }
                }
                for j in 0..ROW {
                    // SAFETY: as above.
                    v.store(rows[j], unsafe { &mut *places[j].cast() }, place.canonical);
                }
            }
        }
    }
}

/// The numbers of a leaf, times factors.
#[inline(always)]
fn prepared<V: Vectors<K>, const K: usize>(
    v: V,
    leaf: &Leaf<V::Field>,
    by: &[[V::Factor; K]; 2],
) -> [[V::Factor; K]; 2] {
    let mut numbers = *by;
    for half in 0..2 {
        let mut words = [leaf[0].to_limbs(); ROW];
        for j in 0..ROW {
            words[j] = leaf[half * ROW + j].to_limbs();
        }
        let mut row = v.load(&words);
        for k in 0..K {
            row[k] = v.times(row[k], &by[half][k]);
        }
        v.store(row, &mut words, true);
        numbers[half] = factors(v, &words);
    }
    numbers
}
