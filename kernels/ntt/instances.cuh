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
    bool aligned = (((icicle::u64)a | (icicle::u64)out) & 15) == 0;                                                    \
    icicle::NttDense<icicle::fields::name> ends = {a, out, inner, groups, aligned};                                    \
    icicle::ntt_pass<icicle::fields::name, DOWN, SMALL>(ends, table, factors, shape);                                  \
  }

// Transforms of one pass down columns, and the pass over the low rows of transforms of rows.
#define IC_NTT_PIECES(name, way, DOWN)                                                                                 \
  extern "C" __global__ void __launch_bounds__(icicle::NttSize<icicle::fields::name::WORDS, false>::THREADS,           \
                                               icicle::NttSize<icicle::fields::name::WORDS, false>::BLOCKS)            \
    name##_ntt_##way##_columns(const icicle::u32* table, const icicle::u32* factors, icicle::u64 inner,                \
                               const __grid_constant__ icicle::NttShape shape,                                         \
                               const __grid_constant__ icicle::NttPieces from,                                         \
                               const __grid_constant__ icicle::NttPieces to)                                           \
  {                                                                                                                    \
    icicle::NttColumns<icicle::fields::name> ends = {from, to, inner};                                                 \
    icicle::ntt_pass<icicle::fields::name, DOWN, false>(ends, table, factors, shape);                                  \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(icicle::NttSize<icicle::fields::name::WORDS, false>::THREADS,           \
                                               icicle::NttSize<icicle::fields::name::WORDS, false>::BLOCKS)            \
    name##_ntt_##way##_rows(icicle::u32* memory, const icicle::u32* table, const icicle::u32* factors,                 \
                            const __grid_constant__ icicle::NttShape shape,                                            \
                            const __grid_constant__ icicle::NttRows rows,                                              \
                            const __grid_constant__ icicle::NttPieces pieces)                                          \
  {                                                                                                                    \
    icicle::NttTogether<icicle::fields::name> ends = {memory, rows, pieces};                                           \
    icicle::ntt_pass<icicle::fields::name, DOWN, false>(ends, table, factors, shape);                                  \
  }

// Of large elements, in addition.
#define IC_NTT_LARGE(name)                                                                                             \
  IC_NTT_PASS(name, ntt_down_small, true, true)                                                                        \
  IC_NTT_PASS(name, ntt_up_small, false, true)                                                                         \
  IC_NTT_PIECES(name, down, true)                                                                                      \
  IC_NTT_PIECES(name, up, false)

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
