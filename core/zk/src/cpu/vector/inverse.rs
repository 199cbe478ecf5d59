//! Inverses and quotients, many for the price of one inversion (see [`batch`]).

use super::quotients::Quotients;
use crate::args::vector::{BinaryArgs, UnaryArgs};
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::__m512i as Vector;
use icicle_algebra::with_field;
use icicle_algebra::{Field, batch};
use icicle_cpu::blocks::{Work, for_ranges, ranges};
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::memory::{In, Out};
use icicle_cpu::scratch::PerThread;
use icicle_device::Exec;
use icicle_error::Result;
use icicle_error::reserve::with_capacity;
use std::ops::Range;

/// Elements that share one inversion: enough that it costs little, few enough to stay in the second-level cache.
const TOGETHER: usize = 2048;
/// Chains of products side by side, for small fields: enough that none waits for the one before.
const CHAINS: usize = 64;

pub(crate) fn inverse(_: &Exec, args: &UnaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => {
        let args = Quotients::<F> { dividends: None, a: In::new(&args.a), out: Out::new(&args.out) };
        quotients("vector_inv", &args)
    })
}

/// `a / b`, zero where `b` has no inverse.
pub(super) fn divide<F: Field>(args: &BinaryArgs) -> Result<()> {
    let (a, b, out) = (In::new(&args.a), In::new(&args.b), Out::new(&args.out));
    quotients("vector_div", &Quotients::<F> { dividends: Some(a), a: b, out })
}

/// What an inversion of up to [`TOGETHER`] elements keeps.
pub(super) struct Kept<F> {
    elements: Vec<F>,
    /// Products of the elements before each.
    before: Vec<F>,
    /// The same in lanes.
    #[cfg(target_arch = "x86_64")]
    pub vectors: Vec<Vector>,
}

impl<F: Field> Kept<F> {
    fn new(op: &'static str, n: usize) -> Result<Self> {
        Ok(Self {
            elements: with_capacity(op, n)?,
            before: with_capacity(op, n)?,
            #[cfg(target_arch = "x86_64")]
            vectors: with_capacity(op, super::lanes::kept::<F>(n))?,
        })
    }
}

fn quotients<F: Field>(op: &'static str, args: &Quotients<'_, F>) -> Result<()> {
    // One task is one inversion's worth of elements, whatever their size.
    let (n, size) = (args.a.len(), Work::Heavy.task_bytes() / TOGETHER);
    let tasks = ranges(n, size, Work::Heavy);
    let kept = PerThread::new(op, tasks, || Kept::<F>::new(op, n.min(TOGETHER)))?;
    for_ranges(n, size, Work::Heavy, |range| kept.lend(|kept| task(args, range, kept)));
    Ok(())
}

fn task<F: Field>(args: &Quotients<'_, F>, mut range: Range<usize>, kept: &mut Kept<F>) {
    #[cfg(target_arch = "x86_64")]
    {
        range.start = super::lanes::invert(args, range.clone(), &mut kept.vectors);
    }
    if F::VECTORS {
        range.start = widest(Chains { args, range: range.clone(), before: &mut kept.before });
    }
    one_chain(args, range, kept);
}

fn one_chain<F: Field>(args: &Quotients<'_, F>, range: Range<usize>, kept: &mut Kept<F>) {
    kept.elements.clear();
    kept.elements.extend(range.clone().map(|i| F::from_limbs(args.a.get(i))));
    batch::invert_times(&mut kept.elements, args.factor(), &mut kept.before);
    for (i, &x) in range.zip(&kept.elements) {
        let x = args.dividends.as_ref().map_or(x, |dividends| F::from_limbs(dividends.get(i)) * x);
        args.out.set(i, x.to_limbs());
    }
}

/// Chains side by side through whole groups of elements; the output is the index of the first that is left.
struct Chains<'m, F: Field> {
    args: &'m Quotients<'m, F>,
    range: Range<usize>,
    before: &'m mut Vec<F>,
}

impl<F: Field> Kernel for Chains<'_, F> {
    const VECTORS: bool = F::VECTORS;
    type Output = usize;
    #[inline(always)]
    fn run(self) -> usize {
        let Quotients { dividends, a, out } = self.args;
        let Range { start, end } = self.range;
        let whole = end - (end - start) % CHAINS;
        let invertible = |x: F| if x.is_zero() { F::ONE } else { x };
        let mut product = [F::ONE; CHAINS];
        self.before.clear();
        for i in (start..whole).step_by(CHAINS) {
            self.before.extend_from_slice(&product);
            let x = a.group::<CHAINS>(i);
            for l in 0..CHAINS {
                product[l] *= invertible(F::from_limbs(x[l]));
            }
        }
        if product.iter().any(|x| x.is_zero()) {
            // Only numbers that are not canonical multiply to zero.
            return start;
        }
        let (products, _) = self.before.as_chunks::<CHAINS>();
        batch::invert_times(&mut product, self.args.factor(), &mut Vec::with_capacity(CHAINS));
        for (i, before) in (start..whole).step_by(CHAINS).zip(products).rev() {
            let x = a.group::<CHAINS>(i);
            let mut inverses = [F::ZERO; CHAINS];
            for l in 0..CHAINS {
                let x = F::from_limbs(x[l]);
                let inverse = product[l] * before[l];
                inverses[l] = if x.is_zero() { F::ZERO } else { inverse };
                product[l] *= invertible(x);
            }
            if let Some(dividends) = dividends {
                let dividends = dividends.group::<CHAINS>(i);
                for l in 0..CHAINS {
                    inverses[l] *= F::from_limbs(dividends[l]);
                }
            }
            let mut results = x;
            for l in 0..CHAINS {
                results[l] = inverses[l].to_limbs();
            }
            out.put(i, results, false);
        }
        whole
    }
}
