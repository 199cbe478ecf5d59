#pragma once
// Additions and doublings by eight threads together, where few sums are left and each is a long chain: the threads hold
// the same point, and each round's independent products are done side by side, one a thread, and passed around. A
// doubling then lasts as long as 3 products instead of 9, an addition 4 instead of 14. On the host: one after another.
#include "points.cuh"

namespace icicle {

constexpr u32 TOGETHER = 8;

// `out[k] = l[k]·r[k]` for `k < K`, at most `TOGETHER`, in every thread of the group.
template <class F, u32 K>
IC_HD void products(F (&out)[K], const F (&l)[K], const F (&r)[K])
{
#ifdef __CUDA_ARCH__
  u32 lane = threadIdx.x % TOGETHER, mask = 0xffu << (threadIdx.x % 32 / TOGETHER * TOGETHER);
  F a = l[0], b = r[0];
  IC_UNROLL
  for (u32 k = 1; k < K; k++) {
    if (lane == k) {
      a = l[k];
      b = r[k];
    }
  }
  u32 mine[F::WORDS], theirs[F::WORDS];
  (a * b).to_limbs(mine);
  IC_UNROLL
  for (u32 k = 0; k < K; k++) {
    IC_UNROLL
    for (u32 i = 0; i < F::WORDS; i++) { theirs[i] = __shfl_sync(mask, mine[i], k, TOGETHER); }
    out[k] = F::from_limbs(theirs);
  }
#else
  for (u32 k = 0; k < K; k++) { out[k] = l[k] * r[k]; }
#endif
}

// Before a thread overwrites what the others of its group read.
IC_HD void wait_together()
{
#ifdef __CUDA_ARCH__
  __syncwarp(0xffu << (threadIdx.x % 32 / TOGETHER * TOGETHER));
#endif
}

// `Xyzz::dbl`, `times` times.
template <class C>
IC_HD_NOINLINE void double_together(Xyzz<C>& p, u32 times)
{
  using F = typename C::Base;
  Xyzz<C> q = p;
  IC_NO_UNROLL
  for (u32 i = 0; i < times; i++) {
    F u = q.y.dbl();
    F l1[2] = {u, q.x}, o1[2];
    products<F, 2>(o1, l1, l1);
    F v = o1[0], m = o1[1].dbl() + o1[1];
    F l2[4] = {u, q.x, m, q.zz}, r2[4] = {v, v, m, v}, o2[4];
    products<F, 4>(o2, l2, r2);
    F w = o2[0], s = o2[1], x3 = o2[2] - s.dbl();
    F l3[3] = {m, w, w}, r3[3] = {s - x3, q.y, q.zzz}, o3[3];
    products<F, 3>(o3, l3, r3);
    q = Xyzz<C>::make(x3, o3[0] - o3[1], o2[3], o3[2]);
  }
  p = q;
}

// `Xyzz::add`. The threads of a group hold the same operands and take the same branches.
template <class C>
IC_HD_NOINLINE void add_together(Xyzz<C>& p, const Xyzz<C>& o)
{
  using F = typename C::Base;
  if (o.is_neutral()) { return; }
  if (p.is_neutral()) {
    p = o;
    return;
  }
  F l1[6] = {p.x, p.y, o.x, o.y, p.zz, p.zzz}, r1[6] = {o.zz, o.zzz, p.zz, p.zzz, o.zz, o.zzz}, o1[6];
  products<F, 6>(o1, l1, r1);
  F d = o1[2] - o1[0], r = o1[3] - o1[1];
  if (d.is_zero()) {
    if (r.is_zero()) {
      double_together(p, 1);
    } else {
      p = Xyzz<C>::neutral();
    }
    return;
  }
  F l2[2] = {d, r}, o2[2];
  products<F, 2>(o2, l2, l2);
  F pp = o2[0];
  F l3[3] = {d, o1[0], o1[4]}, r3[3] = {pp, pp, pp}, o3[3];
  products<F, 3>(o3, l3, r3);
  F ppp = o3[0], x3 = o2[1] - ppp - o3[1].dbl();
  F l4[3] = {r, ppp, o1[5]}, r4[3] = {o3[1] - x3, o1[1], ppp}, o4[3];
  products<F, 3>(o4, l4, r4);
  p = Xyzz<C>::make(x3, o4[0] - o4[1], o3[2], o4[2]);
}

} // namespace icicle
