#pragma once
// Passes of a radix sort, by the device-side parts of CUB: digits are counted for all passes at once, and a pass moves the
// elements by one digit with decoupled look-back ("onesweep": Adinets and Merrill, arXiv:2206.01784).
//
// CUB's own launches need the CUDA runtime, which is not linked; they are made in core/array/src/cuda/sort.rs instead.
#include "order.cuh"
#include "shape.cuh"
#include <cub/agent/agent_radix_sort_histogram.cuh>
#include <cub/agent/agent_radix_sort_onesweep.cuh>
#include <cub/block/block_scan.cuh>

namespace icicle {

// An element of an array, whose order is told by an `Order` that the agents take for a decomposer.
template <class K>
struct Key {
  K bits;
};

} // namespace icicle

namespace cub::detail::radix {

// What CUB asks of a type of keys. Between passes, too, memory holds elements; words are in registers only.
template <class K>
struct traits_t<icicle::Key<K>, false> {
  using bit_ordered_type = K;
  struct bit_ordered_conversion_policy {
    static __device__ __forceinline__ K to_bit_ordered(const icicle::Order<K>& order, K bits) { return order.key(bits); }
    static __device__ __forceinline__ K from_bit_ordered(const icicle::Order<K>& order, K key) { return order.bits(key); }
  };
  // Descending order is part of the masks.
  struct bit_ordered_inversion_policy {};
  template <class, class>
  using digit_extractor_t = ShiftDigitExtractor<K>;

  static __device__ __forceinline__ K min_raw_binary_key(const icicle::Order<K>& order) { return order.bits(0); }
  static __device__ __forceinline__ K max_raw_binary_key(const icicle::Order<K>& order) { return order.highest(); }
  template <class>
  static __device__ __forceinline__ ShiftDigitExtractor<K> digit_extractor(int bit, int bits, const icicle::Order<K>&)
  {
    return ShiftDigitExtractor<K>(bit, bits);
  }
};

} // namespace cub::detail::radix

namespace icicle {

template <class V>
constexpr u32 value_bytes = sizeof(V);
template <>
constexpr u32 value_bytes<cub::NullType> = 0;

// Threads and elements as `onesweep_tile` says, for the agent's policy.
template <class K, class V, class O>
struct OnesweepShape {
  static constexpr BlockTile TILE = onesweep_tile(sizeof(K), value_bytes<V>, sizeof(O));
  static constexpr int ITEMS_PER_THREAD = TILE.items, BLOCK_THREADS = TILE.threads;
};

// `bins[pass][digit]` += how many of `n` elements have the digit; passes are those over `end_bit` bits. Any grid.
template <class K, class O>
IC_D void count_digits(O* bins, const K* keys, O n, i32 end_bit, const OrderMasks& masks)
{
  using Policy = cub::AgentRadixSortHistogramPolicy<HISTOGRAM.threads, HISTOGRAM.items, 1, Key<K>, DIGIT_BITS>;
  using Agent = cub::detail::radix_sort::AgentRadixSortHistogram<Policy, false, Key<K>, O, Order<K>>;
  __shared__ typename Agent::TempStorage shared;
  Agent(shared, bins, (const Key<K>*)keys, n, 0, end_bit, Order<K>::of(masks)).Process();
}

// A block a pass, of 256 threads: `bins[pass][digit]` = how many elements have a lower one.
template <class O>
IC_D void digit_starts(O* bins)
{
  using Scan = cub::BlockScan<O, DIGITS>;
  __shared__ typename Scan::TempStorage shared;
  O* own = bins + blockIdx.x * DIGITS + threadIdx.x;
  O before;
  Scan(shared).ExclusiveSum(*own, before);
  *own = before;
}

// Move `n` elements, and values where there are some, to their places by the digit of `bits` bits from `bit` on; a block a
// tile. `bins_in` says where each digit's first goes, and `bins_out`, unless null, takes where those of the next call do.
// `lookback` has `DIGITS` words a block, `counter` one: 0 before.
template <class K, class V, class O>
IC_D void onesweep(
  i32* lookback, i32* counter, O* bins_out, const O* bins_in, K* keys_out, const K* keys_in, V* values_out, const V* values_in,
  i32 n, i32 bit, i32 bits, const OrderMasks& masks)
{
  using Policy = cub::AgentRadixSortOnesweepPolicy<
    0, 0, K, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY, cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::RADIX_SORT_STORE_DIRECT,
    DIGIT_BITS, OnesweepShape<K, V, O>>;
  using Agent = cub::detail::radix_sort::AgentRadixSortOnesweep<Policy, false, Key<K>, V, O, i32, Order<K>>;
  __shared__ typename Agent::TempStorage shared;
  Agent agent(
    shared, lookback, counter, bins_out, bins_in, (Key<K>*)keys_out, (const Key<K>*)keys_in, values_out, values_in, n, bit, bits,
    Order<K>::of(masks));
  agent.Process();
}

} // namespace icicle
