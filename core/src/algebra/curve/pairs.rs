//! Many independent affine additions with one inversion.

use super::{Affine, Curve};
use crate::algebra::Field;
#[cfg(target_arch = "x86_64")]
use crate::algebra::simd::affine as simd;

/// Chains of partial products kept apart, so that a processor works on several at once.
const LANES: usize = 4;

/// `next[out] = points[a] + points[b]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Index of the first point.
    pub a: u32,
    /// Index of the second point.
    pub b: u32,
    /// Where the sum goes.
    pub out: u32,
}

/// Adds pairs, 5M + 1S each and one inversion for all; keeps its scratch.
pub(crate) struct Adder<C: Curve> {
    /// Denominator of each slope, and the product of those before it in its lane.
    chain: Vec<(C::Base, C::Base)>,
    /// Pairs vectors do not serve.
    #[cfg(target_arch = "x86_64")]
    special: Vec<Pair>,
    #[cfg(target_arch = "x86_64")]
    vectors: simd::Scratch,
}

impl<C: Curve> Default for Adder<C> {
    fn default() -> Self {
        Self {
            chain: Vec::new(),
            #[cfg(target_arch = "x86_64")]
            special: Vec::new(),
            #[cfg(target_arch = "x86_64")]
            vectors: simd::Scratch::new(),
        }
    }
}

/// Fewer pairs are not worth filling vectors with.
#[cfg(target_arch = "x86_64")]
const VECTOR: usize = 8;

impl<C: Curve> Adder<C> {
    /// Add pairs of `points` into `next`. No two pairs have the same `out`.
    pub fn add(&mut self, points: &[Affine<C>], pairs: &[Pair], next: &mut [Affine<C>]) {
        #[cfg(target_arch = "x86_64")]
        if pairs.len() >= VECTOR {
            let mut special = std::mem::take(&mut self.special);
            special.clear();
            let served = simd::add_pairs(points, pairs, next, &mut special, &mut self.vectors);
            if served {
                special.retain(|pair| !settled(points, pair, next));
                self.add_portably(points, &special, next);
            }
            self.special = special;
            if served {
                return;
            }
        }
        self.add_portably(points, pairs, next);
    }

    pub(crate) fn add_portably(&mut self, points: &[Affine<C>], pairs: &[Pair], next: &mut [Affine<C>]) {
        if pairs.is_empty() {
            return;
        }
        let mut products = [C::Base::ONE; LANES];
        self.chain.clear();
        for group in pairs.chunks(LANES) {
            for (pair, product) in group.iter().zip(&mut products) {
                let denominator = denominator(&points[pair.a as usize], &points[pair.b as usize]);
                self.chain.push((denominator, *product));
                *product *= denominator;
            }
        }
        let mut inverses = invert(products);
        let groups = pairs.chunks(LANES).zip(self.chain.chunks(LANES));
        for (group, links) in groups.rev() {
            for ((pair, &(denominator, before)), inverse) in group.iter().zip(links).zip(&mut inverses) {
                let (a, b) = (&points[pair.a as usize], &points[pair.b as usize]);
                next[pair.out as usize] = sum(a, b, *inverse * before);
                *inverse *= denominator;
            }
        }
    }
}

/// Inverses of nonzero elements.
fn invert<F: Field>(mut elements: [F; LANES]) -> [F; LANES] {
    let mut scratch = Vec::with_capacity(LANES);
    crate::algebra::batch::invert(&mut elements, &mut scratch);
    elements
}

/// Whether the slope is not that of the chord.
#[inline(always)]
fn is_special<C: Curve>(a: &Affine<C>, b: &Affine<C>) -> bool {
    a.x == b.x || a.is_neutral() || b.is_neutral()
}

/// Write the sum of a pair that needs no arithmetic: of a neutral point, or opposite ones. Where points repeat, half of a
/// bucket's pairs are such.
#[cfg(target_arch = "x86_64")]
fn settled<C: Curve>(points: &[Affine<C>], pair: &Pair, next: &mut [Affine<C>]) -> bool {
    let (a, b) = (&points[pair.a as usize], &points[pair.b as usize]);
    let doubles = a == b && !a.y.is_zero();
    let settled = is_special(a, b) && (a.is_neutral() || b.is_neutral() || !doubles);
    if settled {
        next[pair.out as usize] = special_sum(a, b, C::Base::ONE);
    }
    settled
}

/// What the slope is divided by, never zero.
#[inline(always)]
fn denominator<C: Curve>(a: &Affine<C>, b: &Affine<C>) -> C::Base {
    if is_special(a, b) { special_denominator(a, b) } else { b.x - a.x }
}

#[cold]
fn special_denominator<C: Curve>(a: &Affine<C>, b: &Affine<C>) -> C::Base {
    // A doubling divides by 2y; where y = 0 and for opposite or neutral points nothing is divided.
    if a == b && !a.y.is_zero() { a.y.double() } else { C::Base::ONE }
}

/// The sum, given the inverse of [`denominator`].
#[inline(always)]
fn sum<C: Curve>(a: &Affine<C>, b: &Affine<C>, inverse: C::Base) -> Affine<C> {
    if is_special(a, b) { special_sum(a, b, inverse) } else { on_line(a, b, (b.y - a.y) * inverse) }
}

#[cold]
fn special_sum<C: Curve>(a: &Affine<C>, b: &Affine<C>, inverse: C::Base) -> Affine<C> {
    if a.is_neutral() {
        *b
    } else if b.is_neutral() {
        *a
    } else if a == b && !a.y.is_zero() {
        let xx = a.x.square();
        on_line(a, a, (xx.double() + xx) * inverse)
    } else {
        Affine::NEUTRAL
    }
}

/// The third point, reflected, of the line of a slope through two points.
#[inline(always)]
fn on_line<C: Curve>(a: &Affine<C>, b: &Affine<C>, slope: C::Base) -> Affine<C> {
    let x = slope.square() - a.x - b.x;
    Affine::new(x, slope * (a.x - x) - a.y)
}
