//! Eight affine additions at once.

use super::ifma::{LIMB, Lanes, Modulus};
use super::inverse::inverses;
use super::pairs;
use crate::algebra::curve::pairs::Pair;
use crate::algebra::curve::{Affine, Curve};
use crate::algebra::fp::Fp;
use crate::algebra::{Field, fields};
use core::arch::x86_64::*;
use icicle_params::{Prime, prime};
use std::any::TypeId;

/// Per eight pairs: denominators of the slopes and the products of those before.
pub(crate) struct Scratch {
    vectors: Vec<__m512i>,
    /// Lanes that double a point.
    doubled: Vec<__mmask8>,
}

impl Scratch {
    pub const fn new() -> Self {
        Self { vectors: Vec::new(), doubled: Vec::new() }
    }
}

/// Add pairs if this processor and the curve's field are served here; else do nothing and return false.
///
/// Pairs with opposite points or an x of 0 are left to the caller, in `special`.
pub(crate) fn add_pairs<C: Curve>(
    points: &[Affine<C>],
    pairs: &[Pair],
    next: &mut [Affine<C>],
    special: &mut Vec<Pair>,
    scratch: &mut Scratch,
) -> bool {
    if !super::available() {
        return false;
    }
    let base = TypeId::of::<C::Base>();
    macro_rules! serve {
        ($($field:ty, $prime:ty, $n:literal, $m:literal;)*) => {
            $(if base == TypeId::of::<$field>() {
                // SAFETY: the processor has the features; points are two elements of `$n` words each, as `Affine` is
                // `repr(C)` and `Fp` transparent.
                unsafe { add::<$prime, $n, $m, C>(points, pairs, next, special, scratch) };
                return true;
            })*
        };
    }
    serve! {
        fields::Bn254Base, prime::Bn254Fq, 4, 5;
        fields::GrumpkinBase, prime::Bn254Fr, 4, 5;
        fields::Bls12_381Base, prime::Bls12_381Fq, 6, 8;
        fields::Bls12_377Base, prime::Bls12_377Fq, 6, 8;
    }
    false
}

/// Coordinates of the points at eight indices.
///
/// # Safety
/// AVX-512 IFMA; a point is `2N` words, `N` of 4 or 6.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
unsafe fn load<const N: usize, const M: usize, C: Curve>(points: &[Affine<C>], at: [u32; 8]) -> (Lanes<M>, Lanes<M>) {
    // SAFETY: the words of a point.
    unsafe { pairs::load::<N, M>(at.map(|i| (&raw const points[i as usize]).cast())) }
}

/// The eight pairs of a group; the last pair fills up the last group.
fn group(pairs: &[Pair], g: usize) -> [Pair; 8] {
    std::array::from_fn(|l| pairs[(8 * g + l).min(pairs.len() - 1)])
}

/// Forms: elements in memory carry `2^r`, `r = 64N`; with `s = 52M`, `e = s - r`, `h = e/2`, denominators and their
/// products carry `2^s`, inverses `2^(s+h)`, slopes `2^(r+h)`, so that squares of slopes carry `2^r` again.
///
/// # Safety
/// As [`load`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn add<P: Prime<N>, const N: usize, const M: usize, C: Curve>(
    points: &[Affine<C>],
    pairs: &[Pair],
    next: &mut [Affine<C>],
    special: &mut Vec<Pair>,
    scratch: &mut Scratch,
) {
    let modulus = Modulus::<M>::of::<P, N>();
    let excess = (LIMB * M - 64 * N) as u64;
    // 2^s mod p.
    let power = |bits: u64| Fp::<P, N>::from_u64(2).pow(&[bits]);
    let one = Lanes::<M>::repeat(&power(excess).montgomery());
    let zero = Lanes::<M>::repeat(&[0]);
    let groups = pairs.len().div_ceil(8);
    scratch.vectors.clear();
    scratch.doubled.clear();
    scratch.vectors.reserve(2 * M * groups);
    let mut product = one;
    for g in 0..groups {
        let group = group(pairs, g);
        // SAFETY: as this function's.
        let (xa, xb) =
            unsafe { (load::<N, M, C>(points, group.map(|p| p.a)).0, load::<N, M, C>(points, group.map(|p| p.b)).0) };
        let mask = xa.equal(&xb) | xa.equal(&zero) | xb.equal(&zero);
        let mut denominator = xb.minus(&xa, &modulus).shifted(excess);
        let mut doubled = 0;
        if mask != 0 {
            // SAFETY: as this function's.
            let (ya, yb) = unsafe {
                (load::<N, M, C>(points, group.map(|p| p.a)).1, load::<N, M, C>(points, group.map(|p| p.b)).1)
            };
            doubled = xa.equal(&xb) & ya.equal(&yb) & !ya.equal(&zero);
            let twice = ya.plus(&ya).shifted(excess);
            denominator = denominator.replaced(mask, &one).replaced(doubled, &twice);
            let left = mask & !doubled;
            special.extend((0..8.min(pairs.len() - 8 * g)).filter(|l| left >> l & 1 == 1).map(|l| group[l]));
        }
        scratch.doubled.push(doubled);
        scratch.vectors.extend_from_slice(&denominator.0);
        scratch.vectors.extend_from_slice(&product.0);
        product = product.times(&denominator, &modulus);
    }
    let mut inverse = inverses::<P, N, M>(product.reduced(&modulus), power(2 * excess + excess / 2));
    for g in (0..groups).rev() {
        let link = |k: usize| {
            let mut lanes = zero;
            lanes.0.copy_from_slice(&scratch.vectors[(2 * g + k) * M..][..M]);
            lanes
        };
        let group = group(pairs, g);
        let (a, b) = (group.map(|p| p.a), group.map(|p| p.b));
        // SAFETY: as this function's.
        let ((xa, ya), (xb, yb)) = unsafe { (load::<N, M, C>(points, a), load::<N, M, C>(points, b)) };
        let mut rise = yb.minus(&ya, &modulus);
        if scratch.doubled[g] != 0 {
            let square = xa.times(&xa.shifted(excess), &modulus);
            rise = rise.replaced(scratch.doubled[g], &square.plus(&square).plus(&square));
        }
        let slope = rise.times(&inverse.times(&link(1), &modulus), &modulus);
        inverse = inverse.times(&link(0), &modulus);
        let x = slope.times(&slope, &modulus).minus(&xa, &modulus).minus(&xb, &modulus).reduced(&modulus);
        let run = xa.minus(&x, &modulus).shifted(excess / 2);
        let y = slope.times(&run, &modulus).minus(&ya, &modulus).reduced(&modulus);
        // SAFETY: the words of a point.
        unsafe { pairs::store::<N, M>(group.map(|p| (&raw mut next[p.out as usize]).cast()), x, y) };
    }
}
