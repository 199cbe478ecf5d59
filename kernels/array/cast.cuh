// Values in another dtype: integers wrap, floats to integers saturate with NaN as 0, anything to bool says whether it is not
// 0. As Rust's `as`, by which the host casts.
#pragma once
#include "number.cuh"

namespace array {

IC_FN float widened(float16 x)
{
#ifdef __CUDA_ARCH__
  float out;
  asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(x.bits));
  return out;
#else
  const uint32 sign = uint32(x.bits & 0x8000) << 16, exponent = x.bits >> 10 & 31, mantissa = x.bits & 0x3ff;
  if (exponent == 31) return float_of(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0) return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
  return float_of(sign | bits_of(float(mantissa) / 16777216.0f));
#endif
}
IC_FN float widened(bfloat16 x) { return float_of(uint32(x.bits) << 16); }

// To the nearest number of fewer bits, the even one of two: `mantissa` and `exponent` bits of the type.
template <int MANTISSA, int EXPONENT>
IC_FN uint16 narrowed(double x)
{
  constexpr int BIAS = (1 << (EXPONENT - 1)) - 1, DROPPED = 52 - MANTISSA;
  constexpr uint64 INFINITE = ((1ull << EXPONENT) - 1) << MANTISSA;
  const uint64 bits = bits_of(x), magnitude = bits & 0x7fffffffffffffffull;
  const uint16 sign = uint16(bits >> 63 << 15);
  if (is_nan(x)) return uint16(sign | INFINITE | 1ull << (MANTISSA - 1));
  const int exponent = int(magnitude >> 52) - 1023 + BIAS;
  // Bits that are dropped: more, with the leading one explicit, below the least normal number.
  const int shift = exponent >= 1 ? DROPPED : DROPPED + 1 - exponent;
  if (shift > 54) return sign;
  uint64 value = exponent >= 1 ? magnitude - (uint64(1023 - BIAS) << 52) : (magnitude & 0xfffffffffffffull) | 1ull << 52;
  const uint64 half = 1ull << (shift - 1), rest = value & (2 * half - 1);
  value >>= shift;
  value += rest > half || (rest == half && (value & 1));
  return uint16(sign | (exponent >= 1 && value >= INFINITE ? INFINITE : value));
}

// Floats in 16 bits, rounded to the nearest.
template <class To>
struct Narrow;
template <>
struct Narrow<float16> {
#ifdef __CUDA_ARCH__
  static IC_FN float16 of(float x)
  {
    float16 out;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out.bits) : "f"(x));
    return out;
  }
  static IC_FN float16 of(double x)
  {
    float16 out;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(out.bits) : "d"(x));
    return out;
  }
#else
  static IC_FN float16 of(double x) { return {narrowed<10, 5>(x)}; }
#endif
};
template <>
struct Narrow<bfloat16> {
  static IC_FN bfloat16 of(float x)
  {
    const uint32 bits = bits_of(x);
    if (is_nan(x)) return {uint16(bits >> 16 | 0x40)};
    return {uint16((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
  }
  static IC_FN bfloat16 of(double x) { return {narrowed<7, 8>(x)}; }
};

template <class T>
struct Is {
  static constexpr bool half = false, boolean = false;
};
template <>
struct Is<float16> {
  static constexpr bool half = true, boolean = false;
};
template <>
struct Is<bfloat16> {
  static constexpr bool half = true, boolean = false;
};
template <>
struct Is<bool> {
  static constexpr bool half = false, boolean = true;
};

// A real number to an integer: truncated, and held to the range.
template <class To, class From>
IC_FN To truncated(From x)
{
  using Unsigned = typename Traits<To>::Unsigned;
  constexpr int BITS = Traits<To>::width - Traits<To>::is_signed;
  // A power of two: exact.
  const From above = From(1ull << (BITS - 1)) * From(2);
  constexpr To MOST = To(Unsigned(~Unsigned(0)) >> Traits<To>::is_signed);
  if (is_nan(x)) return 0;
  if (x >= above) return MOST;
  if constexpr (Traits<To>::is_signed) {
    if (x < -above) return To(-MOST - 1);
  } else if (x < From(0)) {
    return 0;
  }
  return static_cast<To>(x);
}

template <class To, class From>
IC_FN To cast(From x)
{
  if constexpr (Traits<From>::is_complex) {
    if constexpr (Traits<To>::is_complex) {
      using Part = typename Traits<To>::Part;
      return To{static_cast<Part>(x.re), static_cast<Part>(x.im)};
    } else {
      static_assert(Is<To>::boolean, "a complex number has no real value");
      return x.re != 0 || x.im != 0;
    }
  } else if constexpr (Is<From>::half) {
    if constexpr (Is<To>::boolean) {
      return (x.bits & 0x7fff) != 0;
    } else {
      return cast<To>(widened(x));
    }
  } else if constexpr (Traits<To>::is_complex) {
    return To{cast<typename Traits<To>::Part>(x), 0};
  } else if constexpr (Is<To>::boolean) {
    return x != From(0);
  } else if constexpr (Is<To>::half) {
    // Integers by way of float32, as on the host.
    if constexpr (Traits<From>::is_real) {
      return Narrow<To>::of(x);
    } else {
      return Narrow<To>::of(static_cast<float>(x));
    }
  } else if constexpr (Traits<To>::is_integer && Traits<From>::is_real) {
    return truncated<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

} // namespace array
