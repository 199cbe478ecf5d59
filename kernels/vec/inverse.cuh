#pragma once
// Inverses and quotients of vectors: each thread inverts the product of its elements once and walks back (Montgomery's
// trick), so about three products an element plus one inversion a thread. The host gives each thread 16 to 64 elements
// where there are enough. Scratch: one element an element. Bound: multiplications.
#include "access.cuh"

namespace icicle {

// `out[i] = a[i]/b[i]`, or `1/b[i]` without `DIVIDE`, canonical, zero where `b[i]` has no inverse. `out` may be `a` or `b`.
//
// Canonical limbs x stand for the element x/R, so an inverse comes out as R²/x, and a quotient R too large: the constant
// that undoes that multiplies the thread's one inverse, and from there reaches every result.
template <class F, bool DIVIDE>
IC_D void invert(const u32* a, const u32* b, u32* out, u32* scratch, u64 n)
{
  constexpr u32 W = F::WORDS;
  bool aligned = is_aligned(b) && is_aligned(out) && is_aligned(scratch) && (!DIVIDE || is_aligned(a));
  F fix = DIVIDE ? F::raw_one() : F::raw_one() * F::raw_one();
  u64 first = thread_index(), step = thread_count();
  if (first >= n) { return; }
  if constexpr (!F::IS_FIELD) {
    // A product may have no inverse though some factor has.
    IC_NO_UNROLL
    for (u64 i = first; i < n; i += step) {
      F x = load_element<F>(b + i * W, aligned).inverse() * fix;
      if (DIVIDE) { x *= load_element<F>(a + i * W, aligned); }
      store_element(out + i * W, x, aligned);
    }
    return;
  }
  F product = F::one();
  u64 last = first;
  IC_NO_UNROLL
  for (u64 i = first; i < n; i += step) {
    store_element(scratch + i * W, product, aligned);
    F x = load_element<F>(b + i * W, aligned);
    if (!x.is_zero()) { product *= x; }
    last = i;
  }
  F inverse = product.inverse() * fix;
  IC_NO_UNROLL
  for (u64 i = last;; i -= step) {
    F x = load_element<F>(b + i * W, aligned), before = load_element<F>(scratch + i * W, aligned);
    F result = inverse * before;
    if (DIVIDE) { result *= load_element<F>(a + i * W, aligned); }
    bool none = x.is_zero();
    store_element(out + i * W, none ? F::zero() : result, aligned);
    if (!none) { inverse *= x; }
    if (i == first) { break; }
  }
}

} // namespace icicle
