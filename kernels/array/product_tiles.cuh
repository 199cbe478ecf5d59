// Products of matrices of any numbers: a block computes a tile of a result, from tiles of both operands in shared memory.
//
// While a tile is multiplied, the next is on its way into registers; shared memory holds two.
// Bound by arithmetic, or by reading shared memory where numbers are long.
#pragma once
#include "product.cuh"

namespace array {
namespace product {

// 256 threads are 16 by 16: warps 4 by 2, lanes 4 by 8. Each has DOWN by ACROSS squares of V by V results, where V numbers are 16
// bytes; so a tile has M rows, N columns, and a depth of K.
template <class Acc, bool LARGE>
struct Tile {
  static constexpr int THREADS = 256, V = 16 / sizeof(Acc);
  static constexpr int DOWN = LARGE ? (V == 4 ? 2 : 4) : (V == 4 ? 1 : 2);
  static constexpr int ACROSS = LARGE ? (V == 1 ? 4 : 2) : (V == 1 ? 2 : 1);
  static constexpr int M = 16 * DOWN * V, N = 16 * ACROSS * V, K = V == 4 ? 16 : 8;
};

// A thread's share of tiles of an operand: LINES rows of x or columns of y, by K. ALONG_K if elements along k follow each other and
// lines are `stride` apart; else it is the other way round.
template <class T, int LINES, int K, int THREADS, int V, bool ALONG_K>
struct Loader {
  using Acc = AccOf<T>;
  static constexpr int PITCH = LINES + V, SHARES = LINES * K / V, PASSES = (SHARES + THREADS - 1) / THREADS;
  // Shares that follow each other in memory, and from a pass to the next so many lines, or so much of k.
  static constexpr int DENSE = (ALONG_K ? K : LINES) / V, APART = THREADS / DENSE;
  const T* from;
  int64 stride;
  int lines;
  bool aligned;
  Vector<T, V> held[PASSES];

  // From the tile's first line on, of which `lines_left` are there.
  IC_FN Loader(const T* start, int64 stride, uint64 lines_left, bool aligned)
      : stride(stride), lines(int(least(lines_left, LINES))), aligned(aligned && lines_left >= LINES)
  {
    const int t = threadIdx.x;
    from = start + t % DENSE * V + t / DENSE * stride;
  }
  static IC_FN bool has(int pass) { return SHARES % THREADS == 0 || pass * THREADS + int(threadIdx.x) < SHARES; }
  static IC_FN int line(int pass)
  {
    const int t = threadIdx.x;
    return ALONG_K ? t / DENSE + pass * APART : t % DENSE * V;
  }
  static IC_FN int depth(int pass)
  {
    const int t = threadIdx.x;
    return ALONG_K ? t % DENSE * V : t / DENSE + pass * APART;
  }

  // The next K, of which `left` are there.
  IC_FN void fetch(uint64 left)
  {
    if (aligned && left >= K) {
#pragma unroll
      for (int pass = 0; pass < PASSES; ++pass) {
        if (has(pass)) held[pass] = *reinterpret_cast<const Vector<T, V>*>(from + pass * APART * stride);
      }
    } else {
      const int depths = int(least(left, K));
#pragma unroll
      for (int pass = 0; pass < PASSES; ++pass) {
#pragma unroll
        for (int i = 0; i < V; ++i) {
          const int l = line(pass) + (ALONG_K ? 0 : i), d = depth(pass) + (ALONG_K ? i : 0);
          const bool there = has(pass) && l < lines && d < depths;
          held[pass].of[i] = there ? from[pass * APART * stride + i] : T{};
        }
      }
    }
    from += ALONG_K ? K : K * stride;
  }
  // Into `tile[depth][line]`.
  IC_FN void store(Acc* tile) const
  {
#pragma unroll
    for (int pass = 0; pass < PASSES; ++pass) {
      if (!has(pass)) continue;
      Acc* const to = tile + depth(pass) * PITCH + line(pass);
      if constexpr (ALONG_K) {
#pragma unroll
        for (int i = 0; i < V; ++i) to[i * PITCH] = widen(held[pass].of[i]);
      } else {
        Vector<Acc, V> wide;
#pragma unroll
        for (int i = 0; i < V; ++i) wide.of[i] = widen(held[pass].of[i]);
        *reinterpret_cast<Vector<Acc, V>*>(to) = wide;
      }
    }
  }
};

// The tile of a number: eight rows of tiles together, so that what is computed at one time shares operands in the second-level
// cache.
IC_FN void tile_place(uint64 number, uint64 rows, uint64 columns, uint64& row, uint64& column)
{
  constexpr uint64 TOGETHER = 8;
  const uint64 first = number / (TOGETHER * columns) * TOGETHER, height = least(rows - first, TOGETHER);
  row = first + number % (TOGETHER * columns) % height;
  column = number % (TOGETHER * columns) / height;
}

// Bits of what the host says of operands: V elements from any multiple of V on are one access.
enum : uint32 { X_ALIGNED = 1, Y_ALIGNED = 2 };

// Rows of x are dense and `x_stride` apart, or its columns; rows of y, or its columns. `out` has `count` dense results; or with
// several parts, for each of these, as many dense sums. A block a tile of a part.
template <class T, bool LARGE, bool X_ROWS, bool Y_ROWS>
IC_FN void tiles(
  const T* x, const T* y, void* out, const Sizes& sizes, int64 x_stride, int64 y_stride, const Stack& stack, uint32 aligned)
{
  using Acc = AccOf<T>;
  using Shape = Tile<Acc, LARGE>;
  constexpr int V = Shape::V, DOWN = Shape::DOWN, ACROSS = Shape::ACROSS, K = Shape::K;
  using LoaderX = Loader<T, Shape::M, K, Shape::THREADS, V, X_ROWS>;
  using LoaderY = Loader<T, Shape::N, K, Shape::THREADS, V, !Y_ROWS>;
  __shared__ alignas(16) Acc tile_x[2][K * LoaderX::PITCH];
  __shared__ alignas(16) Acc tile_y[2][K * LoaderY::PITCH];

  const uint64 rows = (sizes.m + Shape::M - 1) / Shape::M, columns = (sizes.n + Shape::N - 1) / Shape::N;
  const uint64 number = block_number(), of_part = number / (rows * columns);
  if (of_part >= sizes.count * sizes.parts) return;
  const uint64 part = of_part % sizes.parts, product = of_part / sizes.parts;
  uint64 row, column;
  tile_place(number % (rows * columns), rows, columns, row, column);
  row *= Shape::M;
  column *= Shape::N;
  int64 x_at, y_at;
  places(stack, product, x_at, y_at);
  const uint64 first = least(part * sizes.part, sizes.k), last = least(first + sizes.part, sizes.k);

  const int64 x_place = X_ROWS ? int64(row) * x_stride + int64(first) : int64(row) + int64(first) * x_stride;
  const int64 y_place = Y_ROWS ? int64(first) * y_stride + int64(column) : int64(first) + int64(column) * y_stride;
  LoaderX of_x(x + x_at + x_place, x_stride, sizes.m - row, aligned & X_ALIGNED);
  LoaderY of_y(y + y_at + y_place, y_stride, sizes.n - column, aligned & Y_ALIGNED);

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int down = warp / 2 * (4 * DOWN * V) + lane / 8 * V, across = warp % 2 * (8 * ACROSS * V) + lane % 8 * V;
  Acc sum[DOWN * V][ACROSS * V];
#pragma unroll
  for (int i = 0; i < DOWN * V; ++i) {
#pragma unroll
    for (int j = 0; j < ACROSS * V; ++j) sum[i][j] = Acc{};
  }

  if (first < last) {
    of_x.fetch(last - first);
    of_y.fetch(last - first);
    of_x.store(tile_x[0]);
    of_y.store(tile_y[0]);
  }
  __syncthreads();
  int current = 0;
  for (uint64 k = first; k < last; k += K) {
    const bool more = k + K < last;
    if (more) {
      of_x.fetch(last - k - K);
      of_y.fetch(last - k - K);
    }
#pragma unroll
    for (int d = 0; d < K; ++d) {
      Vector<Acc, V> a[DOWN], b[ACROSS];
#pragma unroll
      for (int i = 0; i < DOWN; ++i) {
        a[i] = *reinterpret_cast<const Vector<Acc, V>*>(&tile_x[current][d * LoaderX::PITCH + down + i * 4 * V]);
      }
#pragma unroll
      for (int j = 0; j < ACROSS; ++j) {
        b[j] = *reinterpret_cast<const Vector<Acc, V>*>(&tile_y[current][d * LoaderY::PITCH + across + j * 8 * V]);
      }
#pragma unroll
      for (int i = 0; i < DOWN * V; ++i) {
#pragma unroll
        for (int j = 0; j < ACROSS * V; ++j) add_product(sum[i][j], a[i / V].of[i % V], b[j / V].of[j % V]);
      }
    }
    // The other tile was last read before the barrier that this one was written behind.
    if (more) {
      current ^= 1;
      of_x.store(tile_x[current]);
      of_y.store(tile_y[current]);
      __syncthreads();
    }
  }

  const bool whole = sizes.n % V == 0;
  const uint64 start = (part * sizes.count + product) * sizes.m;
#pragma unroll
  for (int i = 0; i < DOWN * V; ++i) {
    const uint64 to_row = row + down + i / V * 4 * V + i % V;
    if (to_row >= sizes.m) continue;
#pragma unroll
    for (int j = 0; j < ACROSS; ++j) {
      const uint64 to_column = column + across + j * 8 * V, to = (start + to_row) * sizes.n + to_column;
      Vector<Acc, V> sums;
#pragma unroll
      for (int l = 0; l < V; ++l) sums.of[l] = sum[i][j * V + l];
      if (whole && to_column < sizes.n) {
        if (sizes.parts > 1) {
          *reinterpret_cast<Vector<Acc, V>*>(static_cast<Acc*>(out) + to) = sums;
        } else {
          Vector<T, V> results;
#pragma unroll
          for (int l = 0; l < V; ++l) results.of[l] = narrow<T>(sums.of[l]);
          *reinterpret_cast<Vector<T, V>*>(static_cast<T*>(out) + to) = results;
        }
        continue;
      }
#pragma unroll
      for (int l = 0; l < V; ++l) {
        if (to_column + l >= sizes.n) continue;
        if (sizes.parts > 1) {
          static_cast<Acc*>(out)[to + l] = sums.of[l];
        } else {
          static_cast<T*>(out)[to + l] = narrow<T>(sums.of[l]);
        }
      }
    }
  }
}

} // namespace product
} // namespace array
