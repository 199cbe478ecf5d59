//! Transforms in lanes (see [`simd::tile`](icicle_algebra::simd::tile)).
//!
//! A pass reads tiles of sixteen columns or rows, does as many levels as a tile has rows, and writes them back: memory
//! is seen two or three times. Columns of a block share its twiddles. Rows are blocks of different twiddles: modulo
//! `x^h - γ^h`, the coefficient of `x^j` times `γ^j` leaves the network of the first block, the same for all (Bailey,
//! "FFTs in external or hierarchical memory", 1990). Rows that lie side by side bit-reversed go together, so that
//! a reordering is done by the pass over rows as it reads or writes. Without one, elements of one word have
//! [another way](super::in_place).

#![allow(unsafe_code)]

use super::copy::copy;
use super::domain::Table;
use super::in_place::{Network, Straight};
use super::plan::Plan;
use super::reverse::{self, reversed};
use super::tiled::{Group, Strip, TileBuffers, shift};
use crate::args::ntt::NttArgs;
use bytemuck::Zeroable;
use icicle_algebra::dispatch_prime;
use icicle_algebra::fp31::Fp31;
use icicle_algebra::goldilocks::Goldilocks;
use icicle_algebra::simd::goldilocks::{Avx2, Avx512, GoldilocksLanes};
use icicle_algebra::simd::ifma31::Ifma31;
use icicle_algebra::simd::montgomery31::Montgomery31;
use icicle_algebra::simd::network::Rows;
use icicle_algebra::simd::tile::{Aligned, DOWN, ROW, Raw, Tile, Tiles, UP};
use icicle_algebra::simd::word_blocks::InPlace;
use icicle_algebra::simd::word_tile::Words;
use icicle_algebra::{Field, PrimeField};
use icicle_cpu::memory::{In, Out, Scratch};
use icicle_device::Dst;
use icicle_error::Result;
use icicle_error::reserve::with_capacity;
use icicle_params::{Prime, prime};
use std::any::Any;

/// Log of the rows and the columns of the smallest vector that is cut in both.
const LOG_SIDE: u32 = ROW.trailing_zeros();
/// Vectors from which on they are rows of a tile, and elements of a row from which on it is a row of columns: with fewer,
/// too many lanes would be empty.
const LEAST: usize = 4;

/// Transform if this processor, the field and the shape are served here; else do nothing and return false.
pub(super) fn transform<F: PrimeField>(plan: &Plan<F>, args: &NttArgs, width: usize) -> Result<bool> {
    dispatch_prime!(F, [Bn254Fr 4 5, Bls12_381Fr 4 5, Bls12_377Fr 4 5, Stark252 4 5, Bls12_377Fq 6 8], large(plan, args, width));
    if let Some(served) = word31::<prime::BabyBear>(plan, args, width) {
        return served;
    }
    if let Some(served) = word31::<prime::KoalaBear>(plan, args, width) {
        return served;
    }
    goldilocks(plan, args, width).unwrap_or(Ok(false))
}

fn large<P: Prime<N>, const N: usize, const M: usize>(plan: &dyn Any, args: &NttArgs, width: usize) -> Result<bool> {
    match (plan.downcast_ref(), Rows::<P, N, M>::available()) {
        (Some(plan), Some(rows)) => Lanes { plan, rows: &rows, width, log_n: args.log_n, straight: None }.run(args),
        _ => Ok(false),
    }
}

fn word31<P: Prime<1>>(plan: &dyn Any, args: &NttArgs, width: usize) -> Option<Result<bool>> {
    let plan = plan.downcast_ref::<Plan<Fp31<P>>>()?;
    if let Some(tiles) = Words::<Ifma31<P>, 2>::available() {
        return Some(words(&tiles, plan, args, width));
    }
    Words::<Montgomery31<P>, 2>::available().map(|tiles| words(&tiles, plan, args, width))
}

fn goldilocks(plan: &dyn Any, args: &NttArgs, width: usize) -> Option<Result<bool>> {
    let plan = plan.downcast_ref::<Plan<Goldilocks>>()?;
    if let Some(tiles) = Words::<GoldilocksLanes<Avx512>, 2>::available() {
        return Some(words(&tiles, plan, args, width));
    }
    Words::<GoldilocksLanes<Avx2>, 4>::available().map(|tiles| words(&tiles, plan, args, width))
}

fn words<T: InPlace>(rows: &T, plan: &Plan<T::Field>, args: &NttArgs, width: usize) -> Result<bool> {
    let log_n = args.log_n;
    let straight = if width == 1 && !reorders(plan) { Straight::new(rows, plan, log_n)? } else { None };
    let straight = straight.as_ref().map(|straight| straight as _);
    Lanes { plan, rows, width, log_n, straight }.run(args)
}

/// Whether the side of the network that is in reversed order is to be in natural order too.
fn reorders<F: PrimeField>(plan: &Plan<F>) -> bool {
    if plan.down { plan.reverse_last } else { plan.reverse_first }
}

struct Lanes<'a, T: Tiles> {
    plan: &'a Plan<T::Field>,
    rows: &'a T,
    /// Elements of a row of the transform.
    width: usize,
    log_n: u32,
    /// Another way through the network.
    straight: Option<&'a dyn Network<Raw<T>>>,
}

/// The levels of a transform by pass: over columns from the top, then over rows.
struct Cut {
    columns: Vec<u32>,
    rows: Option<u32>,
}

impl Cut {
    fn new<T: Tiles>(log_n: u32, width: usize, vectors: usize) -> Option<Self> {
        let log_rows = T::LOG_ROWS;
        let evenly = |levels: u32| {
            let passes = levels.div_ceil(log_rows);
            (0..passes).map(|i| (levels + i) / passes).collect()
        };
        if width >= LEAST {
            return (log_n > 0).then(|| Self { columns: evenly(log_n), rows: None });
        }
        if width > 1 || log_n < LOG_SIDE {
            return None;
        }
        if log_n <= log_rows && vectors >= LEAST {
            return Some(Self { columns: Vec::new(), rows: Some(log_n) });
        }
        let rows = (log_n / 2).min(log_rows);
        (rows >= LOG_SIDE).then(|| Self { columns: evenly(log_n - rows), rows: Some(rows) })
    }
}

/// A pass over columns: `levels` of blocks that have `below` more.
struct Columns<T: Tiles> {
    levels: u32,
    below: u32,
    /// One for each block of a vector.
    trees: Vec<T::Tree>,
    scale: Option<T::Constant>,
    /// Whether results are to be canonical.
    last: bool,
}

/// The pass over rows.
struct Blocks<T: Tiles> {
    levels: u32,
    tree: T::Tree,
    /// `γ` of each block of a vector; none if all factors are 1.
    bases: Option<Vec<T::Field>>,
    scale: T::Field,
    /// Whether the side away from the columns is bit-reversed.
    reorder: bool,
    last: bool,
}

/// All passes, with the memory they take.
struct Passes<T: Tiles> {
    columns: Vec<Columns<T>>,
    blocks: Option<Blocks<T>>,
    buffers: TileBuffers<T>,
    /// Where data are between the passes, if they are elsewhere than in the output.
    between: Option<Scratch>,
}

impl<T: Tiles> Lanes<'_, T> {
    fn run(&self, args: &NttArgs) -> Result<bool> {
        let (src, dst) = (In::<Raw<T>>::new(&args.input), Out::<Raw<T>>::new(&args.out));
        let vector = self.width << self.log_n;
        let plan = self.plan;
        let reorder = reorders(plan);
        let cut = Cut::new::<T>(self.log_n, self.width, src.len() / vector);
        let Some(cut) = cut else { return Ok(false) };
        let out = In::new(&args.out.as_src());
        let rows = cut.rows.unwrap_or(0);
        // Before anything is written, as this may fail.
        let reordered = cut.rows.is_some() && reorder;
        let elsewhere = reordered && !cut.columns.is_empty() && (plan.down || dst.is(&src));
        let table = plan.twiddles(rows.max(self.log_n - rows))?;
        let mut passes = None;
        if self.straight.is_none() {
            let mut prepared = self.prepare(&cut, &table, src.len(), reordered)?;
            // A reordering between two places needs both: what lies between the passes is elsewhere.
            prepared.between = elsewhere.then(|| Scratch::new::<Raw<T>>("ntt", src.len())).transpose()?;
            passes = Some(prepared);
        }
        let mut go = |from: &In<'_, Raw<T>>| match (self.straight, &mut passes) {
            (Some(straight), _) => straight.run([from, &out], &dst),
            (None, Some(passes)) => self.passes(passes, [from, &out], &dst),
            (None, None) => {}
        };
        if reordered {
            go(&src);
            return Ok(true);
        }
        // What the pass over rows cannot do is done by passes of its own, in place.
        let mut from = &src;
        if plan.reverse_first {
            reverse::rows(&src, &dst, self.log_n, self.width);
            from = &out;
        }
        if plan.powers.is_some() && !plan.down {
            if !dst.is(from) {
                copy(from, &dst);
            }
            self.multiply(&dst, vector);
            from = &out;
        }
        go(from);
        if plan.powers.is_some() && plan.down {
            self.multiply(&dst, vector);
        }
        if plan.reverse_last {
            reverse::rows(&out, &dst, self.log_n, self.width);
        }
        Ok(true)
    }

    fn multiply(&self, dst: &Out<'_, Raw<T>>, vector: usize) {
        // SAFETY: nothing else touches the output before the slice is gone.
        let data = unsafe { dst.slice() };
        data.chunks_exact_mut(vector).for_each(|vector| self.plan.multiply::<T::Field>(vector, self.width));
    }

    /// All passes over `n` elements, the one over rows with the reordering if asked.
    fn prepare(&self, cut: &Cut, table: &Table<T::Field>, n: usize, reorder: bool) -> Result<Passes<T>> {
        let plan = self.plan;
        let scale = plan.scale();
        let mut constant = scale.filter(|_| cut.rows.is_none()).map(|by| self.rows.constant(by));
        let mut columns = Vec::new();
        let mut above = 0;
        for &levels in &cut.columns {
            let below = self.log_n - above - levels;
            let mut trees = with_capacity("ntt", 1 << above)?;
            for block in 0..1 << above {
                trees.push(self.tree(table, above, levels, block)?);
            }
            let last = if plan.down { below == 0 } else { above == 0 };
            columns.push(Columns { levels, below, trees, scale: constant.take(), last });
            above += levels;
        }
        let twisted = above > 0 || !plan.shifts.is_empty() || scale.is_some();
        let blocks = |levels: u32| -> Result<Blocks<T>> {
            Ok(Blocks {
                levels,
                tree: self.rows.tree(levels, |_, i| table[i])?,
                bases: twisted.then(|| self.bases(above)).transpose()?,
                scale: scale.unwrap_or(T::Field::ONE),
                reorder,
                last: plan.down || above == 0,
            })
        };
        let most = cut.columns.iter().chain(&cut.rows).max().map_or(0, |&levels| Self::most(levels) << levels);
        let blocks = cut.rows.map(blocks).transpose()?;
        Ok(Passes { columns, blocks, buffers: TileBuffers::new(most, n)?, between: None })
    }

    /// All passes, from a source to an output, which is to be read too.
    fn passes(&self, passes: &mut Passes<T>, [src, out]: [&In<'_, Raw<T>>; 2], dst: &Out<'_, Raw<T>>) {
        let Passes { columns, blocks, buffers, between } = passes;
        let between = between.as_mut().map(|scratch| Dst::from(&mut scratch.elements::<Raw<T>>()[..src.len()]));
        let between = between.map(|place| (Out::new(&place), In::new(&place.as_src())));
        let (to, from) = between.as_ref().map_or((dst, out), |(to, from)| (to, from));
        let (down, passes) = (self.plan.down, columns.len() + usize::from(blocks.is_some()));
        for i in 0..passes {
            let read = if i == 0 { src } else { from };
            let write = if i + 1 == passes { dst } else { to };
            match (down, columns.get(if down { i } else { (passes - 1).wrapping_sub(i) }), &blocks) {
                (true, Some(pass), _) => self.columns::<DOWN>(pass, buffers, read, write),
                (false, Some(pass), _) => self.columns::<UP>(pass, buffers, read, write),
                (true, None, Some(pass)) => self.blocks::<DOWN>(pass, buffers, read, write),
                (false, None, Some(pass)) => self.blocks::<UP>(pass, buffers, read, write),
                (_, None, None) => {}
            }
        }
    }

    /// The twiddles of the next levels of a block that has `above` levels above it.
    fn tree(&self, table: &Table<T::Field>, above: u32, levels: u32, block: usize) -> Result<T::Tree> {
        let shifts = &self.plan.shifts;
        self.rows.tree(levels, |level, i| {
            let twiddle = table[(block << level) + i];
            if shifts.is_empty() { twiddle } else { twiddle * shifts[(self.log_n - above - level) as usize - 1] }
        })
    }

    /// `γ = g·w^rev(k)` of each of `2^log_blocks` blocks.
    fn bases(&self, log_blocks: u32) -> Result<Vec<T::Field>> {
        let mut bases = with_capacity("ntt", 1 << log_blocks)?;
        bases.push(self.plan.shifts.first().copied().unwrap_or(T::Field::ONE));
        for bit in 0..log_blocks {
            let turn = (bit + 1..log_blocks).fold(self.plan.root, |w, _| w.square());
            bases.extend_from_within(..);
            let half = bases.len() / 2;
            bases[half..].iter_mut().for_each(|x| *x *= turn);
        }
        Ok(bases)
    }

    /// How many tiles a task of a pass has, at most.
    fn most(levels: u32) -> usize {
        T::BESIDE.max(T::ROWS >> levels)
    }

    /// How many it has of so many columns or blocks that lie side by side.
    fn beside(columns: usize, levels: u32) -> usize {
        if columns.is_multiple_of(ROW) { Self::most(levels).min(1 << (columns / ROW).trailing_zeros()) } else { 1 }
    }

    fn columns<const WAY: bool>(
        &self,
        pass: &Columns<T>,
        buffers: &TileBuffers<T>,
        from: &In<'_, Raw<T>>,
        to: &Out<'_, Raw<T>>,
    ) {
        let (stride, n) = (self.width << pass.below, 1 << pass.levels);
        let beside = Self::beside(stride, pass.levels);
        let (groups, shift) = (stride.div_ceil(beside * ROW), shift(to.at(0, 0), stride, beside));
        buffers.tasks(from.len() / (stride * n) * groups, beside * n, &|i, tiles| {
            let (block, column) = (i / groups, i % groups * beside * ROW);
            let used = (beside * ROW).min(stride - column);
            let strip =
                Strip { first: block * stride * n, stride, column: column + shift, used, beside, reverse: false };
            self.fetch(&strip, from, tiles);
            if let Some(scale) = &pass.scale {
                self.rows.scale(tiles, scale);
            }
            self.rows.network::<WAY>(tiles, &pass.trees[block % pass.trees.len()]);
            self.put(&strip, pass.last, tiles, to);
        });
    }

    fn blocks<const WAY: bool>(
        &self,
        pass: &Blocks<T>,
        buffers: &TileBuffers<T>,
        from: &In<'_, Raw<T>>,
        to: &Out<'_, Raw<T>>,
    ) {
        let (log_blocks, n) = (self.log_n - pass.levels, 1 << pass.levels);
        let (end, stride) = (from.len() / n, 1 << log_blocks);
        let across = pass.reorder && log_blocks > 0;
        let beside = if across { Self::beside(stride, pass.levels) } else { 1 };
        let shift = match (across, WAY) {
            (false, _) => 0,
            (true, DOWN) => shift(to.at(0, 0), stride, beside),
            (true, UP) => shift(from.at(0, 0), stride, beside),
        };
        buffers.tasks(end.div_ceil(beside * ROW), beside * n, &|i, tiles| {
            let place = i * beside * ROW;
            let (first, column) = ((place & !(stride - 1)) * n, (place & (stride - 1)) + shift);
            let strip = Strip { first, stride, column, used: beside * ROW, beside, reverse: true };
            let group =
                |number| Group::new(place + number * ROW, end, log_blocks, pass.levels, across.then_some(shift));
            let groups = (0..beside).map(|number| (Tile { number, beside }, group(number)));
            let twist = |tiles: &mut [T::Row], tile: Tile, group: &Group| {
                if let Some(bases) = &pass.bases {
                    let bases = group.blocks.map(|k| bases[k & (bases.len() - 1)]);
                    self.rows.twist::<WAY>(tiles, tile, pass.scale, &bases);
                }
            };
            if WAY == UP && across {
                self.fetch(&strip, from, tiles);
            }
            for (tile, group) in groups.clone() {
                if WAY == DOWN || !across {
                    self.read(&group, WAY == UP && pass.reorder, from, tiles, tile);
                }
                if WAY == DOWN {
                    twist(tiles, tile, &group);
                }
            }
            self.rows.network::<WAY>(tiles, &pass.tree);
            for (tile, group) in groups {
                if WAY == UP {
                    twist(tiles, tile, &group);
                }
                if WAY == UP || !across {
                    self.write(&group, WAY == DOWN && pass.reorder, pass.last, tiles, tile, to);
                }
            }
            if WAY == DOWN && across {
                self.put(&strip, pass.last, tiles, to);
            }
        });
    }

    /// Read tiles from columns of a matrix.
    fn fetch(&self, strip: &Strip, from: &In<'_, Raw<T>>, tiles: &mut [T::Row]) {
        let n = tiles.len() / strip.beside;
        if let Some((start, span)) = strip.together(n) {
            // SAFETY: all rows are within the span, which is checked here.
            unsafe { self.rows.gather(&strip.at(from.at(start, span)), tiles) };
            return;
        }
        let (mut elements, mut block) = (Self::elements(), [self.rows.zero(); ROW]);
        for first in (0..n).step_by(ROW) {
            let count = ROW.min(n - first);
            for number in 0..strip.beside {
                let elements = &mut elements.0[..ROW * count];
                for (j, row) in elements.chunks_exact_mut(ROW).enumerate() {
                    for (start, lanes) in strip.runs(number, first + j, n) {
                        from.read(start, &mut row[lanes]);
                    }
                }
                self.rows.load(elements, &mut block[..count], false);
                Tile { number, beside: strip.beside }.set(&mut tiles[first * strip.beside..], &block[..count]);
            }
        }
    }

    /// The reverse of [`Lanes::fetch`]; no other task has these columns.
    fn put(&self, strip: &Strip, canonical: bool, tiles: &[T::Row], to: &Out<'_, Raw<T>>) {
        let n = tiles.len() / strip.beside;
        if let Some((start, span)) = strip.together(n) {
            // SAFETY: all rows are within the span, which is checked here, and no other task has these columns.
            unsafe { self.rows.scatter(tiles, &strip.at(to.at(start, span)), canonical) };
            return;
        }
        let (mut elements, mut block) = (Self::elements(), [self.rows.zero(); ROW]);
        for first in (0..n).step_by(ROW) {
            let count = ROW.min(n - first);
            for number in 0..strip.beside {
                Tile { number, beside: strip.beside }.get(&tiles[first * strip.beside..], &mut block[..count]);
                let elements = &mut elements.0[..ROW * count];
                self.rows.store(&block[..count], elements, false, canonical);
                for (j, row) in elements.chunks_exact(ROW).enumerate() {
                    for (start, lanes) in strip.runs(number, first + j, n) {
                        to.write(start, &row[lanes]);
                    }
                }
            }
        }
    }

    fn elements() -> Aligned<[Raw<T>; ROW * ROW]> {
        Aligned([Raw::<T>::zeroed(); ROW * ROW])
    }

    /// Read blocks into columns of a tile, their elements bit-reversed if asked.
    fn read(&self, group: &Group, reorder: bool, from: &In<'_, Raw<T>>, tiles: &mut [T::Row], tile: Tile) {
        let n = 1 << group.levels;
        if group.used == ROW && !reorder {
            let starts = group.blocks.map(|k| from.at(k * n, n));
            // SAFETY: blocks are as long as a tile has rows, as just checked.
            unsafe { self.rows.gather_columns(&starts, tiles, tile) };
            return;
        }
        let (mut elements, mut block) = (Self::elements(), [self.rows.zero(); ROW]);
        for j in (0..n).step_by(ROW) {
            for (row, &k) in elements.0.chunks_exact_mut(ROW).zip(&group.blocks[..group.used]) {
                from.read(k * n + j, row);
            }
            self.rows.load(&elements.0, &mut block, true);
            for (i, &row) in block.iter().enumerate() {
                let at = if reorder { reversed(j + i, group.levels) } else { j + i };
                tiles[at * tile.beside + tile.number] = row;
            }
        }
    }

    /// Write columns of a tile to blocks, their elements bit-reversed if asked.
    fn write(&self, group: &Group, reorder: bool, canonical: bool, tiles: &[T::Row], tile: Tile, to: &Out<'_, Raw<T>>) {
        let n = 1 << group.levels;
        if group.used == ROW && !reorder {
            let starts = group.blocks.map(|k| to.at(k * n, n));
            // SAFETY: blocks are as long as a tile has rows, as just checked, and no other task has them.
            unsafe { self.rows.scatter_columns(tiles, tile, &starts, canonical) };
            return;
        }
        let mut elements = Self::elements();
        for j in (0..n).step_by(ROW) {
            let block: [T::Row; ROW] = std::array::from_fn(|i| {
                let at = if reorder { reversed(j + i, group.levels) } else { j + i };
                tiles[at * tile.beside + tile.number]
            });
            self.rows.store(&block, &mut elements.0, true, canonical);
            for (row, &k) in elements.0.chunks_exact(ROW).zip(&group.blocks[..group.used]) {
                to.write(k * n + j, row);
            }
        }
    }
}
