#pragma once
// Sums or products of all elements of a line up to each.
//
// Short lines are scanned by a warp each. Of others every tile is reduced, the tiles' totals are scanned by the same means, and
// then the tiles, each from what is before it. That reads elements twice, where decoupled look-back would read them once; but it
// adds floats in the same order in every run.
#include "shape.cuh"
#include "../vec/access.cuh"
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>

namespace icicle {

typedef double f64;

struct alignas(8) c128 {
  f64 re, im;
};

// How two elements are joined. Complex products are rounded after each operation, as on the host.
template <class T>
struct Join {
  bool product;
  IC_D T start() const { return product ? (T)1 : (T)0; }
  IC_D T operator()(T a, T b) const { return product ? a * b : a + b; }
};
template <>
struct Join<c128> {
  bool product;
  IC_D c128 start() const { return {product ? 1.0 : 0.0, 0.0}; }
  IC_D c128 operator()(const c128& a, const c128& b) const
  {
    if (!product) { return {a.re + b.re, a.im + b.im}; }
    return {__dsub_rn(__dmul_rn(a.re, b.re), __dmul_rn(a.im, b.im)), __dadd_rn(__dmul_rn(a.re, b.im), __dmul_rn(a.im, b.re))};
  }
};

// Lines of up to WARP_LINE, a warp each; any grid. `out` has lines of `length + first`, which begin with the start if `first` is 1.
template <class T>
IC_D void scan_lines(const T* x, T* out, u64 lines, u64 length, u64 first, u32 product)
{
  using Scan = cub::WarpScan<T>;
  __shared__ typename Scan::TempStorage shared[SCAN.threads / 32];
  Join<T> join = {product != 0};
  u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (u64 line = (u64)blockIdx.x * (SCAN.threads / 32) + warp; line < lines; line += (u64)gridDim.x * (SCAN.threads / 32)) {
    const T* from = x + line * length;
    T* to = out + line * (length + first);
    T carry = join.start();
    if (first && lane == 0) { to[0] = carry; }
    for (u64 at = 0; at < length; at += 32) {
      T value = at + lane < length ? from[at + lane] : join.start(), sum, all;
      Scan(shared[warp]).InclusiveScan(value, sum, join, all);
      __syncwarp();
      if (at + lane < length) { to[first + at + lane] = join(carry, sum); }
      carry = join(carry, all);
    }
  }
}

// A block a tile of `tiles` a line: `totals[line·tiles + tile]` = all of its elements. Any grid.
template <class T>
IC_D void scan_totals(const T* x, T* totals, u64 lines, u64 length, u64 tiles, u32 product)
{
  using Reduce = cub::BlockReduce<T, SCAN.threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  __shared__ typename Reduce::TempStorage shared;
  Join<T> join = {product != 0};
  for (u64 k = blockIdx.x; k < lines * tiles; k += gridDim.x) {
    u64 at = k % tiles * SCAN.size();
    const T* from = x + k / tiles * length;
    T sum = join.start();
    IC_UNROLL
    for (u32 i = 0; i < SCAN.items; i++) {
      u64 place = at + i * SCAN.threads + threadIdx.x;
      if (place < length) { sum = join(sum, from[place]); }
    }
    sum = Reduce(shared).Reduce(sum, join);
    if (threadIdx.x == 0) { totals[k] = sum; }
    __syncthreads(); // before the memory is used again
  }
}

// A block a tile: what is up to each element, from `before[line·(tiles + 1) + tile]` on. `out` as of `scan_lines`. Any grid.
template <class T>
IC_D void scan_tiles(const T* x, const T* before, T* out, u64 lines, u64 length, u64 tiles, u64 first, u32 product)
{
  using Exchange = cub::BlockExchange<T, SCAN.threads, SCAN.items>;
  using Scan = cub::BlockScan<T, SCAN.threads>;
  __shared__ union {
    typename Exchange::TempStorage exchange;
    typename Scan::TempStorage scan;
  } shared;
  Join<T> join = {product != 0};
  for (u64 k = blockIdx.x; k < lines * tiles; k += gridDim.x) {
    u64 line = k / tiles, at = k % tiles * SCAN.size();
    const T* from = x + line * length;
    T* to = out + line * (length + first);
    T values[SCAN.items];
    IC_UNROLL
    for (u32 i = 0; i < SCAN.items; i++) {
      u64 place = at + i * SCAN.threads + threadIdx.x;
      values[i] = place < length ? from[place] : join.start();
    }
    Exchange(shared.exchange).StripedToBlocked(values, values);
    __syncthreads();
    Scan(shared.scan).InclusiveScan(values, values, join);
    __syncthreads();
    Exchange(shared.exchange).BlockedToStriped(values, values);
    T carry = before[line * (tiles + 1) + k % tiles];
    if (first && at == 0 && threadIdx.x == 0) { to[0] = carry; }
    IC_UNROLL
    for (u32 i = 0; i < SCAN.items; i++) {
      u64 place = at + i * SCAN.threads + threadIdx.x;
      if (place < length) { to[first + place] = join(carry, values[i]); }
    }
    __syncthreads(); // before the memory is used again
  }
}

} // namespace icicle
