#pragma once
// Sums and products of vectors, in two launches of the same kernel: partial results, then one of each vector.
#include "map.cuh"

namespace icicle {

// `a ∘ b` of all threads of the block, in thread 0. Shared memory: one element a thread, word by word (no conflicts).
template <class F, class Op>
IC_D F block_reduce(F x)
{
  constexpr u32 THREADS = Access<F>::THREADS;
  __shared__ u32 words[F::WORDS][THREADS];
  u32 t = threadIdx.x;
  IC_NO_UNROLL
  for (u32 half = THREADS / 2; half > 0; half /= 2) {
    u32 w[F::WORDS];
    if (t >= half && t < 2 * half) {
      x.to_limbs(w);
      IC_UNROLL
      for (u32 k = 0; k < F::WORDS; k++) { words[k][t] = w[k]; }
    }
    __syncthreads();
    if (t < half) {
      IC_UNROLL
      for (u32 k = 0; k < F::WORDS; k++) { w[k] = words[k][t + half]; }
      x = Op::apply(x, F::from_limbs(w));
    }
    __syncthreads();
  }
  return x;
}

template <class Op, class F>
struct Neutral {
  IC_D static F value() { return F::zero(); }
};
template <class F>
struct Neutral<Mul, F> {
  // Products are of canonical data, so their neutral element is the integer 1.
  IC_D static F value() { return F::raw_one(); }
};

// Contiguous vectors: row v along grid y, `out[v·gridDim.x + blockIdx.x]`. One thread an element or chunk at a time.
// Bound: memory for sums, multiplications for products.
template <class F, class Op>
IC_D void reduce_block(const u32* a, u32* out, u64 n, u64 batch)
{
  constexpr u32 W = F::WORDS, PER = Access<F>::PER_CHUNK;
  bool aligned_out = is_aligned(out);
  for (u64 v = blockIdx.y; v < batch; v += gridDim.y) {
    const u32* row = a + v * n * W;
    bool aligned = is_aligned(row);
    F sum = Neutral<Op, F>::value();
    u64 done = 0;
    if constexpr (PER > 1) {
      u64 chunks = aligned ? n / PER : 0;
      done = chunks * PER;
      F sums[PER];
      IC_UNROLL
      for (u32 k = 0; k < PER; k++) { sums[k] = sum; }
      IC_NO_UNROLL
      for (u64 c = thread_index(); c < chunks; c += 2 * thread_count()) {
        u64 d = c + thread_count();
        Chunk x = *(const Chunk*)(row + 4 * c), y = x;
        if (d < chunks) { y = *(const Chunk*)(row + 4 * d); }
        IC_UNROLL
        for (u32 k = 0; k < PER; k++) {
          sums[k] = Op::apply(sums[k], F::from_limbs(x.w + k * W));
          if (d < chunks) { sums[k] = Op::apply(sums[k], F::from_limbs(y.w + k * W)); }
        }
      }
      IC_UNROLL
      for (u32 k = 0; k < PER; k++) { sum = Op::apply(sum, sums[k]); }
    }
    IC_NO_UNROLL
    for (u64 i = done + thread_index(); i < n; i += thread_count()) {
      sum = Op::apply(sum, load_element<F>(row + i * W, aligned));
    }
    sum = block_reduce<F, Op>(sum);
    if (threadIdx.x == 0) { store_element(out + (v * gridDim.x + blockIdx.x) * W, sum, aligned_out); }
  }
}

// Any layout: element i of vector v at `v·pitch + i·stride`; each vector in `segments` runs of one thread each, whose
// results lie at `segment·batch + v`. For interleaved vectors, and for many short ones.
template <class F, class Op>
IC_D void reduce_thread(const u32* a, u32* out, u64 n, u64 batch, u64 pitch, u64 stride, u64 segments)
{
  constexpr u32 W = F::WORDS;
  bool aligned = is_aligned(a) && is_aligned(out);
  u64 length = (n + segments - 1) / segments;
  for (u64 at = thread_index(); at < batch * segments; at += thread_count()) {
    u64 segment = at / batch, v = at - segment * batch;
    u64 end = (segment + 1) * length < n ? (segment + 1) * length : n;
    F sum = Neutral<Op, F>::value();
    IC_NO_UNROLL
    for (u64 i = segment * length; i < end; i++) {
      sum = Op::apply(sum, load_element<F>(a + (v * pitch + i * stride) * W, aligned));
    }
    store_element(out + at * W, sum, aligned);
  }
}

} // namespace icicle
