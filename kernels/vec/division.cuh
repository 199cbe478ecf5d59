#pragma once
// Quotients and remainders of polynomials. From the top, `STEP` coefficients of the quotient at a time: they are the
// rest's leading coefficients times the power series `1/denominator` (of reversed coefficients), which is computed once,
// and their product with the denominator is subtracted from the rest below. So a step is two sums of at most `STEP`
// products for each result, all independent; every block computes the step's quotient for itself.
// Shared memory: `STEP` elements of the quotient. Bound: multiplications.
#include "access.cuh"

namespace icicle {

constexpr u32 DIVISION_STEP = 64;

// Lengths of one division, from the indices of the leading coefficients (-1: none).
struct DivisionLengths {
  u64 numerator, denominator;

  IC_D static DivisionLengths of(const i64* top, u64 batch, u64 v)
  {
    return DivisionLengths{(u64)(top[v] + 1), (u64)(top[batch + v] + 1)};
  }
  IC_D u64 quotient() const { return numerator + 1 > denominator ? numerator + 1 - denominator : 0; }
  // Coefficients below the denominator's leading one.
  IC_D u64 below() const { return denominator - 1; }
};

// Denominators into working form, leading coefficients first: `reversed[v·m + j]`. The first block of each also
// computes the series, `series[v·STEP + j]`. `top`: rows of `batch` for numerators and denominators, and one that receives
// whether the leading coefficient has an inverse. Vectors along grid y.
template <class F>
IC_D void division_prepare(const u32* denominators, i64* top, u32* reversed, u32* series, u64 m, u64 batch, u64 pitch,
                           u64 stride)
{
  constexpr u32 W = F::WORDS, STEP = DIVISION_STEP;
  alignas(16) __shared__ u32 now[W];
  bool aligned = is_aligned(denominators);
  u32 t = threadIdx.x;
  for (u64 v = blockIdx.y; v < batch; v += gridDim.y) {
    u64 length = (u64)(top[batch + v] + 1);
    auto coefficient = [&](u64 j) {
      if (j >= length) { return F::zero(); }
      return F::from_raw(load_element<F>(denominators + (v * pitch + (length - 1 - j) * stride) * W, aligned));
    };
    for (u64 j = thread_index(); j < m; j += thread_count()) {
      store_element(reversed + (v * m + j) * W, coefficient(j), true);
    }
    if (blockIdx.x > 0) { continue; }
    if (t == 0) {
      F inverse = coefficient(0).inverse();
      top[2 * batch + v] = inverse.is_zero() ? 0 : 1;
      store_element(now, inverse, true);
    }
    __syncthreads();
    // Coefficient t of `1 - (what is known of the series)·denominator`: where it is next, it times the first element is
    // the series' next.
    F rest = t == 0 ? F::one() : F::zero(), first = load_element<F>(now, true);
    __syncthreads();
    IC_NO_UNROLL
    for (u32 k = 0; k < STEP; k++) {
      if (t == k) {
        F next = rest * first;
        store_element(now, next, true);
        store_element(series + (v * STEP + k) * W, next, true);
      }
      __syncthreads();
      if (t > k && t < STEP) { rest -= coefficient(t - k) * load_element<F>(now, true); }
      __syncthreads();
    }
  }
}

// Step `step` of every division: `STEP` coefficients of the quotient, fewer in the last step. `rest`: the numerators,
// limbs as they are, which the steps reduce to the remainders. Vectors along grid y, coefficients of the rest along x.
template <class F>
IC_D void division_step(u32* rest, const u32* reversed, const u32* series, const i64* top, u32* quotient, u64 step,
                        u64 m, u64 batch, u64 pitch, u64 q_pitch, u64 stride)
{
  constexpr u32 W = F::WORDS, STEP = DIVISION_STEP;
  alignas(16) __shared__ u32 found[STEP * W];
  bool aligned = is_aligned(rest), aligned_out = is_aligned(quotient);
  u32 t = threadIdx.x;
  for (u64 v = blockIdx.y; v < batch; v += gridDim.y) {
    DivisionLengths length = DivisionLengths::of(top, batch, v);
    u64 done = step * STEP, left = length.quotient() > done ? length.quotient() - done : 0;
    u32 count = left < STEP ? (u32)left : STEP;
    if (count == 0) { continue; }
    // The rest's leading coefficient, and the quotient's.
    u64 leading = length.numerator - 1 - done;
    u32* row = rest + v * pitch * W;
    if (t < count) {
      F sum = F::zero();
      IC_NO_UNROLL
      for (u32 k = 0; k <= t; k++) {
        F top_k = load_element<F>(row + (leading - k) * stride * W, aligned);
        sum += load_element<F>(series + (v * STEP + t - k) * W, true) * top_k;
      }
      store_element(found + t * W, sum, true);
      if (blockIdx.x == 0) { store_element(quotient + (v * q_pitch + (left - 1 - t) * stride) * W, sum, aligned_out); }
    }
    __syncthreads();
    // What remains below: the coefficient `leading - count - i` loses `found[k]·reversed[count + i - k]`.
    u64 most = length.below();
    for (u64 i = thread_index(); i < most; i += thread_count()) {
      u64 at = (leading - count - i) * stride * W;
      F sum = load_element<F>(row + at, aligned);
      IC_NO_UNROLL
      for (u32 k = 0; k < count; k++) {
        u64 j = count + i - k;
        if (j < length.denominator) {
          sum -= load_element<F>(reversed + (v * m + j) * W, true) * load_element<F>(found + k * W, true);
        }
      }
      store_element(row + at, sum, aligned);
    }
    __syncthreads();
  }
}

// The remainders, zero-padded. Vectors along grid y.
template <class F>
IC_D void division_remainder(const u32* rest, const i64* top, u32* out, u64 room, u64 batch, u64 pitch, u64 out_pitch,
                             u64 stride)
{
  constexpr u32 W = F::WORDS;
  bool aligned = is_aligned(rest), aligned_out = is_aligned(out);
  for (u64 v = blockIdx.y; v < batch; v += gridDim.y) {
    DivisionLengths length = DivisionLengths::of(top, batch, v);
    u64 below = length.below(), count = length.numerator < below ? length.numerator : below;
    for (u64 i = thread_index(); i < room; i += thread_count()) {
      F x = i < count ? load_element<F>(rest + (v * pitch + i * stride) * W, aligned) : F::zero();
      store_element(out + (v * out_pitch + i * stride) * W, x, aligned_out);
    }
  }
}

} // namespace icicle
