#pragma once
// The field of `p = 2^64 - 2^32 + 1`, canonical. Two registers an element; a product is four wide multiplications and
// a reduction of additions only, since `2^64 = 2^32 - 1` and `2^96 = -1`.
#include "powers.cuh"

namespace icicle {

template <class P>
struct Goldilocks {
  using Params = P;
  using Prime = Goldilocks;
  static constexpr u32 WORDS = 2;
  static constexpr u32 DEGREE = 1;
  static constexpr u32 BITS = 64;
  static constexpr bool IS_FIELD = true;
  static constexpr bool FUSED_DOT = false;
  // `2^64 mod p`.
  static constexpr u32 EPSILON = 0xffffffff;
  static_assert(P::modulus(0) == 1 && P::modulus(1) == EPSILON, "the reduction is written for this prime");

  u32 v[2];

  IC_HD static Goldilocks make(u32 low, u32 high)
  {
    Goldilocks r;
    r.v[0] = low;
    r.v[1] = high;
    return r;
  }
  IC_HD static Goldilocks from_limbs(const u32* w) { return make(w[0], w[1]); }
  IC_HD void to_limbs(u32* w) const
  {
    w[0] = v[0];
    w[1] = v[1];
  }
  IC_HD static Goldilocks zero() { return make(0, 0); }
  IC_HD static Goldilocks one() { return make(1, 0); }
  IC_HD static Goldilocks raw_one() { return make(1, 0); }
  IC_HD static Goldilocks two_adic_root() { return make(P::root(0), P::root(1)); }
  IC_HD static Goldilocks from_raw(const Goldilocks& limbs) { return limbs; }
  IC_HD Goldilocks to_raw() const { return *this; }
  // `R = 2^64 = 2^32 - 1` at the boundary; its inverse is `2^128 = -2^32`.
  IC_HD Goldilocks encode() const { return *this * make(EPSILON, 0); }
  IC_HD Goldilocks decode() const { return *this * make(1, 0xfffffffe); }
  IC_HD static Goldilocks from_u32(u32 x) { return make(x, 0); }

  // `x` if below `p`, else `x - p`, for any 64-bit `x`.
  IC_HD Goldilocks reduced() const
  {
    u32 low = add_cc(v[0], EPSILON);
    u32 high = addc_cc(v[1], 0);
    u32 over = addc(0, 0);
    return over ? make(low, high) : *this;
  }
  // `b` canonical.
  IC_HD friend Goldilocks operator+(const Goldilocks& a, const Goldilocks& b)
  {
    // a - (p - b), and p again if that borrows: adding p is subtracting 2^32 - 1.
    u32 n0 = sub_cc(1, b.v[0]);
    u32 n1 = subc(EPSILON, b.v[1]);
    u32 low = sub_cc(a.v[0], n0);
    u32 high = subc_cc(a.v[1], n1);
    u32 mask = subc(0, 0);
    low = sub_cc(low, mask);
    return make(low, subc(high, 0));
  }
  IC_HD friend Goldilocks operator-(const Goldilocks& a, const Goldilocks& b)
  {
    u32 low = sub_cc(a.v[0], b.v[0]);
    u32 high = subc_cc(a.v[1], b.v[1]);
    u32 mask = subc(0, 0);
    low = sub_cc(low, mask);
    return make(low, subc(high, 0));
  }
  IC_HD Goldilocks operator-() const { return zero() - *this; }
  // Factors any 64-bit numbers; the result any 64-bit number congruent to the product.
  IC_HD Goldilocks mul_lazy(const Goldilocks& o) const
  {
    u32 a0 = v[0], a1 = v[1], b0 = o.v[0], b1 = o.v[1];
    u64 p0 = (u64)a0 * b0, p3 = (u64)a1 * b1, cross = (u64)a0 * b1;
    u32 t0 = (u32)p0;
    u32 x1 = (u32)cross, x2 = (u32)(cross >> 32);
    // cross += a1·b0, its carry to the top word.
    x1 = mad_lo_cc(a1, b0, x1);
    x2 = madc_hi_cc(a1, b0, x2);
    u32 x3 = addc((u32)(p3 >> 32), 0);
    u32 t1 = add_cc((u32)(p0 >> 32), x1);
    u32 t2 = addc_cc((u32)p3, x2);
    u32 t3 = addc(x3, 0);
    // t0 + t1·2^32 - t3 …
    u32 low = sub_cc(t0, t3);
    u32 high = subc_cc(t1, 0);
    u32 mask = subc(0, 0);
    low = sub_cc(low, mask);
    high = subc(high, 0);
    // … + t2·(2^32 - 1).
    u32 m0 = sub_cc(0, t2);
    u32 m1 = subc(t2, 0);
    low = add_cc(low, m0);
    high = addc_cc(high, m1);
    mask = 0u - addc(0, 0);
    low = add_cc(low, mask);
    return make(low, addc(high, 0));
  }
  IC_HD friend Goldilocks operator*(const Goldilocks& a, const Goldilocks& b) { return a.mul_lazy(b).reduced(); }
  IC_HD Goldilocks dbl() const { return *this + *this; }
  IC_HD Goldilocks sqr() const { return *this * *this; }
  IC_HD Goldilocks& operator+=(const Goldilocks& o) { return *this = *this + o; }
  IC_HD Goldilocks& operator-=(const Goldilocks& o) { return *this = *this - o; }
  IC_HD Goldilocks& operator*=(const Goldilocks& o) { return *this = *this * o; }
  IC_HD Goldilocks scale(const Goldilocks& by) const { return *this * by; }
  IC_HD static Goldilocks
  mul_add_mul(const Goldilocks& a, const Goldilocks& b, const Goldilocks& c, const Goldilocks& d)
  {
    return a.mul_lazy(b) + c * d;
  }
  IC_HD static Goldilocks mul_raw(const Goldilocks& a, const Goldilocks& b) { return a * b; }
  IC_HD Goldilocks raw_fix() const { return *this; }

  IC_HD bool is_zero() const { return (v[0] | v[1]) == 0; }
  IC_HD friend bool operator==(const Goldilocks& a, const Goldilocks& b)
  {
    return a.v[0] == b.v[0] && a.v[1] == b.v[1];
  }
  IC_HD friend bool operator!=(const Goldilocks& a, const Goldilocks& b) { return !(a == b); }
  IC_HD Goldilocks pow(u64 e) const { return power(*this, e); }
  // `x^(p-2)`, `p - 2 = (2^31 - 1)·2^33 + 2^32 - 1`.
  IC_HD Goldilocks inverse() const
  {
    Goldilocks ones31 = power_of_ones(*this, 31), out = ones31;
    IC_NO_UNROLL
    for (u32 i = 0; i < 33; i++) { out = out.sqr(); }
    return out * ones31.sqr() * *this;
  }
};

} // namespace icicle
