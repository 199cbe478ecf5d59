//! Large prime fields in lanes (see [`simd::vector`](icicle_algebra::simd::vector)).

use super::montgomery::conversion;
use super::quotients::Quotients;
use crate::args::vector::{Binary, BinaryArgs, ConvertArgs};
use bytemuck::Pod;
use core::arch::x86_64::__m512i;
use icicle_algebra::dispatch_prime;
use icicle_algebra::fp::Fp;
use icicle_algebra::simd::constant::Constant;
use icicle_algebra::simd::vector::{GROUP, Results, Vectors};
use icicle_algebra::{Field, Limbs};
use icicle_cpu::blocks::{Work, for_ranges};
use icicle_cpu::memory::{In, Out};
use icicle_error::Result;
use icicle_error::reserve::collected;
use icicle_params::Prime;
use std::ops::Range;

/// The fields served: prime, words, limbs.
macro_rules! served {
    ($field:ty, $function:ident $arguments:tt) => {
        dispatch_prime!($field, [Bn254Fr 4 5, Bn254Fq 4 5, Bls12_381Fr 4 5, Bls12_377Fr 4 5, Stark252 4 5, Bls12_381Fq 6 8,
            Bls12_377Fq 6 8], $function $arguments);
    };
}

/// What is done to two vectors.
#[derive(Clone, Copy)]
enum Pairs {
    Add,
    Subtract,
    Multiply,
}

/// Add element by element if this processor and the field are served here; else do nothing and return false.
pub(super) fn add<F: Field>(args: &BinaryArgs) -> bool {
    served!(F, pairs(args, Pairs::Add));
    false
}

/// Subtract, as [`add`].
pub(super) fn subtract<F: Field>(args: &BinaryArgs) -> bool {
    served!(F, pairs(args, Pairs::Subtract));
    false
}

/// Multiply, as [`add`].
pub(super) fn multiply<F: Field>(args: &BinaryArgs) -> bool {
    served!(F, pairs(args, Pairs::Multiply));
    false
}

/// Each vector and its scalar, the scalar first, as [`add`]; neither interleaved vectors nor short ones are served.
pub(super) fn scalar<F: Field>(args: &BinaryArgs) -> Result<bool> {
    if !args.shape.columns && args.shape.n >= GROUP {
        served!(F, scaled(args));
    }
    Ok(false)
}

/// Into or out of Montgomery form, as [`add`].
pub(super) fn convert<F: Field>(args: &ConvertArgs) -> bool {
    served!(F, converted(args));
    false
}

/// Invert whole groups of a range if this processor and the field are served here; the first element that is left.
pub(super) fn invert<F: Field>(args: &Quotients<'_, F>, range: Range<usize>, kept: &mut Vec<__m512i>) -> usize {
    served!(F, inverted(args, range, kept));
    range.start
}

/// Vectors that an inversion of `n` elements keeps.
pub(super) fn kept<F: Field>(n: usize) -> usize {
    served!(F, kept_of(n));
    0
}

fn kept_of<P: Prime<N>, const N: usize, const M: usize>(n: usize) -> usize {
    if Vectors::<P, N, M>::available().is_some() { n / GROUP * Vectors::<P, N, M>::KEPT } else { 0 }
}

/// Sum or product of whole groups of a range, limbs as they are, if this processor and the field are served here; the first
/// element that is left. Products are of what limbs stand for.
pub(super) fn fold<F: Field>(a: &In<'_, F::Raw>, range: Range<usize>, product: bool, limbs: &mut F::Raw) -> usize {
    served!(F, folded(a, range, product, limbs));
    range.start
}

fn pairs<P: Prime<N>, const N: usize, const M: usize>(args: &BinaryArgs, what: Pairs) -> bool {
    let Some(vectors) = Vectors::<P, N, M>::available() else { return false };
    let (a, b, out) = (In::new(&args.a), In::new(&args.b), Out::new(&args.out));
    let work = if matches!(what, Pairs::Multiply) { Work::Heavy } else { Work::Light };
    map([&a, &b], &out, out.len(), work, &|_, operands, to| {
        // SAFETY: `map` gives whole groups; operands are the output or apart from it, by the arguments' contract.
        #[allow(unsafe_code)]
        unsafe {
            match what {
                Pairs::Add => vectors.add(operands, to),
                Pairs::Subtract => vectors.subtract(operands, to),
                Pairs::Multiply => vectors.multiply(operands, to),
            }
        }
    });
    true
}

fn scaled<P: Prime<N>, const N: usize, const M: usize>(args: &BinaryArgs) -> Result<bool> {
    let Some(vectors) = Vectors::<P, N, M>::available() else { return Ok(false) };
    let (scalars, v, out) = (In::<Limbs<N>>::new(&args.a), In::new(&args.b), Out::new(&args.out));
    // The scalars may lie where results go.
    let scalars = collected(args.binary.scalar_op(), (0..args.shape.batch).map(|i| scalars.get(i)))?;
    let n = args.shape.n;
    match args.binary {
        Binary::Add => map([&v], &out, n, Work::Light, &|vector, [v], to| {
            // SAFETY: as in `pairs`.
            #[allow(unsafe_code)]
            unsafe {
                vectors.add_to(&scalars[vector], v, to);
            }
        }),
        Binary::Sub => map([&v], &out, n, Work::Light, &|vector, [v], to| {
            // SAFETY: as in `pairs`.
            #[allow(unsafe_code)]
            unsafe {
                vectors.subtract_from(&scalars[vector], v, to);
            }
        }),
        Binary::Mul | Binary::Div => {
            let constant = |&s: &Limbs<N>| Constant::<M>::new(Fp::<P, N>::from_raw(s));
            let scalars = collected(args.binary.scalar_op(), scalars.iter().map(constant))?;
            map([&v], &out, n, Work::Heavy, &|vector, [v], to| {
                // SAFETY: as in `pairs`.
                #[allow(unsafe_code)]
                unsafe {
                    vectors.scale(&scalars[vector], v, to);
                }
            });
        }
    }
    Ok(true)
}

fn converted<P: Prime<N>, const N: usize, const M: usize>(args: &ConvertArgs) -> bool {
    let Some(vectors) = Vectors::<P, N, M>::available() else { return false };
    let (a, out) = (In::new(&args.a), Out::new(&args.out));
    let by = Constant::<M>::new(conversion::<Fp<P, N>>(args.to_montgomery));
    map([&a], &out, out.len(), Work::Heavy, &|_, [a], to| {
        // SAFETY: as in `pairs`.
        #[allow(unsafe_code)]
        unsafe {
            vectors.scale(&by, a, to);
        }
    });
    true
}

fn inverted<P: Prime<N>, const N: usize, const M: usize>(
    args: &Quotients<'_, impl Field>,
    range: Range<usize>,
    kept: &mut Vec<__m512i>,
) -> usize {
    let Some(vectors) = Vectors::<P, N, M>::available() else { return range.start };
    let (groups, whole) = (range.len() / GROUP, range.len() / GROUP * GROUP);
    let dividends = args.dividends.as_ref().map(|x| x.at(range.start, whole).cast());
    let (a, out) = (args.a.at(range.start, whole).cast(), args.out.at(range.start, whole).cast());
    // SAFETY: whole groups; operands are the output or apart from it, by the arguments' contract.
    #[allow(unsafe_code)]
    let done = groups > 0 && unsafe { vectors.invert(dividends, a, out, groups, kept) };
    if done { range.start + whole } else { range.start }
}

fn folded<P: Prime<N>, const N: usize, const M: usize>(
    a: &In<'_, impl Pod>,
    range: Range<usize>,
    product: bool,
    limbs: &mut impl Pod,
) -> usize {
    let Some(vectors) = Vectors::<P, N, M>::available() else { return range.start };
    let (groups, whole) = (range.len() / GROUP, range.len() / GROUP * GROUP);
    if groups == 0 {
        return range.start;
    }
    let a = a.at(range.start, whole).cast();
    // SAFETY: whole groups.
    #[allow(unsafe_code)]
    let folded = unsafe { if product { vectors.product(a, groups) } else { vectors.sum(a, groups) } };
    *bytemuck::cast_mut(limbs) = folded.to_limbs();
    range.start + whole
}

/// Compute on groups of elements: which vector of `n`, where they are, where results go.
type Task<'a, const N: usize, const K: usize> = &'a (dyn Fn(usize, [*const Limbs<N>; K], Results<N>) + Sync);

/// Do a task on all elements of operands, in parts none of which reaches from one vector of `n` into the next. What is
/// left of a part beside whole groups is worked on in local memory.
fn map<const N: usize, const K: usize>(
    operands: [&In<'_, Limbs<N>>; K],
    out: &Out<'_, Limbs<N>>,
    n: usize,
    work: Work,
    task: Task<'_, N, K>,
) {
    let streaming = out.streaming_stores(&operands.map(In::start)) && out.at(0, 0).addr().is_multiple_of(16);
    for_ranges(out.len(), size_of::<Limbs<N>>(), work, |range| {
        let mut start = range.start;
        while start < range.end {
            let length = (range.end - start).min(n - start % n);
            let (groups, left) = (length / GROUP, length % GROUP);
            let whole = groups * GROUP;
            let to = Results { start: out.at(start, whole), groups, streaming };
            task(start / n, operands.map(|x| x.at(start, whole)), to);
            if left > 0 {
                let mut local = [[Limbs([0; N]); GROUP]; K];
                for (local, operand) in local.iter_mut().zip(operands) {
                    operand.read(start + whole, &mut local[..left]);
                }
                let mut results = [Limbs([0; N]); GROUP];
                let to = Results { start: results.as_mut_ptr(), groups: 1, streaming: false };
                task(start / n, local.each_ref().map(|x| x.as_ptr()), to);
                out.write(start + whole, &results[..left]);
            }
            start += length;
        }
    });
}
