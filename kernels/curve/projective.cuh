#pragma once
// Homogeneous points `X, Y, Z` with `x = X/Z`, `y = Y/Z`; neutral: `(0, 1, 0)`. The form of points at the boundary.
//
// Complete formulas, without any branch: Renes, Costello, Batina, https://eprint.iacr.org/2015/1060, algorithms 7, 8, 9.
#include "jacobian.cuh"

namespace icicle {

template <class C>
struct Projective {
  using Curve = C;
  using F = typename C::Base;
  static constexpr u32 WORDS = 3 * F::WORDS;

  F x, y, z;

  IC_HD static Projective make(const F& x, const F& y, const F& z)
  {
    Projective p;
    p.x = x;
    p.y = y;
    p.z = z;
    return p;
  }
  IC_HD static Projective neutral() { return make(F::zero(), F::one(), F::zero()); }
  IC_HD static Projective from_affine(const Affine<C>& p)
  {
    return p.is_neutral() ? neutral() : make(p.x, p.y, F::one());
  }
  IC_HD static Projective from_xyzz(const Xyzz<C>& p)
  {
    return p.is_neutral() ? neutral() : make(p.x * p.zzz, p.y * p.zz, p.zz * p.zzz);
  }
  IC_HD static Projective from_jacobian(const Jacobian<C>& p)
  {
    return p.is_neutral() ? neutral() : make(p.x * p.z, p.y, p.z.sqr() * p.z);
  }
  // With `Z² = ZZ` and `Z³ = ZZZ`: x = XZ/Z², y = YZ²/Z³.
  IC_HD Xyzz<C> to_xyzz() const
  {
    F zz = z.sqr();
    return Xyzz<C>::make(x * z, y * zz, zz, zz * z);
  }
  IC_HD static Projective from_limbs(const u32* w)
  {
    return make(F::from_limbs(w), F::from_limbs(w + F::WORDS), F::from_limbs(w + 2 * F::WORDS));
  }
  IC_HD void to_limbs(u32* w) const
  {
    x.to_limbs(w);
    y.to_limbs(w + F::WORDS);
    z.to_limbs(w + 2 * F::WORDS);
  }
  IC_HD static Projective from_raw(const Projective& p)
  {
    return make(F::from_raw(p.x), F::from_raw(p.y), F::from_raw(p.z));
  }
  IC_HD Projective to_raw() const { return make(x.to_raw(), y.to_raw(), z.to_raw()); }
  IC_HD bool is_neutral() const { return z.is_zero(); }
  IC_HD Projective operator-() const { return make(x, -y, z); }

  IC_HD Projective dbl() const
  {
    F t0 = y.sqr(), z8 = t0.dbl().dbl().dbl(), t1 = y * z, t2 = curve_b3<C>() * z.sqr();
    F x3 = t2 * z8, y3 = t0 + t2, z3 = t1 * z8;
    t0 = t0 - (t2.dbl() + t2);
    y3 = t0 * y3 + x3;
    F xy = x * y;
    return make((t0 * xy).dbl(), y3, z3);
  }
  IC_HD Projective operator+(const Projective& o) const
  {
    F t0 = x * o.x, t1 = y * o.y, t2 = z * o.z;
    F t3 = (x + y) * (o.x + o.y) - (t0 + t1);
    F t4 = (y + z) * (o.y + o.z) - (t1 + t2);
    F t5 = (x + z) * (o.x + o.z) - (t0 + t2);
    return finish(t0, t1, curve_b3<C>() * t2, t3, t4, curve_b3<C>() * t5);
  }
  // `o` not neutral unless the caller accepts the sum with nothing: a neutral affine point is recognised.
  IC_HD Projective operator+(const Affine<C>& o) const
  {
    if (o.is_neutral()) { return *this; }
    F t0 = x * o.x, t1 = y * o.y;
    F t3 = (x + y) * (o.x + o.y) - (t0 + t1);
    F t4 = o.y * z + y, t5 = o.x * z + x;
    return finish(t0, t1, curve_b3<C>() * z, t3, t4, curve_b3<C>() * t5);
  }
  // The second half of both: with `t0 = X1X2`, `t1 = Y1Y2`, `t2 = 3b·Z1Z2`, and the three cross terms.
  IC_HD static Projective finish(const F& xx, const F& yy, const F& t2, const F& xy, const F& yz, const F& b3_xz)
  {
    F t0 = xx.dbl() + xx;
    F z3 = yy + t2, t1 = yy - t2;
    return make(
      F::mul_sub_mul(xy, t1, yz, b3_xz), F::mul_add_mul(t1, z3, b3_xz, t0), F::mul_add_mul(z3, yz, t0, xy));
  }
  IC_HD Affine<C> to_affine() const
  {
    F inverse = z.inverse();
    return Affine<C>::make(x * inverse, y * inverse);
  }
};

} // namespace icicle
