//! Sums, products and the highest nonzero index of each vector.

#[cfg(target_arch = "x86_64")]
use super::lanes;
use super::layout::layout_of;
use crate::args::vector::{Reduce, ReduceArgs, UnaryArgs};
use bytemuck::{Pod, Zeroable};
use icicle_algebra::Field;
use icicle_algebra::with_field;
use icicle_cpu::blocks::{Layout, Work, for_ranges, pieces};
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::memory::{In, Out};
use icicle_cpu::parallel::{chunks, indices};
use icicle_device::Exec;
use icicle_error::Result;
use icicle_error::reserve::filled;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};

/// Elements of one partial result.
const PIECE: usize = 1 << 13;
/// Vectors of a batch taken together when interleaved.
const TILE: usize = 64;
/// Partial results kept side by side, so that they do not wait for each other.
const LANES: usize = 64;

trait Fold<F>: Copy + Send + Sync {
    const START: F;
    const PRODUCT: bool;
    fn step(a: F, b: F) -> F;
}
#[derive(Clone, Copy)]
struct Sum;
#[derive(Clone, Copy)]
struct Product;
impl<F: Field> Fold<F> for Sum {
    const START: F = F::ZERO;
    const PRODUCT: bool = false;
    #[inline(always)]
    fn step(a: F, b: F) -> F {
        a + b
    }
}
impl<F: Field> Fold<F> for Product {
    const START: F = F::ONE;
    const PRODUCT: bool = true;
    #[inline(always)]
    fn step(a: F, b: F) -> F {
        a * b
    }
}

/// Fold a run of adjacent elements, limbs as they are.
struct Run<'m, F: Field, O> {
    a: &'m In<'m, F::Raw>,
    range: Range<usize>,
    op: std::marker::PhantomData<O>,
}

impl<F: Field, O: Fold<F>> Kernel for Run<'_, F, O> {
    const VECTORS: bool = F::VECTORS;
    type Output = F;
    #[inline(always)]
    fn run(self) -> F {
        let Range { start, end } = self.range;
        let whole = end - (end - start) % LANES;
        let mut lanes = [O::START; LANES];
        for i in (start..whole).step_by(LANES) {
            self.a.prefetch::<LANES>(i);
            let x = self.a.group::<LANES>(i);
            for l in 0..LANES {
                lanes[l] = O::step(lanes[l], F::from_limbs(x[l]));
            }
        }
        for (lane, i) in lanes.iter_mut().zip(whole..end) {
            *lane = O::step(*lane, F::from_limbs(self.a.get(i)));
        }
        lanes[..LANES.min(end - start)].iter().fold(O::START, |a, &b| O::step(a, b))
    }
}

/// Fold a run of adjacent elements, large prime fields in lanes.
fn fold_run<F: Field, O: Fold<F>>(a: &In<'_, F::Raw>, mut range: Range<usize>) -> F {
    let mut folded = O::START;
    #[cfg(target_arch = "x86_64")]
    {
        let mut limbs = folded.to_limbs();
        range.start = lanes::fold::<F>(a, range.clone(), O::PRODUCT, &mut limbs);
        folded = F::from_limbs(limbs);
    }
    if !range.is_empty() {
        folded = O::step(folded, widest(Run::<F, O> { a, range, op: std::marker::PhantomData }));
    }
    folded
}

/// Fold rows of interleaved vectors, a tile of vectors at a time.
struct Rows<'m, F: Field, O> {
    a: &'m In<'m, F::Raw>,
    batch: usize,
    rows: Range<usize>,
    tile: Range<usize>,
    op: std::marker::PhantomData<O>,
}

impl<F: Field, O: Fold<F>> Kernel for Rows<'_, F, O> {
    const VECTORS: bool = F::VECTORS;
    type Output = [F; TILE];
    #[inline(always)]
    fn run(self) -> [F; TILE] {
        let mut lanes = [O::START; TILE];
        let mut row = [F::Raw::zeroed(); TILE];
        let width = self.tile.len();
        for i in self.rows {
            self.a.read(i * self.batch + self.tile.start, &mut row[..width]);
            for (lane, &x) in lanes[..width].iter_mut().zip(&row[..width]) {
                *lane = O::step(*lane, F::from_limbs(x));
            }
        }
        lanes
    }
}

fn fold<F: Field, O: Fold<F>>(args: &ReduceArgs, finish: impl Fn(F) -> F::Raw + Sync) -> Result<()> {
    let op_name = args.reduce.op();
    let (a, out) = (In::<F::Raw>::new(&args.a), Out::<F::Raw>::new(&args.out));
    let Layout { n, batch, columns } = layout_of(&args.shape);
    let op = std::marker::PhantomData::<O>;
    let parallel = a.len() > PIECE;
    if !columns || batch == 1 {
        let (parts, piece) = (n.div_ceil(PIECE), pieces(n, PIECE));
        let part = |b: usize, i: usize| {
            let range = piece(i);
            fold_run::<F, O>(&a, b * n + range.start..b * n + range.end)
        };
        if parts <= 1 {
            indices(batch, parallel, &|b| out.set(b, finish(if n == 0 { O::START } else { part(b, 0) })));
            return Ok(());
        }
        // The parts of every vector.
        let mut partial = filled(op_name, batch * parts, O::START)?;
        chunks(&mut partial, 1, &|i, slot| slot[0] = part(i / parts, i % parts));
        partial.chunks_exact(parts).enumerate().for_each(|(b, partial)| {
            out.set(b, finish(partial.iter().fold(O::START, |a, &b| O::step(a, b))));
        });
        return Ok(());
    }
    let (tile, rows) = (pieces(batch, TILE), pieces(n, PIECE / TILE));
    let (tiles, parts) = (batch.div_ceil(TILE), n.div_ceil(PIECE / TILE));
    let mut partial = filled(op_name, tiles * parts, [O::START; TILE])?;
    let part = |i: usize, lanes: &mut [[F; TILE]]| {
        lanes[0] = widest(Rows::<F, O> { a: &a, batch, rows: rows(i % parts), tile: tile(i / parts), op });
    };
    if parallel {
        chunks(&mut partial, 1, &part);
    } else {
        partial.chunks_mut(1).enumerate().for_each(|(i, lanes)| part(i, lanes));
    }
    indices(batch, parallel, &|b| {
        let parts = partial[b / TILE * parts..][..parts].iter().map(|lanes| lanes[b % TILE]);
        out.set(b, finish(parts.fold(O::START, O::step)));
    });
    Ok(())
}

pub(crate) fn reduce(_: &Exec, args: &ReduceArgs) -> Result<()> {
    with_field!(args.shape.field, F => match args.reduce {
        Reduce::Sum => fold::<F, Sum>(args, F::to_limbs),
        Reduce::Product => {
            // Limbs x stand for x/R, so n of them multiply to the product over R^n.
            let r = F::from_raw(F::ONE.to_limbs()).pow(&[args.shape.n as u64]);
            fold::<F, Product>(args, |x| (x * r).to_raw())
        }
    })
}

/// The last element of a run that is not zero.
fn last_in<T: Pod + PartialEq>(a: &In<'_, T>, range: Range<usize>) -> Option<usize> {
    range.rev().find(|&i| a.get(i) != T::zeroed())
}

fn highest<T: Pod + PartialEq + Send + Sync>(args: &UnaryArgs) {
    let (a, out, found) = (In::<T>::new(&args.a), Out::<i64>::new(&args.out), In::<i64>::new(&args.out.as_src()));
    let Layout { n, batch, columns } = layout_of(&args.shape);
    let parallel = a.len() > PIECE;
    if !columns || batch == 1 {
        let (parts, piece) = (n.div_ceil(PIECE), pieces(n, PIECE));
        let part = |b: usize, i: usize| {
            let range = piece(i);
            last_in(&a, b * n + range.start..b * n + range.end).map(|at| at - b * n)
        };
        indices(batch, parallel, &|b| {
            // Mostly the answer is near the end; the rest is searched by all.
            let last = parts.checked_sub(1).and_then(|i| part(b, i));
            let found = AtomicI64::new(last.map_or(-1, |i| i as i64));
            indices(if last.is_some() { 0 } else { parts.saturating_sub(1) }, true, &|i| {
                if found.load(Ordering::Relaxed) < piece(i).end as i64 {
                    found.fetch_max(part(b, i).map_or(-1, |i| i as i64), Ordering::Relaxed);
                }
            });
            out.set(b, found.into_inner());
        });
        return;
    }
    for_ranges(batch, n.saturating_mul(size_of::<T>()), Work::Light, |vectors| {
        let mut missing = vectors.len();
        vectors.clone().for_each(|b| out.set(b, -1));
        for i in (0..n).rev() {
            for b in vectors.clone() {
                if found.get(b) < 0 && a.get(i * batch + b) != T::zeroed() {
                    missing -= 1;
                    out.set(b, i as i64);
                }
            }
            if missing == 0 {
                break;
            }
        }
    });
}

pub(crate) fn highest_non_zero(_: &Exec, args: &UnaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => highest::<<F as Field>::Raw>(args));
    Ok(())
}
