// Sorting of arrays: passes over long lines, and short lines at once.
#include "../array/indices.cuh"
#include "../array/lines.cuh"
#include "../array/radix.cuh"

using namespace icicle;

// Of keys of `K` with indices of `W` bits.
#define PASSES(KEY, K, BITS, W)                                                                                                 \
  extern "C" __global__ void __launch_bounds__(HISTOGRAM.threads)                                                               \
    KEY##_histogram##BITS(W* bins, const K* keys, W n, i32 end_bit, OrderMasks order)                                           \
  {                                                                                                                             \
    count_digits<K, W>(bins, keys, n, end_bit, order);                                                                          \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(onesweep_tile(sizeof(K), 0, sizeof(W)).threads) KEY##_keys##BITS(                \
    i32* lookback, i32* counter, W* bins_out, const W* bins_in, K* keys_out, const K* keys_in, i32 n, i32 bit, i32 bits,        \
    OrderMasks order)                                                                                                           \
  {                                                                                                                             \
    cub::NullType* none = nullptr;                                                                                              \
    onesweep<K, cub::NullType, W>(                                                                                              \
      lookback, counter, bins_out, bins_in, keys_out, keys_in, none, none, n, bit, bits, order);                                \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(onesweep_tile(sizeof(K), sizeof(W), sizeof(W)).threads) KEY##_pairs##BITS(       \
    i32* lookback, i32* counter, W* bins_out, const W* bins_in, K* keys_out, const K* keys_in, W* values_out,                   \
    const W* values_in, i32 n, i32 bit, i32 bits, OrderMasks order)                                                             \
  {                                                                                                                             \
    onesweep<K, W, W>(                                                                                                          \
      lookback, counter, bins_out, bins_in, keys_out, keys_in, values_out, values_in, n, bit, bits, order);                     \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(256)                                                                             \
    KEY##_gather##BITS(const K* in, const W* indices, K* out, W n, OrderMasks order)                                            \
  {                                                                                                                             \
    gather(in, indices, out, n, order);                                                                                         \
  }

#define LANES(KEY, K, T)                                                                                                        \
  extern "C" __global__ void __launch_bounds__(LANES_BLOCK)                                                                     \
    KEY##_lines##T(const K* in, K* out, u64 lines, u32 length, OrderMasks order)                                                \
  {                                                                                                                             \
    sort_by_lanes<K, false, LINE_TILES[T].threads, LINE_TILES[T].items>(in, out, lines, length, order);                         \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(LANES_BLOCK)                                                                     \
    KEY##_line_indices##T(const K* in, i64* out, u64 lines, u32 length, OrderMasks order)                                       \
  {                                                                                                                             \
    sort_by_lanes<K, true, LINE_TILES[T].threads, LINE_TILES[T].items>(in, out, lines, length, order);                          \
  }

#define BLOCK(KEY, K, T)                                                                                                        \
  extern "C" __global__ void __launch_bounds__(LINE_TILES[T].threads)                                                           \
    KEY##_lines##T(const K* in, K* out, u64 lines, u32 length, OrderMasks order)                                                \
  {                                                                                                                             \
    sort_by_block<K, false, LINE_TILES[T].threads, LINE_TILES[T].items>(in, out, lines, length, order);                         \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(LINE_TILES[T].threads)                                                           \
    KEY##_line_indices##T(const K* in, i64* out, u64 lines, u32 length, OrderMasks order)                                       \
  {                                                                                                                             \
    sort_by_block<K, true, LINE_TILES[T].threads, LINE_TILES[T].items>(in, out, lines, length, order);                          \
  }

#define KEYS(KEY, K)                                                                                                            \
  PASSES(KEY, K, 32, u32)                                                                                                       \
  PASSES(KEY, K, 64, u64)                                                                                                       \
  LANES(KEY, K, 0)                                                                                                              \
  LANES(KEY, K, 1)                                                                                                              \
  BLOCK(KEY, K, 2)                                                                                                              \
  BLOCK(KEY, K, 3)

KEYS(key1, u8)
KEYS(key2, unsigned short)
KEYS(key4, u32)
KEYS(key8, u64)

#define INDICES(BITS, W)                                                                                                        \
  extern "C" __global__ void __launch_bounds__(DIGITS) digit_starts##BITS(W* bins) { digit_starts(bins); }                      \
  extern "C" __global__ void __launch_bounds__(256) number##BITS(W* out, W n) { number(out, n); }                               \
  extern "C" __global__ void __launch_bounds__(256) line_numbers##BITS(const W* indices, u32* out, W n, W length)               \
  {                                                                                                                             \
    line_numbers(indices, out, n, length);                                                                                      \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(256) places##BITS(const W* indices, i64* out, W n, W length)                     \
  {                                                                                                                             \
    places(indices, out, n, length);                                                                                            \
  }

INDICES(32, u32)
INDICES(64, u64)
