//! Eight affine additions at once.

use super::coordinates::Coordinates;
use super::ifma::{LIMB, Modulus};
use super::pairs;
use crate::curve::pair::{NEGATE, Pair, place};
use crate::curve::{Affine, Curve};
use crate::{Field, batch, fields};
use core::arch::x86_64::*;
use icicle_error::Result;
use icicle_error::reserve::with_capacity;
use icicle_params::{Prime, prime};
use std::any::TypeId;

/// How many steps ahead points are asked for.
const AHEAD: usize = 6;

/// Eight pairs.
#[derive(Clone, Copy)]
struct Eight([Pair; 8]);

impl Eight {
    /// At least one pair; the last fills up.
    #[inline(always)]
    fn new(pairs: &[Pair]) -> Self {
        Self(std::array::from_fn(|l| pairs[l.min(pairs.len() - 1)]))
    }

    /// The points to add.
    ///
    /// # Safety
    /// As [`load`].
    #[inline(always)]
    unsafe fn load<F, const N: usize, const M: usize, const D: usize, const K: usize>(
        &self,
        points: &[[F; 2]],
        modulus: &Modulus<M>,
    ) -> [Points<M, D, K>; 2] {
        let (a, b) = (self.0.map(|p| p.a), self.0.map(|p| p.b));
        // SAFETY: this function's.
        unsafe { [load::<F, N, M, D, K>(points, a, modulus), load::<F, N, M, D, K>(points, b, modulus)] }
    }

    /// Prefetch the points.
    #[inline(always)]
    fn prefetch<F>(&self, points: &[[F; 2]]) {
        for index in self.0.iter().flat_map(|p| [p.a, p.b]) {
            let point = points.as_ptr().wrapping_add(place(index)).cast::<i8>();
            for line in 0..size_of::<[F; 2]>().div_ceil(64) {
                // SAFETY: a hint, which may name any address.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(point.wrapping_add(64 * line)) };
            }
        }
    }

    /// Where the sums go.
    #[inline(always)]
    fn outs<F>(&self, next: &mut [[F; 2]]) -> [*mut [F; 2]; 8] {
        self.0.map(|p| &raw mut next[p.out as usize])
    }
}

/// A link of the chain.
struct Step {
    pairs: Eight,
    /// Whether all double a point; else none does.
    tangents: bool,
}

/// The pairs in the order of their steps; of each step the denominators of the slopes and the products of those before.
#[derive(Default)]
pub struct Scratch {
    steps: Vec<Step>,
    vectors: Vec<__m512i>,
}

impl Scratch {
    /// For up to `pairs` pairs, if this processor and the curve's field are served here.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new<C: Curve>(op: &'static str, pairs: usize) -> Result<Option<Self>> {
        let Some(vectors) = vectors::<C>() else { return Ok(None) };
        // Every step has eight pairs of its own, but the last and one of each kind that waits in the end.
        let steps = pairs.div_ceil(8) + 2;
        Ok(Some(Self { steps: with_capacity(op, steps)?, vectors: with_capacity(op, steps.saturating_mul(vectors))? }))
    }
}

/// Run a macro's arm for the fields served. Arguments: a macro that takes a field, its prime, words and limbs of that,
/// degree over it, and K where the field is that of `√-K`.
macro_rules! each_field {
    ($serve:ident) => {
        $serve! {
            fields::Bn254Base, prime::Bn254Fq, 4, 5, 1, 0;
            fields::Bn254G2Base, prime::Bn254Fq, 4, 5, 2, 1;
            fields::GrumpkinBase, prime::Bn254Fr, 4, 5, 1, 0;
            fields::Bls12_381Base, prime::Bls12_381Fq, 6, 8, 1, 0;
            fields::Bls12_381G2Base, prime::Bls12_381Fq, 6, 8, 2, 1;
            fields::Bls12_377Base, prime::Bls12_377Fq, 6, 8, 1, 0;
            fields::Bls12_377G2Base, prime::Bls12_377Fq, 6, 8, 2, 5;
            fields::Bw6_761Base, prime::Bw6_761Fq, 12, 15, 1, 0;
        }
    };
}

/// Vectors that are kept of a step, if this processor and the curve's field are served here.
fn vectors<C: Curve>() -> Option<usize> {
    let base = TypeId::of::<C::Base>();
    macro_rules! links {
        ($($field:ty, $prime:ty, $n:literal, $m:literal, $d:literal, $k:literal;)*) => {
            $(if base == TypeId::of::<$field>() {
                return super::available().then_some(2 * $m * $d);
            })*
        };
    }
    each_field!(links);
    None
}

/// Add pairs if this processor and the curve's field are served here; else do nothing and return false.
pub fn add_pairs<C: Curve>(
    points: &[Affine<C>],
    pairs: &[Pair],
    next: &mut [Affine<C>],
    scratch: &mut Scratch,
) -> bool {
    if !super::available() {
        return false;
    }
    let base = TypeId::of::<C::Base>();
    macro_rules! serve {
        ($($field:ty, $prime:ty, $n:literal, $m:literal, $d:literal, $k:literal;)*) => {
            $(if base == TypeId::of::<$field>() {
                // SAFETY: a point is `repr(C)` of two coordinates, which are of this type; a coordinate is `$d` elements of
                // `$n` words each, as `Quadratic` is `repr(C)` and `Fp` transparent; the processor has the features.
                unsafe {
                    let points = std::slice::from_raw_parts(points.as_ptr().cast(), points.len());
                    let next = std::slice::from_raw_parts_mut(next.as_mut_ptr().cast(), next.len());
                    add::<$field, $prime, $n, $m, $d, $k>(points, pairs, next, scratch);
                }
                return true;
            })*
        };
    }
    each_field!(serve);
    false
}

/// Coordinates x and y of eight points.
type Points<const M: usize, const D: usize, const K: usize> = (Coordinates<M, D, K>, Coordinates<M, D, K>);

/// The points that eight indices name, coordinates at most the modulus. It and its like are inlined into functions that
/// have the features, where what is not used is not computed.
///
/// # Safety
/// AVX-512 IFMA; `F` is `DN` words.
#[inline(always)]
unsafe fn load<F, const N: usize, const M: usize, const D: usize, const K: usize>(
    points: &[[F; 2]],
    at: [u32; 8],
    modulus: &Modulus<M>,
) -> Points<M, D, K> {
    let places = at.map(|i| (&raw const points[place(i)]).cast());
    let opposite = at.iter().rev().fold(0, |mask, i| mask << 1 | (i / NEGATE) as __mmask8);
    // SAFETY: the processor has the features, and a point is so many words.
    unsafe {
        let mut words = [[[_mm512_setzero_si512(); N]; D]; 2];
        pairs::gather(places, words.as_flattened_mut().as_flattened_mut());
        let (x, mut y) = (Coordinates::from_words(&words[0]), Coordinates::from_words(&words[1]));
        if opposite != 0 {
            y = y.replaced(opposite, &Coordinates::repeat(0).minus(&y, modulus));
        }
        (x, y)
    }
}

/// Write eight points; coordinates are reduced.
///
/// # Safety
/// As [`load`].
#[inline(always)]
unsafe fn store<F, const N: usize, const M: usize, const D: usize, const K: usize>(
    points: [*mut [F; 2]; 8],
    (x, y): Points<M, D, K>,
) {
    // SAFETY: the processor has the features, and a point is so many words.
    unsafe {
        let words: [[[__m512i; N]; D]; 2] = [x.to_words(), y.to_words()];
        pairs::scatter(points.map(|at| at.cast()), words.as_flattened().as_flattened());
    }
}

/// Inverse of each lane times a factor, reduced.
///
/// # Safety
/// As [`load`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn inverses<F: Field, const N: usize, const M: usize, const D: usize, const K: usize>(
    lanes: Coordinates<M, D, K>,
    factor: F::Prime,
    modulus: &Modulus<M>,
) -> Coordinates<M, D, K> {
    let mut points = [[F::ZERO; 2]; 8];
    // SAFETY: this function's.
    unsafe { store::<F, N, M, D, K>(points.each_mut().map(|p| &raw mut *p), (lanes, lanes)) };
    let mut elements = points.map(|[x, _]| x);
    batch::invert(&mut elements, &mut Vec::with_capacity(8));
    let points = elements.map(|x| [x.scale(factor); 2]);
    // SAFETY: this function's.
    unsafe { load::<F, N, M, D, K>(&points, std::array::from_fn(|l| l as u32), modulus) }.0
}

/// The chain of products of all denominators, and what of it is kept.
struct Chain<'a, const M: usize, const D: usize, const K: usize> {
    modulus: Modulus<M>,
    product: Coordinates<M, D, K>,
    scratch: &'a mut Scratch,
}

impl<const M: usize, const D: usize, const K: usize> Chain<'_, M, D, K> {
    /// # Safety
    /// AVX-512 IFMA.
    #[inline(always)]
    unsafe fn push(&mut self, pairs: Eight, tangents: bool, denominator: Coordinates<M, D, K>) {
        self.scratch.steps.push(Step { pairs, tangents });
        for link in [denominator, self.product] {
            self.scratch.vectors.extend_from_slice(link.0.map(|x| x.0).as_flattened());
        }
        // SAFETY: this function's.
        self.product = unsafe { self.product.times(&denominator, &self.modulus) };
    }
}

/// Pairs of one kind that wait until they are eight, and their denominators, limb by limb.
struct Waiting<const M: usize, const D: usize> {
    pairs: [Pair; 16],
    limbs: [[[u64; 16]; M]; D],
    count: usize,
}

impl<const M: usize, const D: usize> Waiting<M, D> {
    const NONE: Self = Self { pairs: [Pair { a: 0, b: 0, out: 0 }; 16], limbs: [[[0; 16]; M]; D], count: 0 };

    /// Add those of at most eight pairs that a mask names, without a branch that nobody could foresee; eight, if there are.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn join<const K: usize>(
        &mut self,
        pairs: &[Pair],
        mask: __mmask8,
        denominators: &Coordinates<M, D, K>,
    ) -> Option<(Eight, Coordinates<M, D, K>)> {
        for (limbs, lanes) in self.limbs.as_flattened_mut().iter_mut().zip(denominators.0.iter().flat_map(|x| &x.0)) {
            // SAFETY: fewer than eight wait.
            unsafe {
                _mm512_storeu_si512(
                    limbs[self.count..][..8].as_mut_ptr().cast(),
                    _mm512_maskz_compress_epi64(mask, *lanes),
                );
            }
        }
        for (l, &pair) in pairs.iter().enumerate() {
            self.pairs[self.count % 16] = pair;
            self.count += usize::from(mask >> l & 1);
        }
        self.count = self.count.checked_sub(8)?;
        Some(self.eight(self.count))
    }

    /// Those that are left; the last fills up.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn rest<const K: usize>(mut self) -> Option<(Eight, Coordinates<M, D, K>)> {
        let last = self.count.checked_sub(1)?;
        for l in self.count..8 {
            self.pairs[l] = self.pairs[last];
            self.limbs.as_flattened_mut().iter_mut().for_each(|limbs| limbs[l] = limbs[last]);
        }
        Some(self.eight(0))
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn eight<const K: usize>(&self, first: usize) -> (Eight, Coordinates<M, D, K>) {
        let mut denominators = Coordinates::repeat(0);
        for i in 0..D {
            for j in 0..M {
                // SAFETY: eight of the sixteen, as the slice tells.
                denominators.0[i].0[j] = unsafe { _mm512_loadu_si512(self.limbs[i][j][first..][..8].as_ptr().cast()) };
            }
        }
        (Eight::new(&self.pairs[first..][..8]), denominators)
    }
}

/// Write the sums of pairs that have no line through them, and to the other pairs' places something; which of these are
/// chords and which tangents, and twice the first y, the tangents' denominators. Where points repeat, half of a bucket's
/// pairs are opposite.
///
/// # Safety
/// As [`load`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn classify<F, const N: usize, const M: usize, const D: usize, const K: usize>(
    pairs: &Eight,
    [a, b]: [Points<M, D, K>; 2],
    next: &mut [[F; 2]],
    modulus: &Modulus<M>,
) -> ([__mmask8; 2], Coordinates<M, D, K>) {
    let zero = Coordinates::repeat(0);
    // The opposite of zero comes as the modulus.
    let (a, b) = ((a.0, a.1.reduced(modulus)), (b.0, b.1.reduced(modulus)));
    let flat = a.1.equal(&zero);
    let neutral = [a.0.equal(&zero) & flat, b.0.equal(&zero) & b.1.equal(&zero)];
    let level = a.0.equal(&b.0);
    let known = neutral[0] | neutral[1] | level & (flat | !a.1.equal(&b.1));
    if known != 0 {
        let x = zero.replaced(neutral[1], &a.0).replaced(neutral[0], &b.0);
        let y = zero.replaced(neutral[1], &a.1).replaced(neutral[0], &b.1);
        // SAFETY: this function's.
        unsafe { store::<F, N, M, D, K>(pairs.outs(next), (x, y)) };
    }
    ([!known & !level, !known & level], a.1.plus(&a.1))
}

/// Forms: elements in memory carry `2^r`, `r = 64N`, and so do denominators. With `s = 52M` a product loses `2^s`, but so
/// does the inverse of a product: with `1` for the product of nothing the inverse of a denominator comes out as the factor
/// over it. With `e = s - r`, `h = e/2` inverses carry `2^(s+h)`, slopes `2^(r+h)`, so that squares of slopes carry `2^r`.
///
/// # Safety
/// As [`load`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn add<F: Field, P: Prime<N>, const N: usize, const M: usize, const D: usize, const K: usize>(
    points: &[[F; 2]],
    pairs: &[Pair],
    next: &mut [[F; 2]],
    scratch: &mut Scratch,
) {
    let () = const { assert!(size_of::<F>() == 8 * D * N, "a coordinate is D elements of N words") };
    let modulus = Modulus::<M>::of::<P, N>();
    let excess = (LIMB * M - 64 * N) as u64;
    let zero = Coordinates::<M, D, K>::repeat(0);
    scratch.steps.clear();
    scratch.vectors.clear();
    let mut chain = Chain { modulus, product: Coordinates::<M, D, K>::repeat(1), scratch };
    let mut waiting = [Waiting::<M, D>::NONE; 2];
    let mut ahead = pairs.chunks_exact(8).skip(AHEAD);
    for pairs in pairs.chunks(8) {
        if let Some(pairs) = ahead.next() {
            Eight::new(pairs).prefetch(points);
        }
        let all = Eight::new(pairs);
        // SAFETY: this function's.
        let [a, b] = unsafe { all.load::<F, N, M, D, K>(points, &modulus) };
        let special = a.0.equal(&b.0) | a.0.equal(&zero) | b.0.equal(&zero);
        if special == 0 {
            // SAFETY: this function's.
            unsafe { chain.push(all, false, b.0.minus(&a.0, &modulus)) };
            continue;
        }
        // SAFETY: this function's.
        let (kinds, twice) = unsafe { classify::<F, N, M, D, K>(&all, [a, b], next, &modulus) };
        let denominators = [b.0.minus(&a.0, &modulus), twice];
        for (tangents, waiting) in waiting.iter_mut().enumerate() {
            if let Some((eight, denominator)) = waiting.join(pairs, kinds[tangents], &denominators[tangents]) {
                // SAFETY: this function's.
                unsafe { chain.push(eight, tangents == 1, denominator) };
            }
        }
    }
    for (tangents, waiting) in waiting.into_iter().enumerate() {
        if let Some((eight, denominator)) = waiting.rest() {
            // SAFETY: this function's.
            unsafe { chain.push(eight, tangents == 1, denominator) };
        }
    }
    if chain.scratch.steps.is_empty() {
        return;
    }
    // 2^(e+h): the elements' 2^r are the fields' own.
    let factor = F::Prime::from_u64(2).pow(&[excess + excess / 2]);
    // SAFETY: this function's.
    let mut inverse = unsafe { inverses::<F, N, M, D, K>(chain.product.reduced(&modulus), factor, &modulus) };
    for (step, links) in scratch.steps.iter().zip(scratch.vectors.chunks_exact(2 * M * D)).rev() {
        let (denominator, before) =
            (Coordinates::from_limbs(&links[..M * D]), Coordinates::from_limbs(&links[M * D..]));
        // SAFETY: this function's.
        let [(xa, ya), (xb, yb)] = unsafe { step.pairs.load::<F, N, M, D, K>(points, &modulus) };
        let rise = if step.tangents {
            let square = xa.times(&xa.shifted(excess), &modulus).reduced(&modulus);
            square.plus(&square).plus(&square)
        } else {
            yb.minus(&ya, &modulus)
        };
        let slope = rise.times(&inverse.times(&before, &modulus), &modulus);
        inverse = inverse.times(&denominator, &modulus);
        let x = slope.times(&slope, &modulus).minus(&xa, &modulus).minus(&xb, &modulus).reduced(&modulus);
        let run = xa.minus(&x, &modulus).shifted(excess / 2);
        let y = slope.times(&run, &modulus).minus(&ya, &modulus).reduced(&modulus);
        // SAFETY: this function's.
        unsafe { store::<F, N, M, D, K>(step.pairs.outs(next), (x, y)) };
    }
}
