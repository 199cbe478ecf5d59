#pragma once
// Element-wise operations. One thread an element of 16 bytes or more, one thread a chunk of smaller ones.
// Shared memory: a tile a warp for elements of 32 bytes and more (12 KiB a block for 8 and 12 words, 28 KiB at most).
// Bound: memory, except products of 8 words (about 50 G/s against 44 G/s that memory allows) and more.
#include "access.cuh"

namespace icicle {

struct Add {
  template <class F>
  IC_HD static F apply(const F& a, const F& b) { return a + b; }
};
struct Sub {
  template <class F>
  IC_HD static F apply(const F& a, const F& b) { return a - b; }
};
// Of canonical data.
struct Mul {
  template <class F>
  IC_HD static F apply(const F& a, const F& b) { return F::mul_raw(a, b); }
};
// A constant in working form times canonical data.
struct Scale {
  template <class F>
  IC_HD static F apply(const F& a, const F& b) { return a * b; }
};
// `out[i] = Op(a[i], b[i])`, or `Op(b, a[i])` for a constant b. Every block of the row takes part.
template <class F, class Op, bool CONSTANT>
IC_D void map_small(const u32* a, const u32* b, const F& constant, u32* out, u64 n)
{
  constexpr u32 PER = Access<F>::PER_CHUNK, W = F::WORDS;
  bool aligned = is_aligned(a) && is_aligned(out) && (CONSTANT || is_aligned(b));
  u64 chunks = aligned ? n / PER : 0;
  for (u64 c = thread_index(); c < chunks; c += thread_count()) {
    Chunk x = *(const Chunk*)(a + 4 * c), y, z;
    if (!CONSTANT) { y = *(const Chunk*)(b + 4 * c); }
    IC_UNROLL
    for (u32 k = 0; k < PER; k++) {
      F first = F::from_limbs(x.w + k * W);
      F second = CONSTANT ? constant : F::from_limbs(y.w + k * W);
      (CONSTANT ? Op::apply(second, first) : Op::apply(first, second)).to_limbs(z.w + k * W);
    }
    *(Chunk*)(out + 4 * c) = z;
  }
  for (u64 i = chunks * PER + thread_index(); i < n; i += thread_count()) {
    F first = load_element<F>(a + i * W, false);
    F second = CONSTANT ? constant : load_element<F>(b + i * W, false);
    store_element(out + i * W, CONSTANT ? Op::apply(second, first) : Op::apply(first, second), false);
  }
}

// The next elements are on their way while these are worked on: registers leave room for few warps to hide the wait.
template <class F, class Op, bool CONSTANT, bool UNARY>
IC_D void map_large(const u32* a, const u32* b, const F& constant, u32* out, u64 n)
{
  constexpr u32 W = F::WORDS, WARPS = Access<F>::THREADS / 32;
  __shared__ Chunk tiles[WARPS][Tile<F>::SIZE];
  Chunk* tile = tiles[threadIdx.x / 32];
  constexpr bool ONE = CONSTANT || UNARY;
  bool aligned = is_aligned(a) && is_aligned(out) && (ONE || is_aligned(b));
  typename Tile<F>::Pending pa, pb;
  auto count = [&](u64 i) { return i >= n ? 0 : n - i < 32 ? (u32)(n - i) : 32; };
  auto fetch = [&](u64 i) {
    pa = Tile<F>::fetch(a + i * W, count(i), aligned);
    if constexpr (!ONE) { pb = Tile<F>::fetch(b + i * W, count(i), aligned); }
  };
  u64 i = thread_index() / 32 * 32, step = thread_count();
  fetch(i);
  IC_NO_UNROLL
  for (; i < n; i += step) {
    F x = Tile<F>::exchange(tile, pa), y = constant;
    if constexpr (!ONE) { y = Tile<F>::exchange(tile, pb); }
    fetch(i + step);
    Tile<F>::store(tile, out + i * W, CONSTANT ? Op::apply(y, x) : Op::apply(x, y), count(i), aligned);
  }
}

template <class F, class Op, bool CONSTANT, bool UNARY>
IC_D void map(const u32* a, const u32* b, const F& constant, u32* out, u64 n)
{
  if constexpr (Access<F>::CHUNKS == 1) {
    map_small<F, Op, CONSTANT || UNARY>(a, b, constant, out, n);
  } else {
    map_large<F, Op, CONSTANT, UNARY>(a, b, constant, out, n);
  }
}

// `n` elements in all, however many vectors they are.
template <class F, class Op>
IC_D void map_binary(const u32* a, const u32* b, u32* out, u64 n)
{
  map<F, Op, false, false>(a, b, F::zero(), out, n);
}

// For small elements the constant comes first: `Op` must not care.
template <class F, bool ENCODE>
IC_D void map_convert(const u32* a, u32* out, u64 n)
{
  struct Convert {
    IC_D static F apply(const F& x, const F& y)
    {
      const F& value = Access<F>::CHUNKS == 1 ? y : x;
      return ENCODE ? value.encode() : value.decode();
    }
  };
  map<F, Convert, false, true>(a, nullptr, F::zero(), out, n);
}

// `out[v][i] = Op(scalars[v], a[v][i])`, rows of `n` elements along grid y.
template <class F, class Op, bool TO_WORKING>
IC_D void map_scalar(const u32* scalars, const u32* a, u32* out, u64 n, u64 batch)
{
  bool aligned = is_aligned(scalars);
  for (u64 v = blockIdx.y; v < batch; v += gridDim.y) {
    F s = load_element<F>(scalars + v * F::WORDS, aligned);
    if (TO_WORKING) { s = F::from_raw(s); }
    map<F, Op, true, false>(a + v * n * F::WORDS, nullptr, s, out + v * n * F::WORDS, n);
  }
}

// The same element by element, for interleaved or short vectors: that of element i is `i mod batch` or `i / n`.
template <class F, class Op>
IC_D void map_scalar_flat(const u32* scalars, const u32* a, u32* out, u64 n, u64 batch, u32 columns)
{
  bool aligned = is_aligned(scalars) && is_aligned(a) && is_aligned(out);
  u64 total = n * batch;
  for (u64 i = thread_index(); i < total; i += thread_count()) {
    u64 v;
    if (total >> 32 == 0) {
      v = columns ? (u32)i % (u32)batch : (u32)i / (u32)n;
    } else {
      v = columns ? i % batch : i / n;
    }
    F s = load_element<F>(scalars + v * F::WORDS, aligned), x = load_element<F>(a + i * F::WORDS, aligned);
    store_element(out + i * F::WORDS, Op::apply(s, x), aligned);
  }
}

// `out[i] = a[i]·b[i]`, `a` over the extension, `b` over its prime field, both canonical. One thread an element.
template <class F>
IC_D void map_mixed(const u32* a, const u32* b, u32* out, u64 n)
{
  using B = typename F::Prime;
  bool aligned = is_aligned(a) && is_aligned(out);
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    F x = load_element<F>(a + i * F::WORDS, aligned);
    B y = B::from_raw(load_element<B>(b + i * B::WORDS, false));
    store_element(out + i * F::WORDS, x.scale(y), aligned);
  }
}

} // namespace icicle
