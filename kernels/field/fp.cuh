#pragma once
// Prime fields of several 32-bit limbs, in Montgomery form with `R = 2^(32N)`.
//
// Registers of an element: N. The memory form is the canonical integer's limbs; `from_limbs` takes them as they are
// (see core/algebra/src/lib.rs: canonical data times a constant in working form is canonical data).
#include "montgomery.cuh"

namespace icicle {

template <class P>
struct Fp {
  using Params = P;
  using Prime = Fp;
  using M = Montgomery<P>;
  static constexpr u32 N = P::N;
  // 32-bit words in memory, and degree over the prime field.
  static constexpr u32 WORDS = N;
  static constexpr u32 DEGREE = 1;
  static constexpr u32 BITS = P::BITS;
  static constexpr bool IS_FIELD = true;
  // Whether `4p < R`: then sums of two elements may enter a product unreduced.
  static constexpr bool LAZY = 32 * N - BITS >= 2;
  // Whether a sum of products costs one reduction only.
  static constexpr bool FUSED_DOT = LAZY;
  // Whether products are calls: of so many limbs, unrolled code outgrows the instruction cache and the compiler's patience.
  static constexpr bool CALLS = N >= 24;
  static_assert(N % 2 == 0 && BITS < 32 * N, "an even number of limbs and a spare top bit");

  u32 v[N];

  IC_HD static Fp from_limbs(const u32* w)
  {
    Fp r;
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { r.v[i] = w[i]; }
    return r;
  }
  IC_HD void to_limbs(u32* w) const
  {
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { w[i] = v[i]; }
  }
  IC_HD static Fp zero()
  {
    Fp r;
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { r.v[i] = 0; }
    return r;
  }
  IC_HD static Fp one()
  {
    Fp r;
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { r.v[i] = P::one(i); }
    return r;
  }
  // The element whose limbs are the integer 1, `1/R`.
  IC_HD static Fp raw_one()
  {
    Fp r = zero();
    r.v[0] = 1;
    return r;
  }
  // The element whose limbs are `R²`: a product with it puts canonical limbs into working form.
  IC_HD static Fp r2()
  {
    Fp r;
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { r.v[i] = P::r2(i); }
    return r;
  }
  // A primitive root of unity of order `2^P::TWO_ADICITY`.
  IC_HD static Fp two_adic_root()
  {
    Fp r;
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { r.v[i] = P::root(i); }
    return r;
  }

  IC_HD static Fp from_raw(const Fp& limbs) { return limbs * r2(); }
  IC_HD Fp to_raw() const { return *this * raw_one(); }
  // What "Montgomery form" means at the boundary is this field's working form.
  IC_HD Fp encode() const { return from_raw(*this); }
  IC_HD Fp decode() const { return to_raw(); }
  IC_HD static Fp from_u32(u32 x)
  {
    Fp r = zero();
    r.v[0] = x;
    return from_raw(r);
  }

  // `x` if below `m·p`, else `x - m·p`, `m` a power of two.
  template <u32 SHIFT = 0>
  IC_HD static Fp reduced(const Fp& x)
  {
    Fp t;
    t.v[0] = sub_cc(x.v[0], shifted_modulus<SHIFT>(0));
    IC_UNROLL
    for (u32 i = 1; i < N; i++) { t.v[i] = subc_cc(x.v[i], shifted_modulus<SHIFT>(i)); }
    u32 borrow = subc(0, 0);
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { t.v[i] = borrow ? x.v[i] : t.v[i]; }
    return t;
  }
  template <u32 SHIFT>
  IC_HD static constexpr u32 shifted_modulus(u32 i)
  {
    return SHIFT == 0 ? P::modulus(i) : (P::modulus(i) << SHIFT) | (i == 0 ? 0 : P::modulus(i - 1) >> (32 - SHIFT) % 32);
  }

  // Sum without reduction, below `2p`.
  IC_HD Fp add_lazy(const Fp& o) const
  {
    Fp s;
    s.v[0] = add_cc(v[0], o.v[0]);
    IC_UNROLL
    for (u32 i = 1; i + 1 < N; i++) { s.v[i] = addc_cc(v[i], o.v[i]); }
    s.v[N - 1] = addc(v[N - 1], o.v[N - 1]);
    return s;
  }
  // Difference plus `p`, below `2p`.
  IC_HD Fp sub_lazy(const Fp& o) const
  {
    Fp d;
    d.v[0] = sub_cc(v[0], o.v[0]);
    IC_UNROLL
    for (u32 i = 1; i + 1 < N; i++) { d.v[i] = subc_cc(v[i], o.v[i]); }
    d.v[N - 1] = subc(v[N - 1], o.v[N - 1]);
    d.v[0] = add_cc(d.v[0], P::modulus(0));
    IC_UNROLL
    for (u32 i = 1; i + 1 < N; i++) { d.v[i] = addc_cc(d.v[i], P::modulus(i)); }
    d.v[N - 1] = addc(d.v[N - 1], P::modulus(N - 1));
    return d;
  }

  IC_HD friend Fp operator+(const Fp& a, const Fp& b) { return reduced(a.add_lazy(b)); }
  IC_HD friend Fp operator-(const Fp& a, const Fp& b)
  {
    Fp d;
    d.v[0] = sub_cc(a.v[0], b.v[0]);
    IC_UNROLL
    for (u32 i = 1; i < N; i++) { d.v[i] = subc_cc(a.v[i], b.v[i]); }
    u32 mask = subc(0, 0);
    d.v[0] = add_cc(d.v[0], P::modulus(0) & mask);
    IC_UNROLL
    for (u32 i = 1; i + 1 < N; i++) { d.v[i] = addc_cc(d.v[i], P::modulus(i) & mask); }
    d.v[N - 1] = addc(d.v[N - 1], P::modulus(N - 1) & mask);
    return d;
  }
  IC_HD Fp operator-() const { return is_zero() ? *this : neg_lazy(); }
  // `p - x`, which is `p` for zero: good enough as a factor.
  IC_HD Fp neg_lazy() const
  {
    Fp d;
    d.v[0] = sub_cc(P::modulus(0), v[0]);
    IC_UNROLL
    for (u32 i = 1; i + 1 < N; i++) { d.v[i] = subc_cc(P::modulus(i), v[i]); }
    d.v[N - 1] = subc(P::modulus(N - 1), v[N - 1]);
    return d;
  }
  IC_HD Fp dbl() const { return *this + *this; }
  // Operands: their product below `R·p`; the result is below `p`.
  IC_HD friend Fp operator*(const Fp& a, const Fp& b)
  {
    if constexpr (CALLS) {
      return product(a, b);
    } else {
      return reduced(a.mul_lazy(b));
    }
  }
  // The same below `2p`, one subtraction cheaper; with `LAZY`, operands below `2p` are fine.
  IC_HD Fp mul_lazy(const Fp& o) const
  {
    Fp r;
    M::mul(r.v, v, o.v);
    return r;
  }
  IC_HD Fp sqr() const
  {
    if constexpr (CALLS) {
      return square(*this);
    } else {
      return square_inline(*this);
    }
  }
  // `a·b + c·d`: half as much reduction where the modulus leaves two bits.
  IC_HD static Fp mul_add_mul(const Fp& a, const Fp& b, const Fp& c, const Fp& d)
  {
    if constexpr (!LAZY) {
      return a * b + c * d;
    } else if constexpr (CALLS) {
      return sum_of_products(a, b, c, d);
    } else {
      return sum_of_products_inline(a, b, c, d);
    }
  }
  // `a·b - c·d`.
  IC_HD static Fp mul_sub_mul(const Fp& a, const Fp& b, const Fp& c, const Fp& d)
  {
    return mul_add_mul(a, b, c.neg_lazy(), d);
  }
  IC_HD Fp& operator+=(const Fp& o) { return *this = *this + o; }
  IC_HD Fp& operator-=(const Fp& o) { return *this = *this - o; }
  IC_HD Fp& operator*=(const Fp& o) { return *this = *this * o; }
  IC_HD Fp scale(const Fp& by) const { return *this * by; }

  IC_HD bool is_zero() const
  {
    u32 any = 0;
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { any |= v[i]; }
    return any == 0;
  }
  IC_HD friend bool operator==(const Fp& a, const Fp& b)
  {
    u32 any = 0;
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { any |= a.v[i] ^ b.v[i]; }
    return any == 0;
  }
  IC_HD friend bool operator!=(const Fp& a, const Fp& b) { return !(a == b); }

  // `x^e` for a short exponent.
  IC_HD Fp pow(u64 e) const
  {
    Fp out = one(), base = *this;
    IC_NO_UNROLL
    for (; e != 0; e >>= 1) {
      if (e & 1) { out *= base; }
      base = base.sqr();
    }
    return out;
  }

  // Product of canonical limbs, canonical: Barrett reduction of the whole product (docs at `barrett.cuh`).
  IC_HD static Fp mul_raw(const Fp& a, const Fp& b);
  // What a product of working forms needs to become the product of canonical forms.
  IC_HD Fp raw_fix() const { return *this * r2(); }
  // `1/x`, zero for zero.
  IC_HD_NOINLINE Fp inverse() const;

  IC_HD static Fp square_inline(const Fp& a)
  {
    u32 t[2 * N];
    wide_sqr<N>(t, a.v);
    Fp r;
    M::reduce(r.v, t);
    return reduced(r);
  }
  IC_HD static Fp sum_of_products_inline(const Fp& a, const Fp& b, const Fp& c, const Fp& d)
  {
    Fp r;
    M::mul_add_mul(r.v, a.v, b.v, c.v, d.v);
    return reduced(r);
  }
  // By value, so that operands travel in registers.
  IC_HD_NOINLINE static Fp product(Fp a, Fp b) { return reduced(a.mul_lazy(b)); }
  IC_HD_NOINLINE static Fp square(Fp a) { return square_inline(a); }
  IC_HD_NOINLINE static Fp sum_of_products(Fp a, Fp b, Fp c, Fp d) { return sum_of_products_inline(a, b, c, d); }
};

} // namespace icicle

#include "barrett.cuh"
#include "inverse.cuh"
