//! From buckets to the result: `Σ_w 2^(c·w)·Σ_b (b + 1)·bucket[w][b]`.

use super::plan::{OP, Plan};
use icicle_algebra::curve::pairs::{Adder, Pair};
use icicle_algebra::curve::{Affine, Curve, Group, Jacobian, Xyzz};
use icicle_cpu::parallel::chunks;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use icicle_error::reserve::{filled, with_capacity};

/// Buckets whose weighted sum one lane computes.
const LANE: usize = 32;
/// Lanes a task advances together, sharing inversions.
const TASK: usize = 512;

/// Weighted sum of all buckets of all windows.
///
/// # Errors
/// `OutOfMemory`.
pub(super) fn reduce<C: Curve>(plan: &Plan, buckets: &[Affine<C>]) -> Result<Jacobian<C>> {
    let length = LANE.min(plan.buckets());
    let lanes = plan.buckets() / length;
    let all = buckets.len() / length;
    let mut sums = filled(OP, all, Lane { plain: Affine::NEUTRAL, weighted: Affine::NEUTRAL })?;
    let mut windows = filled(OP, plan.windows, Jacobian::<C>::NEUTRAL)?;
    let running = PerThread::new(OP, all.div_ceil(TASK), || Running::new(all.min(TASK)))?;
    chunks(&mut sums, TASK, &|i, sums| {
        let buckets = &buckets[i * TASK * length..][..sums.len() * length];
        running.lend(|running| running.advance(buckets, length, sums));
    });
    chunks(&mut windows, 1, &|w, sum| sum.fill(combine(&sums[w * lanes..][..lanes], length)));
    Ok(windows.iter().rev().fold(Jacobian::NEUTRAL, |sum, &window| doubled(sum, plan.c) + window))
}

/// Of one lane: `Σ B_i` and `Σ (i + 1)·B_i`.
#[derive(Clone, Copy)]
struct Lane<C: Curve> {
    plain: Affine<C>,
    weighted: Affine<C>,
}

/// The running sums of the lanes of a task.
struct Running<C: Curve> {
    /// Plain sums, weighted sums, next buckets.
    state: Vec<Affine<C>>,
    next: Vec<Affine<C>>,
    pairs: Vec<Pair>,
    adder: Adder<C>,
}

impl<C: Curve> Running<C> {
    /// For up to `lanes` lanes.
    fn new(lanes: usize) -> Result<Self> {
        Ok(Self {
            state: filled(OP, 3 * lanes, Affine::NEUTRAL)?,
            next: filled(OP, 3 * lanes, Affine::NEUTRAL)?,
            pairs: with_capacity(OP, 2 * lanes)?,
            adder: Adder::new(OP, 2 * lanes)?,
        })
    }

    /// The sums of neighbouring lanes, by running sums from each lane's last bucket to its first.
    ///
    /// In step `t` the plain sum takes up a bucket while the weighted one takes up the plain sum of the step before: two
    /// independent additions per lane and step.
    fn advance(&mut self, buckets: &[Affine<C>], length: usize, sums: &mut [Lane<C>]) {
        let lanes = buckets.len() / length;
        let Self { state, next, pairs, adder } = self;
        state[..2 * lanes].fill(Affine::NEUTRAL);
        let lane = 0..lanes as u32;
        let n = lanes as u32;
        let weighted = lane.clone().map(|l| Pair { a: n + l, b: l, out: n + l });
        let plain = lane.map(|l| Pair { a: l, b: 2 * n + l, out: l });
        pairs.clear();
        pairs.extend(weighted.chain(plain));
        for i in (0..length).rev() {
            for l in 0..lanes {
                state[2 * lanes + l] = buckets[l * length + i];
            }
            adder.add(state, pairs, next);
            std::mem::swap(state, next);
        }
        adder.add(state, &pairs[..lanes], next);
        for (l, sum) in sums.iter_mut().enumerate() {
            *sum = Lane { plain: state[l], weighted: next[lanes + l] };
        }
    }
}

/// The weighted sum of a window: `Σ_l weighted_l + length·Σ_l l·plain_l`.
fn combine<C: Curve>(lanes: &[Lane<C>], length: usize) -> Jacobian<C> {
    let (mut running, mut by_lane, mut sum) = (Xyzz::NEUTRAL, Xyzz::NEUTRAL, Xyzz::<C>::NEUTRAL);
    for (l, lane) in lanes.iter().enumerate().rev() {
        sum += lane.weighted;
        if l > 0 {
            running += lane.plain;
            by_lane += running;
        }
    }
    doubled(by_lane.into(), length.trailing_zeros()) + Jacobian::from(sum)
}

/// `2^times·point`.
pub(super) fn doubled<C: Curve>(point: Jacobian<C>, times: u32) -> Jacobian<C> {
    (0..times).fold(point, |p, _| p.double())
}
