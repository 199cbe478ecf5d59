//! From buckets to the result: `Σ_w 2^(c·w)·Σ_b (b + 1)·bucket[w][b]`.

use super::doubled;
use super::plan::Plan;
use crate::algebra::curve::pairs::{Adder, Pair};
use crate::algebra::curve::{Affine, Curve, Group, Jacobian, Xyzz};
use crate::cpu::parallel::chunks;

/// Buckets whose weighted sum one lane computes.
const LANE: usize = 32;
/// Lanes a task advances together, sharing inversions.
const TASK: usize = 512;

/// Weighted sum of all buckets of all windows.
pub(super) fn reduce<C: Curve>(plan: &Plan, buckets: &[Affine<C>]) -> Jacobian<C> {
    let length = LANE.min(plan.buckets());
    let lanes = plan.buckets() / length;
    let mut sums = vec![Lane { plain: Affine::NEUTRAL, weighted: Affine::NEUTRAL }; buckets.len() / length];
    chunks(&mut sums, TASK, &|i, sums| advance(&buckets[i * TASK * length..][..sums.len() * length], length, sums));
    let mut windows = vec![Jacobian::<C>::NEUTRAL; plan.windows];
    chunks(&mut windows, 1, &|w, sum| sum.fill(combine(&sums[w * lanes..][..lanes], length)));
    windows.iter().rev().fold(Jacobian::NEUTRAL, |sum, &window| doubled(sum, plan.c) + window)
}

/// Of one lane: `Σ B_i` and `Σ (i + 1)·B_i`.
#[derive(Clone, Copy)]
struct Lane<C: Curve> {
    plain: Affine<C>,
    weighted: Affine<C>,
}

/// The sums of neighbouring lanes, by running sums from each lane's last bucket to its first.
///
/// In step `t` the plain sum takes up a bucket while the weighted one takes up the plain sum of the step before: two
/// independent additions per lane and step.
fn advance<C: Curve>(buckets: &[Affine<C>], length: usize, sums: &mut [Lane<C>]) {
    let lanes = buckets.len() / length;
    // Plain sums, weighted sums, next buckets.
    let mut state = vec![Affine::NEUTRAL; 3 * lanes];
    let mut next = state.clone();
    let lane = 0..lanes as u32;
    let n = lanes as u32;
    let weighted = lane.clone().map(|l| Pair { a: n + l, b: l, out: n + l });
    let plain = lane.map(|l| Pair { a: l, b: 2 * n + l, out: l });
    let pairs: Vec<Pair> = weighted.chain(plain).collect();
    let mut adder = Adder::default();
    for i in (0..length).rev() {
        for l in 0..lanes {
            state[2 * lanes + l] = buckets[l * length + i];
        }
        adder.add(&state, &pairs, &mut next);
        std::mem::swap(&mut state, &mut next);
    }
    adder.add(&state, &pairs[..lanes], &mut next);
    for (l, sum) in sums.iter_mut().enumerate() {
        *sum = Lane { plain: state[l], weighted: next[lanes + l] };
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
