//! Many independent affine additions with one inversion.

pub use super::pair::{NEGATE, Pair, place};

use super::{Affine, Curve};
#[cfg(target_arch = "x86_64")]
use crate::simd::affine as simd;
use crate::{Field, batch};
use icicle_error::Result;
use icicle_error::reserve::with_capacity;

/// Chains of partial products kept apart, so that a processor works on several at once.
const LANES: usize = 4;

/// The point an index names, given that at its place.
#[inline(always)]
fn signed<F: Field>([x, y]: [F; 2], index: u32) -> [F; 2] {
    [x, if index & NEGATE != 0 { -y } else { y }]
}

/// The point an index names.
#[inline(always)]
pub fn named<C: Curve>(points: &[Affine<C>], index: u32) -> Affine<C> {
    let point = &points[place(index)];
    let [x, y] = signed([point.x, point.y], index);
    Affine::new(x, y)
}

/// Adds pairs, 5M + 1S each and one inversion for all; keeps its scratch, which is made for so many pairs.
pub struct Adder<C: Curve> {
    /// Denominator of each slope, and the product of those before it in its lane.
    chain: Vec<(C::Base, C::Base)>,
    #[cfg(target_arch = "x86_64")]
    vectors: simd::Scratch,
}

/// Fewer pairs are not worth filling vectors with.
#[cfg(target_arch = "x86_64")]
const VECTOR: usize = 8;

impl<C: Curve> Adder<C> {
    /// For up to `pairs` pairs at a time.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(op: &'static str, pairs: usize) -> Result<Self> {
        #[cfg(target_arch = "x86_64")]
        if let Some(vectors) = simd::Scratch::new::<C>(op, pairs)? {
            return Ok(Self { chain: with_capacity(op, pairs.min(VECTOR - 1))?, vectors });
        }
        Ok(Self {
            chain: with_capacity(op, pairs)?,
            #[cfg(target_arch = "x86_64")]
            vectors: simd::Scratch::default(),
        })
    }

    /// Add pairs of `points` into `next`. No two pairs have the same `out`.
    pub fn add(&mut self, points: &[Affine<C>], pairs: &[Pair], next: &mut [Affine<C>]) {
        #[cfg(target_arch = "x86_64")]
        if pairs.len() >= VECTOR && simd::add_pairs(points, pairs, next, &mut self.vectors) {
            return;
        }
        self.add_portably(points, pairs, next);
    }

    /// As [`Adder::add`], without vector instructions.
    pub fn add_portably(&mut self, points: &[Affine<C>], pairs: &[Pair], next: &mut [Affine<C>]) {
        let named = |index: u32| {
            let point = named(points, index);
            [point.x, point.y]
        };
        let mut products = [C::Base::ONE; LANES];
        self.chain.clear();
        for group in pairs.chunks(LANES) {
            for (pair, product) in group.iter().zip(&mut products) {
                let denominator = denominator(named(pair.a), named(pair.b));
                self.chain.push((denominator, *product));
                *product *= denominator;
            }
        }
        batch::invert(&mut products, &mut Vec::with_capacity(LANES));
        let groups = pairs.chunks(LANES).zip(self.chain.chunks(LANES));
        for (group, links) in groups.rev() {
            for ((pair, &(denominator, before)), inverse) in group.iter().zip(links).zip(&mut products) {
                let [x, y] = sum(named(pair.a), named(pair.b), *inverse * before);
                next[pair.out as usize] = Affine::new(x, y);
                *inverse *= denominator;
            }
        }
    }
}

/// Whether the slope is not that of the chord.
#[inline(always)]
fn is_special<F: Field>(a: [F; 2], b: [F; 2]) -> bool {
    a[0] == b[0] || is_neutral(a) || is_neutral(b)
}

#[inline(always)]
fn is_neutral<F: Field>(a: [F; 2]) -> bool {
    a[0].is_zero() && a[1].is_zero()
}

/// The sum of points that have no line through them: one is neutral, or they are opposite.
fn known_sum<F: Field>(a: [F; 2], b: [F; 2]) -> Option<[F; 2]> {
    if is_neutral(a) {
        Some(b)
    } else if is_neutral(b) {
        Some(a)
    } else {
        (a[0] == b[0] && (a[1] != b[1] || a[1].is_zero())).then_some([F::ZERO; 2])
    }
}

/// What the slope is divided by, never zero.
#[inline(always)]
fn denominator<F: Field>(a: [F; 2], b: [F; 2]) -> F {
    if is_special(a, b) { special_denominator(a, b) } else { b[0] - a[0] }
}

#[cold]
fn special_denominator<F: Field>(a: [F; 2], b: [F; 2]) -> F {
    if known_sum(a, b).is_some() { F::ONE } else { a[1].double() }
}

/// The sum, given the inverse of [`denominator`].
#[inline(always)]
fn sum<F: Field>(a: [F; 2], b: [F; 2], inverse: F) -> [F; 2] {
    if is_special(a, b) { special_sum(a, b, inverse) } else { on_line(a, b, (b[1] - a[1]) * inverse) }
}

#[cold]
fn special_sum<F: Field>(a: [F; 2], b: [F; 2], inverse: F) -> [F; 2] {
    known_sum(a, b).unwrap_or_else(|| {
        let square = a[0].square();
        on_line(a, a, (square.double() + square) * inverse)
    })
}

/// The third point, reflected, of the line of a slope through two points.
#[inline(always)]
fn on_line<F: Field>(a: [F; 2], b: [F; 2], slope: F) -> [F; 2] {
    let x = slope.square() - a[0] - b[0];
    [x, slope * (a[0] - x) - a[1]]
}
