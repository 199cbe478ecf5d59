#pragma once
// Indices of elements, and what is fetched by them. `W` is 32 or 64 bits, the narrowest that holds the number of elements.
#include "order.cuh"
#include "../vec/access.cuh"

namespace icicle {

#ifdef __CUDACC__
// `out[i]` = `i`.
template <class W>
IC_D void number(W* out, W n)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) { out[i] = (W)i; }
}

// `out[i]` = the line that element `indices[i]` is in.
template <class W>
IC_D void line_numbers(const W* indices, u32* out, W n, W length)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) { out[i] = (u32)(indices[i] / length); }
}

// `out[i]` = the place of element `indices[i]` in its line, which is the line of `i`.
template <class W>
IC_D void places(const W* indices, i64* out, W n, W length)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) { out[i] = (i64)(indices[i] - (W)i / length * length); }
}

// `out[i]` = element `indices[i]`, as the order leaves it.
template <class K, class W>
IC_D void gather(const K* in, const W* indices, K* out, W n, const OrderMasks& masks)
{
  Order<K> order = Order<K>::of(masks);
  for (u64 i = thread_index(); i < n; i += thread_count()) { out[i] = order.bits(order.key(in[indices[i]])); }
}
#endif

} // namespace icicle
