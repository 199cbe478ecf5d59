//! Butterflies in the first-level cache, generic over what is transformed.
//!
//! All butterflies of a block share one twiddle, so inner loops run over contiguous memory with constant factors, which
//! the compiler turns into vector code for narrow fields.

use icicle_algebra::{Field, PrimeField};
use icicle_cpu::dispatch::Kernel;

/// What a transform is made of: data that adds, and is multiplied by twiddles.
pub(super) trait Element: Copy + Send + Sync + 'static {
    /// As it lies in the buffer transformed.
    type Stored: Copy + Send + Sync + 'static;
    /// The twiddles.
    type Twiddle: PrimeField;
    /// Elements that one task transforms by itself: half a first-level cache, or enough work for a task.
    const LEAF: usize;
    /// Whether its arithmetic compiles to vector code.
    const VECTORS: bool;
    fn load(stored: Self::Stored) -> Self;
    fn store(self) -> Self::Stored;
    fn sum(self, other: Self) -> Self;
    fn difference(self, other: Self) -> Self;
    fn times(self, by: Self::Twiddle) -> Self;
}

/// Data in memory form, twiddles in working form: products are in memory form again.
impl<F: PrimeField> Element for F {
    type Stored = F::Raw;
    type Twiddle = F;
    const LEAF: usize = (1 << 14) / size_of::<F::Raw>();
    const VECTORS: bool = <F as Field>::VECTORS;
    #[inline(always)]
    fn load(stored: F::Raw) -> Self {
        F::from_limbs(stored)
    }
    #[inline(always)]
    fn store(self) -> F::Raw {
        self.to_limbs()
    }
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn times(self, by: F) -> Self {
        if <F as Field>::VECTORS { self * by } else { product(&self, &by) }
    }
}

/// A product of several words by a call: inlined side by side, products spill each other's registers, and the compiler
/// may vectorise their carry chains (BN254 with AVX-512 on Zen 5: 43 ns instead of 17 ns a butterfly).
#[inline(never)]
fn product<F: Field>(a: &F, b: &F) -> F {
    *a * *b
}

/// Which way through the levels: `DOWN` halves blocks and multiplies before the butterfly (natural to reversed), `UP`
/// joins them and multiplies after it (reversed to natural).
pub(super) const DOWN: bool = true;
/// See [`DOWN`].
pub(super) const UP: bool = false;

/// The two halves of a block.
pub(super) type Halves<'a, S> = [&'a mut [S]; 2];
/// The four quarters of a block.
pub(super) type Quarters<'a, S> = [&'a mut [S]; 4];

#[inline(always)]
pub(super) fn halves<S>(block: &mut [S]) -> Halves<'_, S> {
    let (a, b) = block.split_at_mut(block.len() / 2);
    [a, b]
}

#[inline(always)]
pub(super) fn quarters<S>(block: &mut [S]) -> Quarters<'_, S> {
    let [low, high] = halves(block);
    let ([a, b], [c, d]) = (halves(low), halves(high));
    [a, b, c, d]
}

/// One butterfly.
#[inline(always)]
fn butterfly<E: Element, const WAY: bool>(x: E, y: E, w: E::Twiddle) -> (E, E) {
    if WAY == DOWN {
        let y = y.times(w);
        (x.sum(y), x.difference(y))
    } else {
        (x.sum(y), x.difference(y).times(w))
    }
}

#[inline(always)]
fn pair<E: Element, const WAY: bool>(a: &mut [E::Stored], b: &mut [E::Stored], w: E::Twiddle) {
    for (a, b) in a.iter_mut().zip(b) {
        let (x, y) = butterfly::<E, WAY>(E::load(*a), E::load(*b), w);
        (*a, *b) = (x.store(), y.store());
    }
}

/// The butterflies of a block whose twiddle is 1.
#[inline(always)]
fn pair_of_ones<E: Element>(a: &mut [E::Stored], b: &mut [E::Stored]) {
    for (a, b) in a.iter_mut().zip(b) {
        let (x, y) = (E::load(*a), E::load(*b));
        (*a, *b) = (x.sum(y).store(), x.difference(y).store());
    }
}

/// The four butterflies of two levels: `w[0]` is the block's twiddle, `w[1]` and `w[2]` those of its halves; with `ONES`
/// the first two are 1.
#[inline(always)]
pub(super) fn butterflies<E: Element, const WAY: bool, const ONES: bool>(
    x: [E::Stored; 4],
    w: [E::Twiddle; 3],
) -> [E::Stored; 4] {
    let by = |x: E, i: usize| if ONES && i < 2 { x } else { x.times(w[i]) };
    let x = x.map(E::load);
    let y = if WAY == DOWN {
        let (c, d) = (by(x[2], 0), by(x[3], 0));
        let (b, d) = (by(x[1].sum(d), 1), by(x[1].difference(d), 2));
        let (a, c) = (x[0].sum(c), x[0].difference(c));
        [a.sum(b), a.difference(b), c.sum(d), c.difference(d)]
    } else {
        let (a, b) = (x[0].sum(x[1]), by(x[0].difference(x[1]), 1));
        let (c, d) = (x[2].sum(x[3]), by(x[2].difference(x[3]), 2));
        [a.sum(c), b.sum(d), by(a.difference(c), 0), by(b.difference(d), 0)]
    };
    y.map(E::store)
}

#[inline(always)]
fn quad<E: Element, const WAY: bool, const ONES: bool>(parts: Quarters<'_, E::Stored>, w: [E::Twiddle; 3]) {
    let [a, b, c, d] = parts;
    let n = a.len();
    let (b, c, d) = (&mut b[..n], &mut c[..n], &mut d[..n]);
    for i in 0..n {
        [a[i], b[i], c[i], d[i]] = butterflies::<E, WAY, ONES>([a[i], b[i], c[i], d[i]], w);
    }
}

/// One level of one block, or a part of it.
pub(super) struct Pair<'a, E: Element, const WAY: bool> {
    pub parts: Halves<'a, E::Stored>,
    pub twiddle: E::Twiddle,
}

impl<E: Element, const WAY: bool> Kernel for Pair<'_, E, WAY> {
    const VECTORS: bool = E::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let [a, b] = self.parts;
        if self.twiddle == E::Twiddle::ONE {
            pair_of_ones::<E>(a, b);
        } else {
            pair::<E, WAY>(a, b, self.twiddle);
        }
    }
}

/// Two levels of one block, or a part of it.
pub(super) struct Quad<'a, E: Element, const WAY: bool> {
    pub parts: Quarters<'a, E::Stored>,
    pub twiddles: [E::Twiddle; 3],
}

impl<E: Element, const WAY: bool> Kernel for Quad<'_, E, WAY> {
    const VECTORS: bool = E::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        if self.twiddles[0] == E::Twiddle::ONE && self.twiddles[1] == E::Twiddle::ONE {
            quad::<E, WAY, true>(self.parts, self.twiddles);
        } else {
            quad::<E, WAY, false>(self.parts, self.twiddles);
        }
    }
}
