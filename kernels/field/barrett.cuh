#pragma once
// Products of canonical numbers without a detour through Montgomery form, which would cost a second product.
//
// With k the bits of p and `mu = ⌊2^(k+32N-1)/p⌋` (N limbs), the quotient of `t < p²` is at most 3 above
// `(⌊t/2^(2k-32N)⌋·mu) >> (64N-k-1)`. Only the top columns of that product and the bottom ones of quotient·p are
// computed: 64 + 43 + 32 wide multiply-adds for N = 8, against 256 for two Montgomery products.
#include "fp.cuh"

namespace icicle {

template <class P>
IC_HD Fp<P> Fp<P>::mul_raw(const Fp<P>& a, const Fp<P>& b)
{
  constexpr u32 X_SHIFT = 2 * BITS - 32 * N, Q_SHIFT = 64 * N - BITS - 1;
  // One more limb where 4p does not fit N.
  constexpr u32 W = LAZY ? N : N + 1;
  // Quotients are estimated from these columns on; what lies below moves the estimate by less than one.
  constexpr u32 FROM = N - 2;
  u32 t[2 * N];
  wide_mul<N, 0, 2 * N>(t, a.v, b.v);
  u32 x[N], mu[N], p[N];
  IC_UNROLL
  for (u32 i = 0; i < N; i++) {
    u32 low = t[X_SHIFT / 32 + i];
    u32 high = X_SHIFT / 32 + i + 1 < 2 * N ? t[(X_SHIFT / 32 + i + 1) % (2 * N)] : 0;
    x[i] = funnel_right(low, high, X_SHIFT % 32);
    mu[i] = P::mu(i);
    p[i] = P::modulus(i);
  }
  u32 high_product[2 * N - FROM];
  wide_mul<N, FROM, 2 * N>(high_product, x, mu);
  u32 q[N];
  IC_UNROLL
  for (u32 i = 0; i < N; i++) {
    constexpr u32 at = Q_SHIFT / 32 - FROM;
    u32 low = at + i < 2 * N - FROM ? high_product[(at + i) % (2 * N - FROM)] : 0;
    u32 high = at + i + 1 < 2 * N - FROM ? high_product[(at + i + 1) % (2 * N - FROM)] : 0;
    q[i] = funnel_right(low, high, Q_SHIFT % 32);
  }
  u32 qp[W];
  wide_mul<N, 0, W>(qp, q, p);
  Fp r;
  r.v[0] = sub_cc(t[0], qp[0]);
  IC_UNROLL
  for (u32 i = 1; i < N; i++) { r.v[i] = subc_cc(t[i], qp[i]); }
  if constexpr (W > N) {
    u32 top = subc(t[N], qp[N]);
    // Below 4p with a limb above: take 2p off once if the limb is set, which leaves less than 2^(32N).
    Fp s;
    s.v[0] = sub_cc(r.v[0], shifted_modulus<1>(0));
    IC_UNROLL
    for (u32 i = 1; i < N; i++) { s.v[i] = subc_cc(r.v[i], shifted_modulus<1>(i)); }
    u32 borrow = subc(0, 0);
    bool take = top != 0 || borrow == 0;
    IC_UNROLL
    for (u32 i = 0; i < N; i++) { r.v[i] = take ? s.v[i] : r.v[i]; }
    return reduced(r);
  } else {
    return reduced(reduced<1>(r));
  }
}

} // namespace icicle
