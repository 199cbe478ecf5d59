#pragma once
// The transforms of a curve's points, under the names of `src/ecntt.rs`. Argument: name of the curve in
// `curves_gen.cuh`. Parameters: there.
#include "pass.cuh"

#define IC_ECNTT_KERNEL(name, op, threads) extern "C" __global__ void __launch_bounds__(threads) name##_##op

#define IC_ECNTT_KERNELS(name)                                                                                         \
  IC_ECNTT_KERNEL(name, ecntt_load, 128)                                                                               \
  (const icicle::u32* a, icicle::u32* points, icicle::u32 log_n, icicle::u64 width, icicle::u64 count,                 \
   icicle::u32 reverse)                                                                                                \
  {                                                                                                                    \
    icicle::ecntt_load<icicle::curves::name>(a, points, log_n, width, count, reverse);                                 \
  }                                                                                                                    \
  IC_ECNTT_KERNEL(name, ecntt_alone, 128)                                                                              \
  (icicle::u32* points, const icicle::u32* table, icicle::u32* multiples, icicle::u64 width, icicle::u64 count,        \
   const __grid_constant__ icicle::EcnttShape shape)                                                                   \
  {                                                                                                                    \
    using C = icicle::curves::name;                                                                                    \
    icicle::ecntt_pass<C, icicle::EcnttAlone<C>>(points, table, multiples, width, count, shape);                       \
  }                                                                                                                    \
  IC_ECNTT_KERNEL(name, ecntt_together, 32)                                                                            \
  (icicle::u32* points, const icicle::u32* table, icicle::u32* multiples, icicle::u64 width, icicle::u64 count,        \
   const __grid_constant__ icicle::EcnttShape shape)                                                                   \
  {                                                                                                                    \
    using C = icicle::curves::name;                                                                                    \
    icicle::ecntt_pass<C, icicle::EcnttTogether<C>>(points, table, multiples, width, count, shape);                    \
  }                                                                                                                    \
  IC_ECNTT_KERNEL(name, ecntt_store, 64)                                                                               \
  (const icicle::u32* points, icicle::u32* out, icicle::u32 log_n, icicle::u64 width, icicle::u64 count,               \
   icicle::u32 reverse)                                                                                                \
  {                                                                                                                    \
    icicle::ecntt_store<icicle::curves::name>(points, out, log_n, width, count, reverse);                              \
  }
