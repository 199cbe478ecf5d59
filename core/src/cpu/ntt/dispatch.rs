//! Compile a kernel for several instruction sets and run the best one the processor has.
#![allow(unsafe_code)]

/// A piece of straight-line work. `run` and everything hot below it must be `#[inline(always)]`: only what is inlined is
/// compiled for the wider instruction sets.
pub(super) trait Kernel {
    /// Whether it has vector code; else there is nothing to choose.
    const VECTORS: bool;
    fn run(self);
}

/// Run a kernel.
#[inline]
pub(super) fn run<K: Kernel>(kernel: K) {
    #[cfg(target_arch = "x86_64")]
    if K::VECTORS {
        if has_avx512() {
            // SAFETY: every feature the function is compiled with was just detected.
            return unsafe { with_avx512(kernel) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the feature the function is compiled with was just detected.
            return unsafe { with_avx2(kernel) };
        }
    }
    kernel.run();
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn with_avx512<K: Kernel>(kernel: K) {
    kernel.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<K: Kernel>(kernel: K) {
    kernel.run();
}
