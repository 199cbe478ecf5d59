//! Transforms in lanes (see [`simd::tile`](crate::algebra::simd::tile)).
//!
//! A pass reads tiles of sixteen columns or rows, does as many levels as a tile has rows, and writes them back: memory
//! is seen two or three times. Columns of a block share its twiddles. Rows are blocks of different twiddles: modulo
//! `x^h - γ^h`, the coefficient of `x^j` times `γ^j` leaves the network of the first block, the same for all (Bailey,
//! "FFTs in external or hierarchical memory", 1990). Rows that lie side by side in the other order go together, so that
//! a reordering is done by the pass over rows as it reads or writes.

#![allow(unsafe_code)]

use super::domain::Table;
use super::plan::Plan;
use super::reverse::{self, reversed};
use crate::Result;
use crate::algebra::goldilocks::Gold;
use crate::algebra::simd::goldilocks::{Avx2, Avx512, Goldilocks};
use crate::algebra::simd::ifma31::Ifma31;
use crate::algebra::simd::montgomery31::Montgomery31;
use crate::algebra::simd::network::Rows;
use crate::algebra::simd::serve;
use crate::algebra::simd::tile::{Aligned, DOWN, ROW, Raw, Tiles, UP};
use crate::algebra::simd::word_tile::Words;
use crate::algebra::small::Fp31;
use crate::algebra::{Field, PrimeField};
use crate::cpu::memory::{In, Out, Scratch};
use crate::cpu::parallel::{indices, run_length};
use crate::device::Dst;
use crate::ops::ntt::NttArgs;
use bytemuck::Zeroable;
use icicle_params::{Prime, prime};
use std::any::Any;
use std::slice::{from_mut, from_ref};

/// Log of the rows and the columns of the smallest vector that is cut in both.
const LOG_SIDE: u32 = ROW.trailing_zeros();
/// Vectors from which on they are rows of a tile, and elements of a row from which on it is a row of columns: with fewer,
/// too many lanes would be empty.
const LEAST: usize = 4;

/// Transform if this processor, the field and the shape are served here; else do nothing and return false.
pub(super) fn transform<F: PrimeField>(plan: &Plan<F>, args: &NttArgs, width: usize) -> Result<bool> {
    serve!(F, [Bn254Fr 4 5, Bls12_381Fr 4 5, Bls12_377Fr 4 5, Stark252 4 5, Bls12_377Fq 6 8], large(plan, args, width));
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
        (Some(plan), Some(rows)) => run(&rows, plan, args, width),
        _ => Ok(false),
    }
}

fn word31<P: Prime<1>>(plan: &dyn Any, args: &NttArgs, width: usize) -> Option<Result<bool>> {
    let plan = plan.downcast_ref::<Plan<Fp31<P>>>()?;
    if let Some(tiles) = Words::<Ifma31<P>, 2>::available() {
        return Some(run(&tiles, plan, args, width));
    }
    Words::<Montgomery31<P>, 2>::available().map(|tiles| run(&tiles, plan, args, width))
}

fn goldilocks(plan: &dyn Any, args: &NttArgs, width: usize) -> Option<Result<bool>> {
    let plan = plan.downcast_ref::<Plan<Gold>>()?;
    if let Some(tiles) = Words::<Goldilocks<Avx512>, 2>::available() {
        return Some(run(&tiles, plan, args, width));
    }
    Words::<Goldilocks<Avx2>, 4>::available().map(|tiles| run(&tiles, plan, args, width))
}

fn run<T: Tiles>(tiles: &T, plan: &Plan<T::Field>, args: &NttArgs, width: usize) -> Result<bool> {
    Lanes { plan, rows: tiles, width, log_n: args.log_n }.run(args)
}

/// A task: its number, a tile, and room for as many elements as a tile has columns, squared.
type Task<'a, T> = &'a (dyn Fn(usize, &mut [<T as Tiles>::Row], &mut [Raw<T>]) + Sync);

struct Lanes<'a, T: Tiles> {
    plan: &'a Plan<T::Field>,
    rows: &'a T,
    /// Elements of a row of the transform.
    width: usize,
    log_n: u32,
}

/// The levels of a transform by pass: over columns from the top, then over rows.
struct Cut {
    columns: Vec<u32>,
    rows: Option<u32>,
}

impl Cut {
    fn new(log_n: u32, width: usize, vectors: usize, log_rows: u32) -> Option<Self> {
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
struct Columns<'a, T: Tiles> {
    levels: u32,
    below: u32,
    /// One for each block of a vector.
    trees: Vec<T::Tree>,
    scale: Option<&'a T::Constant>,
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
    /// Whether the side away from the columns is in the other order.
    reorder: bool,
    last: bool,
}

impl<T: Tiles> Lanes<'_, T> {
    fn run(&self, args: &NttArgs) -> Result<bool> {
        let (src, dst) = (In::<Raw<T>>::new(&args.input), Out::<Raw<T>>::new(&args.out));
        let vector = self.width << self.log_n;
        let Some(cut) = Cut::new(self.log_n, self.width, src.len() / vector, T::LOG_ROWS) else { return Ok(false) };
        let out = In::new(&args.out.as_src());
        let plan = self.plan;
        let rows = cut.rows.unwrap_or(0);
        // Before anything is written, as this may fail.
        let table = plan.twiddles(rows.max(self.log_n - rows))?;
        let reorder = if plan.down { plan.reverse_last } else { plan.reverse_first };
        if cut.rows.is_some() && reorder {
            self.passes(&cut, &table, [&src, &out], &dst, true)?;
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
                super::copy(from, &dst);
            }
            self.multiply(&dst, vector);
            from = &out;
        }
        self.passes(&cut, &table, [from, &out], &dst, false)?;
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

    /// All passes, from a source to an output, which is to be read too.
    fn passes(
        &self,
        cut: &Cut,
        table: &Table<T::Field>,
        [src, out]: [&In<'_, Raw<T>>; 2],
        dst: &Out<'_, Raw<T>>,
        reorder: bool,
    ) -> Result<()> {
        let plan = self.plan;
        // With factors of natural order going down, the pass that multiplies by them scales too.
        let scale = plan.scale.filter(|_| plan.powers.is_none() || !plan.down);
        let constant = scale.filter(|_| cut.rows.is_none()).map(|by| self.rows.constant(by));
        let mut columns = Vec::new();
        let mut above = 0;
        for (i, &levels) in cut.columns.iter().enumerate() {
            let below = self.log_n - above - levels;
            let trees = (0..1 << above).map(|block| self.tree(table, above, levels, block)).collect();
            let last = if plan.down { below == 0 } else { above == 0 };
            columns.push(Columns { levels, below, trees, scale: constant.as_ref().filter(|_| i == 0), last });
            above += levels;
        }
        let blocks = cut.rows.map(|levels| Blocks {
            levels,
            tree: self.rows.tree(levels, |_, i| table[i]),
            bases: (above > 0 || !plan.shifts.is_empty() || scale.is_some()).then(|| self.bases(above)),
            scale: scale.unwrap_or(T::Field::ONE),
            reorder,
            last: plan.down || above == 0,
        });
        // A reordering between two places needs both: what lies between the passes is elsewhere.
        let elsewhere = reorder && above > 0 && (plan.down || dst.is(src));
        let length = if elsewhere { src.len() } else { 0 };
        let mut scratch = Scratch::new::<Raw<T>>("ntt", length)?;
        let scratch = Dst::from(&mut scratch.elements::<Raw<T>>()[..length]);
        let (to, from) = if elsewhere { (&Out::new(&scratch), &In::new(&scratch.as_src())) } else { (dst, out) };
        let passes = columns.len() + usize::from(blocks.is_some());
        for i in 0..passes {
            let read = if i == 0 { src } else { from };
            let write = if i + 1 == passes { dst } else { to };
            match (plan.down, columns.get(if plan.down { i } else { (passes - 1).wrapping_sub(i) }), &blocks) {
                (true, Some(pass), _) => self.columns::<DOWN>(pass, read, write),
                (false, Some(pass), _) => self.columns::<UP>(pass, read, write),
                (true, None, Some(pass)) => self.blocks::<DOWN>(pass, read, write),
                (false, None, Some(pass)) => self.blocks::<UP>(pass, read, write),
                (_, None, None) => {}
            }
        }
        Ok(())
    }

    /// The twiddles of the next levels of a block that has `above` levels above it.
    fn tree(&self, table: &Table<T::Field>, above: u32, levels: u32, block: usize) -> T::Tree {
        let shifts = &self.plan.shifts;
        self.rows.tree(levels, |level, i| {
            let twiddle = table[(block << level) + i];
            if shifts.is_empty() { twiddle } else { twiddle * shifts[(self.log_n - above - level) as usize - 1] }
        })
    }

    /// `γ = g·w^rev(k)` of each of `2^log_blocks` blocks.
    fn bases(&self, log_blocks: u32) -> Vec<T::Field> {
        let mut bases = vec![self.plan.shifts.first().copied().unwrap_or(T::Field::ONE)];
        for bit in 0..log_blocks {
            let turn = (bit + 1..log_blocks).fold(self.plan.root, |w, _| w.square());
            bases.extend_from_within(..);
            let half = bases.len() / 2;
            bases[half..].iter_mut().for_each(|x| *x *= turn);
        }
        bases
    }

    /// Do tasks with a tile and a block of elements of their own.
    fn tiles(&self, tasks: usize, rows: u32, task: Task<'_, T>) {
        let length = run_length(tasks, 1);
        indices(tasks.div_ceil(length), true, &|run| {
            let mut tile = vec![self.rows.zero(); 1 << rows];
            let mut elements = Aligned([Raw::<T>::zeroed(); ROW * ROW]);
            (run * length..tasks.min((run + 1) * length)).for_each(|i| task(i, &mut tile, &mut elements.0));
        });
    }

    fn columns<const WAY: bool>(&self, pass: &Columns<'_, T>, from: &In<'_, Raw<T>>, to: &Out<'_, Raw<T>>) {
        let stride = self.width << pass.below;
        let groups = stride.div_ceil(ROW);
        let blocks = from.len() / (stride << pass.levels);
        self.tiles(blocks * groups, pass.levels, &|i, tile, elements| {
            let (block, column) = (i / groups, i % groups * ROW);
            let first = block * (stride << pass.levels) + column;
            let (row, used) = (&mut elements[..ROW], ROW.min(stride - column));
            let span = (tile.len() - 1) * stride + used;
            let places = (from.at(first, span), to.at(first, span));
            if used == ROW {
                // SAFETY: all rows are within the span just checked.
                unsafe { self.rows.gather(places.0, stride, false, tile) }
            } else {
                for (j, lanes) in tile.iter_mut().enumerate() {
                    from.read(first + j * stride, &mut row[..used]);
                    self.rows.load(row, from_mut(lanes), false);
                }
            }
            if let Some(scale) = pass.scale {
                self.rows.scale(tile, scale);
            }
            self.rows.network::<WAY>(tile, &pass.trees[block % pass.trees.len()]);
            if used == ROW {
                // SAFETY: as above; no other task has these columns of this block.
                unsafe { self.rows.scatter(tile, places.1, stride, false, pass.last) }
            } else {
                for (j, lanes) in tile.iter().enumerate() {
                    self.rows.store(from_ref(lanes), row, false, pass.last);
                    to.write(first + j * stride, &row[..used]);
                }
            }
        });
    }

    fn blocks<const WAY: bool>(&self, pass: &Blocks<T>, from: &In<'_, Raw<T>>, to: &Out<'_, Raw<T>>) {
        let log_blocks = self.log_n - pass.levels;
        let count = from.len() >> pass.levels;
        let across = pass.reorder && log_blocks > 0;
        self.tiles(count.div_ceil(ROW), pass.levels, &|i, tile, elements| {
            let group = Group::new(i * ROW, count, log_blocks, pass, across);
            if WAY == UP && across {
                let span = ((tile.len() - 1) << log_blocks) + ROW;
                // SAFETY: all rows are within the span checked.
                unsafe { self.rows.gather(from.at(group.across(0), span), 1 << log_blocks, true, tile) }
            } else {
                self.read(&group, WAY == UP && pass.reorder, from, tile, elements);
            }
            let twist = |tile: &mut [T::Row]| {
                if let Some(bases) = &pass.bases {
                    self.rows.twist::<WAY>(tile, pass.scale, &group.blocks.map(|k| bases[k & (bases.len() - 1)]));
                }
            };
            if WAY == DOWN {
                twist(tile);
            }
            self.rows.network::<WAY>(tile, &pass.tree);
            if WAY == UP {
                twist(tile);
            }
            if WAY == DOWN && across {
                let span = ((tile.len() - 1) << log_blocks) + ROW;
                let start = to.at(group.across(0), span);
                // SAFETY: as above; no other task has these blocks, all of one vector.
                unsafe { self.rows.scatter(tile, start, 1 << log_blocks, true, pass.last) }
            } else {
                self.write(&group, WAY == DOWN && pass.reorder, pass.last, tile, elements, to);
            }
        });
    }

    /// Read blocks into columns of a tile, their elements in the other order if asked.
    fn read(&self, group: &Group, reorder: bool, from: &In<'_, Raw<T>>, tile: &mut [T::Row], elements: &mut [Raw<T>]) {
        if group.used == ROW && !reorder {
            let starts = group.blocks.map(|k| from.at(k << group.levels, tile.len()));
            // SAFETY: blocks are as long as the tile, as just checked.
            unsafe { self.rows.gather_columns(&starts, tile) };
            return;
        }
        let mut rows = [self.rows.zero(); ROW];
        for j in (0..tile.len()).step_by(ROW) {
            for (row, &k) in elements.chunks_exact_mut(ROW).zip(&group.blocks[..group.used]) {
                from.read((k << group.levels) + j, row);
            }
            self.rows.load(elements, &mut rows, true);
            for (i, &row) in rows.iter().enumerate() {
                tile[if reorder { reversed(j + i, group.levels) } else { j + i }] = row;
            }
        }
    }

    /// Write columns of a tile to blocks, their elements in the other order if asked.
    fn write(
        &self,
        group: &Group,
        reorder: bool,
        canonical: bool,
        tile: &[T::Row],
        elements: &mut [Raw<T>],
        to: &Out<'_, Raw<T>>,
    ) {
        if group.used == ROW && !reorder {
            let starts = group.blocks.map(|k| to.at(k << group.levels, tile.len()));
            // SAFETY: blocks are as long as the tile, as just checked, and no other task has them.
            unsafe { self.rows.scatter_columns(tile, &starts, canonical) };
            return;
        }
        for j in (0..tile.len()).step_by(ROW) {
            let rows: [T::Row; ROW] =
                std::array::from_fn(|i| tile[if reorder { reversed(j + i, group.levels) } else { j + i }]);
            self.rows.store(&rows, elements, true, canonical);
            for (row, &k) in elements.chunks_exact(ROW).zip(&group.blocks[..group.used]) {
                to.write((k << group.levels) + j, row);
            }
        }
    }
}

/// Sixteen blocks that are one tile.
struct Group {
    /// Which; the last ones past the end repeat.
    blocks: [usize; ROW],
    used: usize,
    levels: u32,
    log_blocks: u32,
    /// Number of the vector, and of the first block in the other order.
    place: (usize, usize),
}

impl Group {
    /// Blocks from the `first` of `count`; `across`, those that follow each other in the other order.
    fn new<T: Tiles>(first: usize, count: usize, log_blocks: u32, pass: &Blocks<T>, across: bool) -> Self {
        let place = (first >> log_blocks, first & ((1 << log_blocks) - 1));
        let blocks = std::array::from_fn(|i| {
            if across {
                (place.0 << log_blocks) + reversed(place.1 + i, log_blocks)
            } else {
                (first + i).min(count - 1)
            }
        });
        Self { blocks, used: ROW.min(count - first), levels: pass.levels, log_blocks, place }
    }

    /// Where the `j`-th elements of the blocks follow each other.
    fn across(&self, j: usize) -> usize {
        (self.place.0 << (self.log_blocks + self.levels)) + (j << self.log_blocks) + self.place.1
    }
}
