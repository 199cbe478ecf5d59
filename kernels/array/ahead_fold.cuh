// Folds that are compiled ahead of time: of elements that lie anywhere and are of any dtype.
#pragma once
#include "ahead.cuh"
#include "fold.cuh"

namespace array {
namespace ahead {

struct Fold {
  Shape shape;
  Leaf leaf;
  // As `fold::runs` takes them, by 32 or `THREADS` lanes, or `fold::columns` where the width is more than 1.
  uint64 outer, length, width, pieces, rows, lanes, partial, counters, out;
};

// Element `i` as a `T`, wherever it lies.
template <class T>
IC_SLOW T element(const Fold& a, uint64 i)
{
  int64 at;
  locate<1>(a.shape, &a.leaf, i, &at);
  return loaded<T>(a.leaf, at);
}

// The elements as a `T`: several loads under way at once where they follow each other, else one after another.
template <class T>
struct Elements {
  using Out = T;
  const Fold& a;
  const T* dense;
  IC_FN explicit Elements(const Fold& a) : a(a), dense(nullptr)
  {
    const bool follows = a.shape.rank == 1 && a.leaf.stride[0] == sizeof(T) && a.leaf.dtype == Number<T>::value;
    if (follows) dense = reinterpret_cast<const T*>(a.leaf.start());
  }
  template <int V>
  IC_FN void load(uint64 i, T* values) const
  {
#pragma unroll
    for (int k = 0; k < V; ++k) values[k] = dense != nullptr ? dense[i + k] : element<T>(a, i + k);
  }
};

// Results of a fold of `T`.
template <class F, class T, class Out>
IC_FN void folded(const Fold& a)
{
  const Elements<T> source(a);
  auto* const partial = reinterpret_cast<typename F::Acc*>(a.partial);
  auto* const counters = reinterpret_cast<uint32*>(a.counters);
  auto* const out = reinterpret_cast<Out*>(a.out);
  if (a.width > 1) {
    array::fold::columns<F, 1>(source, a.outer, a.length, a.width, a.pieces, a.rows, partial, counters, out);
  } else if (a.lanes == THREADS) {
    array::fold::runs<F, THREADS, 1>(source, a.outer, a.length, a.pieces, partial, counters, out);
  } else {
    array::fold::runs<F, 32, 1>(source, a.outer, a.length, a.pieces, partial, counters, out);
  }
}

} // namespace ahead
} // namespace array
