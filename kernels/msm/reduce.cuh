#pragma once
// From buckets to results: `Σ_w 2^start(w)·Σ_b (b + 1)·bucket[w][b]`.
//
// Each row of buckets is cut into lanes of `2^log_lane`, a thread each, which leave `Σ B_i` (plain) and `Σ (i + 1)·B_i`
// (weighted). A row's sum is `Σ weighted_l + 2^log_lane·Σ l·plain_l`, and `Σ l·plain_l` is written by the bits of `l`:
// sums of half the plain sums each, which trees compute side by side, weighted by powers of two at the very end.
#include "merge.cuh"

namespace icicle {

template <class C>
IC_HD void reduce_lane(u64 lane, const u32* starts, u32 log_lane, const Points<C>& sums, const Points<C>& plain,
                       const Points<C>& weighted)
{
  u64 first = lane << log_lane;
  Xyzz<C> running = Xyzz<C>::neutral(), total = Xyzz<C>::neutral();
  bool any = false;
  IC_NO_UNROLL
  for (u32 k = 1u << log_lane; k-- > 0;) {
    // Sums of empty buckets were never written.
    if (starts[first + k] != starts[first + k + 1]) {
      add_point(running, sums.get(first + k));
      any = true;
    }
    if (any) { add_point(total, running); }
  }
  plain.set(lane, running);
  weighted.set(lane, total);
}

// Which lane is `q`-th of the `lanes/2` with bit `k` set.
IC_HD u64 lane_with_bit(u64 q, u32 k) { return (q >> k << (k + 1)) | 1ull << k | (q & ((1ull << k) - 1)); }

// By a group of threads: a row's sum from its `1 + log_lanes` tree sums: of the weighted sums, then of the plain sums with each bit.
template <class C>
IC_HD Xyzz<C> combine_row(const Points<C>& parts, u64 row, u32 log_lanes, u32 log_lane)
{
  u64 first = row * (1 + log_lanes);
  Xyzz<C> sum = Xyzz<C>::neutral();
  IC_NO_UNROLL
  for (u32 k = log_lanes; k-- > 0;) {
    double_together(sum, 1);
    add_together(sum, parts.get(first + 1 + k));
  }
  double_together(sum, log_lane);
  add_together(sum, parts.get(first));
  return sum;
}

// By a group of threads: a multiplication's result from the sums of its windows, `wide` of `c` bits and then of one less.
template <class C>
IC_HD Projective<C> finish_result(const Points<C>& rows, u64 b, u32 windows, u32 c, u32 wide)
{
  Xyzz<C> sum = Xyzz<C>::neutral();
  IC_NO_UNROLL
  for (u32 w = windows; w-- > 0;) {
    double_together(sum, w < wide ? c : c - 1);
    add_together(sum, rows.get(b * windows + w));
  }
  return Projective<C>::from_affine(sum.to_affine()).to_raw();
}

#ifdef __CUDACC__

constexpr u32 TREE_THREADS = 128;

// Part `blockIdx.x` of row `blockIdx.y` (see `combine_row`).
template <class C>
IC_D void reduce_parts(const Points<C>& plain, const Points<C>& weighted, const Points<C>& parts, u32 log_lanes, u64 rows)
{
  __shared__ Chunk shared[TREE_THREADS / 2 * Xyzz<C>::WORDS / 4];
  Points<C> halves = {(u32*)shared};
  u32 part = blockIdx.x;
  u64 lanes = 1ull << log_lanes, count = part == 0 ? lanes : lanes / 2;
  for (u64 row = blockIdx.y; row < rows; row += gridDim.y) {
    Xyzz<C> sum = Xyzz<C>::neutral();
    IC_NO_UNROLL
    for (u64 q = threadIdx.x; q < count; q += TREE_THREADS) {
      Xyzz<C> next = part == 0 ? weighted.get(row * lanes + q) : plain.get(row * lanes + lane_with_bit(q, part - 1));
      add_point(sum, next);
    }
    IC_NO_UNROLL
    for (u32 half = TREE_THREADS / 2; half > 0; half /= 2) {
      if (threadIdx.x >= half && threadIdx.x < 2 * half) { halves.set(threadIdx.x - half, sum); }
      __syncthreads();
      if (threadIdx.x < half) { add_point(sum, halves.get(threadIdx.x)); }
      __syncthreads();
    }
    if (threadIdx.x == 0) { parts.set(row * (1 + log_lanes) + part, sum); }
  }
}

#endif

} // namespace icicle
