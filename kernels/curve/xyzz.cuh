#pragma once
// Extended Jacobian points `X, Y, ZZ, ZZZ` with `x = X/ZZ`, `y = Y/ZZZ`, `ZZ³ = ZZZ²`; neutral: `ZZ = 0`.
//
// The accumulators of bucket methods: a mixed addition takes 8 products and 2 squarings, the last two products sharing a
// reduction where the modulus leaves two bits. Formulas: https://hyperelliptic.org/EFD/g1p/auto-shortw-xyzz.html
// (madd-2008-s, add-2008-s, dbl-2008-s-1, mdbl-2008-s-1). Every case is handled; doublings are a branch taken rarely.
#include "affine.cuh"

namespace icicle {

template <class C>
struct Xyzz {
  using Curve = C;
  using F = typename C::Base;
  static constexpr u32 WORDS = 4 * F::WORDS;

  F x, y, zz, zzz;

  IC_HD static Xyzz make(const F& x, const F& y, const F& zz, const F& zzz)
  {
    Xyzz p;
    p.x = x;
    p.y = y;
    p.zz = zz;
    p.zzz = zzz;
    return p;
  }
  IC_HD static Xyzz neutral() { return make(F::zero(), F::zero(), F::zero(), F::zero()); }
  IC_HD static Xyzz from_affine(const Affine<C>& p)
  {
    return p.is_neutral() ? neutral() : make(p.x, p.y, F::one(), F::one());
  }
  IC_HD static Xyzz from_limbs(const u32* w)
  {
    constexpr u32 n = F::WORDS;
    return make(F::from_limbs(w), F::from_limbs(w + n), F::from_limbs(w + 2 * n), F::from_limbs(w + 3 * n));
  }
  IC_HD void to_limbs(u32* w) const
  {
    x.to_limbs(w);
    y.to_limbs(w + F::WORDS);
    zz.to_limbs(w + 2 * F::WORDS);
    zzz.to_limbs(w + 3 * F::WORDS);
  }
  IC_HD bool is_neutral() const { return zz.is_zero(); }
  IC_HD Xyzz operator-() const { return make(x, -y, zz, zzz); }

  // Twice an affine point that is not neutral and has `y ≠ 0` (no point of order 2 is in a group of odd order).
  IC_HD static Xyzz dbl_affine(const Affine<C>& p)
  {
    F u = p.y.dbl(), v = u.sqr(), w = u * v, s = p.x * v, xx = p.x.sqr();
    F m = xx.dbl() + xx;
    F x3 = m.sqr() - s.dbl();
    return make(x3, F::mul_sub_mul(m, s - x3, w, p.y), v, w);
  }
  IC_HD Xyzz dbl() const
  {
    // A neutral operand stays neutral: ZZ and ZZZ are products with it.
    F u = y.dbl(), v = u.sqr(), w = u * v, s = x * v, xx = x.sqr();
    F m = xx.dbl() + xx;
    F x3 = m.sqr() - s.dbl();
    return make(x3, F::mul_sub_mul(m, s - x3, w, y), v * zz, w * zzz);
  }
  IC_HD void add(const Affine<C>& o)
  {
    if (o.is_neutral()) { return; }
    if (is_neutral()) {
      *this = from_affine(o);
      return;
    }
    F p = o.x * zz - x, r = o.y * zzz - y;
    if (p.is_zero()) {
      *this = r.is_zero() ? dbl_affine(o) : neutral();
      return;
    }
    finish(p, r, x, y);
  }
  IC_HD void add(const Xyzz& o)
  {
    if (o.is_neutral()) { return; }
    if (is_neutral()) {
      *this = o;
      return;
    }
    F u1 = x * o.zz, s1 = y * o.zzz;
    F p = o.x * zz - u1, r = o.y * zzz - s1;
    if (p.is_zero()) {
      *this = r.is_zero() ? dbl() : neutral();
      return;
    }
    zz *= o.zz;
    zzz *= o.zzz;
    finish(p, r, u1, s1);
  }
  // The second half of both additions: `p, r` the differences of the abscissas and ordinates over the common denominator.
  IC_HD void finish(const F& p, const F& r, const F& u1, const F& s1)
  {
    F pp = p.sqr(), ppp = p * pp, q = u1 * pp;
    zz *= pp;
    zzz *= ppp;
    F x3 = r.sqr() - ppp - q.dbl();
    y = F::mul_sub_mul(r, q - x3, ppp, s1);
    x = x3;
  }
  // One inversion.
  IC_HD Affine<C> to_affine() const
  {
    if (is_neutral()) { return Affine<C>::neutral(); }
    // 1/ZZZ gives 1/ZZ = (ZZ/ZZZ)².
    F inverse = zzz.inverse();
    F ratio = zz * inverse;
    return Affine<C>::make(x * ratio.sqr(), y * inverse);
  }
};

} // namespace icicle
