#pragma once
// Many short lines, each sorted at once by a block or by some lanes of a warp.
#include "order.cuh"
#include "shape.cuh"
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_merge_sort.cuh>

namespace icicle {

// A place in a line.
typedef unsigned short Place;

struct Below {
  template <class K>
  IC_D bool operator()(K a, K b) const
  {
    return a < b;
  }
};

// What a sorted line leaves: its elements, or with INDICES where they were.
template <bool INDICES, class K>
IC_D void leave(const Order<K>& order, void* out, u64 at, K key, Place place)
{
  if constexpr (INDICES) {
    ((i64*)out)[at] = place;
  } else {
    ((K*)out)[at] = order.bits(key);
  }
}

// Lines of up to a tile, by `LANES` lanes each; blocks of LANES_BLOCK threads, any grid. A tile is filled up
// with the highest word, behind all elements of the line that have it.
template <class K, bool INDICES, u32 LANES, u32 ITEMS>
IC_D void sort_by_lanes(const K* in, void* out, u64 lines, u32 length, const OrderMasks& masks)
{
  constexpr u32 GROUPS = LANES_BLOCK / LANES;
  using Sort = cub::WarpMergeSort<K, ITEMS, LANES, Place>;
  __shared__ typename Sort::TempStorage shared[GROUPS];
  Order<K> order = Order<K>::of(masks);
  u32 group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
  for (u64 line = (u64)blockIdx.x * GROUPS + group; line < lines; line += (u64)gridDim.x * GROUPS) {
    K keys[ITEMS];
    Place places[ITEMS];
    IC_UNROLL
    for (u32 k = 0; k < ITEMS; k++) {
      u32 i = lane * ITEMS + k;
      keys[k] = i < length ? order.key(in[line * length + i]) : (K)~(K)0;
      places[k] = (Place)i;
    }
    Sort sort(shared[group]);
    sort.StableSort(keys, places, Below());
    IC_UNROLL
    for (u32 k = 0; k < ITEMS; k++) {
      u32 i = lane * ITEMS + k;
      if (i < length) { leave<INDICES>(order, out, line * length + i, keys[k], places[k]); }
    }
    __syncwarp(sort.get_member_mask()); // before the group's memory is used again
  }
}

// Lines of up to a tile, by a block of `THREADS` each; any grid.
template <class K, bool INDICES, u32 THREADS, u32 ITEMS>
IC_D void sort_by_block(const K* in, void* out, u64 lines, u32 length, const OrderMasks& masks)
{
  using Load = cub::BlockLoad<K, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<K, THREADS, ITEMS, Place>;
  using SortKeys = cub::BlockRadixSort<K, THREADS, ITEMS>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename SortKeys::TempStorage sort_keys;
  } shared;
  Order<K> order = Order<K>::of(masks);
  for (u64 line = blockIdx.x; line < lines; line += gridDim.x) {
    K keys[ITEMS];
    Place places[ITEMS];
    Load(shared.load).Load(in + line * length, keys, (int)length, order.highest());
    IC_UNROLL
    for (u32 k = 0; k < ITEMS; k++) {
      keys[k] = order.key(keys[k]);
      places[k] = (Place)(threadIdx.x * ITEMS + k);
    }
    __syncthreads();
    if constexpr (INDICES) {
      Sort(shared.sort).SortBlockedToStriped(keys, places);
    } else {
      SortKeys(shared.sort_keys).SortBlockedToStriped(keys);
    }
    IC_UNROLL
    for (u32 k = 0; k < ITEMS; k++) {
      u32 i = k * THREADS + threadIdx.x;
      if (i < length) { leave<INDICES>(order, out, line * length + i, keys[k], places[k]); }
    }
    __syncthreads(); // before the memory is used again
  }
}

} // namespace icicle
