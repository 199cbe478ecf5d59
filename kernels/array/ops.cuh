// Operations on each element, by their names in the array API: what the tables `unary.rs` and `binary.rs` of the host say, for
// the same types.
#pragma once
#include "complex.cuh"

namespace array {
namespace ops {

// A function of complex numbers in double precision: the formulas lose digits that complex64 has.
#define IC_WIDE(NAME, FUNCTION)                                                                                        \
  template <class T>                                                                                                   \
  IC_FN complex<T> NAME(complex<T> z)                                                                                  \
  {                                                                                                                    \
    return cast<complex<T>>(FUNCTION(cast<complex128>(z)));                                                            \
  }
#define IC_REAL(NAME, VALUE)                                                                                           \
  template <class T>                                                                                                   \
  IC_FN Real<T> NAME(T x)                                                                                              \
  {                                                                                                                    \
    return VALUE;                                                                                                      \
  }
#define IC_INTEGER(NAME, VALUE)                                                                                        \
  template <class T>                                                                                                   \
  IC_FN Integer<T> NAME(T x)                                                                                           \
  {                                                                                                                    \
    return VALUE;                                                                                                      \
  }
#define IC_COMPLEX(NAME, RESULT, VALUE)                                                                                \
  template <class T>                                                                                                   \
  IC_FN RESULT NAME(complex<T> x)                                                                                      \
  {                                                                                                                    \
    return VALUE;                                                                                                      \
  }
#define IC_ASKS_INTEGER(NAME, VALUE)                                                                                   \
  template <class T>                                                                                                   \
  IC_FN Integer<T, bool> NAME(T)                                                                                       \
  {                                                                                                                    \
    return VALUE;                                                                                                      \
  }
#define IC_ASKS_REAL(NAME, VALUE)                                                                                      \
  template <class T>                                                                                                   \
  IC_FN Real<T, bool> NAME(T x)                                                                                        \
  {                                                                                                                    \
    return VALUE;                                                                                                      \
  }

IC_REAL(abs, machine::fabs(x))
IC_COMPLEX(abs, T, machine::hypot(x.re, x.im))
template <class T>
IC_FN Integer<T> abs(T x)
{
  return x < 0 ? wrapping_sub(T(0), x) : x;
}
IC_INTEGER(negative, wrapping_sub(T(0), x))
IC_REAL(negative, -x)
IC_COMPLEX(negative, complex<T>, (complex<T>{-x.re, -x.im}))
IC_INTEGER(positive, x)
IC_REAL(positive, x)
IC_COMPLEX(positive, complex<T>, x)
IC_INTEGER(sign, T((x > 0) - (x < 0)))
IC_REAL(sign, sign_of(x))
IC_WIDE(sign, complex_sign)
IC_REAL(sqrt, machine::sqrt(x))
IC_WIDE(sqrt, complex_sqrt)
IC_INTEGER(square, wrapping_mul(x, x))
IC_REAL(square, x* x)
IC_COMPLEX(square, complex<T>, complex_product(x, x))
IC_REAL(reciprocal, T(1) / x)
IC_COMPLEX(reciprocal, complex<T>, complex_quotient(complex<T>{T(1), T(0)}, x))

IC_REAL(exp, machine::exp(x))
IC_REAL(expm1, machine::expm1(x))
IC_REAL(log, machine::log(x))
IC_REAL(log1p, machine::log1p(x))
IC_REAL(log2, machine::log2(x))
IC_REAL(log10, machine::log10(x))
IC_REAL(sin, machine::sin(x))
IC_REAL(cos, machine::cos(x))
IC_REAL(tan, machine::tan(x))
IC_REAL(asin, machine::asin(x))
IC_REAL(acos, machine::acos(x))
IC_REAL(atan, machine::atan(x))
IC_REAL(sinh, machine::sinh(x))
IC_REAL(cosh, machine::cosh(x))
IC_REAL(tanh, machine::tanh(x))
IC_REAL(asinh, inverse_sinh(x))
IC_REAL(acosh, inverse_cosh(x))
IC_REAL(atanh, inverse_tanh(x))
IC_WIDE(exp, complex_exp)
IC_WIDE(expm1, complex_expm1)
IC_WIDE(log, complex_log)
IC_COMPLEX(log1p, complex<T>, complex_log1p(x))
template <class T>
IC_FN complex<T> log2(complex<T> x)
{
  const complex<T> log = complex_log(x);
  return {log.re * T(LOG2_E), log.im * T(LOG2_E)};
}
template <class T>
IC_FN complex<T> log10(complex<T> x)
{
  const complex<T> log = complex_log(x);
  return {log.re * T(LOG10_E), log.im * T(LOG10_E)};
}
template <class T>
IC_FN complex<T> sin(complex<T> x)
{
  return cast<complex<T>>(back(complex_sinh(turned(cast<complex128>(x)))));
}
template <class T>
IC_FN complex<T> cos(complex<T> x)
{
  return cast<complex<T>>(complex_cosh(turned(cast<complex128>(x))));
}
template <class T>
IC_FN complex<T> tan(complex<T> x)
{
  return cast<complex<T>>(back(complex_tanh(turned(cast<complex128>(x)))));
}
template <class T>
IC_FN complex<T> atan(complex<T> x)
{
  return cast<complex<T>>(back(complex_atanh(turned(cast<complex128>(x)))));
}
IC_WIDE(asin, complex_asin)
IC_WIDE(acos, complex_acos)
IC_WIDE(sinh, complex_sinh)
IC_WIDE(cosh, complex_cosh)
IC_WIDE(tanh, complex_tanh)
IC_WIDE(asinh, complex_asinh)
IC_WIDE(acosh, complex_acosh)
IC_WIDE(atanh, complex_atanh)

IC_INTEGER(floor, x)
IC_REAL(floor, machine::floor(x))
IC_INTEGER(ceil, x)
IC_REAL(ceil, machine::ceil(x))
IC_INTEGER(trunc, x)
IC_REAL(trunc, machine::trunc(x))
IC_INTEGER(round, x)
IC_REAL(round, machine::rint(x))
IC_COMPLEX(round, complex<T>, (complex<T>{machine::rint(x.re), machine::rint(x.im)}))

IC_ASKS_INTEGER(isnan, false)
IC_ASKS_REAL(isnan, is_nan(x))
IC_COMPLEX(isnan, bool, is_nan(x.re) || is_nan(x.im))
IC_ASKS_INTEGER(isinf, false)
IC_ASKS_REAL(isinf, is_infinite(x))
IC_COMPLEX(isinf, bool, is_infinite(x.re) || is_infinite(x.im))
IC_ASKS_INTEGER(isfinite, true)
IC_ASKS_REAL(isfinite, is_finite(x))
IC_COMPLEX(isfinite, bool, is_finite(x.re) && is_finite(x.im))
IC_ASKS_REAL(signbit, sign_bit(x))
IC_INTEGER(conj, x)
IC_REAL(conj, x)
IC_COMPLEX(conj, complex<T>, (complex<T>{x.re, -x.im}))
IC_INTEGER(real, x)
IC_REAL(real, x)
IC_COMPLEX(real, T, x.re)
IC_COMPLEX(imag, T, x.im)
IC_FN bool logical_not(bool x) { return !x; }
IC_FN bool bitwise_invert(bool x) { return !x; }
IC_INTEGER(bitwise_invert, T(~x))

#undef IC_WIDE
#undef IC_REAL
#undef IC_INTEGER
#undef IC_COMPLEX
#undef IC_ASKS_INTEGER
#undef IC_ASKS_REAL

#define IC_REAL(NAME, VALUE)                                                                                           \
  template <class T>                                                                                                   \
  IC_FN Real<T> NAME(T x, T y)                                                                                         \
  {                                                                                                                    \
    return VALUE;                                                                                                      \
  }
#define IC_INTEGER(NAME, VALUE)                                                                                        \
  template <class T>                                                                                                   \
  IC_FN Integer<T> NAME(T x, T y)                                                                                      \
  {                                                                                                                    \
    return VALUE;                                                                                                      \
  }
#define IC_COMPLEX(NAME, RESULT, VALUE)                                                                                \
  template <class T>                                                                                                   \
  IC_FN RESULT NAME(complex<T> x, complex<T> y)                                                                        \
  {                                                                                                                    \
    return VALUE;                                                                                                      \
  }
#define IC_BOOL(NAME, VALUE)                                                                                           \
  IC_FN bool NAME(bool x, bool y) { return VALUE; }
#define IC_ASKS(NAME, OPERATOR)                                                                                        \
  template <class T>                                                                                                   \
  IC_FN Integer<T, bool> NAME(T x, T y)                                                                                \
  {                                                                                                                    \
    return x OPERATOR y;                                                                                               \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  IC_FN Real<T, bool> NAME(T x, T y)                                                                                   \
  {                                                                                                                    \
    return x OPERATOR y;                                                                                               \
  }

IC_INTEGER(add, wrapping_add(x, y))
IC_REAL(add, x + y)
IC_COMPLEX(add, complex<T>, (complex<T>{x.re + y.re, x.im + y.im}))
IC_INTEGER(subtract, wrapping_sub(x, y))
IC_REAL(subtract, x - y)
IC_COMPLEX(subtract, complex<T>, (complex<T>{x.re - y.re, x.im - y.im}))
IC_INTEGER(multiply, wrapping_mul(x, y))
IC_REAL(multiply, x* y)
IC_COMPLEX(multiply, complex<T>, complex_product(x, y))
IC_REAL(divide, x / y)
IC_COMPLEX(divide, complex<T>, complex_quotient(x, y))
IC_INTEGER(floor_divide, floored_quotient(x, y))
IC_REAL(floor_divide, floored_division(x, y))
IC_INTEGER(remainder, floored_remainder(x, y))
template <class T>
IC_FN Real<T> remainder(T x, T y)
{
  T quotient, rest;
  divided(x, y, quotient, rest);
  return rest;
}
IC_INTEGER(pow, integer_power(x, y))
IC_REAL(pow, machine::pow(x, y))
IC_COMPLEX(pow, complex<T>, complex_power(x, y))
IC_REAL(atan2, machine::atan2(x, y))
IC_REAL(hypot, machine::hypot(x, y))
IC_REAL(copysign, machine::copysign(x, y))
template <class T>
IC_FN Real<T> nextafter(T x, T y)
{
  using Bits = typename Traits<T>::Bits;
  return Traits<T>::from_bits(next_bits(x, y, [](T v) { return v; }, Bits(bits_of(Traits<T>::nan()))));
}
IC_FN float16 nextafter(float16 x, float16 y)
{
  return {next_bits(x, y, [](float16 v) { return widened(v); }, uint16(0x7e00))};
}
IC_FN bfloat16 nextafter(bfloat16 x, bfloat16 y)
{
  return {next_bits(x, y, [](bfloat16 v) { return widened(v); }, uint16(0x7fc0))};
}
IC_REAL(logaddexp, log_add_exp(x, y))
IC_INTEGER(maximum, x > y ? x : y)
IC_REAL(maximum, x >= y || is_nan(x) ? x : y)
IC_INTEGER(minimum, x < y ? x : y)
IC_REAL(minimum, x <= y || is_nan(x) ? x : y)
IC_BOOL(bitwise_and, x && y)
IC_INTEGER(bitwise_and, T(x & y))
IC_BOOL(bitwise_or, x || y)
IC_INTEGER(bitwise_or, T(x | y))
IC_BOOL(bitwise_xor, x != y)
IC_INTEGER(bitwise_xor, T(x ^ y))
IC_INTEGER(bitwise_left_shift, shifted_left(x, y))
IC_INTEGER(bitwise_right_shift, shifted_right(x, y))
IC_BOOL(equal, x == y)
IC_ASKS(equal, ==)
IC_COMPLEX(equal, bool, x.re == y.re && x.im == y.im)
IC_BOOL(not_equal, x != y)
IC_ASKS(not_equal, !=)
IC_COMPLEX(not_equal, bool, x.re != y.re || x.im != y.im)
IC_ASKS(less, <)
IC_ASKS(less_equal, <=)
IC_ASKS(greater, >)
IC_ASKS(greater_equal, >=)
IC_BOOL(logical_and, x && y)
IC_BOOL(logical_or, x || y)
IC_BOOL(logical_xor, x != y)

#undef IC_REAL
#undef IC_INTEGER
#undef IC_COMPLEX
#undef IC_BOOL
#undef IC_ASKS

template <class T>
IC_FN T where(bool condition, T x, T y)
{
  return condition ? x : y;
}

} // namespace ops
} // namespace array
