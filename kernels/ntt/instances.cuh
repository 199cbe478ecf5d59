#pragma once
// The transforms of a field, under the names of `src/ntt.rs`. Argument: the field's name in `fields_gen.cuh`.
#include "pass.cuh"
#include "tables.cuh"

#define IC_NTT_PASS(name, op, DOWN, SMALL)                                                                             \
  extern "C" __global__ void __launch_bounds__(icicle::NttSize<icicle::fields::name::WORDS, SMALL>::THREADS,           \
                                               icicle::NttSize<icicle::fields::name::WORDS, SMALL>::BLOCKS)            \
    name##_##op(const icicle::u32* a, icicle::u32* out, const icicle::u32* table, const icicle::u32* factors,          \
                icicle::u64 inner, icicle::u64 groups, const __grid_constant__ icicle::NttShape shape)                 \
  {                                                                                                                    \
    icicle::ntt_pass<icicle::fields::name, DOWN, SMALL>(a, out, table, factors, inner, groups, shape);                 \
  }

// Of large elements, in addition.
#define IC_NTT_SMALL(name)                                                                                             \
  IC_NTT_PASS(name, ntt_down_small, true, true)                                                                        \
  IC_NTT_PASS(name, ntt_up_small, false, true)

#define IC_NTT_KERNELS(name)                                                                                           \
  IC_NTT_PASS(name, ntt_down, true, false)                                                                             \
  IC_NTT_PASS(name, ntt_up, false, false)                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                                    \
    name##_ntt_products(icicle::u32* out, icicle::u32 count,                                                           \
                        const __grid_constant__ icicle::NttBits<icicle::fields::name::WORDS> bits)                     \
  {                                                                                                                    \
    icicle::ntt_products<icicle::fields::name>(out, count, bits);                                                      \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256)                                                                    \
    name##_ntt_multiply(const icicle::u32* a, icicle::u32* out, icicle::u32 count, icicle::u64 width,                  \
                        icicle::u64 batch,                                                                             \
                        const __grid_constant__ icicle::NttBits<icicle::fields::name::WORDS> bits)                     \
  {                                                                                                                    \
    icicle::ntt_multiply<icicle::fields::name>(a, out, count, width, batch, bits);                                     \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(256)                                                                    \
    name##_ntt_shift(const icicle::u32* table, icicle::u32* out, icicle::u32 log_n, icicle::u32 levels,                \
                     const __grid_constant__ icicle::NttBits<icicle::fields::name::WORDS> bits)                        \
  {                                                                                                                    \
    icicle::ntt_shift<icicle::fields::name>(table, out, log_n, levels, bits);                                          \
  }
