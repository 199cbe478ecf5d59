// Products of a matrix and a vector, which read the matrix once and are bound by memory. `m` results are sums of `k` products, in an
// order that the sizes decide; `n` is not used. With several parts each leaves its sums, which `sum_parts` adds.
#pragma once
#include "product.cuh"

namespace array {
namespace product {

constexpr int VECTOR_THREADS = 256;

// A value of another lane, whatever its size.
template <class A>
IC_FN A of_lane_above(A x, int lanes_apart)
{
  constexpr int WORDS = sizeof(A) / 4;
  union Words {
    uint32 word[WORDS];
    A value;
    __device__ Words() {}
  } in, out;
  in.value = x;
#pragma unroll
  for (int i = 0; i < WORDS; ++i) out.word[i] = __shfl_down_sync(0xffffffffu, in.word[i], lanes_apart);
  return out.value;
}

template <class T>
IC_FN void put(void* out, bool as_sum, uint64 at, AccOf<T> sum)
{
  if (as_sum) {
    static_cast<AccOf<T>*>(out)[at] = sum;
  } else {
    static_cast<T*>(out)[at] = narrow<T>(sum);
  }
}

// Rows are dense, `pitch` apart. A warp takes ROWS rows of a part, so that elements of the vector are read once for all; the
// warps of a block take neighbouring rows, and find the vector in the first-level cache. Blocks that follow each other take the
// parts of the same rows, so that what all read at a time lies in few pages of memory. `aligned` if 16 bytes from any multiple of
// that in a row, or in the vector, on are one access.
template <class T, int ROWS>
IC_FN void rows_times_vector(
  const T* matrix, const T* vector, void* out, const Sizes& sizes, int64 pitch, const Stack& stack, uint32 aligned)
{
  using Acc = AccOf<T>;
  constexpr int V = 16 / sizeof(T), LANES = V < 4 ? V : 4, TOGETHER = ROWS == 1 ? 4 : 2, STEP = 32 * V * TOGETHER;
  const int lane = threadIdx.x % 32;
  const uint64 groups = (sizes.m + ROWS - 1) / ROWS;
  const uint64 part = block_number() % sizes.parts;
  const uint64 group = block_number() / sizes.parts * (VECTOR_THREADS / 32) + threadIdx.x / 32;
  // All lanes of a warp go together.
  if (group >= sizes.count * groups) return;
  const uint64 product = group / groups, row = group % groups * ROWS;
  int64 x_at, y_at;
  places(stack, product, x_at, y_at);
  const uint64 first = least(part * sizes.part, sizes.k), last = least(first + sizes.part, sizes.k);

  const T* rows[ROWS];
  Acc sum[ROWS][LANES];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    // Of the last rows, fewer than are read together, one is read again.
    rows[r] = matrix + x_at + int64(least(row + r, sizes.m - 1)) * pitch;
#pragma unroll
    for (int i = 0; i < LANES; ++i) sum[r][i] = Acc{};
  }
  const T* const with = vector + y_at;
  uint64 at = first;
  if (aligned) {
    for (; at + STEP <= last; at += STEP) {
      Chunk of_vector[TOGETHER], of_rows[TOGETHER][ROWS];
#pragma unroll
      for (int s = 0; s < TOGETHER; ++s) {
        const uint64 place = at + (s * 32 + lane) * V;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) of_rows[s][r] = streamed(reinterpret_cast<const Chunk*>(rows[r] + place));
        of_vector[s] = *reinterpret_cast<const Chunk*>(with + place);
      }
#pragma unroll
      for (int s = 0; s < TOGETHER; ++s) {
#pragma unroll
        for (int i = 0; i < V; ++i) {
          const Acc b = widen(number_of<T>(of_vector[s], i));
#pragma unroll
          for (int r = 0; r < ROWS; ++r) add_product(sum[r][i % LANES], widen(number_of<T>(of_rows[s][r], i)), b);
        }
      }
    }
  } else {
    constexpr int FEW = 32 / ROWS;
    for (; at + 32 * FEW <= last; at += 32 * FEW) {
      T of_vector[FEW], of_rows[FEW][ROWS];
#pragma unroll
      for (int s = 0; s < FEW; ++s) {
        const uint64 place = at + s * 32 + lane;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) of_rows[s][r] = rows[r][place];
        of_vector[s] = with[place];
      }
#pragma unroll
      for (int s = 0; s < FEW; ++s) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) add_product(sum[r][s % LANES], widen(of_rows[s][r]), widen(of_vector[s]));
      }
    }
  }
  for (uint64 place = at + lane; place < last; place += 32) {
    const Acc b = widen(with[place]);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) add_product(sum[r][0], widen(rows[r][place]), b);
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    Acc all = sum[r][0];
#pragma unroll
    for (int i = 1; i < LANES; ++i) all = plus(all, sum[r][i]);
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) all = plus(all, of_lane_above(all, apart));
    if (lane == 0 && row + r < sizes.m) {
      put<T>(out, sizes.parts > 1, (part * sizes.count + product) * sizes.m + row + r, all);
    }
  }
}

// Columns are dense, `pitch` apart. Of a block, `width` threads, a power of two, lie along a column with 16 bytes each, and as many
// such groups as there are take every so manyth column of a part; their sums are added in shared memory.
template <class T>
IC_FN void columns_times_vector(
  const T* matrix, const T* vector, void* out, const Sizes& sizes, int64 pitch, const Stack& stack, uint32 width,
  uint32 aligned)
{
  using Acc = AccOf<T>;
  constexpr int V = 16 / sizeof(T), TOGETHER = 8;
  __shared__ alignas(16) Acc shared[V * VECTOR_THREADS];
  const uint32 groups = VECTOR_THREADS / width, group = threadIdx.x / width, x = threadIdx.x % width;
  const uint64 strips = (sizes.m + uint64(width) * V - 1) / (uint64(width) * V);
  const uint64 number = block_number(), of_part = number / strips;
  if (of_part >= sizes.count * sizes.parts) return;
  const uint64 part = of_part % sizes.parts, product = of_part / sizes.parts, strip = number % strips * width * V;
  int64 x_at, y_at;
  places(stack, product, x_at, y_at);
  const uint64 first = least(part * sizes.part, sizes.k), last = least(first + sizes.part, sizes.k);

  // Of results `strip + x·V + i`; without alignment neighbouring threads have neighbouring ones, `strip + i·width + x`.
  const uint64 row = strip + (aligned ? x * V : x), step = aligned ? 1 : width;
  const T* const from = matrix + x_at + row;
  const T* const with = vector + y_at;
  Acc sum[V];
#pragma unroll
  for (int i = 0; i < V; ++i) sum[i] = Acc{};
  uint64 k = first + group;
  if (aligned && row + V <= sizes.m) {
    for (; k + (TOGETHER - 1) * groups < last; k += TOGETHER * groups) {
      Chunk chunks[TOGETHER];
      T factors[TOGETHER];
#pragma unroll
      for (int s = 0; s < TOGETHER; ++s) {
        const uint64 column = k + s * groups;
        chunks[s] = streamed(reinterpret_cast<const Chunk*>(from + int64(column) * pitch));
        factors[s] = with[column];
      }
#pragma unroll
      for (int s = 0; s < TOGETHER; ++s) {
#pragma unroll
        for (int i = 0; i < V; ++i) add_product(sum[i], widen(number_of<T>(chunks[s], i)), widen(factors[s]));
      }
    }
    for (; k < last; k += groups) {
      const Chunk chunk = streamed(reinterpret_cast<const Chunk*>(from + int64(k) * pitch));
      const Acc factor = widen(with[k]);
#pragma unroll
      for (int i = 0; i < V; ++i) add_product(sum[i], widen(number_of<T>(chunk, i)), factor);
    }
  } else {
    constexpr int FEW = V < 8 ? 4 : 2;
    for (; k < last; k += FEW * groups) {
      T elements[FEW][V];
      T factors[FEW];
#pragma unroll
      for (int s = 0; s < FEW; ++s) {
        const uint64 column = k + s * groups;
        const bool there = column < last;
        factors[s] = there ? with[column] : T{};
#pragma unroll
        for (int i = 0; i < V; ++i) {
          elements[s][i] = there && row + i * step < sizes.m ? from[int64(column) * pitch + int64(i * step)] : T{};
        }
      }
#pragma unroll
      for (int s = 0; s < FEW; ++s) {
#pragma unroll
        for (int i = 0; i < V; ++i) add_product(sum[i], widen(elements[s][i]), widen(factors[s]));
      }
    }
  }
  for (uint32 apart = groups / 2; apart > 0; apart /= 2) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < V; ++i) shared[i * VECTOR_THREADS + threadIdx.x] = sum[i];
    __syncthreads();
    if (group < apart) {
#pragma unroll
      for (int i = 0; i < V; ++i) sum[i] = plus(sum[i], shared[i * VECTOR_THREADS + threadIdx.x + apart * width]);
    }
  }
  if (group > 0) return;
#pragma unroll
  for (int i = 0; i < V; ++i) {
    const uint64 to = row + i * step;
    if (to < sizes.m) put<T>(out, sizes.parts > 1, (part * sizes.count + product) * sizes.m + to, sum[i]);
  }
}

// `out[i]` = the sum of `sums[p·n + i]` over `parts` of them, for `n` results. A block 32 results, by 8 warps; any grid.
template <class T>
IC_FN void sum_parts(const AccOf<T>* sums, T* out, uint64 n, uint64 parts)
{
  using Acc = AccOf<T>;
  constexpr int WARPS = VECTOR_THREADS / 32, TOGETHER = 8;
  __shared__ alignas(16) Acc shared[VECTOR_THREADS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (uint64 tile = blockIdx.x; tile * 32 < n; tile += gridDim.x) {
    const uint64 i = tile * 32 + lane;
    Acc sum{};
    if (i < n) {
      uint64 p = warp;
      for (; p + (TOGETHER - 1) * WARPS < parts; p += TOGETHER * WARPS) {
        Acc some[TOGETHER];
#pragma unroll
        for (int s = 0; s < TOGETHER; ++s) some[s] = sums[(p + s * WARPS) * n + i];
#pragma unroll
        for (int s = 0; s < TOGETHER; ++s) sum = plus(sum, some[s]);
      }
      for (; p < parts; p += WARPS) sum = plus(sum, sums[p * n + i]);
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (warp == 0 && i < n) {
#pragma unroll
      for (int w = 1; w < WARPS; ++w) sum = plus(sum, shared[w * 32 + lane]);
      out[i] = narrow<T>(sum);
    }
    __syncthreads(); // before the memory is used again
  }
}

} // namespace product
} // namespace array
