//! The network of butterflies: recursion that halves blocks until they fit the cache, over all cores.
//!
//! Block `k` of a level is a polynomial modulo `x^(2h) - c²`, `c = g^h·W[k]`; going down, its halves are the remainders
//! modulo `x^h - c` and `x^h + c`, blocks `2k` and `2k + 1` of the next level (Harvey, "Faster arithmetic for
//! number-theoretic transforms", 2014, §2, for the network; the table `W` is in [`domain`](super::domain)). So a coset
//! generator `g` costs one product per twiddle and no pass of its own. Going up is the inverse without the factor `1/n`.

use super::kernel::{DOWN, Element, Pair, Quad, UP, butterflies, halves, quarters};
use icicle_algebra::PrimeField;
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::parallel::{chunks, chunks_of};

/// A network: what is common to all its blocks.
pub(super) struct Network<'a, F> {
    /// Twiddles (see [`super::domain::Table`]).
    pub table: &'a [F],
    /// `g^(2^i)` at `i`, for as many levels as there are; empty if `g` is 1.
    pub shifts: &'a [F],
    /// Going up, the factor of all inputs.
    pub scale: Option<F>,
    /// Elements of a row: rows are what is transformed, each element of a row by itself.
    pub width: usize,
}

impl<F: PrimeField> Network<'_, F> {
    /// The twiddle of the `index`-th block of `2^log_rows` rows.
    #[inline(always)]
    pub fn twiddle(&self, index: usize, log_rows: u32) -> F {
        let twiddle = self.table[index];
        if self.shifts.is_empty() { twiddle } else { twiddle * self.shifts[log_rows as usize - 1] }
    }

    /// The twiddles of a block and its halves.
    #[inline(always)]
    pub fn twiddles(&self, index: usize, log_rows: u32) -> [F; 3] {
        let half = log_rows - 1;
        [self.twiddle(index, log_rows), self.twiddle(2 * index, half), self.twiddle(2 * index + 1, half)]
    }

    /// Natural to reversed order.
    pub fn down<E: Element<Twiddle = F>>(&self, data: &mut [E::Stored], log_rows: u32) {
        self.walk::<E, DOWN>(data, 0, log_rows);
    }

    /// Reversed to natural order.
    pub fn up<E: Element<Twiddle = F>>(&self, data: &mut [E::Stored], log_rows: u32) {
        self.walk::<E, UP>(data, 0, log_rows);
    }

    fn walk<E: Element<Twiddle = F>, const WAY: bool>(&self, data: &mut [E::Stored], index: usize, log_rows: u32) {
        if data.len() <= E::LEAF || log_rows == 0 {
            widest(Leaf::<E, WAY> { network: self, data, index, log_rows });
            return;
        }
        // One level makes the number of those left even.
        let levels = 2 - log_rows % 2;
        if WAY == DOWN {
            self.level::<E, WAY>(data, index, log_rows);
        }
        let below = log_rows - levels;
        chunks(data, self.width << below, &|i, block| {
            self.walk::<E, WAY>(block, (index << levels) + i, below);
        });
        if WAY != DOWN {
            self.level::<E, WAY>(data, index, log_rows);
        }
    }

    /// One level of a large block, or two if their number is even.
    fn level<E: Element<Twiddle = F>, const WAY: bool>(&self, data: &mut [E::Stored], index: usize, log_rows: u32) {
        if log_rows % 2 == 1 {
            let twiddle = self.twiddle(index, log_rows);
            chunks_of(halves(data), E::LEAF, &|parts| widest(Pair::<E, WAY> { parts, twiddle }));
            return;
        }
        let twiddles = self.twiddles(index, log_rows);
        let chunk = E::LEAF.div_ceil(4);
        chunks_of(quarters(data), chunk, &|parts| widest(Quad::<E, WAY> { parts, twiddles }));
    }
}

/// All levels of the `index`-th block of its level, of `2^log_rows` rows.
pub(super) struct Leaf<'a, E: Element, const WAY: bool> {
    pub network: &'a Network<'a, E::Twiddle>,
    pub data: &'a mut [E::Stored],
    pub index: usize,
    pub log_rows: u32,
}

impl<E: Element, const WAY: bool> Leaf<'_, E, WAY> {
    /// The level of blocks of `2^log_rows` rows.
    #[inline(always)]
    fn pairs(&mut self, log_rows: u32) {
        let first = self.index << (self.log_rows - log_rows);
        for (i, block) in self.data.chunks_exact_mut(self.network.width << log_rows).enumerate() {
            let twiddle = self.network.twiddle(first + i, log_rows);
            Pair::<E, WAY> { parts: halves(block), twiddle }.run();
        }
    }
    /// The levels of blocks of `2^log_rows` rows and of their halves.
    #[inline(always)]
    fn quads(&mut self, log_rows: u32) {
        let first = self.index << (self.log_rows - log_rows);
        for (i, block) in self.data.chunks_exact_mut(self.network.width << log_rows).enumerate() {
            let twiddles = self.network.twiddles(first + i, log_rows);
            Quad::<E, WAY> { parts: quarters(block), twiddles }.run();
        }
    }
    /// The levels of blocks of four and two rows of one element: one loop over all blocks, which the compiler turns into
    /// vector code by loads and stores that take four vectors apart.
    #[inline(always)]
    fn fours(&mut self) {
        let first = self.index << (self.log_rows - 2);
        let (blocks, _) = self.data.as_chunks_mut::<4>();
        let outer = &self.network.table[first..first + blocks.len()];
        let (inner, _) = self.network.table[2 * first..2 * (first + blocks.len())].as_chunks::<2>();
        let blocks = blocks.iter_mut().zip(outer).zip(inner);
        if let [one, two, ..] = *self.network.shifts {
            for ((block, &a), &[b, c]) in blocks {
                *block = butterflies::<E, WAY, false>(*block, [a * two, b * one, c * one]);
            }
        } else {
            for ((block, &a), &[b, c]) in blocks {
                *block = butterflies::<E, WAY, false>(*block, [a, b, c]);
            }
        }
    }
    /// [`Leaf::quads`] or, where it does the same, [`Leaf::fours`].
    #[inline(always)]
    fn two_levels(&mut self, log_rows: u32) {
        if log_rows == 2 && self.network.width == 1 {
            self.fours();
        } else {
            self.quads(log_rows);
        }
    }
}

impl<E: Element, const WAY: bool> Kernel for Leaf<'_, E, WAY> {
    const VECTORS: bool = E::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        let odd = self.log_rows % 2;
        if WAY == DOWN {
            if odd == 1 {
                self.pairs(self.log_rows);
            }
            for log_rows in (2..=self.log_rows - odd).rev().step_by(2) {
                self.two_levels(log_rows);
            }
        } else {
            if let Some(scale) = self.network.scale {
                self.data.iter_mut().for_each(|x| *x = E::load(*x).times(scale).store());
            }
            for log_rows in (2..=self.log_rows).step_by(2) {
                self.two_levels(log_rows);
            }
            if odd == 1 {
                self.pairs(self.log_rows);
            }
        }
    }
}
