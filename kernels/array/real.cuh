// Functions of integers and real numbers that the machine lacks, or has with other rules: as `integer.rs` and `real.rs` of
// the host.
#pragma once
#include "cast.cuh"

namespace array {

#ifndef __CUDA_ARCH__
namespace machine = std;
#else
namespace machine {
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::exp;
using ::expm1;
using ::fabs;
using ::floor;
using ::fmod;
using ::hypot;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::pow;
using ::rint;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
} // namespace machine
#endif

// Wrapping arithmetic, by the unsigned type: in C++ signed overflow has no meaning.
template <class T>
IC_FN T wrapping_add(T x, T y)
{
  using U = typename Traits<T>::Unsigned;
  return T(U(U(x) + U(y)));
}
template <class T>
IC_FN T wrapping_sub(T x, T y)
{
  using U = typename Traits<T>::Unsigned;
  return T(U(U(x) - U(y)));
}
template <class T>
IC_FN T wrapping_mul(T x, T y)
{
  // In 64 bits: 16-bit numbers would be multiplied as signed ones of 32.
  return T(typename Traits<T>::Unsigned(uint64(x) * uint64(y)));
}

template <class T>
IC_FN T floored_quotient(T x, T by)
{
  if (by == 0) return 0;
  if constexpr (Traits<T>::is_signed) {
    if (by == T(-1)) return wrapping_sub(T(0), x);
  }
  const T quotient = T(x / by);
  const bool inexact = wrapping_mul(quotient, by) != x;
  return T(quotient - T(inexact && ((x < 0) != (by < 0))));
}
template <class T>
IC_FN T floored_remainder(T x, T by)
{
  return by == 0 ? T(0) : wrapping_sub(x, wrapping_mul(floored_quotient(x, by), by));
}

template <class T>
IC_FN T integer_power(T x, T exponent)
{
  if constexpr (Traits<T>::is_signed) {
    if (exponent < 0) return x == 1 ? T(1) : x == T(-1) ? (exponent & 1 ? x : T(1)) : T(0);
  }
  T base = x, out = 1;
  for (auto left = typename Traits<T>::Unsigned(exponent); left != 0; left >>= 1) {
    if (left & 1) out = wrapping_mul(out, base);
    base = wrapping_mul(base, base);
  }
  return out;
}

template <class T>
IC_FN T shifted_left(T x, T by)
{
  using U = typename Traits<T>::Unsigned;
  return U(by) < U(Traits<T>::width) ? T(U(uint64(U(x)) << U(by))) : T(0);
}
template <class T>
IC_FN T shifted_right(T x, T by)
{
  using U = typename Traits<T>::Unsigned;
  const bool within = U(by) < U(Traits<T>::width);
  if constexpr (Traits<T>::is_signed) {
    return T(x >> (within ? by : T(Traits<T>::width - 1)));
  } else {
    return within ? T(x >> by) : T(0);
  }
}

// The sign: -1, a zero that is 0, 1 or NaN.
template <class T>
IC_FN T sign_of(T x)
{
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x + T(0);
}

// Python's floored quotient and remainder: the remainder has the divisor's sign, and a quotient by 0 is that of `/`.
template <class T>
IC_FN void divided(T a, T b, T& quotient, T& rest)
{
  rest = machine::fmod(a, b);
  if (b == T(0)) {
    quotient = a / b;
    return;
  }
  quotient = (a - rest) / b;
  if (rest == T(0)) {
    rest = machine::copysign(T(0), b);
  } else if ((b < T(0)) != (rest < T(0))) {
    quotient -= T(1);
    rest += b;
  }
  if (quotient == T(0)) {
    quotient = machine::copysign(T(0), a / b);
    return;
  }
  const T floored = machine::floor(quotient);
  quotient = quotient - floored > T(0.5) ? floored + T(1) : floored;
}

template <class T>
IC_FN T floored_division(T a, T b)
{
  if (is_infinite(a) || is_infinite(b)) return machine::floor(a / b);
  T quotient, rest;
  divided(a, b, quotient, rest);
  return quotient;
}

constexpr double LN_2 = 0.693147180559945309417232121458176568;
constexpr double LOG2_E = 1.44269504088896340735992468100189214;
constexpr double LOG10_E = 0.434294481903251827651128918916605082;

template <class T>
IC_FN T log_add_exp(T a, T b)
{
  if (a == b) return a + T(LN_2);
  const T difference = a - b;
  if (difference > T(0)) return a + machine::log1p(machine::exp(-difference));
  if (difference <= T(0)) return b + machine::log1p(machine::exp(difference));
  return difference;
}

// Above it a number's square says nothing about 1.
template <class T>
struct Large {
  static constexpr T value = sizeof(T) == 4 ? T(16777216.0) : T(9007199254740992.0);
};

template <class T>
IC_FN T inverse_sinh(T x)
{
  const T a = machine::fabs(x), square = a * a;
  const T near = machine::log1p(a + square / (T(1) + machine::sqrt(square + T(1))));
  return machine::copysign(a > Large<T>::value ? machine::log(a) + T(LN_2) : near, x);
}
template <class T>
IC_FN T inverse_cosh(T x)
{
  if (x > Large<T>::value) return machine::log(x) + T(LN_2);
  if (x < T(1)) return machine::sqrt(x - T(1));
  const T above = x - T(1);
  return machine::log1p(above + machine::sqrt(T(2) * above + above * above));
}
template <class T>
IC_FN T inverse_tanh(T x)
{
  const T a = machine::fabs(x);
  return machine::copysign(machine::log1p(T(2) * a / (T(1) - a)) / T(2), x);
}

// The next number of the type from `x` towards `y`, by its bits; `Value` orders them.
template <class T, class Bits, class Value>
IC_FN Bits next_bits(T x, T y, Value value, Bits quiet)
{
  const Bits sign = Bits(1) << (8 * sizeof(Bits) - 1), bits = bits_of(x);
  if (is_nan(value(x)) || is_nan(value(y))) return quiet;
  if (value(x) == value(y)) return bits_of(y);
  if ((bits & ~sign) == 0) return Bits((bits_of(y) & sign) | 1);
  const bool away = (value(y) > value(x)) == ((bits & sign) == 0);
  return Bits(away ? bits + 1 : bits - 1);
}

} // namespace array
