//! Inner loops compiled for the vector units this processor has, chosen at run time.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use icicle_algebra::isa::{self, Isa};

/// A piece of straight-line work. `run` and everything hot below it must be `#[inline(always)]`: only what is inlined is
/// compiled for the wider instruction sets.
pub trait Kernel {
    /// Whether its loops become vector code; else there is nothing to choose, and it is compiled once.
    const VECTORS: bool;
    /// Whether vectors of 32 bytes serve better than of 64 where there are both. They do where memory sets the pace: reads of whole
    /// cache lines, of several arrays in short turns, are prefetched at half the rate on AMD's Zen 5. And where lanes are compared or
    /// shuffled.
    const NARROW: bool = false;
    /// What it computes.
    type Output;
    /// Do it.
    fn run(self) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// Run a kernel with the widest vector unit there is, or the one asked for.
#[inline]
pub fn widest<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if K::VECTORS {
        match isa::chosen() {
            // SAFETY: the processor has every feature the function is compiled for, as it was chosen from what there is.
            Isa::Avx512 if !K::NARROW => return unsafe { avx512(kernel) },
            // SAFETY: as above; what has AVX-512 has AVX2.
            Isa::Avx512 | Isa::Avx2 => return unsafe { avx2(kernel) },
            Isa::Scalar => {}
        }
    }
    kernel.run()
}
