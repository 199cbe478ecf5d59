#pragma once
// The field of `p = 2^31 - 1`, canonical. One register an element; a product is one wide multiplication and four others.
#include "powers.cuh"

namespace icicle {

template <class P>
struct Mersenne {
  using Params = P;
  using Prime = Mersenne;
  static constexpr u32 WORDS = 1;
  static constexpr u32 DEGREE = 1;
  static constexpr u32 BITS = 31;
  static constexpr bool IS_FIELD = true;
  static constexpr bool FUSED_DOT = true;
  static constexpr u32 MODULUS = P::modulus(0);
  static_assert(MODULUS == 0x7fffffff, "the reduction is written for 2^31 - 1");

  u32 v;

  IC_HD static Mersenne make(u32 v)
  {
    Mersenne r;
    r.v = v;
    return r;
  }
  IC_HD static Mersenne from_limbs(const u32* w) { return make(w[0]); }
  IC_HD void to_limbs(u32* w) const { w[0] = v; }
  IC_HD static Mersenne zero() { return make(0); }
  IC_HD static Mersenne one() { return make(1); }
  IC_HD static Mersenne raw_one() { return make(1); }
  IC_HD static Mersenne from_raw(const Mersenne& limbs) { return limbs; }
  IC_HD Mersenne to_raw() const { return *this; }
  // `R = 2^32 = 2` at the boundary.
  IC_HD Mersenne encode() const { return dbl(); }
  IC_HD Mersenne decode() const { return *this * make(1u << 30); }
  IC_HD static Mersenne from_u32(u32 x) { return make(reduce(x)); }

  // Any `x`: `2^31 = 1`, so its pieces of 31, 31 and 2 bits add up.
  IC_HD static u32 reduce(u64 x)
  {
    u64 sum = (x & MODULUS) + ((x >> 31) & MODULUS) + (x >> 62);
    return fold((u32)(sum & MODULUS) + (u32)(sum >> 31));
  }
  // `x <= 2p` brought to `[0, p)`.
  IC_HD static u32 fold(u32 x)
  {
    u32 y = x - MODULUS;
    return x < y ? x : y;
  }
  IC_HD friend Mersenne operator+(const Mersenne& a, const Mersenne& b) { return make(fold(a.v + b.v)); }
  IC_HD friend Mersenne operator-(const Mersenne& a, const Mersenne& b)
  {
    u32 d = a.v - b.v, e = d + MODULUS;
    return make(d < e ? d : e);
  }
  IC_HD Mersenne operator-() const { return make(v == 0 ? 0 : MODULUS - v); }
  // Twice the product has its quotient by 2^31 in the high word.
  IC_HD friend Mersenne operator*(const Mersenne& a, const Mersenne& b)
  {
    u64 x = (u64)(a.v << 1) * b.v;
    return make(fold((u32)(x >> 32) + ((u32)x >> 1)));
  }
  IC_HD Mersenne dbl() const { return *this + *this; }
  IC_HD Mersenne sqr() const { return *this * *this; }
  IC_HD Mersenne& operator+=(const Mersenne& o) { return *this = *this + o; }
  IC_HD Mersenne& operator-=(const Mersenne& o) { return *this = *this - o; }
  IC_HD Mersenne& operator*=(const Mersenne& o) { return *this = *this * o; }
  IC_HD Mersenne scale(const Mersenne& by) const { return *this * by; }
  IC_HD static Mersenne mul_add_mul(const Mersenne& a, const Mersenne& b, const Mersenne& c, const Mersenne& d)
  {
    return make(reduce((u64)a.v * b.v + (u64)c.v * d.v));
  }
  IC_HD static Mersenne dot4(const Mersenne* a, const Mersenne* b)
  {
    return make(
      reduce((u64)a[0].v * b[0].v + (u64)a[1].v * b[1].v + (u64)a[2].v * b[2].v + (u64)a[3].v * b[3].v));
  }
  IC_HD static Mersenne mul_raw(const Mersenne& a, const Mersenne& b) { return a * b; }
  IC_HD Mersenne raw_fix() const { return *this; }

  IC_HD bool is_zero() const { return v == 0; }
  IC_HD friend bool operator==(const Mersenne& a, const Mersenne& b) { return a.v == b.v; }
  IC_HD friend bool operator!=(const Mersenne& a, const Mersenne& b) { return a.v != b.v; }
  IC_HD Mersenne pow(u64 e) const { return power(*this, e); }
  // `x^(p-2)`, `p - 2 = 4·(2^29 - 1) + 1`.
  IC_HD Mersenne inverse() const { return power_of_ones(*this, 29).sqr().sqr() * *this; }
};

} // namespace icicle
