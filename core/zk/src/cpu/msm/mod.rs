//! Multi-scalar multiplication on the CPU: Pippenger's bucket method with signed digits and affine buckets.
//!
//! Points are taken in segments that fit the cache. For each segment every window's points are sorted by bucket
//! ([`sort`]), the run of each bucket is summed as a tree of batched affine additions ([`sum`]), which no
//! distribution of digits can slow down, and the buckets of all windows are reduced together ([`reduce`]).

mod plan;
mod reduce;
mod sort;
mod sum;

use crate::args::msm as v;
use icicle_algebra::curve::{Affine, Curve, Group, Jacobian, Normalizer, Projective};
use icicle_algebra::with_curve;
use icicle_algebra::{Field, PrimeField};
use icicle_cpu::memory::{Aligned, In, Out};
use icicle_cpu::parallel::{chunks, indices};
use icicle_cpu::scratch::PerThread;
use icicle_device::Exec;
use icicle_error::Result;
use icicle_error::reserve::{filled, with_capacity};
use plan::{OP, Plan};
use reduce::doubled;
use std::ops::Range;
use std::sync::OnceLock;

type Raw<F> = <F as Field>::Raw;
type RawAffine<C> = [Raw<<C as Curve>::Base>; 2];
type RawProjective<C> = [Raw<<C as Curve>::Base>; 3];

/// Multiplications of fewer points are done one by one.
const DIRECT: usize = 8;
/// Batched multiplications of up to this many points run side by side; larger ones have work for every core themselves.
const SIDE_BY_SIDE: usize = 1 << 14;
/// Points converted by one task.
const BLOCK: usize = 1 << 10;

pub(crate) fn msm(_: &Exec, args: &v::MsmArgs) -> Result<()> {
    with_curve!(args.curve, C => run::<C>(args))
}

pub(crate) fn precompute(_: &Exec, args: &v::PrecomputeArgs) -> Result<()> {
    with_curve!(args.curve, C => expand::<C>(args))
}

fn run<C: Curve>(args: &v::MsmArgs) -> Result<()> {
    let out = Out::<RawProjective<C>>::new(&args.out);
    let job = Job::<C> {
        scalars: In::new(&args.scalars),
        bases: In::new(&args.bases),
        factor: args.precompute_factor,
        bits: args.bits,
        scalar_scale: args.scalars_montgomery.then(|| C::Scalar::montgomery_factor().inverse().unwrap_or_default()),
        point_scale: args.points_montgomery.then(Affine::<C>::montgomery_inverse),
    };
    if args.n == 0 {
        let neutral = Projective::<C>::from(Affine::NEUTRAL).to_raw();
        (0..args.batch).for_each(|index| out.set(index, neutral));
        return Ok(());
    }
    let plan = Plan::choose::<C>(args)?;
    let (n, sets) = (args.n, if args.shared_points { 0 } else { args.precompute_factor });
    let mut sums = filled(OP, args.batch, Jacobian::NEUTRAL)?;
    let mut affine = filled(OP, args.batch, Affine::NEUTRAL)?;
    let mut normalizer = Normalizer::new(OP, args.batch)?;
    let failed = OnceLock::new();
    let one = |index: usize, sum: &mut [Jacobian<C>]| match job.multiply(&plan, index * n, index * n * sets, n) {
        Ok(product) => sum.fill(product),
        // Whichever was first.
        Err(error) => _ = failed.set(error),
    };
    if args.n <= SIDE_BY_SIDE {
        chunks(&mut sums, 1, &one);
    } else {
        sums.chunks_mut(1).enumerate().for_each(|(index, sum)| one(index, sum));
    }
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    normalizer.normalize(&sums, &mut affine);
    for (index, point) in affine.into_iter().enumerate() {
        out.set(index, Projective::from(point).to_raw());
    }
    Ok(())
}

/// What all multiplications of a batch share.
struct Job<'a, C: Curve> {
    scalars: In<'a, Raw<C::Scalar>>,
    bases: In<'a, RawAffine<C>>,
    factor: usize,
    bits: u32,
    /// `1/R` if scalars are in Montgomery form.
    scalar_scale: Option<C::Scalar>,
    /// `1/R` if coordinates are in Montgomery form.
    point_scale: Option<<C::Base as Field>::Prime>,
}

impl<C: Curve> Job<'_, C> {
    fn point(&self, i: usize) -> Affine<C> {
        load(&self.bases, i, self.point_scale)
    }
    /// The low `bits` of a scalar.
    fn words(&self, i: usize) -> [u64; 12] {
        let raw = self.scalars.get(i);
        let mut words = match self.scalar_scale {
            Some(scale) => C::Scalar::from_raw(raw).scale(scale).words(),
            None => {
                let mut words = [0; 12];
                bytemuck::bytes_of_mut(&mut words)[..C::Scalar::BYTES].copy_from_slice(bytemuck::bytes_of(&raw));
                words.map(u64::from_le)
            }
        };
        for (k, word) in words.iter_mut().enumerate() {
            match (self.bits as usize).saturating_sub(64 * k) {
                0 => *word = 0,
                rest if rest < 64 => *word &= (1 << rest) - 1,
                _ => {}
            }
        }
        words
    }

    /// `Σ scalars[s + i]·bases[b + factor·i]` for `i < n`.
    fn multiply(&self, plan: &Plan, s: usize, b: usize, n: usize) -> Result<Jacobian<C>> {
        if n < DIRECT {
            let term = |i| Jacobian::from(self.point(b + self.factor * i)).times(&self.words(s + i));
            let mut terms = [Jacobian::NEUTRAL; DIRECT];
            chunks(&mut terms[..n], 1, &|i, slot| slot.fill(term(i)));
            return Ok(terms.into_iter().fold(Jacobian::NEUTRAL, |sum, term| sum + term));
        }
        let mut buckets = filled(OP, plan.windows * plan.buckets(), Affine::<C>::NEUTRAL)?;
        let segment = plan.segment.min(n);
        let mut points = Aligned::new(OP, segment * self.factor, Affine::<C>::NEUTRAL)?;
        let mut shifted = filled(OP, segment * plan.words, 0u64)?;
        let mut sorted = sort::Sorted::new(plan, segment * self.factor)?;
        for start in (0..n).step_by(segment) {
            let count = segment.min(n - start);
            let points = &mut points[..count * self.factor];
            chunks(points, BLOCK, &|block, out| {
                let first = b + start * self.factor + block * BLOCK;
                out.iter_mut().enumerate().for_each(|(i, slot)| *slot = self.point(first + i));
            });
            let shifted = &mut shifted[..count * plan.words];
            chunks(shifted, BLOCK * plan.words, &|block, out| {
                let first = s + start + block * BLOCK;
                for (i, words) in out.chunks_exact_mut(plan.words).enumerate() {
                    plan.shift_digits(&self.words(first + i), words);
                }
            });
            sorted.fill(plan, shifted);
            sum::accumulate(plan, &sorted, points, &mut buckets)?;
        }
        reduce::reduce(plan, &buckets)
    }
}

fn load<C: Curve>(bases: &In<RawAffine<C>>, i: usize, scale: Option<<C::Base as Field>::Prime>) -> Affine<C> {
    let point = Affine::from_raw(bases.get(i));
    scale.map_or(point, |by| point.scale(by))
}

fn expand<C: Curve>(args: &v::PrecomputeArgs) -> Result<()> {
    let op = "msm_precompute_bases";
    let bases = In::<RawAffine<C>>::new(&args.bases);
    let out = Out::<RawAffine<C>>::new(&args.out);
    let prime = |to: bool| match (args.points_montgomery, to) {
        (false, _) => None,
        (true, false) => Some(Affine::<C>::montgomery_inverse()),
        (true, true) => Some(<C::Base as Field>::Prime::montgomery_factor()),
    };
    let (from, to) = (prime(false), prime(true));
    let (n, factor, shift) = (args.n, args.factor, args.shift);
    let (tasks, most) = (n.div_ceil(BLOCK), n.min(BLOCK));
    let kept = PerThread::new(op, tasks, || {
        let (affine, shifted) = (with_capacity::<Affine<C>>(op, most)?, with_capacity::<Jacobian<C>>(op, most)?);
        Ok((affine, shifted, Normalizer::new(op, most)?))
    })?;
    let one =
        |range: Range<usize>, affine: &mut Vec<Affine<C>>, shifted: &mut Vec<_>, normalizer: &mut Normalizer<C>| {
            affine.clear();
            affine.extend(range.clone().map(|i| load(&bases, i, from)));
            for j in 0..factor {
                if j > 0 {
                    shifted.clear();
                    shifted.extend(affine.iter().map(|&p| doubled(p.into(), shift)));
                    normalizer.normalize(shifted, affine);
                }
                for (i, &point) in range.clone().zip(affine.iter()) {
                    out.set(i * factor + j, to.map_or(point, |by| point.scale(by)).to_raw());
                }
            }
        };
    indices(tasks, true, &|block| {
        let range = block * BLOCK..n.min((block + 1) * BLOCK);
        kept.lend(|(affine, shifted, normalizer)| one(range, affine, shifted, normalizer));
    });
    Ok(())
}

#[cfg(test)]
mod tests;
