// The numbers of arrays: one type for each dtype, by the dtype's name.
#pragma once

#ifndef __CUDA_ARCH__
#include <cmath>
#include <cstring>
#endif

#define IC_FN __device__ __forceinline__
#define IC_SLOW __device__ __noinline__

namespace array {

using int8 = signed char;
using int16 = short;
using int32 = int;
using int64 = long long;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long long;
using float32 = float;
using float64 = double;

struct float16 {
  uint16 bits;
};
struct bfloat16 {
  uint16 bits;
};

template <class T>
struct complex {
  T re, im;
};
using complex64 = complex<float>;
using complex128 = complex<double>;

IC_FN uint32 bits_of(float x)
{
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  uint32 bits;
  std::memcpy(&bits, &x, 4);
  return bits;
#endif
}
IC_FN uint64 bits_of(double x)
{
#ifdef __CUDA_ARCH__
  return __double_as_longlong(x);
#else
  uint64 bits;
  std::memcpy(&bits, &x, 8);
  return bits;
#endif
}
IC_FN uint16 bits_of(float16 x) { return x.bits; }
IC_FN uint16 bits_of(bfloat16 x) { return x.bits; }

IC_FN float float_of(uint32 bits)
{
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
#endif
}
IC_FN double double_of(uint64 bits)
{
#ifdef __CUDA_ARCH__
  return __longlong_as_double(bits);
#else
  double x;
  std::memcpy(&x, &bits, 8);
  return x;
#endif
}

// What is true of a dtype's type.
template <class T>
struct Traits;

template <class U, class S, bool SIGNED>
struct IntegerTraits {
  using Unsigned = U;
  using Signed = S;
  static constexpr bool is_integer = true, is_signed = SIGNED, is_real = false, is_complex = false;
  static constexpr int width = 8 * sizeof(U);
};
template <>
struct Traits<int8> : IntegerTraits<uint8, int8, true> {};
template <>
struct Traits<int16> : IntegerTraits<uint16, int16, true> {};
template <>
struct Traits<int32> : IntegerTraits<uint32, int32, true> {};
template <>
struct Traits<int64> : IntegerTraits<uint64, int64, true> {};
template <>
struct Traits<uint8> : IntegerTraits<uint8, int8, false> {};
template <>
struct Traits<uint16> : IntegerTraits<uint16, int16, false> {};
template <>
struct Traits<uint32> : IntegerTraits<uint32, int32, false> {};
template <>
struct Traits<uint64> : IntegerTraits<uint64, int64, false> {};

template <bool REAL, bool COMPLEX>
struct OtherTraits {
  static constexpr bool is_integer = false, is_signed = true, is_real = REAL, is_complex = COMPLEX;
};
template <>
struct Traits<bool> : OtherTraits<false, false> {};
template <>
struct Traits<float16> : OtherTraits<false, false> {};
template <>
struct Traits<bfloat16> : OtherTraits<false, false> {};
template <>
struct Traits<float> : OtherTraits<true, false> {
  using Bits = uint32;
  static IC_FN float nan() { return float_of(0x7fc00000u); }
  static IC_FN float infinity() { return float_of(0x7f800000u); }
  static IC_FN float from_bits(uint32 bits) { return float_of(bits); }
};
template <>
struct Traits<double> : OtherTraits<true, false> {
  using Bits = uint64;
  static IC_FN double nan() { return double_of(0x7ff8000000000000ull); }
  static IC_FN double infinity() { return double_of(0x7ff0000000000000ull); }
  static IC_FN double from_bits(uint64 bits) { return double_of(bits); }
};
template <class T>
struct Traits<complex<T>> : OtherTraits<false, true> {
  using Part = T;
};

template <bool CONDITION, class T = void>
struct EnableIf {};
template <class T>
struct EnableIf<true, T> {
  using Type = T;
};
// A function for integers, real or complex numbers only.
template <class T, class R = T>
using Integer = typename EnableIf<Traits<T>::is_integer, R>::Type;
template <class T, class R = T>
using Real = typename EnableIf<Traits<T>::is_real, R>::Type;
template <class T, class R = complex<T>>
using OfReal = typename EnableIf<Traits<T>::is_real, R>::Type;

template <class T>
IC_FN bool is_nan(T x)
{
  return x != x;
}
template <class T>
IC_FN bool is_infinite(T x)
{
  return x == Traits<T>::infinity() || x == -Traits<T>::infinity();
}
template <class T>
IC_FN bool is_finite(T x)
{
  return x - x == T(0);
}
IC_FN bool sign_bit(float x) { return bits_of(x) >> 31; }
IC_FN bool sign_bit(double x) { return bits_of(x) >> 63; }

} // namespace array
