#pragma once
// Jacobian points `X, Y, Z` with `x = X/Z²`, `y = Y/Z³`; neutral: `Z = 0`.
//
// The cheapest doublings (2 products, 5 squarings), for chains of them. Formulas:
// https://hyperelliptic.org/EFD/g1p/auto-shortw-jacobian-0.html (dbl-2009-l, madd-2007-bl, add-2007-bl).
#include "xyzz.cuh"

namespace icicle {

template <class C>
struct Jacobian {
  using Curve = C;
  using F = typename C::Base;
  static constexpr u32 WORDS = 3 * F::WORDS;

  F x, y, z;

  IC_HD static Jacobian make(const F& x, const F& y, const F& z)
  {
    Jacobian p;
    p.x = x;
    p.y = y;
    p.z = z;
    return p;
  }
  IC_HD static Jacobian neutral() { return make(F::one(), F::one(), F::zero()); }
  IC_HD static Jacobian from_affine(const Affine<C>& p)
  {
    return p.is_neutral() ? neutral() : make(p.x, p.y, F::one());
  }
  // `Z = ZZ` serves, since then `Z² = ZZ²` and `Z³ = ZZZ²`.
  IC_HD static Jacobian from_xyzz(const Xyzz<C>& p)
  {
    return p.is_neutral() ? neutral() : make(p.x * p.zz, p.y * p.zzz, p.zz);
  }
  IC_HD Xyzz<C> to_xyzz() const
  {
    F zz = z.sqr();
    return Xyzz<C>::make(x, y, zz, zz * z);
  }
  IC_HD static Jacobian from_limbs(const u32* w)
  {
    return make(F::from_limbs(w), F::from_limbs(w + F::WORDS), F::from_limbs(w + 2 * F::WORDS));
  }
  IC_HD void to_limbs(u32* w) const
  {
    x.to_limbs(w);
    y.to_limbs(w + F::WORDS);
    z.to_limbs(w + 2 * F::WORDS);
  }
  IC_HD bool is_neutral() const { return z.is_zero(); }
  IC_HD Jacobian operator-() const { return make(x, -y, z); }

  // A neutral operand stays neutral: Z is a factor of the new Z.
  IC_HD Jacobian dbl() const
  {
    F a = x.sqr(), b = y.sqr(), c = b.sqr();
    F d = ((x + b).sqr() - a - c).dbl();
    F e = a.dbl() + a;
    F x3 = e.sqr() - d.dbl();
    return make(x3, e * (d - x3) - c.dbl().dbl().dbl(), (y * z).dbl());
  }
  IC_HD void add(const Affine<C>& o)
  {
    if (o.is_neutral()) { return; }
    if (is_neutral()) {
      *this = from_affine(o);
      return;
    }
    F zz = z.sqr();
    F h = o.x * zz - x, r = (o.y * z * zz - y);
    if (h.is_zero()) {
      *this = r.is_zero() ? dbl() : neutral();
      return;
    }
    finish(h, r, x, y, (z * h).dbl());
  }
  IC_HD void add(const Jacobian& o)
  {
    if (o.is_neutral()) { return; }
    if (is_neutral()) {
      *this = o;
      return;
    }
    F z1 = z.sqr(), z2 = o.z.sqr();
    F u1 = x * z2, s1 = y * o.z * z2;
    F h = o.x * z1 - u1, r = o.y * z * z1 - s1;
    if (h.is_zero()) {
      *this = r.is_zero() ? dbl() : neutral();
      return;
    }
    finish(h, r, u1, s1, (z * o.z * h).dbl());
  }
  // The second half of both additions.
  IC_HD void finish(const F& h, const F& half_r, const F& u1, const F& s1, const F& z3)
  {
    F r = half_r.dbl(), i = h.dbl().sqr(), j = h * i, v = u1 * i;
    F x3 = r.sqr() - j - v.dbl();
    y = F::mul_sub_mul(r, v - x3, s1.dbl(), j);
    x = x3;
    z = z3;
  }
  IC_HD Affine<C> to_affine() const
  {
    if (is_neutral()) { return Affine<C>::neutral(); }
    F inverse = z.inverse(), square = inverse.sqr();
    return Affine<C>::make(x * square, y * square * inverse);
  }
};

} // namespace icicle
