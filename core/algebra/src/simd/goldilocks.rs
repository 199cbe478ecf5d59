//! GoldilocksLanes, `p = 2^64 - 2^32 + 1`, in vectors of 64-bit lanes: any word stands for its residue, and a carry or borrow
//! out of a word is made good by `2^64 = 2^32 - 1` ([`EPSILON`]).

use super::tile::ROW;
use super::word_vectors::{Job, Vectors};
use crate::goldilocks::Goldilocks;
use crate::isa::{self, Isa};
use crate::{Field, Limbs};
use core::arch::x86_64::*;

const P: u64 = 0xffff_ffff_0000_0001;
/// `2^64 mod p`.
const EPSILON: u64 = 0xffff_ffff;

/// Vectors of 64-bit words. There is a value only where the processor has the instructions.
pub trait Wide: Copy + Send + Sync + 'static {
    /// A vector.
    type Vector: Copy + Send + Sync;
    /// Words of a vector.
    const WORDS: usize;
    /// The instructions, if the processor has them and may use them.
    fn available() -> Option<Self>;
    /// Do a job.
    fn enter<J: Job>(self, job: J);
    /// The same word everywhere.
    fn all(self, word: u64) -> Self::Vector;
    /// # Safety
    /// [`Wide::WORDS`] words may be read.
    unsafe fn load(self, from: *const u64) -> Self::Vector;
    /// # Safety
    /// [`Wide::WORDS`] words may be written.
    unsafe fn store(self, x: Self::Vector, to: *mut u64);
    /// Transpose as many vectors as each has words.
    fn transpose(self, vectors: &mut [Self::Vector]);
    /// Sums.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Differences.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Products of the low halves.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// High halves.
    fn high(self, a: Self::Vector) -> Self::Vector;
    /// Low halves.
    fn low(self, a: Self::Vector) -> Self::Vector;
    /// The low halves of `a`, and above them those of `b`.
    fn join(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `x + EPSILON` where `a < b`, else `x`.
    fn add_if_less(self, x: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `x - EPSILON` where `a < b`, else `x`.
    fn sub_if_less(self, x: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Any word, below `p`.
    fn canonical(self, x: Self::Vector) -> Self::Vector;
}

/// The arithmetic.
#[derive(Clone, Copy)]
pub struct GoldilocksLanes<W>(W);

impl<W: Wide> GoldilocksLanes<W> {
    /// `x·w` for words in two halves.
    #[inline(always)]
    fn product(self, x: W::Vector, [low, high]: [W::Vector; 2]) -> W::Vector {
        let v = self.0;
        let above = v.high(x);
        let (bottom, top) = (v.mul(x, low), v.mul(above, high));
        let middle = v.add(v.mul(above, low), v.high(bottom));
        let other = v.add(v.mul(x, high), v.low(middle));
        let top = v.add(v.add(top, v.high(middle)), v.high(other));
        // 2^96 = -1 and 2^64 = EPSILON; neither correction wraps a second time.
        let (bottom, share) = (v.join(bottom, other), v.high(top));
        let rest = v.sub_if_less(v.sub(bottom, share), bottom, share);
        let share = v.mul(top, v.all(EPSILON));
        let sum = v.add(rest, share);
        v.add_if_less(sum, sum, share)
    }

    /// `x + y` and `x - y`, `y` canonical.
    #[inline(always)]
    fn sum_and_difference(self, x: W::Vector, y: W::Vector) -> [W::Vector; 2] {
        let v = self.0;
        let (sum, difference) = (v.add(x, y), v.sub(x, y));
        [v.add_if_less(sum, sum, y), v.sub_if_less(difference, x, y)]
    }

    /// The address of the `k`-th vector of a row.
    #[inline(always)]
    fn at(row: &[Limbs<1>; ROW], k: usize) -> *const u64 {
        row[k * W::WORDS..][..W::WORDS].as_ptr().cast()
    }
}

impl<W: Wide, const K: usize> Vectors<K> for GoldilocksLanes<W> {
    type Field = Goldilocks;
    type Vector = W::Vector;
    type Constant = u64;
    type Factor = [W::Vector; 2];
    const LOG_ROWS: u32 = 12;
    const LEVELS: u32 = if W::WORDS == 8 { 3 } else { 2 };

    fn available() -> Option<Self> {
        const { assert!(K * W::WORDS == ROW) };
        W::available().map(Self)
    }

    #[inline(always)]
    fn constant(power: Limbs<1>) -> u64 {
        power.0[0]
    }

    #[inline(always)]
    fn power(w: Goldilocks) -> Limbs<1> {
        w.to_raw()
    }

    #[inline(always)]
    fn zero(self) -> W::Vector {
        self.0.all(0)
    }

    #[inline(always)]
    fn enter<J: Job>(self, job: J) {
        self.0.enter(job);
    }

    #[inline(always)]
    fn load(self, from: &[Limbs<1>; ROW]) -> [W::Vector; K] {
        let mut row = [self.0.all(0); K];
        for k in 0..K {
            // SAFETY: as many words as a vector has, by the slice taken there.
            row[k] = unsafe { self.0.load(Self::at(from, k)) };
        }
        row
    }

    #[inline(always)]
    fn store(self, row: [W::Vector; K], to: &mut [Limbs<1>; ROW], canonical: bool) {
        for k in 0..K {
            let x = if canonical { self.0.canonical(row[k]) } else { row[k] };
            // SAFETY: as many words as a vector has, by the slice taken there.
            unsafe { self.0.store(x, to[k * W::WORDS..][..W::WORDS].as_mut_ptr().cast()) }
        }
    }

    #[inline(always)]
    fn load_block(self, from: [&[Limbs<1>; ROW]; ROW]) -> [[W::Vector; K]; ROW] {
        let mut to = [[self.0.all(0); K]; ROW];
        for i in 0..K {
            for k in 0..K {
                let mut square = [self.0.all(0); ROW];
                for j in 0..W::WORDS {
                    // SAFETY: as in `load`.
                    square[j] = unsafe { self.0.load(Self::at(from[k * W::WORDS + j], i)) };
                }
                self.0.transpose(&mut square[..W::WORDS]);
                for j in 0..W::WORDS {
                    to[i * W::WORDS + j][k] = square[j];
                }
            }
        }
        to
    }

    #[inline(always)]
    unsafe fn store_block(
        self,
        from: &[[W::Vector; K]; ROW],
        to: &[*mut Limbs<1>; ROW],
        offset: usize,
        canonical: bool,
    ) {
        for i in 0..K {
            for k in 0..K {
                let mut square = [self.0.all(0); ROW];
                for j in 0..W::WORDS {
                    let x = from[i * W::WORDS + j][k];
                    square[j] = if canonical { self.0.canonical(x) } else { x };
                }
                self.0.transpose(&mut square[..W::WORDS]);
                for j in 0..W::WORDS {
                    // SAFETY: by contract, one vector of the sixteen elements.
                    unsafe { self.0.store(square[j], to[k * W::WORDS + j].add(offset + i * W::WORDS).cast()) }
                }
            }
        }
    }

    #[inline(always)]
    fn repeat(self, &constant: &u64) -> [W::Vector; 2] {
        [self.0.all(constant), self.0.all(constant >> 32)]
    }

    #[inline(always)]
    fn one_of(self, factors: &[[W::Vector; 2]; K], i: usize) -> [W::Vector; 2] {
        let [power, _] = &factors[i / W::WORDS];
        // SAFETY: a vector has as many words.
        let word = unsafe { (&raw const *power).cast::<u64>().add(i % W::WORDS).read() };
        [self.0.all(word), self.0.all(word >> 32)]
    }

    #[inline(always)]
    fn prepare(self, power: W::Vector) -> [W::Vector; 2] {
        [power, self.0.high(power)]
    }

    #[inline(always)]
    fn times(self, x: W::Vector, w: &[W::Vector; 2]) -> W::Vector {
        self.product(x, *w)
    }

    #[inline(always)]
    fn times_power(self, x: W::Vector, power: W::Vector) -> W::Vector {
        self.product(x, [power, self.0.high(power)])
    }

    #[inline(always)]
    fn freshen(self, x: W::Vector) -> W::Vector {
        x
    }

    #[inline(always)]
    fn raise(self, x: W::Vector) -> W::Vector {
        x
    }

    #[inline(always)]
    fn down(self, x: W::Vector, y: W::Vector, w: &[W::Vector; 2]) -> [W::Vector; 2] {
        self.sum_and_difference(x, self.0.canonical(self.product(y, *w)))
    }

    #[inline(always)]
    fn up(self, x: W::Vector, y: W::Vector, w: &[W::Vector; 2]) -> [W::Vector; 2] {
        let [sum, difference] = self.sum_and_difference(x, self.0.canonical(y));
        [sum, self.product(difference, *w)]
    }

    #[inline(always)]
    fn one(self, x: W::Vector, y: W::Vector) -> [W::Vector; 2] {
        self.sum_and_difference(x, self.0.canonical(y))
    }
}

/// A function of a vector's method: its instructions are there, as a value of the vector's type exists.
macro_rules! instructions {
    ($($function:tt)*) => {
        // SAFETY: the processor has the features, as a value of the type exists.
        unsafe { $($function)* }
    };
}

/// Eight words.
#[derive(Clone, Copy)]
pub struct Avx512(());

/// # Safety
/// The features named.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn enter_512<J: Job>(job: J) {
    job.run();
}

impl Wide for Avx512 {
    type Vector = __m512i;
    const WORDS: usize = 8;
    fn available() -> Option<Self> {
        (isa::chosen() >= Isa::Avx512).then_some(Self(()))
    }
    #[inline(always)]
    fn enter<J: Job>(self, job: J) {
        instructions!(enter_512(job))
    }
    #[inline(always)]
    fn all(self, word: u64) -> __m512i {
        instructions!(_mm512_set1_epi64(word as i64))
    }
    #[inline(always)]
    unsafe fn load(self, from: *const u64) -> __m512i {
        // SAFETY: by contract.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, x: __m512i, to: *mut u64) {
        // SAFETY: by contract.
        unsafe { _mm512_storeu_si512(to.cast(), x) }
    }
    #[inline(always)]
    fn transpose(self, vectors: &mut [__m512i]) {
        if let Some(vectors) = vectors.first_chunk_mut::<8>() {
            *vectors = instructions!(super::ifma::transpose(*vectors));
        }
    }
    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        instructions!(_mm512_add_epi64(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m512i, b: __m512i) -> __m512i {
        instructions!(_mm512_sub_epi64(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m512i, b: __m512i) -> __m512i {
        instructions!(_mm512_mul_epu32(a, b))
    }
    #[inline(always)]
    fn high(self, a: __m512i) -> __m512i {
        instructions!(_mm512_srli_epi64::<32>(a))
    }
    #[inline(always)]
    fn low(self, a: __m512i) -> __m512i {
        instructions!(_mm512_and_si512(a, _mm512_set1_epi64(EPSILON as i64)))
    }
    #[inline(always)]
    fn join(self, a: __m512i, b: __m512i) -> __m512i {
        instructions!(_mm512_mask_blend_epi32(0xaaaa, a, _mm512_slli_epi64::<32>(b)))
    }
    #[inline(always)]
    fn add_if_less(self, x: __m512i, a: __m512i, b: __m512i) -> __m512i {
        instructions!(_mm512_mask_add_epi64(x, _mm512_cmplt_epu64_mask(a, b), x, _mm512_set1_epi64(EPSILON as i64)))
    }
    #[inline(always)]
    fn sub_if_less(self, x: __m512i, a: __m512i, b: __m512i) -> __m512i {
        instructions!(_mm512_mask_sub_epi64(x, _mm512_cmplt_epu64_mask(a, b), x, _mm512_set1_epi64(EPSILON as i64)))
    }
    #[inline(always)]
    fn canonical(self, x: __m512i) -> __m512i {
        instructions!(_mm512_min_epu64(x, _mm512_sub_epi64(x, _mm512_set1_epi64(P as i64))))
    }
}

/// Four words.
#[derive(Clone, Copy)]
pub struct Avx2(());

/// # Safety
/// AVX2.
#[target_feature(enable = "avx2")]
unsafe fn enter_256<J: Job>(job: J) {
    job.run();
}

impl Avx2 {
    /// `EPSILON` where `a < b`, else 0: signed comparison of words with their top bits turned.
    #[inline(always)]
    fn epsilon_if_less(self, a: __m256i, b: __m256i) -> __m256i {
        let top = self.all(1 << 63);
        let less = instructions!(_mm256_cmpgt_epi64(_mm256_xor_si256(b, top), _mm256_xor_si256(a, top)));
        self.high(less)
    }
}

impl Wide for Avx2 {
    type Vector = __m256i;
    const WORDS: usize = 4;
    fn available() -> Option<Self> {
        (isa::chosen() >= Isa::Avx2).then_some(Self(()))
    }
    #[inline(always)]
    fn enter<J: Job>(self, job: J) {
        instructions!(enter_256(job))
    }
    #[inline(always)]
    fn all(self, word: u64) -> __m256i {
        instructions!(_mm256_set1_epi64x(word as i64))
    }
    #[inline(always)]
    unsafe fn load(self, from: *const u64) -> __m256i {
        // SAFETY: by contract.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, x: __m256i, to: *mut u64) {
        // SAFETY: by contract.
        unsafe { _mm256_storeu_si256(to.cast(), x) }
    }
    #[inline(always)]
    fn transpose(self, vectors: &mut [__m256i]) {
        if let Some(&mut [ref mut a, ref mut b, ref mut c, ref mut d]) = vectors.first_chunk_mut::<4>() {
            let (e, f) = instructions!((_mm256_unpacklo_epi64(*a, *b), _mm256_unpackhi_epi64(*a, *b)));
            let (g, h) = instructions!((_mm256_unpacklo_epi64(*c, *d), _mm256_unpackhi_epi64(*c, *d)));
            (*a, *b) =
                instructions!((_mm256_permute2x128_si256::<0x20>(e, g), _mm256_permute2x128_si256::<0x20>(f, h)));
            (*c, *d) =
                instructions!((_mm256_permute2x128_si256::<0x31>(e, g), _mm256_permute2x128_si256::<0x31>(f, h)));
        }
    }
    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        instructions!(_mm256_add_epi64(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m256i, b: __m256i) -> __m256i {
        instructions!(_mm256_sub_epi64(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m256i, b: __m256i) -> __m256i {
        instructions!(_mm256_mul_epu32(a, b))
    }
    #[inline(always)]
    fn high(self, a: __m256i) -> __m256i {
        instructions!(_mm256_srli_epi64::<32>(a))
    }
    #[inline(always)]
    fn low(self, a: __m256i) -> __m256i {
        instructions!(_mm256_and_si256(a, _mm256_set1_epi64x(EPSILON as i64)))
    }
    #[inline(always)]
    fn join(self, a: __m256i, b: __m256i) -> __m256i {
        instructions!(_mm256_blend_epi32::<0xaa>(a, _mm256_slli_epi64::<32>(b)))
    }
    #[inline(always)]
    fn add_if_less(self, x: __m256i, a: __m256i, b: __m256i) -> __m256i {
        self.add(x, self.epsilon_if_less(a, b))
    }
    #[inline(always)]
    fn sub_if_less(self, x: __m256i, a: __m256i, b: __m256i) -> __m256i {
        self.sub(x, self.epsilon_if_less(a, b))
    }
    #[inline(always)]
    fn canonical(self, x: __m256i) -> __m256i {
        // x - p is x + EPSILON modulo 2^64.
        self.add(x, self.epsilon_if_less(self.all(P - 1), x))
    }
}
