//! Products of vectors of canonical numbers, eight elements at a time.

use super::constant::{COARSE, Constant, FINE, Lazy};
use super::ifma::{LIMB, Lanes, all};
use super::pairs;
use crate::algebra::Limbs;
use crate::algebra::fp::Fp;
use core::arch::x86_64::*;
use icicle_params::Prime;
use std::marker::PhantomData;

/// Elements taken together.
pub(crate) const GROUP: usize = 16;

/// Arithmetic on vectors of a prime field; there is one only where the processor has what it takes.
pub(crate) struct Vectors<P, const N: usize, const M: usize> {
    lazy: Lazy<M>,
    /// `2^(BITS - 1)`: its quotient is what [`Lanes::product`] estimates with.
    half: Constant<M>,
    prime: PhantomData<P>,
}

impl<P: Prime<N>, const N: usize, const M: usize> Vectors<P, N, M> {
    /// The arithmetic, if the processor has it.
    pub fn available() -> Option<Self> {
        let () = const { assert!((N == 4 || N == 6) && LIMB * M > 64 * N && P::BITS < 64 * N as u32) };
        // A product comes to 2M + 2 moduli before it is reduced.
        let served = super::available() && Lazy::<M>::room::<P, N>() >= 2 * M as u64 + 2;
        served.then(|| {
            let mut half = [0; N];
            half[(P::BITS - 1) as usize / 64] = 1 << ((P::BITS - 1) % 64);
            let half = Fp::<P, N>::from_canonical(half);
            // SAFETY: the processor has the features, as just checked.
            Self { lazy: unsafe { Lazy::of::<P, N>() }, half: Constant::new(half), prime: PhantomData }
        })
    }

    /// `out[i] ← a[i]·b[i]`, canonical numbers, [`GROUP`] of them at a time, each group read before it is written.
    ///
    /// # Safety
    /// `groups` times [`GROUP`] elements may be read at `a` and `b` and written at `out`, each exactly `out` or apart from it.
    pub unsafe fn multiply(&self, a: *const Limbs<N>, b: *const Limbs<N>, out: *mut Limbs<N>, groups: usize) {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        unsafe { multiply::<P, N, M>(&self.lazy, &self.half, [a, b], out, groups) }
    }

    /// `out[i] ← a[i]·by`, as [`Vectors::multiply`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn scale(&self, a: *const Limbs<N>, by: &Constant<M>, out: *mut Limbs<N>, groups: usize) {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        unsafe { scale::<N, M>(&self.lazy, a, by, out, groups) }
    }
}

/// Eight pairs of neighbours, of the `i`-th group.
fn places<const N: usize>(start: *const Limbs<N>, i: usize) -> [*const u64; 8] {
    std::array::from_fn(|l| start.wrapping_add(i * GROUP + 2 * l).cast())
}

/// As [`places`], to write.
fn places_mut<const N: usize>(start: *mut Limbs<N>, i: usize) -> [*mut u64; 8] {
    places(start, i).map(<*const u64>::cast_mut)
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::multiply`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn multiply<P: Prime<N>, const N: usize, const M: usize>(
    lazy: &Lazy<M>,
    half: &Constant<M>,
    [a, b]: [*const Limbs<N>; 2],
    out: *mut Limbs<N>,
    groups: usize,
) {
    for i in 0..groups {
        // SAFETY: two elements at each place.
        let ((x, y), (u, v)) = unsafe { (pairs::load::<N, M>(places(a, i)), pairs::load::<N, M>(places(b, i))) };
        let x = x.product(&u, half, P::BITS, lazy).below_two(lazy).canonical(lazy);
        let y = y.product(&v, half, P::BITS, lazy).below_two(lazy).canonical(lazy);
        // SAFETY: two elements at each place.
        unsafe { pairs::store::<N, M>(places_mut(out, i), x, y) };
    }
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::scale`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn scale<const N: usize, const M: usize>(
    lazy: &Lazy<M>,
    a: *const Limbs<N>,
    by: &Constant<M>,
    out: *mut Limbs<N>,
    groups: usize,
) {
    for i in 0..groups {
        // SAFETY: two elements at each place.
        let (x, y) = unsafe { pairs::load::<N, M>(places(a, i)) };
        let x = x.times_constant::<FINE>(by, lazy).canonical(lazy);
        let y = y.times_constant::<FINE>(by, lazy).canonical(lazy);
        // SAFETY: two elements at each place.
        unsafe { pairs::store::<N, M>(places_mut(out, i), x, y) };
    }
}

impl<const M: usize> Lanes<M> {
    /// `a·b mod p` of normalised canonical numbers, loose, below `(2M + 2)p`; `half` is `2^(bits - 1)`.
    ///
    /// Barrett's reduction (1986): with `h = ⌊a·b/2^(bits-1)⌋` and `m = ⌊2^(52M+bits-1)/p⌋`, `⌊h·m/2^(52M)⌋` falls short of
    /// the quotient by two units, and by `2M - 1` more as columns are left out.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn product(&self, b: &Self, half: &Constant<M>, bits: u32, lazy: &Lazy<M>) -> Self {
        let zero = _mm512_setzero_si512();
        let (mut low, mut high) = ([zero; M], [zero; M]);
        for i in 0..M {
            for j in 0..M {
                let (k, x, y) = (i + j, self.0[i], b.0[j]);
                let slot = if k < M { &mut low[k] } else { &mut high[k - M] };
                *slot = _mm512_madd52lo_epu64(*slot, x, y);
                let slot = if k + 1 < M { &mut low[k + 1] } else { &mut high[k + 1 - M] };
                *slot = _mm512_madd52hi_epu64(*slot, x, y);
            }
        }
        let mut limb = low[0];
        for k in 1..M {
            limb = _mm512_add_epi64(low[k], _mm512_srli_epi64::<52>(limb));
        }
        let up = (LIMB * M) as u64 + 1 - u64::from(bits);
        let (up, down) = (all(up), all(LIMB as u64 - up));
        let mut h = [zero; M];
        for k in 0..M {
            let part = _mm512_srlv_epi64(_mm512_and_si512(limb, all((1 << LIMB) - 1)), down);
            limb = _mm512_add_epi64(high[k], _mm512_srli_epi64::<52>(limb));
            h[k] = _mm512_or_si512(_mm512_sllv_epi64(limb, up), part);
        }
        Self(h).remainder::<COARSE>(half, lazy, low)
    }
}
