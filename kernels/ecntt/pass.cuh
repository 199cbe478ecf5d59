#pragma once
// Transforms of points: the network of `ntt/shape.cuh`, level by level, with a scalar multiplication for each product.
// Points lie in scratch memory in Jacobian coordinates, working form. A butterfly is the work of one thread, or of eight
// together where there are too few butterflies to fill the device: a multiplication is a chain of some 250 doublings.
// Bound: multiplications; below about 2^15 points the length of the chain.
#include "../msm/together.cuh"
#include "../ntt/shape.cuh"
#include "../point/operand.cuh"
#include "digits.cuh"

namespace icicle {

template <class C>
IC_HD_NOINLINE void add_jacobian(Jacobian<C>& a, const Jacobian<C>& b)
{
  a.add(b);
}

// Who adds and doubles: a thread alone.
template <class C>
struct EcnttAlone {
  using Point = Jacobian<C>;
  static constexpr u32 THREADS = 1;
  IC_HD static Point of(const Jacobian<C>& p) { return p; }
  IC_HD static Jacobian<C> back(const Point& p) { return p; }
  IC_HD static void add(Point& a, const Point& b) { add_jacobian(a, b); }
  IC_HD static void double_times(Point& a, u32 times) { double_point(a, times); }
  IC_D static void meet() {}
};
// Or a group, all of whose threads hold the same points.
template <class C>
struct EcnttTogether {
  using Point = Xyzz<C>;
  static constexpr u32 THREADS = TOGETHER;
  IC_HD static Point of(const Jacobian<C>& p) { return p.to_xyzz(); }
  IC_HD static Jacobian<C> back(const Point& p) { return Jacobian<C>::from_xyzz(p); }
  IC_HD static void add(Point& a, const Point& b) { add_together(a, b); }
  IC_HD static void double_times(Point& a, u32 times) { double_together(a, times); }
  // Until every thread of the group is here.
  IC_D static void meet() { __syncwarp(0xffu << (threadIdx.x % 32 / TOGETHER * TOGETHER)); }
};

// Multiples that a multiplication keeps, 1 to 8 times the point.
constexpr u32 ECNTT_MULTIPLES = 8;

// `p = by·p`. The threads of a group share `multiples`, and write the same there.
template <class Law, class S>
IC_HD_NOINLINE void times_scalar(typename Law::Point& p, const S& by, u32* multiples)
{
  using Point = typename Law::Point;
  if (p.is_neutral()) { return; }
  Point sum = p;
  store_words(multiples, sum);
  IC_NO_UNROLL
  for (u32 k = 1; k < ECNTT_MULTIPLES; k++) {
    Law::add(sum, p);
    store_words(multiples + k * Point::WORDS, sum);
  }
  SignedDigits<S> digits = SignedDigits<S>::of(by);
  sum = Point::neutral();
  IC_NO_UNROLL
  for (u32 i = 0; i < SignedDigits<S>::COUNT; i++) {
    Law::double_times(sum, SignedDigits<S>::BITS);
    i32 digit = digits.next();
    if (digit != 0) {
      u32 magnitude = digit < 0 ? -digit : digit;
      Point next = load_words<Point>(multiples + (magnitude - 1) * Point::WORDS);
      Law::add(sum, digit < 0 ? -next : next);
    }
  }
  p = sum;
}

// `a + b` and `a - b`.
template <class Law>
IC_HD void butterfly(typename Law::Point& a, typename Law::Point& b)
{
  typename Law::Point difference = a;
  Law::add(a, b);
  Law::add(difference, -b);
  b = difference;
}

// What a pass does with each pair of points of its level, or with each point.
enum EcnttStep : u32 { ECNTT_DOWN = 0, ECNTT_UP = 1, ECNTT_MULTIPLY = 2 };

struct EcnttShape {
  // Rows `2^log_n` of `width` points, each transformed for itself; `2^level` blocks of rows.
  u32 log_n, level, step;
  // Of twiddles: whether the table is that of all levels one after another. Of factors: what rows are masked with.
  u32 by_level, mask;
};

// Pair, or point, `at` of all.
template <class C, class Law>
IC_D void ecntt_butterfly(u32* points, const u32* table, u32* multiples, u64 width, const EcnttShape& s, u64 at)
{
  using S = typename C::Scalar;
  u64 first = at, second = at, factor;
  if (s.step == ECNTT_MULTIPLY) {
    factor = at / width & s.mask;
  } else {
    u64 half = width << (s.log_n - s.level - 1), block = at / half;
    first = block * 2 * half + (at - block * half);
    second = first + half;
    u64 blocks = (u64)1 << s.level;
    factor = (block & (blocks - 1)) + (s.by_level ? blocks : 0);
  }
  using Point = typename Law::Point;
  Point a = Law::of(load_words<Jacobian<C>>(points + first * Jacobian<C>::WORDS));
  Point b = Law::of(load_words<Jacobian<C>>(points + second * Jacobian<C>::WORDS));
  if (s.step == ECNTT_UP) { butterfly<Law>(a, b); }
  S by = load_words<S>(table + factor * S::WORDS);
  if (by != S::one()) { times_scalar<Law, S>(b, by, multiples); }
  if (s.step == ECNTT_DOWN) { butterfly<Law>(a, b); }
  // Nobody reads these points, or multiples, any more.
  Law::meet();
  if (s.step != ECNTT_MULTIPLY) { store_words(points + first * Jacobian<C>::WORDS, Law::back(a)); }
  store_words(points + second * Jacobian<C>::WORDS, Law::back(b));
}

// A level of all `count` pairs, or points. `multiples`: `ECNTT_MULTIPLES` points for each thread, or group, of the grid.
template <class C, class Law>
IC_D void ecntt_pass(u32* points, const u32* table, u32* multiples, u64 width, u64 count, const EcnttShape& shape)
{
  u64 mine = thread_index() / Law::THREADS, step = thread_count() / Law::THREADS;
  u32* room = multiples + mine * ECNTT_MULTIPLES * Law::Point::WORDS;
  IC_NO_UNROLL
  for (u64 at = mine; at < count; at += step) {
    ecntt_butterfly<C, Law>(points, table, room, width, shape, at);
  }
}

// Where point `at` of the network lies among the caller's: the same, or rows in bit-reversed order.
IC_HD u64 ecntt_place(u64 at, u32 log_n, u64 width, u32 reverse)
{
  if (!reverse) { return at; }
  u64 row = at / width, mask = ((u64)1 << log_n) - 1;
  return ((row & ~mask) | reversed_bits(row & mask, log_n)) * width + at % width;
}

// The caller's points, canonical and projective, into the network's.
template <class C>
IC_D void ecntt_load(const u32* a, u32* points, u32 log_n, u64 width, u64 count, u32 reverse)
{
  using F = typename C::Base;
  constexpr u32 W = F::WORDS;
  bool aligned = is_aligned(a);
  for (u64 at = thread_index(); at < count; at += thread_count()) {
    const u32* from = a + ecntt_place(at, log_n, width, reverse) * 3 * W;
    F x = F::from_raw(load_element<F>(from, aligned)), y = F::from_raw(load_element<F>(from + W, aligned));
    F z = F::from_raw(load_element<F>(from + 2 * W, aligned));
    store_words(points + at * 3 * W, Jacobian<C>::make(x * z, y * z.sqr(), z));
  }
}

// And back: `(x, y, 1)`, or `(0, 1, 0)`.
struct EcnttPlace {
  u32 log_n, reverse;
  u64 width;
  IC_HD u64 operator()(u64 at) const { return ecntt_place(at, log_n, width, reverse); }
};
template <class C>
IC_D void ecntt_store(const u32* points, u32* out, u32 log_n, u64 width, u64 count, u32 reverse)
{
  store_normalized<C>(points, out, count, 1, EcnttPlace{log_n, reverse, width});
}

} // namespace icicle
