// Vectors of several ranks reduced to one, element by element, in the order of ranks: what `reduce/numbers.rs` of
// collectives does with blocks on CPUs, with the same results.
#pragma once
#include "elementwise.cuh"

namespace array {
namespace ranks {

struct alignas(16) Arguments {
  // What this rank has, and what the others sent: the first of them, and bytes from one to the next.
  uint64 own, slots, stride, rank, size;
  // Where results go, perhaps exactly where `own` is, and how many.
  uint64 out, n;
  // Where a kernel knows several, the number of the reduction.
  uint64 how;
};

// What a type is reduced in: 16-bit floats are rounded once.
template <class T>
struct Wide {
  using Type = T;
};
template <>
struct Wide<float16> {
  using Type = float;
};
template <>
struct Wide<bfloat16> {
  using Type = float;
};

template <class T>
IC_FN T divided(T x, uint64 ranks)
{
  if constexpr (Traits<T>::is_integer) {
    // More ranks than 8 bits count are no fault: the quotient fits.
    if constexpr (Traits<T>::is_signed) {
      return T(int64(x) / int64(ranks));
    } else {
      return T(uint64(x) / ranks);
    }
  } else if constexpr (Traits<T>::is_complex) {
    using Part = typename Traits<T>::Part;
    return {x.re / Part(ranks), x.im / Part(ranks)};
  } else {
    return x / T(ranks);
  }
}

struct Sum {
  template <class T>
  static IC_FN T of(T a, T b)
  {
    if constexpr (Is<T>::boolean) {
      return a || b;
    } else {
      return ops::add(a, b);
    }
  }
  template <class T>
  static IC_FN T end(T x, uint64)
  {
    return x;
  }
};
struct Avg : Sum {
  template <class T>
  static IC_FN T end(T x, uint64 ranks)
  {
    return divided(x, ranks);
  }
};
struct Prod : Sum {
  template <class T>
  static IC_FN T of(T a, T b)
  {
    if constexpr (Is<T>::boolean) {
      return a && b;
    } else {
      return ops::multiply(a, b);
    }
  }
};
struct Min : Sum {
  template <class T>
  static IC_FN T of(T a, T b)
  {
    if constexpr (Is<T>::boolean) {
      return a && b;
    } else {
      return ops::minimum(a, b);
    }
  }
};
struct Max : Sum {
  template <class T>
  static IC_FN T of(T a, T b)
  {
    if constexpr (Is<T>::boolean) {
      return a || b;
    } else {
      return ops::maximum(a, b);
    }
  }
};

// V elements as they lie: one is aligned as its parts are, several as a whole.
template <class T, int V>
struct Elements {
  using Type = Pack<T, V>;
};
template <class T>
struct Single {
  T at[1];
};
template <class T>
struct Elements<T, 1> {
  using Type = Single<T>;
};

// V elements from element `i` on.
template <class T, class How, int V>
__device__ __forceinline__ void pack(const Arguments& a, const uint64 i)
{
  using W = typename Wide<T>::Type;
  W acc[V];
  for (uint64 rank = 0; rank < a.size; ++rank) {
    const uint64 from = rank == a.rank ? a.own : a.slots + (rank - (rank > a.rank)) * a.stride;
    const auto x = *reinterpret_cast<const typename Elements<T, V>::Type*>(from + i * sizeof(T));
#pragma unroll
    for (int k = 0; k < V; ++k) acc[k] = rank == 0 ? cast<W>(x.at[k]) : How::of(acc[k], cast<W>(x.at[k]));
  }
  typename Elements<T, V>::Type out;
#pragma unroll
  for (int k = 0; k < V; ++k) out.at[k] = cast<T>(How::end(acc[k], a.size));
  *reinterpret_cast<typename Elements<T, V>::Type*>(a.out + i * sizeof(T)) = out;
}

template <class T, class How, int V>
__device__ __forceinline__ void reduce(const Arguments& a)
{
  const uint64 packs = a.n / V, step = uint64(gridDim.x) * blockDim.x;
  const uint64 first = uint64(blockIdx.x) * blockDim.x + threadIdx.x;
  for (uint64 at = first; at < packs; at += step) pack<T, How, V>(a, at * V);
  for (uint64 i = packs * V + first; i < a.n; i += step) pack<T, How, 1>(a, i);
}

// The reduction that the arguments name, an element at a time.
template <class T, class How>
__device__ __forceinline__ void reduce_each(const Arguments& a)
{
  const uint64 step = uint64(gridDim.x) * blockDim.x;
  for (uint64 i = uint64(blockIdx.x) * blockDim.x + threadIdx.x; i < a.n; i += step) pack<T, How, 1>(a, i);
}
template <class T>
__device__ __forceinline__ void reduce_as_told(const Arguments& a)
{
  switch (a.how) {
    case 0: return reduce_each<T, Sum>(a);
    case 1: return reduce_each<T, Prod>(a);
    case 2:
      if constexpr (!Traits<T>::is_complex) return reduce_each<T, Min>(a);
      break;
    case 3:
      if constexpr (!Traits<T>::is_complex) return reduce_each<T, Max>(a);
      break;
    case 4:
      if constexpr (!Is<T>::boolean) return reduce_each<T, Avg>(a);
      break;
  }
}

} // namespace ranks
} // namespace array
