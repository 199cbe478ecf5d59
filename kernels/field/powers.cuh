#pragma once
// Powers of elements of any field.
#include "carry.cuh"

namespace icicle {

// `x^e`.
template <class F>
IC_HD F power(F x, u64 e)
{
  F out = F::one();
  IC_NO_UNROLL
  for (; e != 0; e >>= 1) {
    if (e & 1) { out *= x; }
    x = x.sqr();
  }
  return out;
}

// `x^(2^n - 1)`, `n >= 1`, in n-1 squarings and about log n products: from `x^(2^m - 1)` follow those of 2m and m+1.
template <class F>
IC_HD F power_of_ones(const F& x, u32 n)
{
  F out = x;
  u32 have = 1, bit = 31;
  while (!(n >> bit & 1)) { bit--; }
  IC_NO_UNROLL
  while (bit-- > 0) {
    F low = out;
    IC_NO_UNROLL
    for (u32 i = 0; i < have; i++) { out = out.sqr(); }
    out *= low;
    have *= 2;
    if (n >> bit & 1) {
      out = out.sqr() * x;
      have++;
    }
  }
  return out;
}

} // namespace icicle
