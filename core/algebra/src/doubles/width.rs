//! How wide vectors of doubles are on this processor, and work compiled for each width.

use super::instructions::{Doubles, Kernel};
use super::portable::Portable;
use crate::isa::{self, Isa};

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
