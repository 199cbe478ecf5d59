// Functions of complex numbers: as `complex.rs` and `real.rs` of the host, after W. Kahan, "Branch cuts for complex elementary
// functions, or much ado about nothing's sign bit", 1987; of infinities and NaN as ISO C, annex G.
#pragma once
#include "real.cuh"

namespace array {

using C = complex128;

constexpr double PI = 3.14159265358979323846264338327950288;

IC_FN double sign_from(double magnitude, double sign) { return machine::copysign(magnitude, sign); }
IC_FN double not_a_number() { return Traits<double>::nan(); }
IC_FN double infinite() { return Traits<double>::infinity(); }

// The quotient by Smith's method, which does not overflow before the result does.
template <class T>
IC_FN complex<T> complex_quotient(complex<T> a, complex<T> b)
{
  const T re = machine::fabs(b.re), im = machine::fabs(b.im);
  if (re >= im) {
    if (re == T(0) && im == T(0)) return {a.re / re, a.im / re};
    const T ratio = b.im / b.re, scale = T(1) / (b.re + b.im * ratio);
    return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
  }
  const T ratio = b.re / b.im, scale = T(1) / (b.im + b.re * ratio);
  return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}

template <class T>
IC_FN complex<T> complex_product(complex<T> x, complex<T> y)
{
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

// The polar form of a number: what powers and logarithms are made of.
template <class T>
IC_FN complex<T> complex_log(complex<T> z)
{
  return {machine::log(machine::hypot(z.re, z.im)), machine::atan2(z.im, z.re)};
}
template <class T>
IC_FN complex<T> from_polar(T length, T angle)
{
  return {length * machine::cos(angle), length * machine::sin(angle)};
}

template <class T>
IC_FN complex<T> complex_exp(complex<T> z)
{
  if (is_infinite(z.re)) {
    if (z.re < T(0)) {
      if (!is_finite(z.im)) return {T(0), T(0)};
    } else if (z.im == T(0) || !is_finite(z.im)) {
      return {z.re, is_infinite(z.im) ? Traits<T>::nan() : z.im};
    }
  } else if (is_nan(z.re) && z.im == T(0)) {
    return z;
  }
  return from_polar(machine::exp(z.re), z.im);
}

IC_SLOW C complex_expm1(C z)
{
  if (is_finite(z.re) && is_finite(z.im)) {
    const double half = machine::sin(z.im / 2);
    return {machine::expm1(z.re) * machine::cos(z.im) - 2 * half * half, machine::exp(z.re) * machine::sin(z.im)};
  }
  const C power = complex_exp(z);
  return {power.re - 1, power.im};
}

template <class T>
IC_FN complex<T> complex_log1p(complex<T> z)
{
  const T one = z.re + T(1);
  const bool near = machine::fabs(z.re) < T(0.5) && machine::fabs(z.im) < T(0.5);
  const T re = near ? machine::log1p(z.re * (T(2) + z.re) + z.im * z.im) / T(2) : machine::log(machine::hypot(one, z.im));
  return {re, machine::atan2(z.im, one)};
}

// The root of finite numbers, whose parts do not overflow on the way.
IC_SLOW C finite_sqrt(C z)
{
  if (z.im == 0) {
    const double root = machine::sqrt(machine::fabs(z.re));
    return z.re < 0 || (z.re == 0 && sign_bit(z.re)) ? C{0, sign_from(z.re == 0 ? 0 : root, z.im)} : C{root, z.im};
  }
  if (z.re == 0) {
    const double part = machine::sqrt(machine::fabs(z.im) / 2);
    return {part, sign_from(part, z.im)};
  }
  const double root = machine::sqrt(machine::hypot(z.re, z.im)), angle = machine::atan2(z.im, z.re) / 2;
  return from_polar(root, angle);
}

IC_SLOW C complex_sqrt(C z)
{
  const double x = z.re, y = z.im;
  if (is_infinite(y)) return {infinite(), y};
  if (x == infinite()) return {x, is_nan(y) ? y : sign_from(0, y)};
  if (x == -infinite()) return is_nan(y) ? C{y, infinite()} : C{0, sign_from(infinite(), y)};
  if (is_nan(x) || is_nan(y)) return {not_a_number(), not_a_number()};
  return finite_sqrt(z);
}

IC_SLOW C complex_sign(C z)
{
  const double x = z.re, y = z.im;
  if (x == 0 && y == 0) return z;
  if (is_infinite(x) && !is_infinite(y) && !is_nan(y)) return {sign_from(1, x), sign_from(0, y)};
  if (!is_infinite(x) && is_infinite(y) && !is_nan(x)) return {sign_from(0, x), sign_from(1, y)};
  const double length = machine::hypot(x, y);
  return {x / length, y / length};
}

IC_SLOW C complex_sinh(C z)
{
  const double x = z.re, y = z.im;
  if (y == 0) return {machine::sinh(x), y};
  if (is_finite(y)) return {machine::sinh(x) * machine::cos(y), machine::cosh(x) * machine::sin(y)};
  return {x == 0 || is_infinite(x) ? x : not_a_number(), not_a_number()};
}

IC_SLOW C complex_cosh(C z)
{
  const double x = z.re, y = z.im;
  if (y == 0) return {machine::cosh(x), is_nan(x) ? y : y * sign_from(1, x)};
  if (is_finite(y)) return {machine::cosh(x) * machine::cos(y), machine::sinh(x) * machine::sin(y)};
  return {is_infinite(x) ? infinite() : not_a_number(), x == 0 ? x : not_a_number()};
}

IC_SLOW C complex_tanh(C z)
{
  // Beyond this, `tanh` of a real number is 1 in double precision.
  const double FLAT = 22.0, x = z.re, y = z.im;
  if (y == 0) return {machine::tanh(x), y};
  if (!is_finite(y)) {
    if (is_infinite(x)) return {sign_from(1, x), sign_from(0, y)};
    return {x == 0 ? x : not_a_number(), not_a_number()};
  }
  if (machine::fabs(x) > FLAT) {
    return {sign_from(1, x), 4 * machine::sin(y) * machine::cos(y) * machine::exp(-2 * machine::fabs(x))};
  }
  const double tangent = machine::tan(y), sine = machine::sinh(x);
  const double wide = 1 + tangent * tangent, below = 1 + wide * sine * sine;
  return {wide * machine::sqrt(1 + sine * sine) * sine / below, tangent / below};
}

// Times i before, times -i after: what leads from a hyperbolic function to the circular one.
IC_FN C turned(C z) { return {-z.im, z.re}; }
IC_FN C back(C z) { return {z.im, -z.re}; }

// Square roots of `1 - z` and `1 + z`, whose parts of zero keep their signs.
IC_FN C root_below(C z) { return finite_sqrt({1 - z.re, -z.im}); }
IC_FN C root_above(C z) { return finite_sqrt({1 + z.re, z.im}); }

IC_SLOW C asinh_beyond(C z)
{
  const double x = z.re, y = z.im;
  if (is_infinite(x)) return {x, is_nan(y) ? y : is_infinite(y) ? sign_from(PI / 4, y) : sign_from(0, y)};
  if (is_infinite(y)) return {sign_from(infinite(), x), is_nan(x) ? x : sign_from(PI / 2, y)};
  return {not_a_number(), y == 0 ? y : not_a_number()};
}

IC_SLOW C complex_asin(C z)
{
  if (!is_finite(z.re) || !is_finite(z.im)) return back(asinh_beyond(turned(z)));
  const C less = root_below(z), more = root_above(z);
  return {
    machine::atan2(z.re, less.re * more.re - less.im * more.im), inverse_sinh(less.re * more.im - less.im * more.re)};
}

IC_FN C complex_asinh(C z)
{
  return is_finite(z.re) && is_finite(z.im) ? back(complex_asin(turned(z))) : asinh_beyond(z);
}

IC_SLOW C acos_beyond(C z)
{
  const double x = z.re, y = z.im, away = is_nan(y) ? -infinite() : -sign_from(infinite(), y);
  if (is_infinite(x)) {
    if (is_nan(y)) return {y, away};
    if (is_infinite(y)) return {x > 0 ? PI / 4 : PI - PI / 4, away};
    return {x > 0 ? 0.0 : PI, away};
  }
  if (is_infinite(y)) return {is_nan(x) ? x : PI / 2, away};
  return {x == 0 ? PI / 2 : not_a_number(), not_a_number()};
}

IC_SLOW C complex_acos(C z)
{
  if (!is_finite(z.re) || !is_finite(z.im)) return acos_beyond(z);
  const C less = root_below(z), more = root_above(z);
  return {2 * machine::atan2(less.re, more.re), inverse_sinh(more.re * less.im - more.im * less.re)};
}

IC_SLOW C complex_acosh(C z)
{
  if (!is_finite(z.re) || !is_finite(z.im)) {
    const C found = acos_beyond(z);
    return {machine::fabs(found.im), is_nan(found.re) ? found.re : sign_from(found.re, z.im)};
  }
  const C less = finite_sqrt({z.re - 1, z.im}), more = finite_sqrt({z.re + 1, z.im});
  return {inverse_sinh(less.re * more.re + less.im * more.im), 2 * machine::atan2(less.im, more.re)};
}

IC_SLOW C complex_atanh(C z)
{
  const double x = z.re, y = z.im;
  if (!is_finite(x) || !is_finite(y)) {
    const double near = is_nan(x) ? 0.0 : sign_from(0, x);
    if (is_infinite(y) || (is_infinite(x) && !is_nan(y))) return {near, sign_from(PI / 2, y)};
    if (is_infinite(x) || x == 0) return {near, y};
    return {not_a_number(), not_a_number()};
  }
  const double from_one = 1 - machine::fabs(x);
  const double re = 0.25 * machine::log1p(4 * machine::fabs(x) / (from_one * from_one + y * y));
  return {sign_from(re, x), 0.5 * machine::atan2(2 * y, (1 - x) * (1 + x) - y * y)};
}

template <class T>
IC_FN complex<T> complex_power(complex<T> x, complex<T> y)
{
  if (y.re == T(0) && y.im == T(0)) return {T(1), T(0)};
  return complex_exp(complex_product(y, complex_log(x)));
}

} // namespace array
