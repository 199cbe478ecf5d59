//! Loops over dense memory, one for each operation and type, their types erased.
#![allow(unsafe_code)] // memory by address

use crate::step::{Loop, PairLoop};
use crate::{DType, Element};
use icicle_cpu::blocks::Work;
use icicle_cpu::dispatch::{Kernel, widest};
use std::marker::PhantomData;

/// Whether an operation's loops become vector code.
pub(super) trait Weight {
    const VECTORS: bool;
    const WORK: Work;
}

/// Whether memory sets the pace of a loop from floats to floats.
const fn streams<O: Weight>(from: DType, to: DType) -> bool {
    matches!(O::WORK, Work::Light)
        && matches!((from, to), (DType::Float32, DType::Float32) | (DType::Float64, DType::Float64))
}

/// An operation on one element.
pub(super) trait Map<T>: Weight {
    type Out: Element;
    fn map(x: T) -> Self::Out;
}

/// An operation on two.
pub(super) trait Zip<T>: Weight {
    type Out: Element;
    fn zip(x: T, y: T) -> Self::Out;
}

/// A loop over one operand and the dtype of its results.
pub(super) type Found = (Loop, DType);
/// A loop over two operands and the dtype of its results.
pub(super) type FoundPair = (PairLoop, DType);

/// The loop of an operation over elements of a type.
pub(super) fn unary_loop<O: Map<T>, T: Element>() -> Found {
    (unary::<O, T>, O::Out::DTYPE)
}

/// The loop of an operation over pairs of a type.
pub(super) fn binary_loop<O: Zip<T>, T: Element>() -> FoundPair {
    (binary::<O, T>, O::Out::DTYPE)
}

struct One<'a, O, T, R> {
    x: &'a [T],
    out: &'a mut [R],
    op: PhantomData<O>,
}

impl<O: Map<T>, T: Element> Kernel for One<'_, O, T, O::Out> {
    const VECTORS: bool = O::VECTORS;
    const NARROW: bool = streams::<O>(T::DTYPE, O::Out::DTYPE);
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (out, x) in self.out.iter_mut().zip(self.x) {
            *out = O::map(*x);
        }
    }
}

unsafe fn unary<O: Map<T>, T: Element>(n: usize, x: *const u8, out: *mut u8) {
    // SAFETY: by the contract of `Loop`: `n` elements of these types, dense, aligned and apart.
    let (x, out) = unsafe { (std::slice::from_raw_parts(x.cast(), n), std::slice::from_raw_parts_mut(out.cast(), n)) };
    widest(One::<O, T, O::Out> { x, out, op: PhantomData });
}

struct Two<'a, O, T, R> {
    x: &'a [T],
    y: &'a [T],
    out: &'a mut [R],
    op: PhantomData<O>,
}

impl<O: Zip<T>, T: Element> Kernel for Two<'_, O, T, O::Out> {
    const VECTORS: bool = O::VECTORS;
    const NARROW: bool = streams::<O>(T::DTYPE, O::Out::DTYPE);
    type Output = ();
    #[inline(always)]
    fn run(self) {
        // By index: `zip` of three is a call of its own once a block.
        let (x, y) = (&self.x[..self.out.len()], &self.y[..self.out.len()]);
        for (i, out) in self.out.iter_mut().enumerate() {
            *out = O::zip(x[i], y[i]);
        }
    }
}

unsafe fn binary<O: Zip<T>, T: Element>(n: usize, x: *const u8, y: *const u8, out: *mut u8) {
    // SAFETY: by the contract of `PairLoop`: `n` elements of these types, dense, aligned, the result apart.
    let (x, y) = unsafe { (std::slice::from_raw_parts(x.cast(), n), std::slice::from_raw_parts(y.cast(), n)) };
    // SAFETY: as above.
    let out = unsafe { std::slice::from_raw_parts_mut(out.cast(), n) };
    widest(Two::<O, T, O::Out> { x, y, out, op: PhantomData });
}

/// The loop for a dtype, or that of `float32` for the 16-bit floats: the dtypes it reads and writes, and the result's.
pub(super) fn resolve<L>(dtype: DType, find: impl Fn(DType) -> Option<(L, DType)>) -> Option<(DType, DType, DType, L)> {
    if let Some((run, out)) = find(dtype) {
        return Some((dtype, out, out, run));
    }
    let (run, out) = find(DType::Float32).filter(|_| dtype.is_half())?;
    let result = if out == DType::Float32 { dtype } else { out };
    Some((DType::Float32, out, result, run))
}
