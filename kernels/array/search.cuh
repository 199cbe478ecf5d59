#pragma once
// Places in a sorted array, and runs of equal elements there.
#include "order.cuh"
#include "../vec/access.cuh"

namespace icicle {

#ifdef __CUDACC__
// How many of `n` ascending numbers are at most `value`.
IC_D u64 count_up_to(const i64* numbers, u64 n, i64 value)
{
  u64 first = 0;
  while (n > 0) {
    u64 half = n / 2;
    bool up = numbers[first + half] <= value;
    first = up ? first + half + 1 : first;
    n = up ? n - half - 1 : half;
  }
  return first;
}

// `out[i]` = how many of `length` sorted elements are below `values[i]`, or with `right` not above it. Any grid.
template <class K>
IC_D void search(const K* sorted, const K* values, i64* out, u64 length, u64 count, u32 right, const OrderMasks& masks)
{
  Order<K> order = Order<K>::of(masks);
  for (u64 i = thread_index(); i < count; i += thread_count()) {
    K value = order.key(values[i]);
    u64 first = 0, n = length;
    while (n > 0) {
      u64 half = n / 2;
      K key = order.key(sorted[first + half]);
      bool before = right ? key <= value : key < value;
      first = before ? first + half + 1 : first;
      n = before ? n - half - 1 : half;
    }
    out[i] = (i64)first;
  }
}

// `out[i]` = whether a run of equal elements begins at `i`; NaN equals nothing. Any grid.
template <class K>
IC_D void run_starts(const K* sorted, u8* out, u64 n, const OrderMasks& masks)
{
  Order<K> order = Order<K>::of(masks);
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    bool begins = i == 0 || order.is_nan(sorted[i]) || order.key(sorted[i]) != order.key(sorted[i - 1]);
    out[i] = (u8)begins;
  }
}

// `out[i]` = how long the run that begins at `starts[i]` is, of `runs` among `n` elements. Any grid.
IC_D void run_lengths(const i64* starts, i64* out, u64 runs, u64 n)
{
  for (u64 i = thread_index(); i < runs; i += thread_count()) {
    out[i] = (i + 1 < runs ? starts[i + 1] : (i64)n) - starts[i];
  }
}

// `out[order[i]]` = the run that `i` is in. Any grid.
IC_D void run_numbers(const i64* order, const i64* starts, i64* out, u64 runs, u64 n)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) { out[order[i]] = (i64)count_up_to(starts, runs, (i64)i) - 1; }
}
#endif

} // namespace icicle
