//! Functions that return configurations of defaults, for callers that cannot run Rust's `Default`.

use crate::types::*;

/// Default options: one vector, host memory, synchronous.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_vec_ops_config_default() -> VecOpsConfig {
    VecOpsConfig::default()
}

/// Default options: projective points, `n` in each operand, host memory, synchronous.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_points_config_default() -> PointsConfig {
    PointsConfig::default()
}

/// Default options: nothing transposed, host memory, synchronous.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_matmul_config_default() -> MatMulConfig {
    MatMulConfig::default()
}

/// Default options: synchronous.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_ntt_init_domain_config_default() -> NttInitDomainConfig {
    NttInitDomainConfig::default()
}

/// Default options: one transform, no coset, natural order, host memory, synchronous.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_ntt_config_1_default() -> NttConfig1 {
    NttConfig1::default()
}

/// Default options: one transform, no coset, natural order, host memory, synchronous.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_ntt_config_2_default() -> NttConfig2 {
    NttConfig2::default()
}

/// Default options: one transform, no coset, natural order, host memory, synchronous.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_ntt_config_8_default() -> NttConfig8 {
    NttConfig8::default()
}

/// Default options: one transform, no coset, natural order, host memory, synchronous.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_ntt_config_12_default() -> NttConfig12 {
    NttConfig12::default()
}

/// Default options: one multiplication, window chosen by the library, host memory, synchronous.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_msm_config_default() -> MsmConfig {
    MsmConfig::default()
}
