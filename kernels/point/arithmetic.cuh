#pragma once
// Sums, products and comparisons of points, one by one. A result is made in scratch memory and normalised by a second
// kernel, so it may be in place. Bound: multiplications; `points_copy` by memory, products of few points by the length of
// their chain.
#include "../ecntt/pass.cuh"
#include "operand.cuh"

namespace icicle {

// `±a[i]`.
template <class C>
IC_D void points_load(const PointsIn& a, u32* points, u64 n, u32 negate)
{
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    Jacobian<C> p = load_jacobian<C>(a, i);
    store_words(points + i * Jacobian<C>::WORDS, negate ? -p : p);
  }
}

// `a[i] ± b[i]`.
template <class C>
IC_D void points_sum(const PointsIn& a, const PointsIn& b, u32* points, u64 n, u32 negate)
{
  IC_NO_UNROLL
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    Jacobian<C> p = load_jacobian<C>(a, i), q = load_jacobian<C>(b, i);
    add_jacobian(p, negate ? -q : q);
    store_words(points + i * Jacobian<C>::WORDS, p);
  }
}

// `scalars[i·scalar_step]·a[i]`; `multiples`: `ECNTT_MULTIPLES` points for each thread, or group, of the grid.
template <class C, class Law>
IC_D void points_mul(const PointsIn& a, const u32* scalars, u64 scalar_step, u32* points, u32* multiples, u64 n)
{
  using S = typename C::Scalar;
  u64 mine = thread_index() / Law::THREADS, step = thread_count() / Law::THREADS;
  u32* room = multiples + mine * ECNTT_MULTIPLES * Law::Point::WORDS;
  bool aligned = is_aligned(scalars);
  IC_NO_UNROLL
  for (u64 i = mine; i < n; i += step) {
    typename Law::Point p = Law::of(load_jacobian<C>(a, i));
    times_scalar<Law, S>(p, S::from_raw(load_element<S>(scalars + i * scalar_step * S::WORDS, aligned)), room);
    // Nobody reads these multiples any more.
    Law::meet();
    store_words(points + i * Jacobian<C>::WORDS, Law::back(p));
  }
}

// `±a[i]` of affine points, canonical as they are.
template <class C>
IC_D void points_copy(const PointsIn& a, u32* out, u64 n, u32 projective, u32 negate)
{
  using F = typename C::Base;
  constexpr u32 W = F::WORDS;
  bool aligned = is_aligned(a.p) && is_aligned(out);
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    const u32* from = a.p + i * a.step * 2 * W;
    F x = load_element<F>(from, aligned), y = load_element<F>(from + W, aligned);
    bool neutral = x.is_zero() && y.is_zero();
    store_point(out + i * (projective ? 3 : 2) * W, x, negate ? -y : y, neutral, projective, aligned);
  }
}

// Whether `a[i]` and `b[i]` are the same group element; `(0, 0, 0)` is none. Products of canonical numbers all lack the
// same constant, so they compare as they are.
template <class C>
IC_D void points_equal(const PointsIn& a, const PointsIn& b, u32* out, u64 n)
{
  IC_NO_UNROLL
  for (u64 i = thread_index(); i < n; i += thread_count()) {
    Projective<C> p = load_point<C>(a, i), q = load_point<C>(b, i);
    bool none = (p.z.is_zero() && p.y.is_zero() && p.x.is_zero()) || (q.z.is_zero() && q.y.is_zero() && q.x.is_zero());
    out[i] = !none && p.x * q.z == q.x * p.z && p.y * q.z == q.y * p.z;
  }
}

} // namespace icicle
