//! Numbers: blocks that stay in the first-level cache, each read from every rank, reduced, and written to every
//! destination.

use crate::ReduceOp;
use bytemuck::Pod;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use icicle_array::{Bool, Complex, DType};
use icicle_cpu::blocks::{Block, Work, for_ranges};
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::memory::{In, Out, store_fence};
use icicle_device::{Dst, Src};
use icicle_error::Result;
use icicle_error::reserve::collected;
use std::ops::Range;

/// A number, and what it is reduced in.
trait Number: Pod + Send + Sync {
    /// Itself, or something wider that is rounded once.
    type Wide: Pod + Send + Sync;

    fn widen(from: &[Self], to: &mut [Self::Wide]);
    fn round(from: &[Self::Wide], to: &mut [Self]);
    fn sum(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn prod(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn min(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn max(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// Divided by the number of ranks.
    fn divide(a: Self::Wide, ranks: usize) -> Self::Wide;
}

/// A type that is reduced in itself.
macro_rules! as_it_is {
    () => {
        type Wide = Self;
        #[inline(always)]
        fn widen(from: &[Self], to: &mut [Self]) {
            to.copy_from_slice(from);
        }
        #[inline(always)]
        fn round(from: &[Self], to: &mut [Self]) {
            to.copy_from_slice(from);
        }
    };
}

/// The order of two: the first where they are equal.
macro_rules! ordered {
    ($wide:ty, $nan:expr) => {
        #[inline(always)]
        fn min(a: $wide, b: $wide) -> $wide {
            if $nan(a) || !(b < a || $nan(b)) { a } else { b }
        }
        #[inline(always)]
        fn max(a: $wide, b: $wide) -> $wide {
            if $nan(a) || !(b > a || $nan(b)) { a } else { b }
        }
    };
}

macro_rules! integers {
    ($($type:ty, $wide:ty;)*) => {$(
        impl Number for $type {
            as_it_is!();
            ordered!($type, |_| false);
            #[inline(always)]
            fn sum(a: Self, b: Self) -> Self {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn prod(a: Self, b: Self) -> Self {
                a.wrapping_mul(b)
            }
            #[inline(always)]
            fn divide(a: Self, ranks: usize) -> Self {
                // More ranks than 8 bits count are no fault: the quotient fits.
                (<$wide>::from(a) / ranks as $wide) as Self
            }
        }
    )*};
}
integers! {
    i8, i64; i16, i64; i32, i64; i64, i64;
    u8, u64; u16, u64; u32, u64; u64, u64;
}

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl Number for $type {
            as_it_is!();
            ordered!($type, |x: $type| x.is_nan());
            #[inline(always)]
            fn sum(a: Self, b: Self) -> Self {
                a + b
            }
            #[inline(always)]
            fn prod(a: Self, b: Self) -> Self {
                a * b
            }
            #[inline(always)]
            fn divide(a: Self, ranks: usize) -> Self {
                a / ranks as $type
            }
        }

        impl Number for Complex<$type> {
            as_it_is!();
            #[inline(always)]
            fn sum(a: Self, b: Self) -> Self {
                a + b
            }
            #[inline(always)]
            fn prod(a: Self, b: Self) -> Self {
                a * b
            }
            // Refused before.
            #[inline(always)]
            fn min(a: Self, _: Self) -> Self {
                a
            }
            #[inline(always)]
            fn max(a: Self, _: Self) -> Self {
                a
            }
            #[inline(always)]
            fn divide(a: Self, ranks: usize) -> Self {
                Self::new(a.re / ranks as $type, a.im / ranks as $type)
            }
        }
    )*};
}
floats!(f32 f64);

macro_rules! halves {
    ($($type:ty)*) => {$(
        impl Number for $type {
            type Wide = f32;
            ordered!(f32, |x: f32| x.is_nan());
            #[inline(always)]
            fn widen(from: &[Self], to: &mut [f32]) {
                from.convert_to_f32_slice(to);
            }
            #[inline(always)]
            fn round(from: &[f32], to: &mut [Self]) {
                to.convert_from_f32_slice(from);
            }
            #[inline(always)]
            fn sum(a: f32, b: f32) -> f32 {
                a + b
            }
            #[inline(always)]
            fn prod(a: f32, b: f32) -> f32 {
                a * b
            }
            #[inline(always)]
            fn divide(a: f32, ranks: usize) -> f32 {
                a / ranks as f32
            }
        }
    )*};
}
halves!(f16 bf16);

impl Number for Bool {
    type Wide = u8;
    #[inline(always)]
    fn widen(from: &[Self], to: &mut [u8]) {
        for (to, &from) in to.iter_mut().zip(from) {
            *to = u8::from(bool::from(from));
        }
    }
    #[inline(always)]
    fn round(from: &[u8], to: &mut [Self]) {
        bytemuck::cast_slice_mut(to).copy_from_slice(from);
    }
    #[inline(always)]
    fn sum(a: u8, b: u8) -> u8 {
        a | b
    }
    #[inline(always)]
    fn prod(a: u8, b: u8) -> u8 {
        a & b
    }
    #[inline(always)]
    fn min(a: u8, b: u8) -> u8 {
        a & b
    }
    #[inline(always)]
    fn max(a: u8, b: u8) -> u8 {
        a | b
    }
    // Refused before.
    #[inline(always)]
    fn divide(a: u8, _: usize) -> u8 {
        a
    }
}

/// Reduce, for a call of this name; lengths are equal and whole, addresses aligned.
pub(super) fn reduce(
    op: &'static str,
    dtype: DType,
    reduce: ReduceOp,
    sources: &[Src<'_>],
    outputs: &[Dst<'_>],
) -> Result<()> {
    match dtype {
        DType::Bool => typed::<Bool>(op, reduce, sources, outputs),
        DType::Int8 => typed::<i8>(op, reduce, sources, outputs),
        DType::Int16 => typed::<i16>(op, reduce, sources, outputs),
        DType::Int32 => typed::<i32>(op, reduce, sources, outputs),
        DType::Int64 => typed::<i64>(op, reduce, sources, outputs),
        DType::UInt8 => typed::<u8>(op, reduce, sources, outputs),
        DType::UInt16 => typed::<u16>(op, reduce, sources, outputs),
        DType::UInt32 => typed::<u32>(op, reduce, sources, outputs),
        DType::UInt64 => typed::<u64>(op, reduce, sources, outputs),
        DType::Float16 => typed::<f16>(op, reduce, sources, outputs),
        DType::BFloat16 => typed::<bf16>(op, reduce, sources, outputs),
        DType::Float32 => typed::<f32>(op, reduce, sources, outputs),
        DType::Float64 => typed::<f64>(op, reduce, sources, outputs),
        DType::Complex64 => typed::<Complex<f32>>(op, reduce, sources, outputs),
        DType::Complex128 => typed::<Complex<f64>>(op, reduce, sources, outputs),
    }
}

/// What a task works on.
struct Operands<'a, T> {
    reduce: ReduceOp,
    sources: Vec<In<'a, T>>,
    outputs: Vec<Out<'a, T>>,
    /// Whether results go around the caches: none of the memory was just read.
    streaming: bool,
}

fn typed<T: Number>(op: &'static str, reduce: ReduceOp, sources: &[Src<'_>], outputs: &[Dst<'_>]) -> Result<()> {
    let starts = collected(op, sources.iter().map(Src::as_ptr))?;
    let sources = collected(op, sources.iter().map(In::<T>::new))?;
    let outputs = collected(op, outputs.iter().map(Out::<T>::new))?;
    let streaming = outputs.iter().all(|out| out.streaming_stores(&starts));
    let (n, each) = (sources[0].len(), size_of::<T>() * (sources.len() + outputs.len()));
    let operands = Operands { reduce, sources, outputs, streaming };
    for_ranges(n, each, Work::Light, |range| operands.task(range));
    Ok(())
}

impl<T: Number> Operands<'_, T> {
    fn task(&self, range: Range<usize>) {
        let (mut wide, mut next, mut block) = (Block::default(), Block::default(), Block::default());
        let most = Block::len::<T::Wide>();
        for start in range.clone().step_by(most) {
            let m = most.min(range.end - start);
            let (wide, next) = (&mut wide.of::<T::Wide>()[..m], &mut next.of::<T::Wide>()[..m]);
            let block = &mut block.of::<T>()[..m];
            for (rank, source) in self.sources.iter().enumerate() {
                source.read(start, block);
                if rank == 0 {
                    T::widen(block, wide);
                } else {
                    T::widen(block, next);
                    widest(Combine::<T> { reduce: self.reduce, ranks: self.sources.len(), wide, next });
                }
            }
            if self.reduce == ReduceOp::Avg {
                widest(Combine::<T> { reduce: ReduceOp::Avg, ranks: self.sources.len(), wide, next: &[] });
            }
            T::round(wide, block);
            self.outputs.iter().for_each(|out| self.write(out, start, block));
        }
        store_fence();
    }

    #[inline(always)]
    fn write(&self, out: &Out<'_, T>, start: usize, block: &[T]) {
        if !self.streaming {
            return out.write(start, block);
        }
        let (groups, rest) = block.as_chunks::<16>();
        for (i, group) in groups.iter().enumerate() {
            out.put(start + 16 * i, *group, true);
        }
        out.write(start + 16 * groups.len(), rest);
    }
}

/// `wide ∘= next`, or with nothing next the division that ends an average.
struct Combine<'m, T: Number> {
    reduce: ReduceOp,
    ranks: usize,
    wide: &'m mut [T::Wide],
    next: &'m [T::Wide],
}

impl<T: Number> Kernel for Combine<'_, T> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match self.reduce {
            ReduceOp::Avg if self.next.is_empty() => self.wide.iter_mut().for_each(|a| *a = T::divide(*a, self.ranks)),
            ReduceOp::Sum | ReduceOp::Avg => pairs(self.wide, self.next, T::sum),
            ReduceOp::Prod => pairs(self.wide, self.next, T::prod),
            ReduceOp::Min => pairs(self.wide, self.next, T::min),
            ReduceOp::Max => pairs(self.wide, self.next, T::max),
        }
    }
}

#[inline(always)]
fn pairs<W: Copy>(a: &mut [W], b: &[W], f: impl Fn(W, W) -> W) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = f(*a, b);
    }
}
