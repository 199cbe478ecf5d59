#pragma once
// Sums or products of all elements of a line up to each.
//
// Short lines are scanned by a warp each. Of others every tile is reduced, the tiles' totals are scanned by the same means, and
// then the tiles, each from what is before it. That reads elements twice, where decoupled look-back would read them once; but it
// adds floats in the same order in every run.
//
// Elements are joined as T, and may lie in memory as another type E.
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
template <class T, class E>
IC_D void scan_lines(const E* x, E* out, u64 lines, u64 length, u64 first, u32 product)
{
  using Scan = cub::WarpScan<T>;
  __shared__ typename Scan::TempStorage shared[SCAN.threads / 32];
  Join<T> join = {product != 0};
  u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (u64 line = (u64)blockIdx.x * (SCAN.threads / 32) + warp; line < lines; line += (u64)gridDim.x * (SCAN.threads / 32)) {
    const E* from = x + line * length;
    E* to = out + line * (length + first);
    T carry = join.start();
    if (first && lane == 0) { to[0] = (E)carry; }
    for (u64 at = 0; at < length; at += 32) {
      T value = at + lane < length ? (T)from[at + lane] : join.start(), sum, all;
      Scan(shared[warp]).InclusiveScan(value, sum, join, all);
      __syncwarp();
      if (at + lane < length) { to[first + at + lane] = (E)join(carry, sum); }
      carry = join(carry, all);
    }
  }
}

// A thread's elements of a tile, which follow each other, from one of a line on; the start beyond its end.
template <class E>
struct Run {
  E at[SCAN.items];

  IC_D void load(const E* line, u64 place, u64 length, E start)
  {
    constexpr u32 CHUNKS = SCAN.items * sizeof(E) / sizeof(Chunk);
    if (place + SCAN.items <= length && is_aligned(line + place)) {
      Chunk chunks[CHUNKS];
      IC_UNROLL
      for (u32 i = 0; i < CHUNKS; i++) { chunks[i] = ((const Chunk*)(line + place))[i]; }
      memcpy(at, chunks, sizeof(at));
      return;
    }
    IC_UNROLL
    for (u32 i = 0; i < SCAN.items; i++) { at[i] = place + i < length ? line[place + i] : start; }
  }
};

// The tiles of a block, every so manyth: while one is worked on, the next is on its way.
template <class E>
struct Ahead {
  const E* x;
  u64 lines, length, tiles;
  E start;
  Run<E> next;

  IC_D void fetch(u64 k)
  {
    if (k < lines * tiles) {
      next.load(x + k / tiles * length, k % tiles * SCAN.size() + threadIdx.x * SCAN.items, length, start);
    }
  }
  IC_D u64 begin()
  {
    fetch(blockIdx.x);
    return blockIdx.x;
  }
  IC_D Run<E> take(u64 k)
  {
    Run<E> run = next;
    fetch(k + gridDim.x);
    return run;
  }
};

// A block a tile of `tiles` a line: `totals[line·tiles + tile]` = all of its elements. Any grid.
template <class T, class E>
IC_D void scan_totals(const E* x, T* totals, u64 lines, u64 length, u64 tiles, u32 product)
{
  using Reduce = cub::BlockReduce<T, SCAN.threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  __shared__ typename Reduce::TempStorage shared;
  Join<T> join = {product != 0};
  Ahead<E> elements = {x, lines, length, tiles, (E)join.start()};
  for (u64 k = elements.begin(); k < lines * tiles; k += gridDim.x) {
    Run<E> run = elements.take(k);
    T sum = (T)run.at[0];
    IC_UNROLL
    for (u32 i = 1; i < SCAN.items; i++) { sum = join(sum, (T)run.at[i]); }
    sum = Reduce(shared).Reduce(sum, join);
    if (threadIdx.x == 0) { totals[k] = sum; }
    __syncthreads(); // before the memory is used again
  }
}

// A block a tile: what is up to each element, from `before[line·(tiles + 1) + tile]` on. `out` as of `scan_lines`. Any grid.
template <class T, class E>
IC_D void scan_tiles(const E* x, const T* before, E* out, u64 lines, u64 length, u64 tiles, u64 first, u32 product)
{
  using Exchange = cub::BlockExchange<E, SCAN.threads, SCAN.items>;
  using Scan = cub::BlockScan<T, SCAN.threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union {
    typename Exchange::TempStorage exchange;
    typename Scan::TempStorage scan;
  } shared;
  Join<T> join = {product != 0};
  Ahead<E> elements = {x, lines, length, tiles, (E)join.start()};
  for (u64 k = elements.begin(); k < lines * tiles; k += gridDim.x) {
    u64 line = k / tiles, at = k % tiles * SCAN.size();
    Run<E> run = elements.take(k);
    T values[SCAN.items], carry = before[line * (tiles + 1) + k % tiles];
    IC_UNROLL
    for (u32 i = 0; i < SCAN.items; i++) { values[i] = (T)run.at[i]; }
    Scan(shared.scan).InclusiveScan(values, values, join);
    E results[SCAN.items];
    IC_UNROLL
    for (u32 i = 0; i < SCAN.items; i++) { results[i] = (E)join(carry, values[i]); }
    __syncthreads();
    Exchange(shared.exchange).BlockedToStriped(results, results);
    E* to = out + line * (length + first);
    if (first && at == 0 && threadIdx.x == 0) { to[0] = (E)carry; }
    IC_UNROLL
    for (u32 i = 0; i < SCAN.items; i++) {
      u64 place = at + i * SCAN.threads + threadIdx.x;
      if (place < length) { to[first + place] = results[i]; }
    }
    __syncthreads(); // before the memory is used again
  }
}

} // namespace icicle
