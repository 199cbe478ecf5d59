// What products of matrices share: how numbers are multiplied and added, and where the matrices of a stack lie.
#pragma once
#include "cast.cuh"

namespace array {
namespace product {

// How products of `T` are added. Integers wrap, and signed ones are the unsigned ones of the same bits; short ones are added in
// 32 bits. The 16-bit floats are added in float32 and rounded once.
template <class T>
struct Sums {
  using Acc = T;
};
template <>
struct Sums<uint8> {
  using Acc = uint32;
};
template <>
struct Sums<uint16> {
  using Acc = uint32;
};
template <>
struct Sums<float16> {
  using Acc = float;
};
template <>
struct Sums<bfloat16> {
  using Acc = float;
};
template <class T>
using AccOf = typename Sums<T>::Acc;

template <class T>
IC_FN AccOf<T> widen(T x)
{
  if constexpr (Is<T>::half) {
    return widened(x);
  } else {
    return static_cast<AccOf<T>>(x);
  }
}
template <class T>
IC_FN T narrow(AccOf<T> x)
{
  if constexpr (Is<T>::half) {
    return Narrow<T>::of(x);
  } else {
    return static_cast<T>(x);
  }
}

template <class A>
IC_FN A plus(A a, A b)
{
  if constexpr (Traits<A>::is_complex) {
    return {a.re + b.re, a.im + b.im};
  } else {
    return a + b;
  }
}

// Add a product. Multiplications and additions of floats are fused where the compiler does so.
template <class A>
IC_FN void add_product(A& sum, A a, A b)
{
  if constexpr (Traits<A>::is_complex) {
    sum.re += a.re * b.re;
    sum.re -= a.im * b.im;
    sum.im += a.re * b.im;
    sum.im += a.im * b.re;
  } else {
    sum += a * b;
  }
}

// Numbers that one access takes.
template <class T, int N>
struct alignas(sizeof(T) * N) Vector {
  T of[N];
};

// Sixteen bytes.
struct alignas(16) Chunk {
  uint32 w[4];
};

// Read what no thread reads again, past the first-level cache.
IC_FN Chunk streamed(const Chunk* p)
{
#ifdef __CUDA_ARCH__
  Chunk c;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(c.w[0]), "=r"(c.w[1]), "=r"(c.w[2]), "=r"(c.w[3])
      : "l"(p));
  return c;
#else
  return *p;
#endif
}

// Number `i` of those in a chunk.
template <class T>
IC_FN T number_of(const Chunk& c, int i)
{
  if constexpr (Is<T>::half) {
    return {uint16(c.w[i / 2] >> (i % 2 * 16))};
  } else if constexpr (Traits<T>::is_complex) {
    if constexpr (sizeof(T) == 8) {
      return {float_of(c.w[2 * i]), float_of(c.w[2 * i + 1])};
    } else {
      return {double_of(uint64(c.w[1]) << 32 | c.w[0]), double_of(uint64(c.w[3]) << 32 | c.w[2])};
    }
  } else if constexpr (sizeof(T) == 8) {
    const uint64 word = uint64(c.w[2 * i + 1]) << 32 | c.w[2 * i];
    if constexpr (Traits<T>::is_real) {
      return double_of(word);
    } else {
      return word;
    }
  } else if constexpr (sizeof(T) == 4) {
    if constexpr (Traits<T>::is_real) {
      return float_of(c.w[i]);
    } else {
      return c.w[i];
    }
  } else {
    constexpr int PER_WORD = 4 / sizeof(T);
    return T(c.w[i / PER_WORD] >> (i % PER_WORD * 8 * sizeof(T)));
  }
}

// Products are `count` of a stack with up to four axes, the last densest; strides in elements, 0 where an operand is the same.
struct Stack {
  uint64 extents[4];
  int64 of_x[4], of_y[4];
};

// Where both operands of one of the stack begin.
IC_FN void places(const Stack& stack, uint64 number, int64& x, int64& y)
{
  x = y = 0;
#pragma unroll
  for (int axis = 3; axis >= 0; --axis) {
    if (stack.extents[axis] == 1) continue;
    const int64 at = int64(number % stack.extents[axis]);
    number /= stack.extents[axis];
    x += at * stack.of_x[axis];
    y += at * stack.of_y[axis];
  }
}

// `m` by `k` times `k` by `n`, `count` of them, each cut along `k` into `parts` of `part`.
struct Sizes {
  uint64 count, m, n, k, parts, part;
};

// The number of a block, which may lie past the last.
IC_FN uint64 block_number() { return blockIdx.y * uint64(gridDim.x) + blockIdx.x; }

IC_FN uint64 least(uint64 a, uint64 b) { return a < b ? a : b; }

} // namespace product
} // namespace array
