// Scans of arrays, places where a mask is true, rows by their places, places in sorted arrays, numbers at equal
// distances, a few bytes for the host.
#include "../array/compact.cuh"
#include "../array/rows.cuh"
#include "../array/scan.cuh"
#include "../array/search.cuh"
#include "../array/sequence.cuh"
#include "../array/to_host.cuh"

using namespace icicle;

#define SCANS(NAME, T, E)                                                                                                       \
  extern "C" __global__ void __launch_bounds__(SCAN.threads)                                                                    \
    scan_lines_##NAME(const E* x, E* out, u64 lines, u64 length, u64 first, u32 product)                                        \
  {                                                                                                                             \
    scan_lines<T>(x, out, lines, length, first, product);                                                                       \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(SCAN.threads)                                                                    \
    scan_totals_##NAME(const E* x, T* totals, u64 lines, u64 length, u64 tiles, u32 product)                                    \
  {                                                                                                                             \
    scan_totals<T>(x, totals, lines, length, tiles, product);                                                                   \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(SCAN.threads)                                                                    \
    scan_tiles_##NAME(const E* x, const T* before, E* out, u64 lines, u64 length, u64 tiles, u64 first, u32 product)            \
  {                                                                                                                             \
    scan_tiles<T>(x, before, out, lines, length, tiles, first, product);                                                        \
  }

SCANS(u64, u64, u64)
SCANS(f32, f64, float)
SCANS(f64, f64, f64)
SCANS(c128, c128, c128)

extern "C" __global__ void __launch_bounds__(COMPACT.threads)
  mask_counts(const u8* mask, u64* counts, u64 n, u64 tiles)
{
  count_true(mask, counts, n, tiles);
}
extern "C" __global__ void __launch_bounds__(COMPACT.threads)
  mask_places(const u8* mask, const u64* starts, i64* out, u64 n, u64 tiles)
{
  true_places(mask, starts, out, n, tiles);
}
extern "C" __global__ void __launch_bounds__(256) run_lengths(const i64* starts, i64* out, u64 runs, u64 n)
{
  icicle::run_lengths(starts, out, runs, n);
}
extern "C" __global__ void __launch_bounds__(256)
  run_numbers(const i64* order, const i64* starts, i64* out, u64 runs, u64 n)
{
  icicle::run_numbers(order, starts, out, runs, n);
}

extern "C" __global__ void __launch_bounds__(256) sequence_integers(u64* out, u64 n, u64 from, u64 by)
{
  integers(out, n, from, by);
}
extern "C" __global__ void __launch_bounds__(256)
  sequence_reals(double* out, u64 n, u64 stride, double from, double by, u32 ends, double to)
{
  reals(out, n, stride, from, by, ends, to);
}

extern "C" __global__ void __launch_bounds__(256) few_to_host(const u8* from, u8* to, u64 bytes)
{
  to_host(from, to, bytes);
}

#define SEARCHES(KEY, K)                                                                                                        \
  extern "C" __global__ void __launch_bounds__(256) KEY##_search(                                                               \
    const K* sorted, const K* values, i64* out, u64 length, u64 count, u32 right, OrderMasks order)                             \
  {                                                                                                                             \
    search(sorted, values, out, length, count, right, order);                                                                   \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(256) KEY##_run_starts(const K* sorted, u8* out, u64 n, OrderMasks order)         \
  {                                                                                                                             \
    run_starts(sorted, out, n, order);                                                                                          \
  }

SEARCHES(key1, u8)
SEARCHES(key2, unsigned short)
SEARCHES(key4, u32)
SEARCHES(key8, u64)

extern "C" __global__ void __launch_bounds__(256)
  row_places(const i64* indices, i64* rows, u64* bad, u64 n, u64 extent, u32 first, u32 wraps)
{
  icicle::row_places(indices, rows, bad, n, extent, first, wraps);
}
extern "C" __global__ void __launch_bounds__(256) axis_indices(const i64* places, i64* out, u64 n, u64 step, u64 extent)
{
  icicle::axis_indices(places, out, n, step, extent);
}
extern "C" __global__ void __launch_bounds__(256) enter_rows(const i64* rows, RowSlot* slots, u64 n, u64 mask)
{
  icicle::enter_rows(rows, slots, n, mask);
}
extern "C" __global__ void __launch_bounds__(256) keep_last_rows(i64* rows, RowSlot* slots, u64 n, u64 mask)
{
  icicle::keep_last_rows(rows, slots, n, mask);
}

#define ROWS(WORD, W)                                                                                                           \
  extern "C" __global__ void __launch_bounds__(256) WORD##_take_rows(                                                           \
    const W* x, const i64* places, W* out, u64 outer, u64 extent, u64 taken, u64 width, u32 each, u32 log_lanes)                \
  {                                                                                                                             \
    take_rows(x, places, out, outer, extent, taken, width, each, log_lanes);                                                    \
  }                                                                                                                             \
  extern "C" __global__ void __launch_bounds__(256)                                                                             \
    WORD##_set_rows(W* x, const i64* rows, const W* values, u64 n, u64 width, u32 log_lanes)                                    \
  {                                                                                                                             \
    set_rows(x, rows, values, n, width, log_lanes);                                                                             \
  }

ROWS(word1, u8)
ROWS(word2, unsigned short)
ROWS(word4, u32)
ROWS(word8, u64)
ROWS(word16, Chunk)
