//! Naive versions of operations, the oracles of tests.

use icicle_algebra::curve::{Affine, Curve, Group, Xyzz};

/// `Σ words_i·points_i` by double-and-add, bit by bit.
pub(crate) fn msm<C: Curve>(scalars: &[Vec<u64>], points: &[Affine<C>]) -> Affine<C> {
    let bits = 64 * scalars.iter().map(Vec::len).max().unwrap_or(0);
    let mut sum = Xyzz::<C>::NEUTRAL;
    for bit in (0..bits).rev() {
        sum = sum.double();
        for (words, &point) in scalars.iter().zip(points) {
            if words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1) {
                sum += point;
            }
        }
    }
    sum.to_affine()
}
