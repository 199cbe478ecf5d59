//! Vectors on the CPU: element by element here, reductions and reorderings in the files below.
//!
//! Data stay canonical: sums work on limbs as they are, and a product takes one operand's limbs as they are and the
//! other in working form.

#[cfg(target_arch = "x86_64")]
mod lanes;
mod reduce;
mod reorder;

pub(crate) use reduce::{highest_non_zero, reduce};
pub(crate) use reorder::{bit_reverse, slice};

use super::blocks::{Block, Layout, Work, for_ranges, scratch};
use super::memory::{In, Out};
use super::wide::{Kernel, widest};
use crate::algebra::{Field, PrimeField, batch};
use crate::ops::vector::{Binary, BinaryArgs, ConvertArgs, Shape, UnaryArgs};
use crate::{Result, with_field};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ops::Range;

/// An operation on one element of each operand, kept apart from the loop so that the loop is compiled around it.
trait Pairwise<A, B>: Copy + Send + Sync {
    const WORK: Work;
    const VECTORS: bool;
    fn apply(a: A, b: B) -> A;
}

macro_rules! pairwise {
    ($(#[$doc:meta] $name:ident $work:ident $rhs:ty, |$a:ident, $b:ident| $body:expr;)*) => {$(
        #[$doc]
        #[derive(Clone, Copy)]
        struct $name<F>(PhantomData<F>);
        impl<F: Field> Pairwise<F::Raw, $rhs> for $name<F> {
            const WORK: Work = Work::$work;
            const VECTORS: bool = F::VECTORS;
            #[inline(always)]
            fn apply($a: F::Raw, $b: $rhs) -> F::Raw {
                F::to_limbs($body)
            }
        }
    )*};
}

pairwise! {
    /// Sum.
    Add Light F::Raw, |a, b| F::from_limbs(a) + F::from_limbs(b);
    /// Difference.
    Sub Light F::Raw, |a, b| F::from_limbs(a) - F::from_limbs(b);
    /// Product.
    Mul Heavy F::Raw, |a, b| F::from_limbs(a) * F::from_raw(b);
    /// Product with an element of the prime field.
    Scale Heavy <F::Prime as Field>::Raw, |a, b| F::from_limbs(a).scale(F::Prime::from_raw(b));
}

struct MapPairs<'m, A, B, P> {
    a: &'m In<'m, A>,
    b: &'m In<'m, B>,
    out: &'m Out<'m, A>,
    range: Range<usize>,
    op: PhantomData<P>,
}

impl<A: Pod, B: Pod, P: Pairwise<A, B>> Kernel for MapPairs<'_, A, B, P> {
    const VECTORS: bool = P::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (mut block_a, mut block_b) = (Block::new(), Block::new());
        let (xs, ys) = (block_a.of::<A>(), block_b.of::<B>());
        let step = xs.len().min(ys.len());
        let mut start = self.range.start;
        while start < self.range.end {
            let k = step.min(self.range.end - start);
            let (xs, ys) = (&mut xs[..k], &mut ys[..k]);
            self.a.read(start, xs);
            self.b.read(start, ys);
            for (x, y) in xs.iter_mut().zip(ys.iter()) {
                *x = P::apply(*x, *y);
            }
            self.out.write(start, xs);
            start += k;
        }
    }
}

/// Products of large prime fields in lanes where there are such, else one by one.
fn multiply<F: Field>(args: &BinaryArgs) {
    #[cfg(target_arch = "x86_64")]
    if lanes::multiply::<F>(args) {
        return;
    }
    map_pairs::<F::Raw, F::Raw, Mul<F>>(args);
}

fn map_pairs<A: Pod + Sync + Send, B: Pod + Sync + Send, P: Pairwise<A, B>>(args: &BinaryArgs) {
    let (a, b, out) = (In::<A>::new(&args.a), In::<B>::new(&args.b), Out::<A>::new(&args.out));
    for_ranges(out.len(), size_of::<A>(), P::WORK, |range| {
        widest(MapPairs::<A, B, P> { a: &a, b: &b, out: &out, range, op: PhantomData });
    });
}

pub(crate) fn binary(args: &BinaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => {
        // Sums go coefficient by coefficient, the prime field's.
        type Prime = <F as Field>::Prime;
        type PrimeRaw = <Prime as Field>::Raw;
        match args.binary {
            Binary::Add => map_pairs::<PrimeRaw, PrimeRaw, Add<Prime>>(args),
            Binary::Sub => map_pairs::<PrimeRaw, PrimeRaw, Sub<Prime>>(args),
            Binary::Mul => multiply::<F>(args),
            Binary::Div => divide::<F>(args),
        }
    });
    Ok(())
}

pub(crate) fn mixed_mul(args: &BinaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => {
        map_pairs::<<F as Field>::Raw, <<F as Field>::Prime as Field>::Raw, Scale<F>>(args)
    });
    Ok(())
}

/// `s ∘ v`, the scalar in working form for products and as limbs else.
#[derive(Clone, Copy)]
struct ScalarAdd;
#[derive(Clone, Copy)]
struct ScalarSub;
#[derive(Clone, Copy)]
struct ScalarMul;

trait ScalarOp<F: Field>: Copy + Send + Sync {
    const WORK: Work;
    fn scalar(raw: F::Raw) -> F {
        F::from_limbs(raw)
    }
    fn apply(s: F, v: F) -> F;
}
impl<F: Field> ScalarOp<F> for ScalarAdd {
    const WORK: Work = Work::Light;
    #[inline(always)]
    fn apply(s: F, v: F) -> F {
        s + v
    }
}
impl<F: Field> ScalarOp<F> for ScalarSub {
    const WORK: Work = Work::Light;
    #[inline(always)]
    fn apply(s: F, v: F) -> F {
        s - v
    }
}
impl<F: Field> ScalarOp<F> for ScalarMul {
    const WORK: Work = Work::Heavy;
    fn scalar(raw: F::Raw) -> F {
        F::from_raw(raw)
    }
    #[inline(always)]
    fn apply(s: F, v: F) -> F {
        s * v
    }
}

struct MapScalar<'m, F: Field, S> {
    scalars: &'m [F],
    v: &'m In<'m, F::Raw>,
    out: &'m Out<'m, F::Raw>,
    layout: Layout,
    range: Range<usize>,
    op: PhantomData<S>,
}

impl<F: Field, S: ScalarOp<F>> Kernel for MapScalar<'_, F, S> {
    const VECTORS: bool = F::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let mut block = Block::new();
        let block = block.of::<F::Raw>();
        let Layout { n, batch, columns } = self.layout;
        let mut start = self.range.start;
        while start < self.range.end {
            // A block ends where the vector does, or row by row of interleaved vectors: then scalars run along.
            let (vector, room) =
                if columns { (start % batch, batch - start % batch) } else { (start / n, n - start % n) };
            let k = block.len().min(room).min(self.range.end - start);
            let xs = &mut block[..k];
            self.v.read(start, xs);
            if columns {
                for (x, &s) in xs.iter_mut().zip(&self.scalars[vector..vector + k]) {
                    *x = S::apply(s, F::from_limbs(*x)).to_limbs();
                }
            } else {
                let s = self.scalars[vector];
                for x in xs.iter_mut() {
                    *x = S::apply(s, F::from_limbs(*x)).to_limbs();
                }
            }
            self.out.write(start, xs);
            start += k;
        }
    }
}

fn map_scalar<F: Field, S: ScalarOp<F>>(args: &BinaryArgs) -> Result<()> {
    let (a, v, out) = (In::<F::Raw>::new(&args.a), In::<F::Raw>::new(&args.b), Out::<F::Raw>::new(&args.out));
    let mut scalars = scratch("scalar_vec", args.shape.batch, F::ZERO)?;
    scalars.iter_mut().enumerate().for_each(|(i, s)| *s = S::scalar(a.get(i)));
    let (scalars, layout) = (scalars.as_slice(), layout_of(&args.shape));
    for_ranges(out.len(), size_of::<F::Raw>(), S::WORK, |range| {
        widest(MapScalar { scalars, v: &v, out: &out, layout, range, op: PhantomData::<S> });
    });
    Ok(())
}

/// As [`multiply`].
fn multiply_by_scalars<F: Field>(args: &BinaryArgs) -> Result<()> {
    #[cfg(target_arch = "x86_64")]
    if lanes::scale::<F>(args) {
        return Ok(());
    }
    map_scalar::<F, ScalarMul>(args)
}

pub(crate) fn scalar(args: &BinaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => match args.binary {
        Binary::Add => map_scalar::<F, ScalarAdd>(args),
        Binary::Sub => map_scalar::<F, ScalarSub>(args),
        // A quotient is refused before it comes here.
        Binary::Mul | Binary::Div => multiply_by_scalars::<F>(args),
    })
}

/// The shape's layout.
pub(super) fn layout_of(shape: &Shape) -> Layout {
    Layout { n: shape.n, batch: shape.batch, columns: shape.columns }
}

/// `1/R` for the `R` of the working form: what taking limbs as they are multiplies by.
fn limbs_factor<F: Field>() -> F {
    F::from_limbs(F::ONE.to_raw())
}

/// Elements that share one inversion: enough that it costs little, few enough to stay in the second-level cache.
const INVERT_TOGETHER: usize = 1024;

pub(crate) fn inverse(args: &UnaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => invert::<F>(args));
    Ok(())
}

fn invert<F: Field>(args: &UnaryArgs) {
    let (a, out) = (In::<F::Raw>::new(&args.a), Out::<F::Raw>::new(&args.out));
    // Limbs x stand for x/R; the inverse R/x is to become limbs of 1/x, which stand for 1/(xR).
    let factor = limbs_factor::<F>().square();
    in_inversions::<F>(a.len(), &a, factor, |start, inverses| {
        inverses.iter().enumerate().for_each(|(i, x)| out.set(start + i, x.to_limbs()));
    });
}

fn divide<F: Field>(args: &BinaryArgs) {
    let (a, b, out) = (In::<F::Raw>::new(&args.a), In::<F::Raw>::new(&args.b), Out::<F::Raw>::new(&args.out));
    in_inversions::<F>(a.len(), &b, limbs_factor::<F>(), |start, inverses| {
        for (i, &x) in inverses.iter().enumerate() {
            out.set(start + i, (F::from_limbs(a.get(start + i)) * x).to_limbs());
        }
    });
}

/// Invert limbs as they are, times a factor, and hand each run of inverses on.
fn in_inversions<F: Field>(n: usize, a: &In<'_, F::Raw>, factor: F, then: impl Fn(usize, &[F]) + Sync) {
    // One task is one inversion's worth of elements, whatever their size.
    let size = (1 << 14) / INVERT_TOGETHER;
    for_ranges(n, size, Work::Heavy, |range| {
        let mut before = Vec::with_capacity(range.len());
        let mut elements: Vec<F> = range.clone().map(|i| F::from_limbs(a.get(i))).collect();
        batch::invert_times(&mut elements, factor, &mut before);
        then(range.start, &elements);
    });
}

struct MapScale<'m, F: Field> {
    a: &'m In<'m, F::Raw>,
    out: &'m Out<'m, F::Raw>,
    by: F::Prime,
    range: Range<usize>,
}

impl<F: Field> Kernel for MapScale<'_, F> {
    const VECTORS: bool = F::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let mut block = Block::new();
        let block = block.of::<F::Raw>();
        let mut start = self.range.start;
        while start < self.range.end {
            let k = block.len().min(self.range.end - start);
            let xs = &mut block[..k];
            self.a.read(start, xs);
            for x in xs.iter_mut() {
                *x = F::from_limbs(*x).scale(self.by).to_limbs();
            }
            self.out.write(start, xs);
            start += k;
        }
    }
}

/// What conversion to or from Montgomery form multiplies by.
fn conversion<F: PrimeField>(to_montgomery: bool) -> F {
    let r = F::montgomery_factor();
    // R is a power of two and the modulus odd: the inverse exists.
    if to_montgomery { r } else { r.inverse().unwrap_or_default() }
}

fn convert<F: Field>(args: &ConvertArgs) {
    #[cfg(target_arch = "x86_64")]
    if lanes::convert::<F>(args) {
        return;
    }
    let (a, out) = (In::<F::Raw>::new(&args.a), Out::<F::Raw>::new(&args.out));
    let by = conversion::<F::Prime>(args.to_montgomery);
    for_ranges(a.len(), size_of::<F::Raw>(), Work::Heavy, |range| {
        widest(MapScale::<F> { a: &a, out: &out, by, range });
    });
}

pub(crate) fn convert_montgomery(args: &ConvertArgs) -> Result<()> {
    // Coefficient by coefficient.
    with_field!(args.shape.field, F => convert::<<F as Field>::Prime>(args));
    Ok(())
}
