#pragma once
// Prime fields below 2^31 in Montgomery form with `R = 2^32`. One register an element; a product is one wide and two
// single multiplications and three additions.
#include "carry.cuh"

namespace icicle {

template <class P>
struct Fp31 {
  using Params = P;
  using Prime = Fp31;
  static constexpr u32 WORDS = 1;
  static constexpr u32 DEGREE = 1;
  static constexpr u32 BITS = 31;
  static constexpr bool IS_FIELD = true;
  // Whether a sum of products costs one reduction only.
  static constexpr bool FUSED_DOT = true;
  static constexpr u32 MODULUS = P::modulus(0);
  static constexpr u32 INVERSE = 0u - P::INV; // p⁻¹ mod 2^32

  u32 v;

  IC_HD static Fp31 make(u32 v)
  {
    Fp31 r;
    r.v = v;
    return r;
  }
  IC_HD static Fp31 from_limbs(const u32* w) { return make(w[0]); }
  IC_HD void to_limbs(u32* w) const { w[0] = v; }
  IC_HD static Fp31 zero() { return make(0); }
  IC_HD static Fp31 one() { return make(P::one(0)); }
  IC_HD static Fp31 raw_one() { return make(1); }
  IC_HD static Fp31 r2() { return make(P::r2(0)); }
  IC_HD static Fp31 two_adic_root() { return make(P::root(0)); }
  IC_HD static Fp31 from_raw(const Fp31& limbs) { return limbs * r2(); }
  IC_HD Fp31 to_raw() const { return make(redc(v)); }
  IC_HD Fp31 encode() const { return from_raw(*this); }
  IC_HD Fp31 decode() const { return to_raw(); }
  IC_HD static Fp31 from_u32(u32 x) { return from_raw(make(x % MODULUS)); }

  // `x/2^32` for `x < 2^32·p`.
  IC_HD static u32 redc(u64 x)
  {
    u32 m = (u32)x * INVERSE;
    return lift((u32)(x >> 32) - mul_hi(m, MODULUS));
  }
  // `d` in `(-p, p)`, as a word, brought to `[0, p)`: the smaller of both readings.
  IC_HD static u32 lift(u32 d)
  {
    u32 e = d + MODULUS;
    return d < e ? d : e;
  }
  IC_HD friend Fp31 operator+(const Fp31& a, const Fp31& b)
  {
    return make(lift(a.v + b.v - MODULUS));
  }
  IC_HD friend Fp31 operator-(const Fp31& a, const Fp31& b) { return make(lift(a.v - b.v)); }
  IC_HD Fp31 operator-() const { return make(v == 0 ? 0 : MODULUS - v); }
  IC_HD friend Fp31 operator*(const Fp31& a, const Fp31& b) { return make(redc((u64)a.v * b.v)); }
  IC_HD Fp31 dbl() const { return *this + *this; }
  IC_HD Fp31 sqr() const { return *this * *this; }
  IC_HD Fp31& operator+=(const Fp31& o) { return *this = *this + o; }
  IC_HD Fp31& operator-=(const Fp31& o) { return *this = *this - o; }
  IC_HD Fp31& operator*=(const Fp31& o) { return *this = *this * o; }
  IC_HD Fp31 scale(const Fp31& by) const { return *this * by; }
  // Two products stay below 2^32·p.
  IC_HD static Fp31 mul_add_mul(const Fp31& a, const Fp31& b, const Fp31& c, const Fp31& d)
  {
    return make(redc((u64)a.v * b.v + (u64)c.v * d.v));
  }
  // Four products stay below 2^64, and below 2^32·p after one subtraction of that.
  IC_HD static Fp31 dot4(const Fp31* a, const Fp31* b)
  {
    u64 sum = (u64)a[0].v * b[0].v + (u64)a[1].v * b[1].v + (u64)a[2].v * b[2].v + (u64)a[3].v * b[3].v;
    u32 high = (u32)(sum >> 32);
    u32 less = high - MODULUS;
    high = high < less ? high : less;
    return make(redc(((u64)high << 32) | (u32)sum));
  }
  // Product of canonical integers, canonical; and what a product of working forms needs to become that.
  IC_HD static Fp31 mul_raw(const Fp31& a, const Fp31& b) { return (a * b).raw_fix(); }
  IC_HD Fp31 raw_fix() const { return *this * r2(); }

  IC_HD bool is_zero() const { return v == 0; }
  IC_HD friend bool operator==(const Fp31& a, const Fp31& b) { return a.v == b.v; }
  IC_HD friend bool operator!=(const Fp31& a, const Fp31& b) { return a.v != b.v; }
  IC_HD Fp31 pow(u64 e) const
  {
    Fp31 out = one(), base = *this;
    IC_NO_UNROLL
    for (; e != 0; e >>= 1) {
      if (e & 1) { out *= base; }
      base = base.sqr();
    }
    return out;
  }
  // `x^(p-2)`: zero for zero.
  IC_HD Fp31 inverse() const { return pow(MODULUS - 2); }
};

} // namespace icicle
