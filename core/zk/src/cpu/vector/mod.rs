//! Vectors on the CPU: element by element here, reductions and reorderings in the files below.
//!
//! Data stay canonical: sums work on limbs as they are, and a product takes one operand's limbs as they are and the
//! other in working form.

mod inverse;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod layout;
mod map;
mod montgomery;
mod quotients;
mod reduce;
mod reorder;

pub(crate) use inverse::inverse;
pub(crate) use reduce::{highest_non_zero, reduce};
pub(crate) use reorder::{bit_reverse, slice};

use crate::args::vector::{Binary, BinaryArgs, ConvertArgs};
use icicle_algebra::with_field;
use icicle_algebra::{Field, PrimeField};
use icicle_cpu::blocks::{Layout, Work, for_ranges};
use icicle_cpu::dispatch::widest;
use icicle_cpu::memory::{In, Out};
use icicle_device::Exec;
use icicle_error::Result;
use icicle_error::reserve::collected;
use layout::layout_of;
use map::{Along, Map, Pairwise, Repeat};
use montgomery::conversion;
use std::marker::PhantomData;

macro_rules! pairwise {
    ($(#[$doc:meta] $name:ident $work:ident ($lhs:ty, $rhs:ty), |$a:ident, $b:ident| $body:expr;)*) => {$(
        #[$doc]
        #[derive(Clone, Copy)]
        struct $name<F>(PhantomData<F>);
        impl<F: Field> Pairwise<$lhs, $rhs, F::Raw> for $name<F> {
            const WORK: Work = if F::VECTORS { Work::Light } else { Work::$work };
            const VECTORS: bool = F::VECTORS;
            #[inline(always)]
            fn apply($a: $lhs, $b: $rhs) -> F::Raw {
                $body
            }
        }
    )*};
}

pairwise! {
    /// Sum.
    Add Light (F::Raw, F::Raw), |a, b| (F::from_limbs(a) + F::from_limbs(b)).to_limbs();
    /// Difference.
    Sub Light (F::Raw, F::Raw), |a, b| (F::from_limbs(a) - F::from_limbs(b)).to_limbs();
    /// Product.
    Mul Heavy (F::Raw, F::Raw), |a, b| F::product_of_raw(a, b);
    /// Product with an element in working form.
    Times Heavy (F, F::Raw), |s, v| (s * F::from_limbs(v)).to_limbs();
    /// Product with an element of the prime field.
    Scale Heavy (F::Raw, <F::Prime as Field>::Raw), |a, b| F::from_limbs(a).scale(F::Prime::from_raw(b)).to_limbs();
}

fn map_pairs<F: Field, B: Field, P: Pairwise<F::Raw, B::Raw, F::Raw>>(args: &BinaryArgs) {
    let (a, b, out) = (In::<F::Raw>::new(&args.a), In::<B::Raw>::new(&args.b), Out::<F::Raw>::new(&args.out));
    let streaming = out.streaming_stores(&[a.start(), b.start()]);
    for_ranges(out.len(), size_of::<F::Raw>(), P::WORK, |range| {
        widest(Map { x: &a, y: &b, out: &out, range, streaming, op: PhantomData::<P> });
    });
}

/// Products of large prime fields in lanes where there are such, else one by one.
fn multiply<F: Field>(args: &BinaryArgs) {
    #[cfg(target_arch = "x86_64")]
    if lanes::multiply::<F>(args) {
        return;
    }
    map_pairs::<F, F, Mul<F>>(args);
}

/// Sums in lanes, likewise.
fn add<F: Field>(args: &BinaryArgs) {
    #[cfg(target_arch = "x86_64")]
    if lanes::add::<F>(args) {
        return;
    }
    map_pairs::<F, F, Add<F>>(args);
}

/// Differences in lanes, likewise.
fn subtract<F: Field>(args: &BinaryArgs) {
    #[cfg(target_arch = "x86_64")]
    if lanes::subtract::<F>(args) {
        return;
    }
    map_pairs::<F, F, Sub<F>>(args);
}

pub(crate) fn binary(_: &Exec, args: &BinaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => match args.binary {
        // Sums go coefficient by coefficient, the prime field's.
        Binary::Add => add::<<F as Field>::Prime>(args),
        Binary::Sub => subtract::<<F as Field>::Prime>(args),
        Binary::Mul => multiply::<F>(args),
        Binary::Div => return inverse::divide::<F>(args),
    });
    Ok(())
}

pub(crate) fn mixed_mul(_: &Exec, args: &BinaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => map_pairs::<F, <F as Field>::Prime, Scale<F>>(args));
    Ok(())
}

/// `s ∘ v`: scalars as the operation wants them.
fn map_scalars<F: Field, S: Copy + Send + Sync, P: Pairwise<S, F::Raw, F::Raw>>(
    args: &BinaryArgs,
    lift: impl Fn(F::Raw) -> S,
) -> Result<()> {
    let (a, v, out) = (In::<F::Raw>::new(&args.a), In::<F::Raw>::new(&args.b), Out::<F::Raw>::new(&args.out));
    // The scalars may lie where results go.
    let scalars = collected(args.binary.scalar_op(), (0..args.shape.batch).map(|i| lift(a.get(i))))?;
    let streaming = out.streaming_stores(&[v.start()]);
    let (Layout { n, batch, columns }, op) = (layout_of(&args.shape), PhantomData::<P>);
    for_ranges(out.len(), size_of::<F::Raw>(), P::WORK, |range| {
        let mut start = range.start;
        while start < range.end {
            // A part ends where the vector does, or row by row of interleaved vectors: then scalars run along.
            let (vector, room) =
                if columns { (start % batch, batch - start % batch) } else { (start / n, n - start % n) };
            let part = start..range.end.min(start + room);
            start = part.end;
            if columns {
                let x = Along(part.start, &scalars[vector..]);
                widest(Map { x, y: &v, out: &out, range: part, streaming, op });
            } else {
                let x = Repeat(scalars[vector]);
                widest(Map { x, y: &v, out: &out, range: part, streaming, op });
            }
        }
    });
    Ok(())
}

fn scalars<F: Field>(args: &BinaryArgs) -> Result<()> {
    #[cfg(target_arch = "x86_64")]
    if lanes::scalar::<F>(args)? {
        return Ok(());
    }
    match args.binary {
        Binary::Add => map_scalars::<F, F::Raw, Add<F>>(args, |raw| raw),
        Binary::Sub => map_scalars::<F, F::Raw, Sub<F>>(args, |raw| raw),
        // A quotient is refused before it comes here.
        Binary::Mul | Binary::Div => map_scalars::<F, F, Times<F>>(args, F::from_raw),
    }
}

pub(crate) fn scalar(_: &Exec, args: &BinaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => scalars::<F>(args))
}

fn convert<F: PrimeField>(args: &ConvertArgs) {
    #[cfg(target_arch = "x86_64")]
    if lanes::convert::<F>(args) {
        return;
    }
    let (a, out) = (In::<F::Raw>::new(&args.a), Out::<F::Raw>::new(&args.out));
    let (by, streaming) = (Repeat(conversion::<F>(args.to_montgomery)), out.streaming_stores(&[a.start()]));
    for_ranges(a.len(), size_of::<F::Raw>(), Work::Heavy, |range| {
        widest(Map { x: by, y: &a, out: &out, range, streaming, op: PhantomData::<Times<F>> });
    });
}

pub(crate) fn convert_montgomery(_: &Exec, args: &ConvertArgs) -> Result<()> {
    // Coefficient by coefficient.
    with_field!(args.shape.field, F => convert::<<F as Field>::Prime>(args));
    Ok(())
}

#[cfg(test)]
mod tests;
