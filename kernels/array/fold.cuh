// Folds: one result from many elements. A source is generated: `load<V>(i, out)` computes elements `i` to `i + V - 1`.
//
// Every result is folded in an order that the shape and the number of the device's multiprocessors decide, so that it is the
// same each time.
#pragma once
#include "elementwise.cuh"

namespace array {
namespace fold {

template <class T, class A>
struct Sum {
  using Acc = A;
  static IC_FN Acc start() { return cast<Acc>(int8(0)); }
  static IC_FN Acc step(Acc acc, T x, uint64) { return ops::add(acc, cast<Acc>(x)); }
  static IC_FN Acc merge(Acc a, Acc b) { return ops::add(a, b); }
};
template <class T, class A>
struct Prod {
  using Acc = A;
  static IC_FN Acc start() { return cast<Acc>(int8(1)); }
  static IC_FN Acc step(Acc acc, T x, uint64) { return ops::multiply(acc, cast<Acc>(x)); }
  static IC_FN Acc merge(Acc a, Acc b) { return ops::multiply(a, b); }
};

// What every element is above, or below.
template <class T>
IC_FN T lowest()
{
  if constexpr (Traits<T>::is_real) {
    return -Traits<T>::infinity();
  } else if constexpr (Traits<T>::is_signed) {
    return T(typename Traits<T>::Unsigned(1) << (Traits<T>::width - 1));
  } else {
    return T(0);
  }
}
template <class T>
IC_FN T highest()
{
  if constexpr (Traits<T>::is_real) {
    return Traits<T>::infinity();
  } else {
    return T(~lowest<T>());
  }
}

template <class T, class A>
struct Min {
  using Acc = A;
  static IC_FN Acc start() { return highest<Acc>(); }
  static IC_FN Acc step(Acc acc, T x, uint64) { return ops::minimum(acc, x); }
  static IC_FN Acc merge(Acc a, Acc b) { return ops::minimum(a, b); }
};
template <class T, class A>
struct Max {
  using Acc = A;
  static IC_FN Acc start() { return lowest<Acc>(); }
  static IC_FN Acc step(Acc acc, T x, uint64) { return ops::maximum(acc, x); }
  static IC_FN Acc merge(Acc a, Acc b) { return ops::maximum(a, b); }
};
template <class T, class A>
struct All {
  using Acc = bool;
  static IC_FN Acc start() { return true; }
  static IC_FN Acc step(Acc acc, T x, uint64) { return acc && cast<bool>(x); }
  static IC_FN Acc merge(Acc a, Acc b) { return a && b; }
};
template <class T, class A>
struct Any {
  using Acc = bool;
  static IC_FN Acc start() { return false; }
  static IC_FN Acc step(Acc acc, T x, uint64) { return acc || cast<bool>(x); }
  static IC_FN Acc merge(Acc a, Acc b) { return a || b; }
};
template <class T, class A>
struct Count {
  using Acc = int64;
  static IC_FN Acc start() { return 0; }
  static IC_FN Acc step(Acc acc, T x, uint64) { return acc + cast<bool>(x); }
  static IC_FN Acc merge(Acc a, Acc b) { return a + b; }
};

// The first place of an extreme element, or of the first NaN.
template <class T>
struct Found {
  T value;
  int64 place;
};
template <class T, class = void>
struct Same {
  static IC_FN bool nan(T) { return false; }
};
template <class T>
struct Same<T, typename EnableIf<Traits<T>::is_real>::Type> {
  static IC_FN bool nan(T x) { return is_nan(x); }
};
template <class T, bool GREATEST>
struct Place {
  using Acc = Found<T>;
  static IC_FN Acc start() { return {T(0), -1}; }
  // A thread's elements come by rising places, so that one takes the place of another only if it is beyond it.
  static IC_FN Acc step(Acc acc, T x, uint64 i)
  {
    const bool beyond = GREATEST ? x > acc.value : x < acc.value;
    const bool first_nan = Same<T>::nan(x) && !Same<T>::nan(acc.value);
    if (acc.place < 0 || beyond || first_nan) acc = {x, int64(i)};
    return acc;
  }
  static IC_FN Acc merge(Acc a, Acc b)
  {
    if (a.place < 0) return b;
    if (b.place < 0) return a;
    const bool nan_a = Same<T>::nan(a.value), nan_b = Same<T>::nan(b.value);
    const bool equal = nan_a ? nan_b : a.value == b.value;
    if (equal) return a.place < b.place ? a : b;
    if (nan_a != nan_b) return nan_a ? a : b;
    return (GREATEST ? a.value > b.value : a.value < b.value) ? a : b;
  }
};
template <class T, class A>
struct ArgMin : Place<T, false> {};
template <class T, class A>
struct ArgMax : Place<T, true> {};

// How many, and the sum of squared distances from their mean: of distances from a number that is one of them, or their mean, the
// sum and the sum of squares. In one pass, and no two numbers that are far from that number's size are subtracted
// (T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for computing the sample variance", 1983).
struct Moments {
  float64 count, from, sum, squares;

  // Those about their own mean.
  IC_FN Moments about_mean() const
  {
    if (count == 0 || sum == 0) return *this;
    const float64 apart = sum / count, rest = squares - sum * apart;
    // Squares that exceed the range do so about the mean too.
    const bool exceeds = is_infinite(squares) && is_finite(sum);
    return {count, from + apart, 0, exceeds ? squares : rest < 0 ? 0 : rest};
  }
};
template <class T, class A>
struct Squares {
  using Acc = Moments;
  static IC_FN Acc start() { return {0, 0, 0, 0}; }
  static IC_FN Acc step(Acc acc, T element, uint64)
  {
    const float64 x = cast<float64>(element);
    if (acc.count == 0) acc.from = x;
    const float64 distance = x - acc.from;
    return {acc.count + 1, acc.from, acc.sum + distance, acc.squares + distance * distance};
  }
  static IC_FN Acc merge(Acc x, Acc y)
  {
    if (x.count == 0) return y;
    if (y.count == 0) return x;
    const Moments a = x.about_mean(), b = y.about_mean();
    const float64 count = a.count + b.count, apart = b.from - a.from, share = b.count / count;
    return {count, a.from + apart * share, 0, a.squares + b.squares + apart * apart * (a.count * share)};
  }
};

template <class Out, class Acc>
IC_FN Out finished(Acc acc)
{
  return cast<Out>(acc);
}
template <class Out, class T>
IC_FN Out finished(Found<T> found)
{
  return found.place;
}

template <class Out>
IC_FN Out finished(Moments acc)
{
  return cast<Out>(acc.about_mean().squares);
}

// A value of another lane, whatever its size.
template <class T>
__device__ __forceinline__ T shuffled(T x, int lanes_apart, int width)
{
  constexpr int WORDS = (sizeof(T) + 3) / 4;
  union Words {
    uint32 word[WORDS];
    T value;
    __device__ Words() {}
  } in, out;
  in.word[WORDS - 1] = 0;
  in.value = x;
#pragma unroll
  for (int k = 0; k < WORDS; ++k) out.word[k] = __shfl_down_sync(0xffffffffu, in.word[k], lanes_apart, width);
  return out.value;
}

// Merged over groups of `LANES` threads, for the first of each.
template <class F, int LANES>
__device__ __forceinline__ typename F::Acc merged(typename F::Acc acc)
{
  constexpr int WIDTH = LANES < 32 ? LANES : 32;
#pragma unroll
  for (int apart = WIDTH / 2; apart > 0; apart /= 2) acc = F::merge(acc, shuffled(acc, apart, WIDTH));
  if constexpr (LANES > 32) {
    static_assert(LANES == THREADS, "a group is within a warp, or a block");
    __shared__ alignas(16) unsigned char memory[THREADS / 32 * sizeof(typename F::Acc)];
    auto* const parts = reinterpret_cast<typename F::Acc*>(memory);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = acc;
    __syncthreads();
    if (threadIdx.x < 32) {
      acc = threadIdx.x < THREADS / 32 ? parts[threadIdx.x] : F::start();
#pragma unroll
      for (int apart = THREADS / 64; apart > 0; apart /= 2) acc = F::merge(acc, shuffled(acc, apart, 32));
    }
  }
  return acc;
}

// Whether this block is the last of `blocks` that come here; what the others wrote before is then seen. The counter is 0
// again afterwards.
__device__ __forceinline__ bool is_last(uint32* counter, uint32 blocks)
{
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(counter, 1u) == blocks - 1;
    if (last) *counter = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

// Elements of one result follow each other: `[outer][length]` (`length` a multiple of V, or `outer` 1), in tiles of U * LANES * V,
// which `pieces` groups of LANES threads take in turn, so that what all groups read at a time lies close together. Several pieces
// only where a group is a block: `partial[outer][pieces]`, `counters[outer]`.
template <class F, int LANES, int V, class Out, class Source>
__device__ __forceinline__ void runs(
  const Source& source, uint64 outer, uint64 length, uint64 pieces, typename F::Acc* partial, uint32* counters, Out* out)
{
  using Acc = typename F::Acc;
  using T = typename Source::Out;
  // Several loads under way at once.
  constexpr int U = 4;
  constexpr uint64 TILE = U * LANES * V;
  const uint64 block = blockIdx.y * uint64(gridDim.x) + blockIdx.x;
  const uint64 task = block * (THREADS / LANES) + threadIdx.x / LANES;
  const int lane = threadIdx.x % LANES;
  const uint64 o = task / pieces, p = task % pieces;
  const bool mine = o < outer;
  Acc acc[V];
#pragma unroll
  for (int k = 0; k < V; ++k) acc[k] = F::start();
  if (mine) {
    const uint64 base = o * length, whole = length / V * V;
    uint64 start = p * TILE;
    for (; start + TILE <= whole; start += pieces * TILE) {
      const uint64 j = start + uint64(lane) * V;
      T x[U][V];
#pragma unroll
      for (int u = 0; u < U; ++u) source.template load<V>(base + j + u * LANES * V, x[u]);
#pragma unroll
      for (int u = 0; u < U; ++u) {
#pragma unroll
        for (int k = 0; k < V; ++k) acc[k] = F::step(acc[k], x[u][k], j + u * LANES * V + k);
      }
    }
    // The tile that is not whole is one group's.
    if (start <= whole) {
      for (uint64 j = start + uint64(lane) * V; j < whole; j += LANES * V) {
        T x[V];
        source.template load<V>(base + j, x);
#pragma unroll
        for (int k = 0; k < V; ++k) acc[k] = F::step(acc[k], x[k], j + k);
      }
      for (uint64 j = whole + lane; j < length; j += LANES) {
        T x[1];
        source.template load<1>(base + j, x);
        acc[0] = F::step(acc[0], x[0], j);
      }
    }
  }
#pragma unroll
  for (int k = 1; k < V; ++k) acc[0] = F::merge(acc[0], acc[k]);
  Acc result = merged<F, LANES>(acc[0]);
  if (pieces == 1) {
    if (mine && lane == 0) out[o] = finished<Out>(result);
    return;
  }
  if constexpr (LANES == THREADS) {
    // A block beyond the last has nothing to do with any counter.
    if (!mine) return;
    if (lane == 0) partial[task] = result;
    if (!is_last(counters + o, uint32(pieces))) return;
    result = F::start();
#pragma unroll 4
    for (uint64 k = lane; k < pieces; k += LANES) result = F::merge(result, partial[o * pieces + k]);
    result = merged<F, LANES>(result);
    if (lane == 0) out[o] = finished<Out>(result);
  }
}

// Elements of several results follow each other: `[outer][length][width]`. A block takes `32 * V` columns, eight rows at a
// time; `partial[outer][pieces][width]`, `counters[outer][tiles]`.
template <class F, int V, class Out, class Source>
__device__ __forceinline__ void columns(
  const Source& source, uint64 outer, uint64 length, uint64 width, uint64 pieces, uint64 piece,
  typename F::Acc* partial, uint32* counters, Out* out)
{
  using Acc = typename F::Acc;
  using T = typename Source::Out;
  constexpr int ROWS = THREADS / 32;
  const uint64 tiles = (width + 32 * V - 1) / (32 * V);
  const uint64 block = blockIdx.y * uint64(gridDim.x) + blockIdx.x;
  const uint64 tile = block % tiles, p = block / tiles % pieces, o = block / tiles / pieces;
  if (o >= outer) return;
  const int row = threadIdx.x / 32;
  const uint64 column = tile * (32 * V) + threadIdx.x % 32 * V;
  const bool mine = column < width;
  Acc acc[V];
#pragma unroll
  for (int k = 0; k < V; ++k) acc[k] = F::start();
  if (mine) {
    const uint64 end = (p + 1) * piece < length ? (p + 1) * piece : length;
    constexpr int U = 4;
    uint64 j = p * piece + row;
    for (; j + (U - 1) * ROWS < end; j += U * ROWS) {
      T x[U][V];
#pragma unroll
      for (int u = 0; u < U; ++u) source.template load<V>((o * length + j + u * ROWS) * width + column, x[u]);
#pragma unroll
      for (int u = 0; u < U; ++u) {
#pragma unroll
        for (int k = 0; k < V; ++k) acc[k] = F::step(acc[k], x[u][k], j + u * ROWS);
      }
    }
    for (; j < end; j += ROWS) {
      T x[V];
      source.template load<V>((o * length + j) * width + column, x);
#pragma unroll
      for (int k = 0; k < V; ++k) acc[k] = F::step(acc[k], x[k], j);
    }
  }
  __shared__ alignas(16) unsigned char memory[THREADS * sizeof(Acc)];
  auto* const rows = reinterpret_cast<Acc*>(memory);
#pragma unroll
  for (int k = 0; k < V; ++k) {
    __syncthreads();
    rows[threadIdx.x] = acc[k];
    __syncthreads();
    if (row == 0) {
#pragma unroll
      for (int r = 1; r < ROWS; ++r) acc[k] = F::merge(acc[k], rows[r * 32 + threadIdx.x]);
    }
  }
  if (pieces == 1) {
    if (mine && row == 0) {
#pragma unroll
      for (int k = 0; k < V; ++k) out[o * width + column + k] = finished<Out>(acc[k]);
    }
    return;
  }
  if (mine && row == 0) {
#pragma unroll
    for (int k = 0; k < V; ++k) partial[(o * pieces + p) * width + column + k] = acc[k];
  }
  if (!is_last(counters + o * tiles + tile, uint32(pieces))) return;
  // Pieces are merged as rows were.
#pragma unroll
  for (int k = 0; k < V; ++k) acc[k] = F::start();
  if (mine) {
    for (uint64 q = row; q < pieces; q += ROWS) {
#pragma unroll
      for (int k = 0; k < V; ++k) acc[k] = F::merge(acc[k], partial[(o * pieces + q) * width + column + k]);
    }
  }
#pragma unroll
  for (int k = 0; k < V; ++k) {
    __syncthreads();
    rows[threadIdx.x] = acc[k];
    __syncthreads();
    if (row == 0 && mine) {
#pragma unroll
      for (int r = 1; r < ROWS; ++r) acc[k] = F::merge(acc[k], rows[r * 32 + threadIdx.x]);
      out[o * width + column + k] = finished<Out>(acc[k]);
    }
  }
}

} // namespace fold
} // namespace array
