//! Transforms of large prime fields in lanes (see [`simd::network`](crate::algebra::simd::network)).
//!
//! A pass reads tiles of sixteen columns or rows, does as many levels as a tile has rows, and writes them back: memory
//! is seen two or three times. Columns of a block share its twiddles. Rows are blocks of different twiddles: modulo
//! `x^h - γ^h`, the coefficient of `x^j` times `γ^j` leaves the network of the first block, the same for all (Bailey,
//! "FFTs in external or hierarchical memory", 1990). Rows that lie side by side in the other order go together, so that
//! a reordering is done by the pass over rows as it reads or writes.

use super::domain::Table;
use super::plan::Plan;
use super::reverse::{self, reversed};
use crate::Result;
use crate::algebra::fp::Fp;
use crate::algebra::simd::constant::Constant;
use crate::algebra::simd::network::{DOWN, ROW, Row, Rows, Tree, UP};
use crate::algebra::simd::serve;
use crate::algebra::{Field, Limbs, PrimeField};
use crate::cpu::memory::{In, Out, zeroed};
use crate::cpu::parallel::{indices, run_length};
use crate::device::Dst;
use crate::ops::ntt::NttArgs;
use icicle_params::Prime;
use std::any::Any;
use std::slice::{from_mut, from_ref};

/// Log of the rows of a tile, at most: 1.3 MB, so that transforms of up to 2^22 elements take two passes (2^22 of BN254 on
/// Sapphire Rapids with 2 MB of second-level cache: 0.6 of the time that three take).
const LOG_ROWS: u32 = 11;
/// Log of the rows and the columns of the smallest vector that is cut in both.
const LOG_SIDE: u32 = ROW.trailing_zeros();
/// Vectors from which on they are rows of a tile, and elements of a row from which on it is a row of columns: with fewer,
/// too many lanes would be empty.
const LEAST: usize = 4;

/// Transform if this processor, the field and the shape are served here; else do nothing and return false.
pub(super) fn transform<F: PrimeField>(plan: &Plan<F>, args: &NttArgs, width: usize) -> Result<bool> {
    serve!(F, [Bn254Fr 4 5, Bls12_381Fr 4 5, Bls12_377Fr 4 5, Stark252 4 5, Bls12_377Fq 6 8], run(plan, args, width));
    Ok(false)
}

fn run<P: Prime<N>, const N: usize, const M: usize>(plan: &dyn Any, args: &NttArgs, width: usize) -> Result<bool> {
    let (Some(plan), Some(rows)) = (plan.downcast_ref::<Plan<Fp<P, N>>>(), Rows::<P, N, M>::available()) else {
        return Ok(false);
    };
    Lanes { plan, rows, width, log_n: args.log_n }.run(args)
}

/// Elements that whole vectors are read from and written to.
#[repr(align(64))]
struct Aligned<T>(T);

/// A task: its number, a tile, and room for as many elements as a tile has columns, squared.
type Task<'a, const N: usize, const M: usize> = &'a (dyn Fn(usize, &mut [Row<M>], &mut [Limbs<N>]) + Sync);

struct Lanes<'a, P, const N: usize, const M: usize> {
    plan: &'a Plan<Fp<P, N>>,
    rows: Rows<P, N, M>,
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
    fn new(log_n: u32, width: usize, vectors: usize) -> Option<Self> {
        let evenly = |levels: u32| {
            let passes = levels.div_ceil(LOG_ROWS);
            (0..passes).map(|i| (levels + i) / passes).collect()
        };
        if width >= LEAST {
            return (log_n > 0).then(|| Self { columns: evenly(log_n), rows: None });
        }
        if width > 1 || log_n < LOG_SIDE {
            return None;
        }
        if log_n <= LOG_ROWS && vectors >= LEAST {
            return Some(Self { columns: Vec::new(), rows: Some(log_n) });
        }
        let rows = (log_n / 2).min(LOG_ROWS);
        (rows >= LOG_SIDE).then(|| Self { columns: evenly(log_n - rows), rows: Some(rows) })
    }
}

/// A pass over columns: `levels` of blocks that have `below` more.
struct Columns<'a, const M: usize> {
    levels: u32,
    below: u32,
    /// One for each block of a vector.
    trees: Vec<Tree<M>>,
    scale: Option<&'a Constant<M>>,
    /// Whether results are to be canonical.
    last: bool,
}

/// The pass over rows.
struct Blocks<P, const N: usize, const M: usize> {
    levels: u32,
    tree: Tree<M>,
    /// `γ` of each block of a vector; none if all factors are 1.
    bases: Option<Vec<Fp<P, N>>>,
    scale: Fp<P, N>,
    /// Whether the side away from the columns is in the other order.
    reorder: bool,
    last: bool,
}

impl<P: Prime<N>, const N: usize, const M: usize> Lanes<'_, P, N, M> {
    fn run(&self, args: &NttArgs) -> Result<bool> {
        let (src, dst) = (In::<Limbs<N>>::new(&args.input), Out::<Limbs<N>>::new(&args.out));
        let vector = self.width << self.log_n;
        let Some(cut) = Cut::new(self.log_n, self.width, src.len() / vector) else { return Ok(false) };
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

    fn multiply(&self, dst: &Out<'_, Limbs<N>>, vector: usize) {
        // SAFETY: nothing else touches the output before the slice is gone.
        #[allow(unsafe_code)]
        let data = unsafe { dst.slice() };
        data.chunks_exact_mut(vector).for_each(|vector| self.plan.multiply::<Fp<P, N>>(vector, self.width));
    }

    /// All passes, from a source to an output, which is to be read too.
    fn passes(
        &self,
        cut: &Cut,
        table: &Table<Fp<P, N>>,
        [src, out]: [&In<'_, Limbs<N>>; 2],
        dst: &Out<'_, Limbs<N>>,
        reorder: bool,
    ) -> Result<()> {
        let plan = self.plan;
        // With factors of natural order going down, the pass that multiplies by them scales too.
        let scale = plan.scale.filter(|_| plan.powers.is_none() || !plan.down);
        let constant = scale.filter(|_| cut.rows.is_none()).map(Constant::new);
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
            tree: Tree::new(levels, |_, i| table[i]),
            bases: (above > 0 || !plan.shifts.is_empty() || scale.is_some()).then(|| self.bases(above)),
            scale: scale.unwrap_or(Fp::ONE),
            reorder,
            last: plan.down || above == 0,
        });
        // A reordering between two places needs both: what lies between the passes is elsewhere.
        let elsewhere = reorder && above > 0 && (plan.down || dst.is(src));
        let mut scratch = zeroed::<Limbs<N>>("ntt", if elsewhere { src.len() } else { 0 })?;
        let scratch = Dst::from(&mut scratch);
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
    fn tree(&self, table: &Table<Fp<P, N>>, above: u32, levels: u32, block: usize) -> Tree<M> {
        let shifts = &self.plan.shifts;
        Tree::new(levels, |level, i| {
            let twiddle = table[(block << level) + i];
            if shifts.is_empty() { twiddle } else { twiddle * shifts[(self.log_n - above - level) as usize - 1] }
        })
    }

    /// `γ = g·w^rev(k)` of each of `2^log_blocks` blocks.
    fn bases(&self, log_blocks: u32) -> Vec<Fp<P, N>> {
        let mut bases = vec![self.plan.shifts.first().copied().unwrap_or(Fp::ONE)];
        for bit in 0..log_blocks {
            let turn = (bit + 1..log_blocks).fold(self.plan.root, |w, _| w.square());
            bases.extend_from_within(..);
            let half = bases.len() / 2;
            bases[half..].iter_mut().for_each(|x| *x *= turn);
        }
        bases
    }

    /// Do tasks with a tile and a block of elements of their own.
    fn tiles(&self, tasks: usize, rows: u32, task: Task<'_, N, M>) {
        let length = run_length(tasks, 1);
        indices(tasks.div_ceil(length), true, &|run| {
            let mut tile = vec![self.rows.zero(); 1 << rows];
            let mut elements = Aligned([Limbs([0; N]); ROW * ROW]);
            (run * length..tasks.min((run + 1) * length)).for_each(|i| task(i, &mut tile, &mut elements.0));
        });
    }

    fn columns<const WAY: bool>(&self, pass: &Columns<'_, M>, from: &In<'_, Limbs<N>>, to: &Out<'_, Limbs<N>>) {
        let stride = self.width << pass.below;
        let groups = stride.div_ceil(ROW);
        let blocks = from.len() / (stride << pass.levels);
        self.tiles(blocks * groups, pass.levels, &|i, tile, elements| {
            let (block, column) = (i / groups, i % groups * ROW);
            let first = block * (stride << pass.levels) + column;
            let (row, used) = (&mut elements[..ROW], ROW.min(stride - column));
            for (j, lanes) in tile.iter_mut().enumerate() {
                from.read(first + j * stride, &mut row[..used]);
                self.rows.load(row, from_mut(lanes), false);
            }
            if let Some(scale) = pass.scale {
                self.rows.scale(tile, scale);
            }
            self.rows.network::<WAY>(tile, &pass.trees[block % pass.trees.len()]);
            for (j, lanes) in tile.iter().enumerate() {
                self.rows.store(from_ref(lanes), row, false, pass.last);
                to.write(first + j * stride, &row[..used]);
            }
        });
    }

    fn blocks<const WAY: bool>(&self, pass: &Blocks<P, N, M>, from: &In<'_, Limbs<N>>, to: &Out<'_, Limbs<N>>) {
        let log_blocks = self.log_n - pass.levels;
        let count = from.len() >> pass.levels;
        let across = pass.reorder && log_blocks > 0;
        self.tiles(count.div_ceil(ROW), pass.levels, &|i, tile, elements| {
            let group = Group::new(i * ROW, count, log_blocks, pass, across);
            if WAY == UP && across {
                for (j, lanes) in tile.iter_mut().enumerate() {
                    from.read(group.across(reversed(j, pass.levels)), &mut elements[..ROW]);
                    self.rows.load(&elements[..ROW], from_mut(lanes), false);
                }
            } else {
                self.read(&group, WAY == UP && pass.reorder, from, tile, elements);
            }
            let twist = |tile: &mut [Row<M>]| {
                if let Some(bases) = &pass.bases {
                    self.rows.twist(tile, pass.scale, &group.blocks.map(|k| bases[k & (bases.len() - 1)]));
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
                for (j, lanes) in tile.iter().enumerate() {
                    self.rows.store(from_ref(lanes), &mut elements[..ROW], false, pass.last);
                    to.write(group.across(reversed(j, pass.levels)), &elements[..ROW]);
                }
            } else {
                self.write(&group, WAY == DOWN && pass.reorder, pass.last, tile, elements, to);
            }
        });
    }

    /// Read blocks into columns of a tile, their elements in the other order if asked.
    fn read(
        &self,
        group: &Group,
        reorder: bool,
        from: &In<'_, Limbs<N>>,
        tile: &mut [Row<M>],
        elements: &mut [Limbs<N>],
    ) {
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
        tile: &[Row<M>],
        elements: &mut [Limbs<N>],
        to: &Out<'_, Limbs<N>>,
    ) {
        for j in (0..tile.len()).step_by(ROW) {
            let rows: [Row<M>; ROW] =
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
    fn new<P, const N: usize, const M: usize>(
        first: usize,
        count: usize,
        log_blocks: u32,
        pass: &Blocks<P, N, M>,
        across: bool,
    ) -> Self {
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
