#pragma once
// Extensions: `F[x]/(x² - w)`, `F[x]/(x⁴ - w)`, and the tower of the first over itself. Coefficients `c0, c1, …` one
// after another in memory; working form, `from_raw` and Montgomery form at the boundary go coefficient by coefficient.
#include "powers.cuh"

namespace icicle {

// `w` a small integer, by double and add over its constant bits.
template <i32 W>
struct Integer {
  static constexpr i32 VALUE = W;
  template <class F>
  IC_HD static F times(const F& a)
  {
    constexpr u32 magnitude = W < 0 ? -W : W;
    F out = a;
    bool started = false;
    IC_UNROLL
    for (i32 bit = 7; bit >= 0; bit--) {
      if (started) {
        out = out.dbl();
        if (magnitude >> bit & 1) { out += a; }
      }
      started = started || (magnitude >> bit & 1);
    }
    return W < 0 ? -out : out;
  }
};

// `w = A + B·i` in a quadratic extension by `R`.
template <i32 A, i32 B, class R>
struct Complex {
  template <class Q>
  IC_HD static Q times(const Q& a)
  {
    Q out;
    out.c0 = Integer<A>::times(a.c0) + R::times(Integer<B>::times(a.c1));
    out.c1 = Integer<A>::times(a.c1) + Integer<B>::times(a.c0);
    return out;
  }
};

template <class F, class W>
struct Quadratic {
  using Base = F;
  using Prime = typename F::Prime;
  static constexpr u32 WORDS = 2 * F::WORDS;
  static constexpr u32 DEGREE = 2 * F::DEGREE;
  static constexpr bool IS_FIELD = true;
  static constexpr bool FUSED_DOT = false;
  // Whether products are calls, as those of large prime fields. Sums of points over such fields are 6 to 8 % faster then.
  static constexpr bool CALLS = WORDS >= 16;

  F c0, c1;

  IC_HD static Quadratic make(const F& c0, const F& c1)
  {
    Quadratic r;
    r.c0 = c0;
    r.c1 = c1;
    return r;
  }
  IC_HD static Quadratic from_limbs(const u32* w) { return make(F::from_limbs(w), F::from_limbs(w + F::WORDS)); }
  IC_HD void to_limbs(u32* w) const
  {
    c0.to_limbs(w);
    c1.to_limbs(w + F::WORDS);
  }
  IC_HD static Quadratic zero() { return make(F::zero(), F::zero()); }
  IC_HD static Quadratic one() { return make(F::one(), F::zero()); }
  IC_HD static Quadratic raw_one() { return make(F::raw_one(), F::zero()); }
  IC_HD static Quadratic from_raw(const Quadratic& x) { return make(F::from_raw(x.c0), F::from_raw(x.c1)); }
  IC_HD Quadratic to_raw() const { return make(c0.to_raw(), c1.to_raw()); }
  IC_HD Quadratic encode() const { return make(c0.encode(), c1.encode()); }
  IC_HD Quadratic decode() const { return make(c0.decode(), c1.decode()); }
  IC_HD static Quadratic from_u32(u32 x) { return make(F::from_u32(x), F::zero()); }

  IC_HD friend Quadratic operator+(const Quadratic& a, const Quadratic& b) { return make(a.c0 + b.c0, a.c1 + b.c1); }
  IC_HD friend Quadratic operator-(const Quadratic& a, const Quadratic& b) { return make(a.c0 - b.c0, a.c1 - b.c1); }
  IC_HD Quadratic operator-() const { return make(-c0, -c1); }
  IC_HD friend Quadratic operator*(const Quadratic& a, const Quadratic& b)
  {
    if constexpr (CALLS) {
      return product(a, b);
    } else {
      return product_inline(a, b);
    }
  }
  IC_HD Quadratic sqr() const
  {
    if constexpr (CALLS) {
      return square(*this);
    } else {
      return square_inline(*this);
    }
  }
  // Four products sharing two reductions where that is cheaper than Karatsuba's three.
  IC_HD static Quadratic product_inline(const Quadratic& a, const Quadratic& b)
  {
    if constexpr (F::FUSED_DOT) {
      return make(
        F::mul_add_mul(a.c0, b.c0, W::times(a.c1), b.c1), F::mul_add_mul(a.c0, b.c1, a.c1, b.c0));
    } else {
      F low = a.c0 * b.c0, high = a.c1 * b.c1;
      F cross = (a.c0 + a.c1) * (b.c0 + b.c1) - low - high;
      return make(low + W::times(high), cross);
    }
  }
  // `(c0 + c1)(c0 + w·c1) - (1 + w)·c0·c1` is the constant coefficient.
  IC_HD static Quadratic square_inline(const Quadratic& a)
  {
    F cross = a.c0 * a.c1;
    F mixed = (a.c0 + a.c1) * (a.c0 + W::times(a.c1));
    return make(mixed - cross - W::times(cross), cross.dbl());
  }
  IC_HD_NOINLINE static Quadratic product(Quadratic a, Quadratic b) { return product_inline(a, b); }
  IC_HD_NOINLINE static Quadratic square(Quadratic a) { return square_inline(a); }
  IC_HD Quadratic dbl() const { return *this + *this; }
  IC_HD Quadratic& operator+=(const Quadratic& o) { return *this = *this + o; }
  IC_HD Quadratic& operator-=(const Quadratic& o) { return *this = *this - o; }
  IC_HD Quadratic& operator*=(const Quadratic& o) { return *this = *this * o; }
  IC_HD Quadratic scale(const Prime& by) const { return make(c0.scale(by), c1.scale(by)); }
  IC_HD static Quadratic
  mul_add_mul(const Quadratic& a, const Quadratic& b, const Quadratic& c, const Quadratic& d)
  {
    return a * b + c * d;
  }
  IC_HD static Quadratic
  mul_sub_mul(const Quadratic& a, const Quadratic& b, const Quadratic& c, const Quadratic& d)
  {
    return a * b - c * d;
  }
  IC_HD static Quadratic mul_raw(const Quadratic& a, const Quadratic& b) { return (a * b).raw_fix(); }
  IC_HD Quadratic raw_fix() const { return make(c0.raw_fix(), c1.raw_fix()); }
  IC_HD bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  IC_HD friend bool operator==(const Quadratic& a, const Quadratic& b) { return a.c0 == b.c0 && a.c1 == b.c1; }
  IC_HD friend bool operator!=(const Quadratic& a, const Quadratic& b) { return !(a == b); }
  IC_HD Quadratic pow(u64 e) const { return power(*this, e); }
  // `(c0 - c1·x) / (c0² - w·c1²)`.
  IC_HD Quadratic inverse() const
  {
    F scale = (c0.sqr() - W::times(c1.sqr())).inverse();
    return make(c0 * scale, -(c1 * scale));
  }
};

// Over a small prime field `F`.
template <class F, class W>
struct Quartic {
  using Base = F;
  using Prime = F;
  static constexpr u32 WORDS = 4 * F::WORDS;
  static constexpr u32 DEGREE = 4;
  // `x⁴ + 1` splits over every prime field.
  static constexpr bool IS_FIELD = W::VALUE != -1;
  static constexpr bool FUSED_DOT = false;

  F c[4];

  IC_HD static Quartic make(const F& c0, const F& c1, const F& c2, const F& c3)
  {
    Quartic r;
    r.c[0] = c0;
    r.c[1] = c1;
    r.c[2] = c2;
    r.c[3] = c3;
    return r;
  }
  IC_HD static Quartic from_limbs(const u32* w)
  {
    constexpr u32 n = F::WORDS;
    return make(F::from_limbs(w), F::from_limbs(w + n), F::from_limbs(w + 2 * n), F::from_limbs(w + 3 * n));
  }
  IC_HD void to_limbs(u32* w) const
  {
    IC_UNROLL
    for (u32 i = 0; i < 4; i++) { c[i].to_limbs(w + i * F::WORDS); }
  }
  IC_HD static Quartic zero() { return make(F::zero(), F::zero(), F::zero(), F::zero()); }
  IC_HD static Quartic one() { return make(F::one(), F::zero(), F::zero(), F::zero()); }
  IC_HD static Quartic raw_one() { return make(F::raw_one(), F::zero(), F::zero(), F::zero()); }
  IC_HD static Quartic from_raw(const Quartic& x)
  {
    return make(F::from_raw(x.c[0]), F::from_raw(x.c[1]), F::from_raw(x.c[2]), F::from_raw(x.c[3]));
  }
  IC_HD Quartic to_raw() const { return make(c[0].to_raw(), c[1].to_raw(), c[2].to_raw(), c[3].to_raw()); }
  IC_HD Quartic encode() const { return make(c[0].encode(), c[1].encode(), c[2].encode(), c[3].encode()); }
  IC_HD Quartic decode() const { return make(c[0].decode(), c[1].decode(), c[2].decode(), c[3].decode()); }
  IC_HD static Quartic from_u32(u32 x) { return make(F::from_u32(x), F::zero(), F::zero(), F::zero()); }

  IC_HD friend Quartic operator+(const Quartic& a, const Quartic& b)
  {
    return make(a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2], a.c[3] + b.c[3]);
  }
  IC_HD friend Quartic operator-(const Quartic& a, const Quartic& b)
  {
    return make(a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2], a.c[3] - b.c[3]);
  }
  IC_HD Quartic operator-() const { return make(-c[0], -c[1], -c[2], -c[3]); }
  // Sixteen products, four reductions: coefficient k pairs `a[i]` with `b[k-i]`, times w where that index wraps.
  IC_HD friend Quartic operator*(const Quartic& a, const Quartic& b)
  {
    F w1 = W::times(b.c[1]), w2 = W::times(b.c[2]), w3 = W::times(b.c[3]);
    F r0[4] = {b.c[0], w3, w2, w1};
    F r1[4] = {b.c[1], b.c[0], w3, w2};
    F r2[4] = {b.c[2], b.c[1], b.c[0], w3};
    F r3[4] = {b.c[3], b.c[2], b.c[1], b.c[0]};
    return make(F::dot4(a.c, r0), F::dot4(a.c, r1), F::dot4(a.c, r2), F::dot4(a.c, r3));
  }
  IC_HD Quartic sqr() const { return *this * *this; }
  IC_HD Quartic dbl() const { return *this + *this; }
  IC_HD Quartic& operator+=(const Quartic& o) { return *this = *this + o; }
  IC_HD Quartic& operator-=(const Quartic& o) { return *this = *this - o; }
  IC_HD Quartic& operator*=(const Quartic& o) { return *this = *this * o; }
  IC_HD Quartic scale(const F& by) const { return make(c[0] * by, c[1] * by, c[2] * by, c[3] * by); }
  IC_HD static Quartic mul_add_mul(const Quartic& a, const Quartic& b, const Quartic& c, const Quartic& d)
  {
    return a * b + c * d;
  }
  IC_HD static Quartic mul_raw(const Quartic& a, const Quartic& b) { return (a * b).raw_fix(); }
  IC_HD Quartic raw_fix() const
  {
    return make(c[0].raw_fix(), c[1].raw_fix(), c[2].raw_fix(), c[3].raw_fix());
  }
  IC_HD bool is_zero() const { return c[0].is_zero() && c[1].is_zero() && c[2].is_zero() && c[3].is_zero(); }
  IC_HD friend bool operator==(const Quartic& a, const Quartic& b)
  {
    return a.c[0] == b.c[0] && a.c[1] == b.c[1] && a.c[2] == b.c[2] && a.c[3] == b.c[3];
  }
  IC_HD friend bool operator!=(const Quartic& a, const Quartic& b) { return !(a == b); }
  IC_HD Quartic pow(u64 e) const { return power(*this, e); }
  // As `A + B·x` over `F[y]/(y² - w)`, `y = x²`: `(A - B·x) / (A² - y·B²)`; zero where that norm has no inverse.
  IC_HD Quartic inverse() const
  {
    using Half = Quadratic<F, W>;
    Half a = Half::make(c[0], c[2]), b = Half::make(c[1], c[3]), b2 = b.sqr();
    Half scale = (a.sqr() - Half::make(W::times(b2.c1), b2.c0)).inverse();
    Half even = a * scale, odd = -(b * scale);
    return make(even.c0, odd.c0, even.c1, odd.c1);
  }
};

} // namespace icicle
