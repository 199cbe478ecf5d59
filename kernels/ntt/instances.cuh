#pragma once
// The transforms of a field, under the names that `src/names.rs` lists. Argument: the field's name in `fields_gen.cuh`.
#include "pass.cuh"
#include "tables.cuh"

#define IC_NTT_PASS(name, op, DOWN)                                                                                    \
  extern "C" __global__ void __launch_bounds__(icicle::NttSize<icicle::fields::name::WORDS>::THREADS,                  \
                                               icicle::NttSize<icicle::fields::name::WORDS>::BLOCKS)                   \
    name##_##op(const icicle::u32* a, icicle::u32* out, const icicle::u32* table, const icicle::u32* factors,          \
                icicle::u64 inner, icicle::u64 groups, const __grid_constant__ icicle::NttShape shape)                 \
  {                                                                                                                    \
    icicle::ntt_pass<icicle::fields::name, DOWN>(a, out, table, factors, inner, groups, shape);                        \
  }

#define IC_NTT_KERNELS(name)                                                                                           \
  IC_NTT_PASS(name, ntt_down, true)                                                                                    \
  IC_NTT_PASS(name, ntt_up, false)                                                                                     \
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
