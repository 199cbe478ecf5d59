#pragma once
// Values of polynomials. One block a (polynomial, point, run of coefficients): its threads take every THREADS-th
// coefficient by Horner's rule in x^THREADS, so reads are coalesced, and the block adds their results up.
// Shared memory: one element a thread. Bound: multiplications; one a coefficient and point.
#include "reduce.cuh"

namespace icicle {

// The value's share of coefficients `[segment·length, …)` goes to `out[index·segments + segment]`, `index` being
// `v·points + j`, or `j·batch + v` with `columns`; coefficient i of polynomial v lies at `v·pitch + i·stride`.
// With several segments a sum over them follows (`reduce_block` with n = segments).
template <class F>
IC_D void polynomial_evaluate(const u32* coefficients, const u32* domain, u32* out, u64 n, u64 points, u64 batch, u64 pitch,
                       u64 stride, u64 segments, u32 columns)
{
  constexpr u32 W = F::WORDS, T = Access<F>::THREADS;
  bool aligned = is_aligned(coefficients) && is_aligned(domain) && is_aligned(out);
  u64 length = (n + segments - 1) / segments, blocks = segments * points * batch;
  for (u64 block = blockIdx.x; block < blocks; block += gridDim.x) {
    u64 segment = block % segments, rest = block / segments, j = rest % points, v = rest / points;
    u64 begin = segment * length, end = begin + length < n ? begin + length : n;
    F x = F::from_raw(load_element<F>(domain + j * W, aligned));
    F jump = x.pow(T), value = F::zero();
    u64 t = threadIdx.x;
    if (begin + t < end) {
      // The highest coefficient of this thread first.
      u64 steps = (end - begin - t - 1) / T;
      IC_NO_UNROLL
      for (u64 k = steps + 1; k-- > 0;) {
        u64 i = begin + t + k * T;
        value = value * jump + load_element<F>(coefficients + (v * pitch + i * stride) * W, aligned);
      }
      value *= x.pow(begin + t);
    }
    value = block_reduce<F, Add>(value);
    u64 index = columns ? j * batch + v : v * points + j;
    if (threadIdx.x == 0) { store_element(out + (index * segments + segment) * W, value, aligned); }
  }
}

} // namespace icicle
