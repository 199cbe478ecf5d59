#pragma once
// Points of `y² = x³ + b` (every curve of the table has `a = 0`), and their affine form.
//
// `C` is a curve of `curves_gen.cuh`. Coordinates are in working form: canonical data must be converted when it is
// loaded, since the formulas are not linear.
#include "curves_gen.cuh"

namespace icicle {

template <class C>
IC_HD typename C::Base curve_b3()
{
  u32 w[C::Base::WORDS];
  IC_UNROLL
  for (u32 i = 0; i < C::Base::WORDS; i++) { w[i] = C::b3(i); }
  return C::Base::from_limbs(w);
}

template <class C>
IC_HD typename C::Base curve_b()
{
  u32 w[C::Base::WORDS];
  IC_UNROLL
  for (u32 i = 0; i < C::Base::WORDS; i++) { w[i] = C::b(i); }
  return C::Base::from_limbs(w);
}

// `x, y`; the neutral element is `(0, 0)`, which is on no curve with `b ≠ 0`.
template <class C>
struct Affine {
  using Curve = C;
  using F = typename C::Base;
  static constexpr u32 WORDS = 2 * F::WORDS;

  F x, y;

  IC_HD static Affine make(const F& x, const F& y)
  {
    Affine p;
    p.x = x;
    p.y = y;
    return p;
  }
  IC_HD static Affine neutral() { return make(F::zero(), F::zero()); }
  IC_HD static Affine generator()
  {
    u32 x[F::WORDS], y[F::WORDS];
    IC_UNROLL
    for (u32 i = 0; i < F::WORDS; i++) {
      x[i] = C::generator_x(i);
      y[i] = C::generator_y(i);
    }
    return make(F::from_limbs(x), F::from_limbs(y));
  }
  IC_HD static Affine from_limbs(const u32* w) { return make(F::from_limbs(w), F::from_limbs(w + F::WORDS)); }
  IC_HD void to_limbs(u32* w) const
  {
    x.to_limbs(w);
    y.to_limbs(w + F::WORDS);
  }
  IC_HD static Affine from_raw(const Affine& p) { return make(F::from_raw(p.x), F::from_raw(p.y)); }
  IC_HD Affine to_raw() const { return make(x.to_raw(), y.to_raw()); }
  IC_HD bool is_neutral() const { return x.is_zero() && y.is_zero(); }
  IC_HD Affine operator-() const { return make(x, -y); }
  IC_HD bool is_on_curve() const { return is_neutral() || y.sqr() == x.sqr() * x + curve_b<C>(); }
};

} // namespace icicle
