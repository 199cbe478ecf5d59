#pragma once
// Threads and elements of the kernels that sort, scan and compact. `src/array_sort.rs` and `src/array_scan.rs` have the same
// numbers, which `tests/array.cpp` compares.
#include "../field/base.cuh"

namespace icicle {

constexpr u32 DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS;

struct BlockTile {
  u32 threads, items;
  constexpr IC_HD u32 size() const { return threads * items; }
};

// A tile of a pass over keys of `key` bytes with values of `value` bytes (none: 0), which count in `offset` bytes: what CUB
// 3.0 measured best on architecture 9.0 (cub/device/dispatch/tuning/tuning_radix_sort.cuh: Policy900), after its
// scaling by the larger of key and value. What fits 48 KiB of shared memory does so on every architecture.
constexpr IC_HD BlockTile onesweep_tile(u32 key, u32 value, u32 offset)
{
  if (value == 0) {
    return key <= 2 ? BlockTile{512, 19} : key == 4 ? BlockTile{384, offset == 4 ? 20u : 19u} : BlockTile{384, 15};
  }
  if (value == 4) { return key <= 2 ? BlockTile{512, 17} : key == 4 ? BlockTile{384, 23} : BlockTile{384, 15}; }
  return key == 1 ? BlockTile{384, 9} : key == 2 ? BlockTile{512, 11} : key == 4 ? BlockTile{384, 14} : BlockTile{384, 12};
}

// Threads and, of each, elements at a time that count digits (the same source: HistogramPolicy).
constexpr BlockTile HISTOGRAM = {128, 16};

// A line that fits is sorted by this many threads: by neighbouring lanes of a warp, or by a block.
constexpr BlockTile LINE_TILES[4] = {{4, 4}, {32, 4}, {128, 8}, {256, 16}};
// Threads of a block where lanes sort a line.
constexpr u32 LANES_BLOCK = 128;

// A block's part of a scan; a line of up to WARP_LINE is scanned by a warp.
constexpr BlockTile SCAN = {256, 8};
constexpr u32 WARP_LINE = 1024;

// A block's part of a mask.
constexpr BlockTile COMPACT = {256, 16};

} // namespace icicle
