// Values computed for each element and stored. A source is generated: `load<V>(i, out)` computes elements `i` to `i + V - 1`,
// and `store<V>(i, values)` puts them where they belong.
#pragma once
#include "ops.cuh"

namespace array {

template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T at[V];
};

// Threads of a block.
constexpr int THREADS = 256;

// U packs of V elements a thread, all computed before any is stored: what is loaded next must not wait for what is stored.
template <int V, int U, class Source>
__device__ __forceinline__ void elementwise(const Source& source, uint64 n)
{
  const uint64 packs = n / V, tile = uint64(THREADS) * U;
  const uint64 block = blockIdx.y * uint64(gridDim.x) + blockIdx.x;
  const uint64 first = block * tile + threadIdx.x;
  typename Source::Out values[U][V];
  if ((block + 1) * tile <= packs) {
#pragma unroll
    for (int u = 0; u < U; ++u) source.template load<V>((first + u * THREADS) * V, values[u]);
#pragma unroll
    for (int u = 0; u < U; ++u) source.template store<V>((first + u * THREADS) * V, values[u]);
    return;
  }
#pragma unroll 1
  for (int u = 0; u < U; ++u) {
    const uint64 at = first + u * THREADS;
    if (at < packs) {
      source.template load<V>(at * V, values[0]);
      source.template store<V>(at * V, values[0]);
    } else if (at == packs) {
      for (uint64 i = packs * V; i < n; ++i) {
        source.template load<1>(i, values[0]);
        source.template store<1>(i, values[0]);
      }
    }
  }
}

} // namespace array
