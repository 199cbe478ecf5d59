//! Loops that fold elements: the table of folds, the types they fold and what they hold meanwhile.
//!
//! Sums and products of floats are held in `float64` (complex ones in `complex128`), in 16 lanes that are added pairwise.
#![allow(unsafe_code)] // memory by address

use crate::{Bool, Complex, DType, Element};
use icicle_cpu::dispatch::{Kernel, widest};
use std::marker::PhantomData;

/// Folds that run at the same time over a run of elements.
const LANES: usize = 16;

/// What a fold holds, how an element enters, and how two of them become one.
trait Fold<T> {
    type Acc: Element;
    /// Whether any order gives the same.
    const COMMUTES: bool;
    fn start() -> Self::Acc;
    fn step(acc: Self::Acc, x: T) -> Self::Acc;
    fn merge(a: Self::Acc, b: Self::Acc) -> Self::Acc;
}

/// The loops of a fold over elements of one dtype.
#[derive(Clone, Copy)]
pub(super) struct Loops {
    /// The dtype of elements.
    pub(super) from: DType,
    /// The dtype of what is held.
    pub(super) acc: DType,
    /// Whether any order gives the same.
    pub(super) commutes: bool,
    /// Make `n` that hold nothing.
    pub(super) start: unsafe fn(usize, *mut u8),
    /// Fold `n` elements into one.
    pub(super) run: unsafe fn(usize, *const u8, *mut u8),
    /// Fold lines of `n` elements that follow each other into one each, as `run` does: how many lines.
    pub(super) lines: unsafe fn(usize, usize, *const u8, *mut u8),
    /// Fold rows of `n` elements into one for each column: how many rows, and the bytes from one to the next.
    pub(super) rows: unsafe fn(usize, (usize, usize), *const u8, *mut u8),
    /// Fold `n` into one each.
    pub(super) merge: unsafe fn(usize, *const u8, *mut u8),
}

/// What is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoldOp {
    Sum,
    Prod,
    Min,
    Max,
    All,
    Any,
    Count,
}

impl FoldOp {
    /// Its name in `fold.cuh`.
    pub(super) fn kernel(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::Prod => "Prod",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::All => "All",
            Self::Any => "Any",
            Self::Count => "Count",
        }
    }
}

macro_rules! folds {
    ($($op:ident $commutes:literal { $($t:ty => $acc:ty, $start:expr, |$a:ident, $x:ident| $step:expr, |$b:ident, $c:ident| $merge:expr;)* })*) => {
        mod ops { $(pub(super) struct $op;)* }
        $($(impl Fold<$t> for ops::$op {
            type Acc = $acc;
            const COMMUTES: bool = $commutes;
            #[inline(always)]
            fn start() -> $acc { $start }
            #[inline(always)]
            fn step($a: $acc, $x: $t) -> $acc { $step }
            #[inline(always)]
            fn merge($b: $acc, $c: $acc) -> $acc { $merge }
        })*)*
        /// The loops of a fold over elements of a dtype.
        fn exact(op: FoldOp, dtype: DType) -> Option<Loops> {
            match op {
                $(FoldOp::$op => { $(if dtype == <$t>::DTYPE { return Some(loops::<ops::$op, $t>()); })* })*
            }
            None
        }
    };
}

macro_rules! least {
    ($x:ident, $y:ident) => {
        if $x <= $y || $x.is_nan() { $x } else { $y }
    };
}
macro_rules! greatest {
    ($x:ident, $y:ident) => {
        if $x >= $y || $x.is_nan() { $x } else { $y }
    };
}

folds! {
    Sum false {
        i64 => i64, 0, |a, x| a.wrapping_add(x), |a, b| a.wrapping_add(b);
        u64 => u64, 0, |a, x| a.wrapping_add(x), |a, b| a.wrapping_add(b);
        f32 => f64, 0.0, |a, x| a + f64::from(x), |a, b| a + b;
        f64 => f64, 0.0, |a, x| a + x, |a, b| a + b;
        Complex<f64> => Complex<f64>, Complex::new(0.0, 0.0), |a, x| a + x, |a, b| a + b;
    }
    Prod false {
        i64 => i64, 1, |a, x| a.wrapping_mul(x), |a, b| a.wrapping_mul(b);
        u64 => u64, 1, |a, x| a.wrapping_mul(x), |a, b| a.wrapping_mul(b);
        f64 => f64, 1.0, |a, x| a * x, |a, b| a * b;
        Complex<f64> => Complex<f64>, Complex::new(1.0, 0.0), |a, x| a * x, |a, b| a * b;
    }
    Min true {
        i8 => i8, i8::MAX, |a, x| a.min(x), |a, b| a.min(b);
        i16 => i16, i16::MAX, |a, x| a.min(x), |a, b| a.min(b);
        i32 => i32, i32::MAX, |a, x| a.min(x), |a, b| a.min(b);
        i64 => i64, i64::MAX, |a, x| a.min(x), |a, b| a.min(b);
        u8 => u8, u8::MAX, |a, x| a.min(x), |a, b| a.min(b);
        u16 => u16, u16::MAX, |a, x| a.min(x), |a, b| a.min(b);
        u32 => u32, u32::MAX, |a, x| a.min(x), |a, b| a.min(b);
        u64 => u64, u64::MAX, |a, x| a.min(x), |a, b| a.min(b);
        f32 => f32, f32::INFINITY, |a, x| least!(a, x), |a, b| least!(a, b);
        f64 => f64, f64::INFINITY, |a, x| least!(a, x), |a, b| least!(a, b);
    }
    Max true {
        i8 => i8, i8::MIN, |a, x| a.max(x), |a, b| a.max(b);
        i16 => i16, i16::MIN, |a, x| a.max(x), |a, b| a.max(b);
        i32 => i32, i32::MIN, |a, x| a.max(x), |a, b| a.max(b);
        i64 => i64, i64::MIN, |a, x| a.max(x), |a, b| a.max(b);
        u8 => u8, u8::MIN, |a, x| a.max(x), |a, b| a.max(b);
        u16 => u16, u16::MIN, |a, x| a.max(x), |a, b| a.max(b);
        u32 => u32, u32::MIN, |a, x| a.max(x), |a, b| a.max(b);
        u64 => u64, u64::MIN, |a, x| a.max(x), |a, b| a.max(b);
        f32 => f32, f32::NEG_INFINITY, |a, x| greatest!(a, x), |a, b| greatest!(a, b);
        f64 => f64, f64::NEG_INFINITY, |a, x| greatest!(a, x), |a, b| greatest!(a, b);
    }
    All true { Bool => Bool, Bool(1), |a, x| Bool(a.0 & x.0), |a, b| Bool(a.0 & b.0); }
    Any true { Bool => Bool, Bool(0), |a, x| Bool(a.0 | x.0), |a, b| Bool(a.0 | b.0); }
    Count true { Bool => i64, 0, |a, x| a + i64::from(x.0), |a, b| a + b; }
}

/// The loops of a fold for arrays of a dtype, which may have to be cast to the loops' first; none if it has no meaning.
pub(super) fn find(op: FoldOp, dtype: DType) -> Option<Loops> {
    use crate::Kind;
    let through = match (op, dtype.kind()) {
        (FoldOp::All | FoldOp::Any | FoldOp::Count, _) => DType::Bool,
        (FoldOp::Min | FoldOp::Max, _) => {
            if dtype.is_half() {
                DType::Float32
            } else {
                dtype
            }
        }
        (_, Kind::Bool | Kind::Signed) => DType::Int64,
        (_, Kind::Unsigned) => DType::UInt64,
        (FoldOp::Sum, Kind::Float) if dtype == DType::Float32 => dtype,
        (_, Kind::Float) => DType::Float64,
        (_, Kind::Complex) => DType::Complex128,
    };
    exact(op, through)
}

fn loops<F: Fold<T>, T: Element>() -> Loops {
    Loops {
        from: T::DTYPE,
        acc: F::Acc::DTYPE,
        commutes: F::COMMUTES,
        start: start::<F, T>,
        run: run::<F, T>,
        lines: lines::<F, T>,
        rows: rows::<F, T>,
        merge: merge::<F, T>,
    }
}

unsafe fn start<F: Fold<T>, T>(n: usize, acc: *mut u8) {
    // SAFETY: by the contract of `Loops`: `n` of what is held, dense and aligned.
    unsafe { std::slice::from_raw_parts_mut(acc.cast::<F::Acc>(), n) }.fill(F::start());
}

struct Run<'a, F, T>(&'a [T], PhantomData<F>);
impl<F: Fold<T>, T: Element> Kernel for Run<'_, F, T> {
    const VECTORS: bool = true;
    const NARROW: bool = F::COMMUTES;
    type Output = F::Acc;
    #[inline(always)]
    fn run(self) -> F::Acc {
        let mut lanes = [F::start(); LANES];
        let (groups, rest) = self.0.as_chunks::<LANES>();
        for group in groups {
            step::<F, T>(&mut lanes, group);
        }
        for k in 0..rest.len() {
            lanes[k] = F::step(lanes[k], rest[k]);
        }
        merged::<F, T>(lanes)
    }
}

/// Elements that enter four times as many lanes, where the order does not matter: steps of several instructions that wait for
/// each other.
struct Fours<'a, F, T>(&'a [[T; 4 * LANES]], PhantomData<F>);
impl<F: Fold<T>, T: Element> Kernel for Fours<'_, F, T> {
    const VECTORS: bool = true;
    const NARROW: bool = F::COMMUTES;
    type Output = F::Acc;
    #[inline(always)]
    fn run(self) -> F::Acc {
        let [mut a, mut b, mut c, mut d] = [[F::start(); LANES]; 4];
        for four in self.0 {
            let (groups, _) = four.as_chunks::<LANES>();
            step::<F, T>(&mut a, &groups[0]);
            step::<F, T>(&mut b, &groups[1]);
            step::<F, T>(&mut c, &groups[2]);
            step::<F, T>(&mut d, &groups[3]);
        }
        for k in 0..LANES {
            a[k] = F::merge(F::merge(a[k], b[k]), F::merge(c[k], d[k]));
        }
        merged::<F, T>(a)
    }
}

/// All lanes as one, pairwise.
#[inline(always)]
fn merged<F: Fold<T>, T: Element>(mut lanes: [F::Acc; LANES]) -> F::Acc {
    let mut width = LANES / 2;
    while width > 0 {
        for k in 0..width {
            lanes[k] = F::merge(lanes[k], lanes[k + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// Fold an element into each lane.
#[inline(always)]
fn step<F: Fold<T>, T: Element>(lanes: &mut [F::Acc; LANES], group: &[T; LANES]) {
    for k in 0..LANES {
        lanes[k] = F::step(lanes[k], group[k]);
    }
}

unsafe fn run<F: Fold<T>, T: Element>(n: usize, x: *const u8, acc: *mut u8) {
    // SAFETY: as above, and `n` elements.
    let (x, acc) = unsafe { (std::slice::from_raw_parts(x.cast::<T>(), n), &mut *acc.cast::<F::Acc>()) };
    let (fours, x) = if F::COMMUTES && T::DTYPE == DType::Float32 { x.as_chunks() } else { (&[][..], x) };
    if !fours.is_empty() {
        *acc = F::merge(*acc, widest(Fours::<F, T>(fours, PhantomData)));
    }
    *acc = F::merge(*acc, widest(Run::<F, T>(x, PhantomData)));
}

/// Lines that are folded at once, each in an element of vectors: all shorter than one.
const SHORT_LINES: usize = 16;

struct Lines<'a, F: Fold<T>, T> {
    n: usize,
    x: &'a [T],
    acc: &'a mut [F::Acc],
}
impl<F: Fold<T>, T: Element> Kernel for Lines<'_, F, T> {
    const VECTORS: bool = true;
    const NARROW: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { n, x, acc } = self;
        let whole = if n < LANES { acc.len() - acc.len() % SHORT_LINES } else { 0 };
        let (short, acc) = acc.split_at_mut(whole);
        let (x, rest) = x.split_at(whole * n);
        if whole > 0 {
            // The lanes of `Run`, transposed.
            let mut lanes = [[F::start(); SHORT_LINES]; LANES];
            for (j, out) in short.as_chunks_mut::<SHORT_LINES>().0.iter_mut().enumerate() {
                let lines: [&[T]; SHORT_LINES] = std::array::from_fn(|i| &x[(j * SHORT_LINES + i) * n..][..n]);
                for k in 0..n {
                    for i in 0..SHORT_LINES {
                        lanes[k][i] = F::step(F::start(), lines[i][k]);
                    }
                }
                let mut width = LANES / 2;
                while width > 0 {
                    for k in 0..width.min(n.saturating_sub(width)) {
                        for i in 0..SHORT_LINES {
                            lanes[k][i] = F::merge(lanes[k][i], lanes[k + width][i]);
                        }
                    }
                    width /= 2;
                }
                for i in 0..SHORT_LINES {
                    out[i] = F::merge(out[i], lanes[0][i]);
                }
            }
        }
        for (i, acc) in acc.iter_mut().enumerate() {
            *acc = F::merge(*acc, Run::<F, T>(&rest[i * n..][..n], PhantomData).run());
        }
    }
}

unsafe fn lines<F: Fold<T>, T: Element>(count: usize, n: usize, x: *const u8, acc: *mut u8) {
    // SAFETY: as above, so many lines and results.
    let (x, acc) = unsafe {
        (std::slice::from_raw_parts(x.cast::<T>(), count * n), std::slice::from_raw_parts_mut(acc.cast(), count))
    };
    widest(Lines::<F, T> { n, x, acc });
}

/// Rows that are folded one after another while what they are folded into is in registers.
const TOGETHER: usize = 4;

struct Rows<'a, F: Fold<T>, T, const K: usize>([&'a [T]; K], &'a mut [F::Acc]);
impl<F: Fold<T>, T: Element, const K: usize> Kernel for Rows<'_, F, T, K> {
    const VECTORS: bool = true;
    const NARROW: bool = F::COMMUTES;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let rows = self.0.map(|row| &row[..self.1.len()]);
        for (i, acc) in self.1.iter_mut().enumerate() {
            let mut held = *acc;
            for row in rows {
                held = F::step(held, row[i]);
            }
            *acc = held;
        }
    }
}

unsafe fn rows<F: Fold<T>, T: Element>(n: usize, (count, pitch): (usize, usize), x: *const u8, acc: *mut u8) {
    // SAFETY: as above, and so many rows.
    let (acc, row) = unsafe {
        let row = |i: usize| std::slice::from_raw_parts(x.wrapping_add(i * pitch).cast::<T>(), n);
        (std::slice::from_raw_parts_mut(acc.cast(), n), row)
    };
    let whole = count - count % TOGETHER;
    for i in (0..whole).step_by(TOGETHER) {
        widest(Rows::<F, T, TOGETHER>(std::array::from_fn(|k| row(i + k)), acc));
    }
    for i in whole..count {
        widest(Rows::<F, T, 1>([row(i)], acc));
    }
}

unsafe fn merge<F: Fold<T>, T>(n: usize, from: *const u8, acc: *mut u8) {
    // SAFETY: as above; what is merged lies apart.
    let (from, acc) = unsafe {
        (std::slice::from_raw_parts(from.cast::<F::Acc>(), n), std::slice::from_raw_parts_mut(acc.cast::<F::Acc>(), n))
    };
    for (acc, from) in acc.iter_mut().zip(from) {
        *acc = F::merge(*acc, *from);
    }
}
