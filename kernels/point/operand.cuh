#pragma once
// Points of callers, and results that become theirs. In between points are Jacobian, in scratch memory, working form.
#include "../msm/points.cuh"
#include "../vec/access.cuh"

namespace icicle {

// An operand: canonical points, projective or affine, at any alignment, `step` points apart; 0 for one that stands for all.
struct PointsIn {
  const u32* p;
  u64 step, projective;
};

// Point `i`, homogeneous, canonical as it is.
template <class C>
IC_D Projective<C> load_point(const PointsIn& a, u64 i)
{
  using F = typename C::Base;
  constexpr u32 W = F::WORDS;
  const u32* from = a.p + i * a.step * (a.projective ? 3 : 2) * W;
  bool aligned = is_aligned(from);
  F x = load_element<F>(from, aligned), y = load_element<F>(from + W, aligned), z;
  if (a.projective) { return Projective<C>::make(x, y, load_element<F>(from + 2 * W, aligned)); }
  bool neutral = x.is_zero() && y.is_zero();
  return Projective<C>::make(x, neutral ? F::raw_one() : y, neutral ? F::zero() : F::raw_one());
}

// The same point in working form, weights and all. Out of line: every kernel has it, most twice.
template <class C>
IC_HD_NOINLINE void to_jacobian(Jacobian<C>& out, const Projective<C>& canonical)
{
  using F = typename C::Base;
  F x = F::from_raw(canonical.x), y = F::from_raw(canonical.y), z = F::from_raw(canonical.z);
  out = Jacobian<C>::make(x * z, y * z.sqr(), z);
}
template <class C>
IC_D Jacobian<C> load_jacobian(const PointsIn& a, u64 i)
{
  Jacobian<C> out;
  to_jacobian<C>(out, load_point<C>(a, i));
  return out;
}

// A result at its place: `(x, y)` of these canonical coordinates, or `(x, y, 1)`; `(0, 0)` or `(0, 1, 0)` if neutral.
template <class F>
IC_D void store_point(u32* to, const F& x, const F& y, bool neutral, u32 projective, bool aligned)
{
  store_element(to, x, aligned);
  store_element(to + F::WORDS, neutral && projective ? F::raw_one() : y, aligned);
  if (projective) { store_element(to + 2 * F::WORDS, neutral ? F::zero() : F::raw_one(), aligned); }
}

// The places of results that stay in order.
struct InOrder {
  IC_HD u64 operator()(u64 at) const { return at; }
};

// Points of scratch memory, normalised, to their places. Each thread inverts the product of its points' `Z` once and walks
// back, as in `vec/inverse.cuh`; the products before each point wait at its place in `out`.
template <class C, class Place>
IC_D void store_normalized(const u32* points, u32* out, u64 count, u32 projective, const Place& place)
{
  using F = typename C::Base;
  constexpr u32 W = F::WORDS;
  const u32 pitch = (projective ? 3 : 2) * W;
  bool aligned = is_aligned(out);
  u64 first = thread_index(), step = thread_count();
  if (first >= count) { return; }
  F product = F::one();
  u64 last = first;
  IC_NO_UNROLL
  for (u64 at = first; at < count; at += step) {
    store_element(out + place(at) * pitch, product, aligned);
    F z = load_words<F>(points + (at * 3 + 2) * W);
    if (!z.is_zero()) { product *= z; }
    last = at;
  }
  F inverse = product.inverse();
  IC_NO_UNROLL
  for (u64 at = last;; at -= step) {
    u32* to = out + place(at) * pitch;
    Jacobian<C> p = load_words<Jacobian<C>>(points + at * 3 * W);
    F x = F::zero(), y = F::zero();
    if (!p.is_neutral()) {
      F one_over = inverse * load_element<F>(to, aligned), square = one_over.sqr();
      inverse *= p.z;
      x = (p.x * square).to_raw();
      y = (p.y * square * one_over).to_raw();
    }
    store_point(to, x, y, p.is_neutral(), projective, aligned);
    if (at == first) { break; }
  }
}

} // namespace icicle
