//! Inner loops compiled for the vector units this processor has, chosen at run time.
#![allow(unsafe_code)]

/// Work whose inner loops should use the widest vector unit.
pub(crate) trait Kernel {
    /// What it computes.
    type Output;
    /// Do it. Implementations are `#[inline(always)]`, so that [`widest`] compiles them anew for each unit.
    fn run(self) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,adx")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// Run a kernel with the widest vector unit there is.
#[inline]
pub(crate) fn widest<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! has {
            ($($feature:tt)*) => { true $(&& std::is_x86_feature_detected!($feature))* };
        }
        if has!("avx512f" "avx512bw" "avx512dq" "avx512vl" "bmi1" "bmi2" "adx") {
            // SAFETY: the processor has every feature the function is compiled for, as just detected.
            return unsafe { avx512(kernel) };
        }
        if has!("avx2" "bmi1" "bmi2") {
            // SAFETY: the processor has every feature the function is compiled for, as just detected.
            return unsafe { avx2(kernel) };
        }
    }
    kernel.run()
}
