// Products of matrices of 16-bit floats on tensor cores, for architectures from 80 on; `tiles` of `product_tiles.cuh` takes the same
// operands, in tiles of the same size, on others.
//
// Tiles lie in shared memory as the operands do, by rows or by columns, in 16 bytes each, whose places are such that what a warp
// reads at once is in different banks. While one is multiplied, the next two are on their way.
#pragma once
#include "product_tiles.cuh"
#include "tensor.cuh"

namespace array {
namespace product {

// A block's tile of results, and of the sums at a time. Warps are 2 by 4 with 64 by 32 results each.
struct TensorTile {
  static constexpr int THREADS = 256, M = 128, N = 128, K = 32, STAGES = 3;
};

// A thread's share of tiles of an operand: LINES rows of x or columns of y, by K.
template <class T, bool ALONG_K>
struct TensorLoader {
  static constexpr int LINES = 128, K = TensorTile::K, CHUNKS = LINES * K / 8;
  // Chunks of a row of the tile in shared memory.
  static constexpr int DENSE = (ALONG_K ? K : LINES) / 8;
  const T* from;
  int64 stride;
  int lines;
  bool aligned;

  // From the tile's first line on, of which `lines_left` are there.
  IC_FN TensorLoader(const T* start, int64 stride, uint64 lines_left, bool aligned)
      : from(start), stride(stride), lines(int(least(lines_left, LINES))), aligned(aligned)
  {
  }
  // The place of a chunk of a tile: eight rows one below another are in different banks.
  static IC_FN int place(int row, int chunk) { return row * DENSE + (chunk ^ (ALONG_K ? row / 2 % 4 : row % 8)); }

  // The next K, of which `left` are there, into a tile.
  IC_FN void fetch(Chunk* tile, uint64 left)
  {
    const int depths = int(least(left, K));
#pragma unroll
    for (int share = int(threadIdx.x); share < CHUNKS; share += TensorTile::THREADS) {
      const int row = share / DENSE, chunk = share % DENSE;
      const int rows = ALONG_K ? lines : depths, columns = ALONG_K ? depths : lines;
      const int there = row >= rows || chunk * 8 >= columns ? 0 : columns - chunk * 8 < 8 ? columns - chunk * 8 : 8;
      const T* const at = there > 0 ? from + row * stride + chunk * 8 : from;
      Chunk* const to = tile + place(row, chunk);
      if (aligned) {
        tensor::copy(to, at, 2 * there);
      } else {
        Chunk own;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const uint32 low = 2 * i < there ? at[2 * i].bits : 0, high = 2 * i + 1 < there ? at[2 * i + 1].bits : 0;
          own.w[i] = high << 16 | low;
        }
        *to = own;
      }
    }
    from += ALONG_K ? K : K * stride;
  }
  // Four matrices of 8 by 8: lines from `line` on by `k` on. LINES_FIRST says whether the second of them is 8 lines further on, else 8
  // along k; the third is the other way, the fourth both.
  template <bool LINES_FIRST>
  static IC_FN tensor::Words load(const Chunk* tile, int line, int k)
  {
    const int lane = threadIdx.x % 32, i = lane / 8;
    const int by_line = LINES_FIRST ? i % 2 : i / 2, by_k = LINES_FIRST ? i / 2 : i % 2;
    const int row = ALONG_K ? line + 8 * by_line + lane % 8 : k + 8 * by_k + lane % 8;
    const int chunk = ALONG_K ? k / 8 + by_k : line / 8 + by_line;
    return tensor::load_matrices<!ALONG_K>(tile + place(row, chunk));
  }
};

// As `tiles`; of operands that are aligned, eight numbers are.
template <class T, bool X_ROWS, bool Y_ROWS>
IC_FN void tensor_tiles(
  const T* x, const T* y, void* out, const Sizes& sizes, int64 x_stride, int64 y_stride, const Stack& stack, uint32 aligned)
{
  using Shape = TensorTile;
  using LoaderX = TensorLoader<T, X_ROWS>;
  using LoaderY = TensorLoader<T, !Y_ROWS>;
  constexpr int STAGES = Shape::STAGES;
  __shared__ alignas(128) Chunk tile_x[STAGES][LoaderX::CHUNKS];
  __shared__ alignas(128) Chunk tile_y[STAGES][LoaderY::CHUNKS];

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

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, down = warp / 4 * 64, across = warp % 4 * 32;
  float sum[4][4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#pragma unroll
      for (int l = 0; l < 4; ++l) sum[i][j][l] = 0;
    }
  }

  uint64 next = first;
  const auto fetch = [&](int stage) {
    if (next < last) {
      of_x.fetch(tile_x[stage], last - next);
      of_y.fetch(tile_y[stage], last - next);
      next += Shape::K;
    }
    // Also of nothing, so that groups are counted alike to the end.
    tensor::commit();
  };
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) fetch(stage);
  int stage = 0;
  for (uint64 k = first; k < last; k += Shape::K) {
    tensor::wait<STAGES - 2>();
    __syncthreads();
    // Into the tile that was multiplied before the barrier.
    fetch(stage == 0 ? STAGES - 1 : stage - 1);
#pragma unroll
    for (int depth = 0; depth < Shape::K; depth += 16) {
      tensor::Words a[4], b[2];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = LoaderX::template load<true>(tile_x[stage], down + 16 * i, depth);
#pragma unroll
      for (int j = 0; j < 2; ++j) b[j] = LoaderY::template load<false>(tile_y[stage], across + 16 * j, depth);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          tensor::multiply<T>(sum[i][j], a[i], b[j / 2].of[j % 2 * 2], b[j / 2].of[j % 2 * 2 + 1]);
        }
      }
    }
    stage = stage + 1 == STAGES ? 0 : stage + 1;
  }

  const bool whole = sizes.n % 2 == 0;
  const uint64 start = (part * sizes.count + product) * sizes.m;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const uint64 to_row = row + down + i * 8 + lane / 4;
    if (to_row >= sizes.m) continue;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint64 to_column = column + across + j * 8 + lane % 4 * 2, to = (start + to_row) * sizes.n + to_column;
      const Vector<float, 2> sums = {{sum[i / 2][j][i % 2 * 2], sum[i / 2][j][i % 2 * 2 + 1]}};
      if (whole && to_column < sizes.n) {
        if (sizes.parts > 1) {
          *reinterpret_cast<Vector<float, 2>*>(static_cast<float*>(out) + to) = sums;
        } else {
          *reinterpret_cast<Vector<T, 2>*>(static_cast<T*>(out) + to) = {{narrow<T>(sums.of[0]), narrow<T>(sums.of[1])}};
        }
        continue;
      }
#pragma unroll
      for (int l = 0; l < 2; ++l) {
        if (to_column + l >= sizes.n) continue;
        if (sizes.parts > 1) {
          static_cast<float*>(out)[to + l] = sums.of[l];
        } else {
          static_cast<T*>(out)[to + l] = narrow<T>(sums.of[l]);
        }
      }
    }
  }
}

} // namespace product
} // namespace array
