// Products of large matrices of 16-bit floats, or of float32 as TF32, for architecture 90 and no other: 128 by 256 results a block.
//
// One thread has tiles brought to shared memory, up to four ahead; two warpgroups multiply them, each 64 rows. A tile is 128 bytes of
// k: rows of x, and columns of y, are lines of 128 bytes; where lines lie along the other axis, it is blocks of 64 of them by k.
// Bound by the tensor cores: a tile takes 1,024 cycles, and its 48 KB reach a multiprocessor in 768.
#pragma once
#include "product_tiles.cuh"
#include "warpgroup.cuh"

namespace array {
namespace product {

struct WarpgroupTile {
  static constexpr int M = 128, N = 256, LINE = 128, STAGES = 4;
  // A warpgroup that fetches, and two that multiply.
  static constexpr int THREADS = 3 * warpgroup::THREADS;
  static constexpr int X_BYTES = M * LINE, Y_BYTES = N * LINE;
  // Of shared memory: tiles begin at multiples of eight lines.
  static constexpr int SHARED = STAGES * (X_BYTES + Y_BYTES) + 8 * LINE;
};

// A result of sums, or two neighbours.
template <class Out>
IC_FN Out result_of(float x)
{
  if constexpr (sizeof(Out) == 4) {
    return x;
  } else {
    return narrow<Out>(x);
  }
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// `x` is m by k, its lines rows if X_ROWS, else columns; `y` is k by n, likewise; `out` is dense. Maps' tiles are LINES of 128 bytes.
template <class T, class Out, bool X_ROWS, bool Y_ROWS>
__device__ __forceinline__ void warpgroup_tiles(
  const warpgroup::TensorMap& x, const warpgroup::TensorMap& y, Out* out, uint64 m, uint64 n, uint64 k)
{
  using Shape = WarpgroupTile;
  // Numbers of a line, and what of k a tile and one product take.
  constexpr int K = Shape::LINE / int(sizeof(T)), DEPTH = K / 4, STAGES = Shape::STAGES;
  // Where tiles' blocks of lines along k are apart, and what comes after DEPTH of k in a tile, by 16 bytes.
  constexpr uint32 BLOCK = K * Shape::LINE, ALONG = 2, ACROSS = DEPTH * Shape::LINE / 16;
  extern __shared__ unsigned char memory[];
  auto* const tiles = reinterpret_cast<unsigned char*>((uint64(memory) + 8 * Shape::LINE - 1) & ~uint64(8 * Shape::LINE - 1));
  unsigned char* const tiles_x = tiles;
  unsigned char* const tiles_y = tiles + STAGES * Shape::X_BYTES;
  __shared__ warpgroup::Barrier full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) full[stage].start(1), empty[stage].start(2);
  }
  __syncthreads();

  const uint64 rows = (m + Shape::M - 1) / Shape::M, columns = (n + Shape::N - 1) / Shape::N;
  uint64 row, column;
  tile_place(block_number(), rows, columns, row, column);
  row *= Shape::M;
  column *= Shape::N;
  const int group = threadIdx.x / warpgroup::THREADS, thread = threadIdx.x % warpgroup::THREADS;
  int stage = 0;
  uint32 parity = 0;
  const auto next = [&] {
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0;
  };
  if (group == 0) {
    warpgroup::keep_registers<40>();
    if (thread != 0) return;
    for (uint64 at = 0; at < k; at += K, next()) {
      empty[stage].wait(parity ^ 1);
      full[stage].expect(Shape::X_BYTES + Shape::Y_BYTES);
      unsigned char* const to_x = tiles_x + stage * Shape::X_BYTES;
      unsigned char* const to_y = tiles_y + stage * Shape::Y_BYTES;
      if constexpr (X_ROWS) {
        warpgroup::fetch(to_x, &x, int(at), int(row), full + stage);
      } else {
        for (int i = 0; i < Shape::M / K; ++i) warpgroup::fetch(to_x + i * BLOCK, &x, int(row) + i * K, int(at), full + stage);
      }
      if constexpr (Y_ROWS) {
        for (int i = 0; i < Shape::N / K; ++i) warpgroup::fetch(to_y + i * BLOCK, &y, int(column) + i * K, int(at), full + stage);
      } else {
        warpgroup::fetch(to_y, &y, int(at), int(column), full + stage);
      }
    }
    return;
  }

  warpgroup::take_registers<232>();
  const int half = group - 1;
  float sum[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) sum[i] = 0;
  for (uint64 at = 0; at < k; at += K, next()) {
    full[stage].wait(parity);
    warpgroup::begin();
    // 64 rows of lines, or one block.
    const uint64 of_x = warpgroup::tile(tiles_x + stage * Shape::X_BYTES + half * 64 * Shape::LINE, BLOCK);
    const uint64 of_y = warpgroup::tile(tiles_y + stage * Shape::Y_BYTES, BLOCK);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      warpgroup::multiply<T, X_ROWS, !Y_ROWS>(sum, of_x + i * (X_ROWS ? ALONG : ACROSS), of_y + i * (Y_ROWS ? ACROSS : ALONG));
    }
    warpgroup::commit();
    // The tiles before these are read.
    warpgroup::wait<1>();
    if (at > 0 && thread == 0) empty[stage == 0 ? STAGES - 1 : stage - 1].arrive();
  }
  warpgroup::wait<0>();

  const int lane = thread % 32, warp = thread / 32;
  const bool pairs = n % 2 == 0;
#pragma unroll
  for (int j = 0; j < 32; ++j) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint64 to_row = row + half * 64 + warp * 16 + i * 8 + lane / 4, to_column = column + j * 8 + lane % 4 * 2;
      if (to_row >= m || to_column >= n) continue;
      Out* const to = out + to_row * n + to_column;
      const Out first = result_of<Out>(sum[4 * j + 2 * i]), second = result_of<Out>(sum[4 * j + 2 * i + 1]);
      if (pairs) {
        *reinterpret_cast<Vector<Out, 2>*>(to) = {{first, second}};
      } else {
        to[0] = first;
        if (to_column + 1 < n) to[1] = second;
      }
    }
  }
}

#endif

} // namespace product
} // namespace array
