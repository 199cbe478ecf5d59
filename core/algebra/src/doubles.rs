//! Vectors of doubles, as wide as the processor has them: what transforms in floating point are made of.
//!
//! A [`Doubles`] is a set of instructions that the processor has; its functions are safe, as only [`Width::run`] makes one.

use crate::isa::{self, Isa};

/// A set of instructions on vectors of doubles.
///
/// Loops over them are compiled for it where all functions between [`Kernel::run`] and the loop are `#[inline(always)]`.
pub trait Doubles: Copy {
    /// Numbers in a vector, a power of two.
    const COUNT: usize;
    /// The binary logarithm of how many vectors' complex numbers registers hold, beside what is computed with them.
    const RADIX_LOG: u32;
    /// A vector in a register.
    type V: Copy;
    /// A vector in memory: `[f64; COUNT]`.
    type Block;
    /// As many words in memory: `[u64; COUNT]`.
    type Words;

    /// The vectors of a slice; what is beyond the last whole one is left out.
    fn blocks(from: &[f64]) -> &[Self::Block];
    /// As [`blocks`](Self::blocks), to write.
    fn blocks_mut(from: &mut [f64]) -> &mut [Self::Block];
    /// Words, in as many.
    fn words_mut(from: &mut [u64]) -> &mut [Self::Words];
    /// Read a vector.
    fn load(self, from: &Self::Block) -> Self::V;
    /// Write a vector.
    fn store(self, x: Self::V, to: &mut Self::Block);
    /// The same number everywhere.
    fn splat(self, x: f64) -> Self::V;
    /// a + b.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// a·b.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// a·b + c, rounded once where the instructions do that.
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// a·b - c, likewise.
    fn mul_sub(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// c - a·b, likewise.
    fn sub_mul(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// Of two vectors as runs of `run` numbers, `run` below `COUNT`: exchange the odd runs of the first with the even ones of the
    /// second. Doing it again undoes it.
    fn exchange(self, run: usize, a: Self::V, b: Self::V) -> [Self::V; 2];
    /// Add the fraction of each number, which lies between -2⁵¹ and 2⁵¹, to a word, in units of 2⁻⁶⁴ and rounded to 2⁻⁵².
    fn add_fraction(self, x: Self::V, to: &mut Self::Words);
}

/// Work over vectors of whatever width.
pub trait Kernel {
    /// What it computes.
    type Output;
    /// Do it; `#[inline(always)]`.
    fn run<D: Doubles>(self, doubles: D) -> Self::Output;
}

/// How wide vectors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Two numbers, in what the compiler makes of them.
    Portable,
    /// Four, with AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(crate::simd::doubles::Avx2),
    /// Eight, with AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(crate::simd::doubles::Avx512),
}

impl Width {
    /// All widths there may be on this processor and under `ICICLE_CPU_ISA`, the widest first.
    pub fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let vectors = {
            use crate::simd::doubles::{Avx2, Avx512};
            let chosen = isa::chosen();
            let avx512 = (chosen == Isa::Avx512).then(Avx512::available).flatten().map(Self::Avx512);
            let avx2 = (chosen >= Isa::Avx2).then(Avx2::available).flatten().map(Self::Avx2);
            avx512.into_iter().chain(avx2)
        };
        #[cfg(not(target_arch = "x86_64"))]
        let vectors = std::iter::empty();
        vectors.chain([Self::Portable])
    }

    /// The widest of which pairs fit in so many numbers; the narrowest for fewer than four.
    pub fn within(numbers: usize) -> Self {
        Self::all().find(|width| 2 * width.count() <= numbers).unwrap_or(Self::Portable)
    }

    /// Numbers in a vector.
    pub fn count(self) -> usize {
        struct Count;
        impl Kernel for Count {
            type Output = usize;
            #[inline(always)]
            fn run<D: Doubles>(self, _: D) -> usize {
                D::COUNT
            }
        }
        self.run(Count)
    }

    /// Whether a product is added without being rounded before.
    pub fn rounds_once(self) -> bool {
        self != Self::Portable || cfg!(target_arch = "aarch64")
    }

    /// Run a kernel.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Portable => kernel.run(Portable),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(avx2) => avx2.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(avx512) => avx512.run(kernel),
        }
    }
}

/// Two numbers, without any instructions of vectors that not every processor has.
#[derive(Clone, Copy)]
struct Portable;

/// a·b + c. Processors of that architecture all have an instruction for it; elsewhere it would be a call.
#[inline(always)]
fn mul_add(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(target_arch = "aarch64") { a.mul_add(b, c) } else { a * b + c }
}

/// A real number modulo 1 as a word. Adding 3·2⁵¹ rounds to an integer, and the rest plus 1.5 lies in [1, 2], whose mantissa is
/// the rest plus a half.
#[inline(always)]
fn fraction(x: f64) -> u64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let rest = x - ((x + ROUND) - ROUND);
    ((rest + 1.5).to_bits() << 12).wrapping_sub(1 << 63)
}

impl Doubles for Portable {
    const COUNT: usize = 2;
    const RADIX_LOG: u32 = 2;
    type V = [f64; 2];
    type Block = [f64; 2];
    type Words = [u64; 2];

    #[inline(always)]
    fn blocks(from: &[f64]) -> &[[f64; 2]] {
        from.as_chunks().0
    }
    #[inline(always)]
    fn blocks_mut(from: &mut [f64]) -> &mut [[f64; 2]] {
        from.as_chunks_mut().0
    }
    #[inline(always)]
    fn words_mut(from: &mut [u64]) -> &mut [[u64; 2]] {
        from.as_chunks_mut().0
    }
    #[inline(always)]
    fn load(self, from: &[f64; 2]) -> [f64; 2] {
        *from
    }
    #[inline(always)]
    fn store(self, x: [f64; 2], to: &mut [f64; 2]) {
        *to = x;
    }
    #[inline(always)]
    fn splat(self, x: f64) -> [f64; 2] {
        [x; 2]
    }
    #[inline(always)]
    fn add(self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] + b[0], a[1] + b[1]]
    }
    #[inline(always)]
    fn sub(self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] - b[0], a[1] - b[1]]
    }
    #[inline(always)]
    fn mul(self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] * b[0], a[1] * b[1]]
    }
    #[inline(always)]
    fn mul_add(self, a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> [f64; 2] {
        [mul_add(a[0], b[0], c[0]), mul_add(a[1], b[1], c[1])]
    }
    #[inline(always)]
    fn mul_sub(self, a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> [f64; 2] {
        [mul_add(a[0], b[0], -c[0]), mul_add(a[1], b[1], -c[1])]
    }
    #[inline(always)]
    fn sub_mul(self, a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> [f64; 2] {
        [mul_add(-a[0], b[0], c[0]), mul_add(-a[1], b[1], c[1])]
    }
    #[inline(always)]
    fn exchange(self, _: usize, a: [f64; 2], b: [f64; 2]) -> [[f64; 2]; 2] {
        [[a[0], b[0]], [a[1], b[1]]]
    }
    #[inline(always)]
    fn add_fraction(self, x: [f64; 2], to: &mut [u64; 2]) {
        *to = [to[0].wrapping_add(fraction(x[0])), to[1].wrapping_add(fraction(x[1]))];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of all operations on some vectors.
    struct Everything;

    impl Kernel for Everything {
        type Output = Vec<(Vec<f64>, Vec<f64>)>;
        #[inline(always)]
        fn run<D: Doubles>(self, d: D) -> Self::Output {
            let numbers = |from: f64| (0..D::COUNT).map(|i| from + i as f64).collect::<Vec<f64>>();
            let (xs, ys, zs) = (numbers(1.0), numbers(20.0), numbers(300.0));
            let [x, y, z] = [&xs, &ys, &zs].map(|from| d.load(&D::blocks(from)[0]));
            let read = |v: D::V| {
                let mut to = vec![0.0; D::COUNT];
                d.store(v, &mut D::blocks_mut(&mut to)[0]);
                to
            };
            let each =
                |f: &dyn Fn(f64, f64, f64) -> f64| (0..D::COUNT).map(|i| f(xs[i], ys[i], zs[i])).collect::<Vec<f64>>();
            let mut out = vec![
                (read(d.splat(7.0)), vec![7.0; D::COUNT]),
                (read(d.add(x, y)), each(&|x, y, _| x + y)),
                (read(d.sub(x, y)), each(&|x, y, _| x - y)),
                (read(d.mul(x, y)), each(&|x, y, _| x * y)),
                (read(d.mul_add(x, y, z)), each(&|x, y, z| x * y + z)),
                (read(d.mul_sub(x, y, z)), each(&|x, y, z| x * y - z)),
                (read(d.sub_mul(x, y, z)), each(&|x, y, z| z - x * y)),
            ];
            let mut run = 1;
            while run < D::COUNT {
                let odd = |i: usize| i / run % 2 == 1;
                let [a, b] = d.exchange(run, x, y);
                let (low, high) = (0..D::COUNT)
                    .map(|i| (if odd(i) { ys[i - run] } else { xs[i] }, if odd(i) { ys[i] } else { xs[i + run] }))
                    .unzip();
                out.extend([(read(a), low), (read(b), high)]);
                run *= 2;
            }
            out
        }
    }

    /// Fractions of numbers, added to ones.
    struct Fractions<'a>(&'a [f64]);

    impl Kernel for Fractions<'_> {
        type Output = Vec<u64>;
        #[inline(always)]
        fn run<D: Doubles>(self, d: D) -> Vec<u64> {
            let mut to = vec![1; self.0.len()];
            for (x, to) in D::blocks(self.0).iter().zip(D::words_mut(&mut to)) {
                d.add_fraction(d.load(x), to);
            }
            to
        }
    }

    #[test]
    fn every_width_computes_the_same() {
        for width in Width::all() {
            for (at, (got, expected)) in width.run(Everything).into_iter().enumerate() {
                assert_eq!(got, expected, "{width:?}, {at}");
            }
            let least = (-52f64).exp2();
            let numbers = [0.0, 0.25, -0.25, 1e9 + 0.125, 0.5, -0.5, least, -1.0 - least];
            let words = [0, 1 << 62, 3 << 62, 1 << 61, 1 << 63, 1 << 63, 1 << 12, (1u64 << 12).wrapping_neg()];
            assert_eq!(width.run(Fractions(&numbers)), words.map(|word| word + 1), "{width:?}");
        }
        assert_eq!(Width::all().last(), Some(Width::Portable));
        assert!((0..4).all(|numbers| Width::within(numbers) == Width::Portable));
        assert!(Width::within(1024).count() >= Width::within(8).count());
    }
}
