//! Polynomials on the CPU: Horner's rule and schoolbook division.

use crate::args::polynomial::{DivideArgs, EvaluateArgs};
use bytemuck::Zeroable;
use icicle_algebra::Field;
use icicle_algebra::with_field;
use icicle_cpu::blocks::{Layout, pieces};
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::memory::{In, Out};
use icicle_cpu::parallel::{chunks, indices};
use icicle_device::Exec;
use icicle_error::reserve::{filled, with_capacity};
use icicle_error::{Error, Result};

/// Points evaluated together: independent chains that hide each other's latency.
const POINTS: usize = 16;
/// Coefficients of one partial value.
const PIECE: usize = 1 << 11;
/// Partial values kept at a time, for [`POINTS`] points each.
const PARTIAL: usize = 1 << 10;
/// Products below which work stays on one thread.
const PARALLEL_PRODUCTS: usize = 1 << 11;

pub(crate) fn evaluate(_: &Exec, args: &EvaluateArgs) -> Result<()> {
    with_field!(args.field, F => evaluate_in::<F>(args))
}

/// Horner's rule over some coefficients at a few points: limbs as they are times points in working form stay limbs.
struct Horner<'m, F: Field> {
    coeffs: &'m In<'m, F::Raw>,
    layout: Layout,
    vector: usize,
    range: std::ops::Range<usize>,
    points: &'m [F],
}

impl<F: Field> Kernel for Horner<'_, F> {
    const VECTORS: bool = F::VECTORS;
    type Output = [F; POINTS];
    #[inline(always)]
    fn run(self) -> [F; POINTS] {
        let mut values = [F::ZERO; POINTS];
        let live = &mut values[..self.points.len().min(POINTS)];
        for i in self.range.rev() {
            let c = F::from_limbs(self.coeffs.get(self.layout.at(self.vector, i)));
            for (value, &x) in live.iter_mut().zip(self.points) {
                *value = *value * x + c;
            }
        }
        values
    }
}

fn evaluate_in<F: Field>(args: &EvaluateArgs) -> Result<()> {
    let coeffs = In::<F::Raw>::new(&args.coeffs);
    let (domain, out) = (In::<F::Raw>::new(&args.domain), Out::<F::Raw>::new(&args.out));
    let layout = Layout { n: args.n, batch: args.batch, columns: args.columns };
    let values_at = Layout { n: args.points, ..layout };
    let (groups, group) = (args.points.div_ceil(POINTS), pieces(args.points, POINTS));
    let (parts, part) = (args.n.div_ceil(PIECE), pieces(args.n, PIECE));
    // The vector and the points of a task, how many these are, and the values of a part of the coefficients at them.
    let task = |task: usize| {
        let (range, mut points) = (group(task % groups), [F::ZERO; POINTS]);
        let raw = range.clone().map(|p| F::from_raw(domain.get(p)));
        points.iter_mut().zip(raw).for_each(|(point, x)| *point = x);
        (task / groups, range, points)
    };
    let horner = |at: usize, i: usize| {
        let (vector, range, points) = task(at);
        widest(Horner { coeffs: &coeffs, layout, vector, range: part(i), points: &points[..range.len()] })
    };
    let write = |at: usize, partial: &[[F; POINTS]]| {
        let (vector, range, points) = task(at);
        for (k, p) in range.enumerate() {
            let step = if parts > 1 { points[k].pow(&[PIECE as u64]) } else { F::ONE };
            let value = partial.iter().rev().fold(F::ZERO, |value, part| value * step + part[k]);
            out.set(values_at.at(vector, p), value.to_limbs());
        }
    };
    let tasks = groups * args.batch;
    let parallel = args.n.saturating_mul(args.points).saturating_mul(args.batch) >= PARALLEL_PRODUCTS;
    if parts <= 1 {
        indices(tasks, parallel, &|at| write(at, &[horner(at, 0)][..parts]));
        return Ok(());
    }
    // As many tasks at a time as the room is for, at least one.
    let together = (PARTIAL / parts).clamp(1, tasks.max(1));
    let mut partial = filled("poly_eval", together * parts, [F::ZERO; POINTS])?;
    for first in (0..tasks).step_by(together) {
        let count = together.min(tasks - first);
        let partial = &mut partial[..count * parts];
        chunks(partial, 1, &|i, slot| slot.fill(horner(first + i / parts, i % parts)));
        indices(count, true, &|i| write(first + i, &partial[i * parts..][..parts]));
    }
    Ok(())
}

pub(crate) fn divide(_: &Exec, args: &DivideArgs) -> Result<()> {
    with_field!(args.field, F => divide_in::<F>(args))
}

/// One division: the numerator, overwritten, and the denominator up to its leading coefficient.
struct Division<F> {
    /// Numerator as limbs; in the end remainder below quotient.
    numerator: Vec<F>,
    /// Denominator in working form.
    denominator: Vec<F>,
    /// Inverse of its leading coefficient.
    lead: F,
}

/// Coefficients up to the last that is not zero.
fn significant<F: Field>(
    a: &In<'_, F::Raw>,
    layout: Layout,
    vector: usize,
    convert: impl Fn(F::Raw) -> F,
) -> Result<Vec<F>> {
    let at = |i: usize| a.get(layout.at(vector, i));
    let len = (0..layout.n).rev().find(|&i| at(i) != F::Raw::zeroed()).map_or(0, |i| i + 1);
    let mut out = filled("poly_division", len, F::ZERO)?;
    out.iter_mut().enumerate().for_each(|(i, x)| *x = convert(at(i)));
    Ok(out)
}

impl<F: Field> Division<F> {
    fn new(args: &DivideArgs, vector: usize) -> Result<Self> {
        let op = "poly_division";
        let layout = |n: usize| Layout { n, batch: args.batch, columns: args.columns };
        let denominator = significant(&In::new(&args.denominator), layout(args.m), vector, F::from_raw)?;
        let Some(lead) = denominator.last() else {
            return Err(Error::argument(op, format!("denominator {vector}: must not be zero")));
        };
        let Some(lead) = lead.inverse() else {
            return Err(Error::argument(op, format!("denominator {vector}: its leading coefficient has no inverse")));
        };
        let numerator = significant(&In::new(&args.numerator), layout(args.n), vector, F::from_limbs)?;
        let quotient = (numerator.len() + 1).saturating_sub(denominator.len());
        for (name, room, need) in [("r_size", args.r_size, numerator.len()), ("q_size", args.q_size, quotient)] {
            if room < need {
                return Err(Error::argument(op, format!("{name} {room}: need room for {need} coefficients")));
            }
        }
        Ok(Self { numerator, denominator, lead })
    }

    /// Schoolbook, from the top: each quotient coefficient replaces the numerator's leading one.
    fn divide(&mut self) {
        let degree = self.denominator.len() - 1;
        let below = &self.denominator[..degree];
        for i in (degree..self.numerator.len()).rev() {
            let (rest, top) = self.numerator.split_at_mut(i);
            top[0] *= self.lead;
            let (q, rest) = (top[0], &mut rest[i - degree..]);
            if degree >= 8 * PARALLEL_PRODUCTS {
                chunks(rest, PARALLEL_PRODUCTS, &|i, to| {
                    let by = &below[i * PARALLEL_PRODUCTS..][..to.len()];
                    widest(SubtractMultiple { to, by, q });
                });
            } else {
                widest(SubtractMultiple { to: rest, by: below, q });
            }
        }
    }

    fn write(&self, outputs: &[(Out<'_, F::Raw>, Layout); 2], vector: usize) {
        let (low, high) = self.numerator.split_at(self.numerator.len().min(self.denominator.len() - 1));
        for ((out, layout), from) in outputs.iter().zip([high, low]) {
            for i in 0..layout.n {
                out.set(layout.at(vector, i), from.get(i).copied().unwrap_or_default().to_limbs());
            }
        }
    }
}

/// `to -= q·by`.
struct SubtractMultiple<'m, F> {
    to: &'m mut [F],
    by: &'m [F],
    q: F,
}

impl<F: Field> Kernel for SubtractMultiple<'_, F> {
    const VECTORS: bool = F::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (x, &d) in self.to.iter_mut().zip(self.by) {
            *x -= self.q * d;
        }
    }
}

fn divide_in<F: Field>(args: &DivideArgs) -> Result<()> {
    if args.m == 0 {
        return Err(Error::argument("poly_division", "denominator 0: must not be zero"));
    }
    // Every division is checked and has its memory before anything is written.
    let mut all = with_capacity("poly_division", args.batch)?;
    for b in 0..args.batch {
        all.push(Division::<F>::new(args, b)?);
    }
    let room = |n: usize| Layout { n, batch: args.batch, columns: args.columns };
    let outputs = [(Out::new(&args.quotient), room(args.q_size)), (Out::new(&args.remainder), room(args.r_size))];
    let one = |b: usize, division: &mut [Division<F>]| {
        for division in division {
            division.divide();
            division.write(&outputs, b);
        }
    };
    if args.n.saturating_mul(args.m).saturating_mul(args.batch) < PARALLEL_PRODUCTS {
        all.chunks_mut(1).enumerate().for_each(|(b, division)| one(b, division));
    } else {
        chunks(&mut all, 1, &one);
    }
    Ok(())
}
