#pragma once
// Counting sort of digits by bucket: a scan of the counts, and the scatter of point numbers. Not specific to a curve.
//
// Order within a bucket is that of the atomics and differs between runs; sums of points do not depend on it, and results
// are normalised, so their bytes do not either.
#include "digits.cuh"

namespace icicle {

#ifdef __CUDACC__

constexpr u32 SCAN_THREADS = 256, SCAN_EACH = 8, SCAN_BLOCK = SCAN_THREADS * SCAN_EACH;

// Sum of `value` over the threads before this one, and over all; `shared` has 33 words.
IC_D u32 block_scan(u32 value, u32* shared, u32& all)
{
  u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = value;
  for (u32 d = 1; d < 32; d *= 2) {
    u32 other = __shfl_up_sync(0xffffffffu, sum, d);
    if (lane >= d) { sum += other; }
  }
  if (lane == 31) { shared[warp] = sum; }
  __syncthreads();
  if (warp == 0) {
    u32 part = lane < blockDim.x / 32 ? shared[lane] : 0, total = part;
    for (u32 d = 1; d < 32; d *= 2) {
      u32 other = __shfl_up_sync(0xffffffffu, total, d);
      if (lane >= d) { total += other; }
    }
    shared[lane] = total - part;
    if (lane == 31) { shared[32] = total; }
  }
  __syncthreads();
  u32 before = shared[warp] + sum - value;
  all = shared[32];
  __syncthreads();
  return before;
}

// `sums[block]` = sum of `counts[block·SCAN_BLOCK ..]`.
IC_D void scan_sums(const u32* counts, u32* sums, u32 n)
{
  __shared__ u32 shared[33];
  u32 sum = 0, all;
  for (u32 k = 0; k < SCAN_EACH; k++) {
    u64 i = (u64)blockIdx.x * SCAN_BLOCK + k * SCAN_THREADS + threadIdx.x;
    if (i < n) { sum += counts[i]; }
  }
  block_scan(sum, shared, all);
  if (threadIdx.x == 0) { sums[blockIdx.x] = all; }
}

// One block: sums before each of `n` items, in place.
IC_D void scan_top(u32* sums, u32 n)
{
  __shared__ u32 shared[33];
  u32 carry = 0, all;
  for (u32 base = 0; base < n; base += blockDim.x) {
    u32 i = base + threadIdx.x, value = i < n ? sums[i] : 0;
    u32 before = block_scan(value, shared, all);
    if (i < n) { sums[i] = carry + before; }
    carry += all;
  }
}

// `starts[i]` = `cursor[i]` = sum of `counts[0..i]`, `starts[n]` the sum of all; `starts` may be `counts`.
IC_D void scan_apply(const u32* counts, const u32* sums, u32* starts, u32* cursor, u32 n)
{
  __shared__ u32 shared[33];
  u64 first = (u64)blockIdx.x * SCAN_BLOCK + threadIdx.x * SCAN_EACH;
  u32 value[SCAN_EACH], sum = 0, all;
  IC_UNROLL
  for (u32 k = 0; k < SCAN_EACH; k++) {
    value[k] = first + k < n ? counts[first + k] : 0;
    sum += value[k];
  }
  u32 at = sums[blockIdx.x] + block_scan(sum, shared, all);
  IC_UNROLL
  for (u32 k = 0; k < SCAN_EACH; k++) {
    if (first + k < n) { starts[first + k] = cursor[first + k] = at; }
    at += value[k];
    if (first + k + 1 == n) { starts[n] = at; }
  }
}

// `entries[cursor++]` = number of the point with its sign. `keys`: `rows` rows of `length`, a multiplication's `windows`
// rows together; points of multiplication `b` are numbered from `b·set` on. x over a row, y over rows.
IC_D void scatter(const u32* keys, u32* cursor, u32* entries, u64 length, u64 rows, u32 windows, u64 set, u32 buckets)
{
  for (u64 row = blockIdx.y; row < rows; row += gridDim.y) {
    u32 first = (u32)(row / windows * set);
    for (u64 base = thread_index() / 32 * 32; base < length; base += thread_count()) {
      u64 e = base + threadIdx.x % 32;
      u32 key = e < length ? keys[row * length + e] : NO_KEY;
      u32 slot = key == NO_KEY ? NO_KEY : (u32)(row * buckets) + (key & ~NEGATIVE), leader, size, at = 0;
      u32 before = count_in_warp(slot, leader, size);
      if (slot != NO_KEY && before == 0) { at = atomicAdd(cursor + slot, size); }
      at = __shfl_sync(0xffffffffu, at, leader);
      if (slot != NO_KEY) { entries[at + before] = (first + (u32)e) | (key & NEGATIVE); }
    }
  }
}

#endif

} // namespace icicle
