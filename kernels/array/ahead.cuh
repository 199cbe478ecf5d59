// Operations on each element that are compiled ahead of time: one at a time, of operands that lie anywhere and are of any
// dtype, chosen by numbers when it runs. What a generated kernel says in its text stands in the arguments here; the functions
// are the same.
#pragma once
#include "elementwise.cuh"
#include "tables_gen.cuh"

namespace array {
namespace ahead {

// Axes of a shape: `MAX_RANK` of the host.
constexpr int AXES = 64;

struct Shape {
  // Elements, and axes: at least one.
  uint64 n, rank;
  uint64 extent[AXES];
};

// Where the elements of a shape lie, from an address on, by strides in bytes; without an address, one value for all.
struct Leaf {
  uint64 address, value[2], dtype;
  int64 stride[AXES];

  IC_FN const char* start() const { return reinterpret_cast<const char*>(address != 0 ? address : uint64(value)); }
};

// The offsets of element `i` in N leaves.
template <int N>
IC_FN void locate(const Shape& shape, const Leaf* leaves, uint64 i, int64* at)
{
#pragma unroll
  for (int k = 0; k < N; ++k) at[k] = 0;
#pragma unroll 1
  for (uint64 axis = shape.rank - 1; axis > 0; --axis) {
    const uint64 extent = shape.extent[axis];
    // 32-bit divisions where they do: they take a fraction of the time.
    const uint64 next = (i | extent) >> 32 != 0 ? i / extent : uint32(i) / uint32(extent);
    const int64 place = int64(i - next * extent);
#pragma unroll
    for (int k = 0; k < N; ++k) at[k] += place * leaves[k].stride[axis];
    i = next;
  }
#pragma unroll
  for (int k = 0; k < N; ++k) at[k] += int64(i) * leaves[k].stride[0];
}

template <class T>
struct Number;
#define IC_NUMBER(NUMBER, TYPE)                                                                                        \
  template <>                                                                                                          \
  struct Number<TYPE> {                                                                                                \
    static constexpr uint64 value = NUMBER;                                                                            \
  };
ARRAY_DTYPES(IC_NUMBER)
#undef IC_NUMBER

template <class From, class To>
constexpr bool CASTABLE = !Traits<From>::is_complex || Traits<To>::is_complex || Is<To>::boolean;

// An element of another dtype as a `T`.
template <class T>
IC_SLOW T converted(const char* from, uint64 dtype)
{
#define IC_CASE(NUMBER, FROM)                                                                                          \
  case NUMBER:                                                                                                         \
    if constexpr (CASTABLE<FROM, T>) return cast<T>(*reinterpret_cast<const FROM*>(from));                           \
    break;
  switch (dtype) { ARRAY_DTYPES(IC_CASE) }
#undef IC_CASE
  return T();
}
template <class T>
IC_FN T loaded(const Leaf& leaf, int64 at)
{
  const char* const from = leaf.start() + at;
  return leaf.dtype == Number<T>::value ? *reinterpret_cast<const T*>(from) : converted<T>(from, leaf.dtype);
}

// Store a `T` as another dtype.
template <class T>
IC_SLOW void convert(char* to, uint64 dtype, T value)
{
#define IC_CASE(NUMBER, TO)                                                                                            \
  case NUMBER:                                                                                                         \
    if constexpr (CASTABLE<T, TO>) *reinterpret_cast<TO*>(to) = cast<TO>(value);                                     \
    break;
  switch (dtype) { ARRAY_DTYPES(IC_CASE) }
#undef IC_CASE
}
template <class T>
IC_FN void store(const Leaf& leaf, int64 at, T value)
{
  char* const to = reinterpret_cast<char*>(leaf.address + at);
  if (leaf.dtype == Number<T>::value) {
    *reinterpret_cast<T*>(to) = value;
  } else {
    convert(to, leaf.dtype, value);
  }
}

// An operation by its number, the results' leaf, and up to three operands: of `where`, the condition is the last.
struct Apply {
  uint64 op, operands;
  Shape shape;
  Leaf leaf[4];
};

// Up to U elements of a thread, of `own` of them the results are stored.
template <class T, int U>
struct Batch {
  const Apply& a;
  int own;
  int64 at[U];
  T x[U], y[U];
  bool condition[U];

  template <class R, class F>
  IC_FN void finish(F f) const
  {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (u < own) store<R>(a.leaf[0], at[u], f(u));
    }
  }
};

#define IC_UNARY(NUMBER, NAME, RESULT)                                                                                 \
  case NUMBER:                                                                                                         \
    batch.template finish<RESULT>([&](int u) { return ops::NAME(batch.x[u]); });                                       \
    break;
#define IC_BINARY(NUMBER, NAME, RESULT)                                                                                \
  case NUMBER:                                                                                                         \
    batch.template finish<RESULT>([&](int u) { return ops::NAME(batch.x[u], batch.y[u]); });                           \
    break;

// What is quick, with values as they are, and choices between two; or what is not.
template <class T, bool HEAVY>
struct Operations;
#define IC_LIGHT(NUMBER, TYPE)                                                                                         \
  template <>                                                                                                          \
  struct Operations<TYPE, false> {                                                                                     \
    template <class B>                                                                                                 \
    static IC_FN void apply(const B& batch)                                                                            \
    {                                                                                                                  \
      switch (batch.a.op) {                                                                                            \
        ARRAY_LIGHT_UNARY_##TYPE(IC_UNARY)                                                                             \
        ARRAY_LIGHT_BINARY_##TYPE(IC_BINARY)                                                                           \
        case ARRAY_CAST:                                                                                               \
          batch.template finish<TYPE>([&](int u) { return batch.x[u]; });                                              \
          break;                                                                                                       \
        case ARRAY_WHERE:                                                                                              \
          batch.template finish<TYPE>([&](int u) { return ops::where(batch.condition[u], batch.x[u], batch.y[u]); });  \
          break;                                                                                                       \
      }                                                                                                                \
    }                                                                                                                  \
  };
#define IC_HEAVY(NUMBER, TYPE)                                                                                         \
  template <>                                                                                                          \
  struct Operations<TYPE, true> {                                                                                      \
    template <class B>                                                                                                 \
    static IC_FN void apply(const B& batch)                                                                            \
    {                                                                                                                  \
      switch (batch.a.op) {                                                                                            \
        ARRAY_HEAVY_UNARY_##TYPE(IC_UNARY)                                                                             \
        ARRAY_HEAVY_BINARY_##TYPE(IC_BINARY)                                                                           \
      }                                                                                                                \
    }                                                                                                                  \
  };

// Elements of a thread: several loads under way at once, where nothing else takes registers.
template <class T, bool HEAVY>
constexpr int BATCH = HEAVY || sizeof(T) > 8 ? 1 : sizeof(T) == 8 ? 2 : 4;

// An operation in `T`, a batch a thread.
template <class T, bool HEAVY>
IC_FN void apply(const Apply& a)
{
  constexpr int U = BATCH<T, HEAVY>;
  const uint64 block = blockIdx.y * uint64(gridDim.x) + blockIdx.x;
  const uint64 first = block * (THREADS * U) + threadIdx.x;
  Batch<T, U> batch = {a, 0};
#pragma unroll
  for (int u = 0; u < U; ++u) {
    const uint64 i = first + u * THREADS;
    if (i < a.shape.n) {
      int64 at[4];
      locate<4>(a.shape, a.leaf, i, at);
      batch.at[u] = at[0];
      batch.x[u] = loaded<T>(a.leaf[1], at[1]);
      if (a.operands > 1) batch.y[u] = loaded<T>(a.leaf[2], at[2]);
      if (a.operands > 2) batch.condition[u] = loaded<bool>(a.leaf[3], at[3]);
      batch.own = u + 1;
    }
  }
  Operations<T, HEAVY>::apply(batch);
}

} // namespace ahead
} // namespace array
