//! Vectors of canonical numbers, eight elements at a time.

use super::constant::{COARSE, Constant, FINE, Lazy};
use super::ifma::{LIMB, Lanes, all};
use super::rows;
use super::words::Words;
use crate::Limbs;
use crate::fp::Fp;
use core::arch::x86_64::*;
use icicle_params::Prime;
use std::marker::PhantomData;

pub use super::rows::GROUP;

/// Arithmetic on vectors of a prime field; there is one only where the processor has what it takes.
///
/// Its functions compute groups of [`GROUP`] elements, each group read before it is written.
pub struct Vectors<P, const N: usize, const M: usize> {
    pub(super) lazy: Lazy<M>,
    pub(super) p: Words<N>,
    /// `2^(BITS - 1)`: its quotient is what [`Lanes::product`] estimates with.
    half: Constant<M>,
    prime: PhantomData<P>,
}

/// Where results go.
#[derive(Clone, Copy)]
pub struct Results<const N: usize> {
    /// The first.
    pub start: *mut Limbs<N>,
    /// How many times [`GROUP`].
    pub groups: usize,
    /// Whether they are written by streaming (non-temporal) stores; their address is a multiple of 16 then.
    pub streaming: bool,
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
            let half = Constant::new(Fp::<P, N>::from_canonical(half));
            // SAFETY: the processor has the features, as just checked.
            unsafe { Self { lazy: Lazy::of::<P, N>(), p: Words::repeat(&P::MODULUS), half, prime: PhantomData } }
        })
    }

    /// `a[i] + b[i]`.
    ///
    /// # Safety
    /// As many elements may be read at each operand and written at `to`; each operand is exactly that memory or apart from it.
    pub unsafe fn add(&self, operands: [*const Limbs<N>; 2], to: Results<N>) {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        unsafe { add(&self.p, operands, to) }
    }

    /// `a[i] - b[i]`.
    ///
    /// # Safety
    /// As [`Vectors::add`].
    pub unsafe fn subtract(&self, operands: [*const Limbs<N>; 2], to: Results<N>) {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        unsafe { subtract(&self.p, operands, to) }
    }

    /// `a[i]·b[i]`.
    ///
    /// # Safety
    /// As [`Vectors::add`].
    pub unsafe fn multiply(&self, operands: [*const Limbs<N>; 2], to: Results<N>) {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        unsafe { multiply::<P, N, M>(&self.lazy, &self.half, operands, to) }
    }

    /// `s + v[i]`.
    ///
    /// # Safety
    /// As [`Vectors::add`].
    pub unsafe fn add_to(&self, s: &Limbs<N>, v: *const Limbs<N>, to: Results<N>) {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        unsafe { add_to(&self.p, s, v, to) }
    }

    /// `s - v[i]`.
    ///
    /// # Safety
    /// As [`Vectors::add`].
    pub unsafe fn subtract_from(&self, s: &Limbs<N>, v: *const Limbs<N>, to: Results<N>) {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        unsafe { subtract_from(&self.p, s, v, to) }
    }

    /// `v[i]·by`.
    ///
    /// # Safety
    /// As [`Vectors::add`].
    pub unsafe fn scale(&self, by: &Constant<M>, v: *const Limbs<N>, to: Results<N>) {
        // SAFETY: the processor has the features, as this value exists; the rest is the caller's.
        unsafe { scale::<N, M>(&self.lazy, by, v, to) }
    }
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::add`].
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
unsafe fn each<const N: usize, const K: usize>(
    operands: [*const Limbs<N>; K],
    to: Results<N>,
    compute: impl Fn([Words<N>; K]) -> Words<N>,
) {
    let zero = Words([_mm512_setzero_si512(); N]);
    for i in 0..to.groups {
        let mut halves = [[zero; K]; 2];
        for k in 0..K {
            // SAFETY: a group of elements.
            let [x, y] = unsafe { rows::load(operands[k].add(GROUP * i).cast()) };
            (halves[0][k], halves[1][k]) = (x, y);
        }
        // Called from one place, so that it becomes part of the loop.
        let mut results = [zero; 2];
        for h in 0..2 {
            results[h] = compute(halves[h]);
        }
        // SAFETY: a group of elements.
        unsafe { rows::store(to.start.add(GROUP * i).cast(), results, to.streaming) };
    }
    if to.streaming {
        rows::store_fence();
    }
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::add`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn add<const N: usize>(p: &Words<N>, operands: [*const Limbs<N>; 2], to: Results<N>) {
    // SAFETY: this function's.
    unsafe { each(operands, to, |[a, b]| a.sum(&b, p)) };
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::add`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn subtract<const N: usize>(p: &Words<N>, operands: [*const Limbs<N>; 2], to: Results<N>) {
    // SAFETY: this function's.
    unsafe { each(operands, to, |[a, b]| a.difference(&b, p)) };
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::add`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn add_to<const N: usize>(p: &Words<N>, s: &Limbs<N>, v: *const Limbs<N>, to: Results<N>) {
    let s = Words::repeat(&{ s.0 });
    // SAFETY: this function's.
    unsafe { each([v], to, |[v]| s.sum(&v, p)) };
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::add`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn subtract_from<const N: usize>(p: &Words<N>, s: &Limbs<N>, v: *const Limbs<N>, to: Results<N>) {
    let s = Words::repeat(&{ s.0 });
    // SAFETY: this function's.
    unsafe { each([v], to, |[v]| s.difference(&v, p)) };
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::add`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn multiply<P: Prime<N>, const N: usize, const M: usize>(
    lazy: &Lazy<M>,
    half: &Constant<M>,
    operands: [*const Limbs<N>; 2],
    to: Results<N>,
) {
    let product = |[a, b]: [Words<N>; 2]| {
        let product = Lanes::from_words(&a.0).product(&Lanes::from_words(&b.0), half, P::BITS, lazy);
        Words(product.below_two(lazy).canonical(lazy).to_words())
    };
    // SAFETY: this function's.
    unsafe { each(operands, to, product) };
}

/// # Safety
/// AVX-512 IFMA; as [`Vectors::add`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn scale<const N: usize, const M: usize>(lazy: &Lazy<M>, by: &Constant<M>, v: *const Limbs<N>, to: Results<N>) {
    let product =
        |[v]: [Words<N>; 1]| Words(Lanes::from_words(&v.0).times_constant::<FINE>(by, lazy).canonical(lazy).to_words());
    // SAFETY: this function's.
    unsafe { each([v], to, product) };
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
        // Columns leave at the low end, so that no index depends on two loops.
        let (mut low, mut high) = ([zero; M], [zero; M]);
        for i in 0..M {
            for j in 0..M {
                high[j] = _mm512_madd52lo_epu64(high[j], self.0[j], b.0[i]);
            }
            low[i] = high[0];
            for j in 1..M {
                high[j - 1] = _mm512_madd52hi_epu64(high[j], self.0[j - 1], b.0[i]);
            }
            high[M - 1] = _mm512_madd52hi_epu64(zero, self.0[M - 1], b.0[i]);
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
