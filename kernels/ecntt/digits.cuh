#pragma once
// A scalar as signed digits of four bits, highest first: each window plus 8 is a plain digit of the scalar plus 8 in
// every window, so no carry runs between them.
#include "../field/fields_gen.cuh"

namespace icicle {

template <class S>
struct SignedDigits {
  static constexpr u32 BITS = 4, BIAS = 1 << (BITS - 1);
  // With two bits to spare the biased scalar has no carry out of the highest window.
  static constexpr u32 COUNT = (S::BITS + 2 + BITS - 1) / BITS;
  static constexpr u32 WORDS = (COUNT * BITS + 31) / 32, SPARE = 32 * WORDS - COUNT * BITS;

  // The windows that are left, the next one at the very top.
  u32 w[WORDS];

  IC_HD static SignedDigits of(const S& working)
  {
    u32 limbs[S::WORDS];
    working.to_raw().to_limbs(limbs);
    SignedDigits out;
    u64 sum = 0;
    IC_UNROLL
    for (u32 i = 0; i < WORDS; i++) {
      sum += 0x88888888u;
      if (i < S::WORDS) { sum += limbs[i]; }
      out.w[i] = (u32)sum;
      sum >>= 32;
    }
    if constexpr (SPARE > 0) { out.shift(SPARE); }
    return out;
  }
  // The next digit, from -8 to 7.
  IC_HD i32 next()
  {
    i32 digit = (i32)(w[WORDS - 1] >> (32 - BITS)) - (i32)BIAS;
    shift(BITS);
    return digit;
  }

private:
  IC_HD void shift(u32 by)
  {
    IC_UNROLL
    for (u32 i = WORDS - 1; i > 0; i--) { w[i] = w[i] << by | w[i - 1] >> (32 - by); }
    w[0] <<= by;
  }
};

} // namespace icicle
