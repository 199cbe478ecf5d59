#pragma once
// Where a mask is true: counts of its tiles, whose sums say where each tile's places go, and then the places.
#include "shape.cuh"
#include "../vec/access.cuh"
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace icicle {

// A block a tile: `counts[tile]` = its bytes that are not 0. Any grid.
IC_D void count_true(const u8* mask, u64* counts, u64 n, u64 tiles)
{
  using Reduce = cub::BlockReduce<u32, COMPACT.threads>;
  __shared__ typename Reduce::TempStorage shared;
  for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    u32 sum = 0;
    IC_UNROLL
    for (u32 i = 0; i < COMPACT.items; i++) {
      u64 place = tile * COMPACT.size() + i * COMPACT.threads + threadIdx.x;
      if (place < n) { sum += mask[place] != 0; }
    }
    sum = Reduce(shared).Sum(sum);
    if (threadIdx.x == 0) { counts[tile] = sum; }
    __syncthreads(); // before the memory is used again
  }
}

// A block a tile: the places of its bytes that are not 0, ascending, from `out[starts[tile]]` on. Any grid.
IC_D void true_places(const u8* mask, const u64* starts, i64* out, u64 n, u64 tiles)
{
  using Load = cub::BlockLoad<u8, COMPACT.threads, COMPACT.items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<u32, COMPACT.threads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
  } shared;
  __shared__ unsigned short places[COMPACT.size()];
  for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    u64 first = tile * COMPACT.size(), left = n - first;
    u8 bytes[COMPACT.items];
    Load(shared.load).Load(mask + first, bytes, (int)(left < COMPACT.size() ? left : COMPACT.size()), (u8)0);
    u32 own = 0, at, all;
    IC_UNROLL
    for (u32 i = 0; i < COMPACT.items; i++) { own += bytes[i] != 0; }
    __syncthreads();
    Scan(shared.scan).ExclusiveSum(own, at, all);
    IC_UNROLL
    for (u32 i = 0; i < COMPACT.items; i++) {
      if (bytes[i] != 0) { places[at++] = (unsigned short)(threadIdx.x * COMPACT.items + i); }
    }
    __syncthreads();
    i64* to = out + starts[tile];
    for (u32 i = threadIdx.x; i < all; i += COMPACT.threads) { to[i] = (i64)(first + places[i]); }
    __syncthreads(); // before the memory is used again
  }
}

} // namespace icicle
