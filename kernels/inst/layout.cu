// Reorderings of elements of each size.
#include "../vec/layout.cuh"

using icicle::i64;
using icicle::u32;
using icicle::u64;

#define IC_LAYOUT(W, op) extern "C" __global__ void __launch_bounds__(256) words##W##_##op

#define IC_LAYOUT_KERNELS(W)                                                                                           \
  IC_LAYOUT(W, bit_reverse_tiles)(const u32* a, u32* out, u32 log_n, u64 batch)                                        \
  {                                                                                                                    \
    icicle::bit_reverse_tiles<W>(a, out, log_n, batch);                                                                \
  }                                                                                                                    \
  IC_LAYOUT(W, bit_reverse_pairs)(const u32* a, u32* out, u32 log_n, u64 batch, u64 pitch, u64 stride)                 \
  {                                                                                                                    \
    icicle::bit_reverse_pairs<W>(a, out, log_n, batch, pitch, stride);                                                 \
  }                                                                                                                    \
  IC_LAYOUT(W, slice)                                                                                                  \
  (const u32* a, u32* out, u64 n_out, u64 batch, u64 offset, u64 step, u64 pitch, u64 out_pitch, u64 stride)           \
  {                                                                                                                    \
    icicle::slice<W>(a, out, n_out, batch, offset, step, pitch, out_pitch, stride);                                    \
  }                                                                                                                    \
  IC_LAYOUT(W, transpose)(const u32* a, u32* out, u64 rows, u64 cols, u64 batch)                                       \
  {                                                                                                                    \
    icicle::transpose<W>(a, out, rows, cols, batch);                                                                   \
  }                                                                                                                    \
  IC_LAYOUT(W, transpose_columns)(const u32* a, u32* out, u64 rows, u64 cols, u64 batch)                               \
  {                                                                                                                    \
    icicle::transpose_columns<W>(a, out, rows, cols, batch);                                                           \
  }                                                                                                                    \
  IC_LAYOUT(W, highest_non_zero)(const u32* a, i64* out, u64 n, u64 batch, u64 pitch, u64 stride)                      \
  {                                                                                                                    \
    icicle::highest_non_zero<W>(a, out, n, batch, pitch, stride);                                                      \
  }

IC_LAYOUT_KERNELS(1)
IC_LAYOUT_KERNELS(2)
IC_LAYOUT_KERNELS(4)
IC_LAYOUT_KERNELS(8)
IC_LAYOUT_KERNELS(12)
IC_LAYOUT_KERNELS(16)
IC_LAYOUT_KERNELS(24)
