#pragma once
// Reorderings: they move elements of `W` words and need no field. Bound: memory.
#include "access.cuh"

namespace icicle {

// Shape of the square tiles that reorderings pass through shared memory: rows of 128 bytes or more where that fits.
template <u32 W>
struct Square {
  static constexpr u32 LOG_SIDE = W <= 2 ? 5 : W <= 8 ? 4 : 3;
  static constexpr u32 SIDE = 1 << LOG_SIDE;
  // Words moved at once, and words of a row with padding against bank conflicts.
  static constexpr u32 UNIT = W % 4 == 0 ? 4 : 1;
  static constexpr u32 PITCH = SIDE * W + UNIT;
  static constexpr u32 WORDS = SIDE * PITCH;
  static constexpr u32 UNITS = W / UNIT;
};

template <u32 UNIT>
IC_D void move(u32* to, const u32* from, bool aligned)
{
  if constexpr (UNIT == 4) {
    store_chunk(to, load_chunk(from, aligned), aligned);
  } else {
    *to = *from;
  }
}

// One element by one thread.
template <u32 W>
IC_D void move_element(u32* to, const u32* from, bool aligned)
{
  constexpr u32 UNIT = Square<W>::UNIT;
  IC_UNROLL
  for (u32 k = 0; k < W; k += UNIT) { move<UNIT>(to + k, from + k, aligned); }
}

IC_D u64 reverse_bits(u64 i, u32 bits) { return bits == 0 ? 0 : __brevll(i) >> (64 - bits); }

// `out[i] = a[reversed i]` for contiguous vectors of `2^log_n >= SIDE²` elements, in place or not. Index = row, middle,
// column: reversal maps the square of a middle to the transposed, permuted square of the reversed middle. One block of
// 256 threads a pair of such squares; grid y: vectors. Shared memory: two squares, at most 18 KiB.
template <u32 W>
IC_D void bit_reverse_tiles(const u32* a, u32* out, u32 log_n, u64 batch)
{
  using S = Square<W>;
  __shared__ alignas(16) u32 squares[2][S::WORDS];
  constexpr u32 Q = S::LOG_SIDE, COUNT = S::SIDE * S::SIDE * S::UNITS;
  bool aligned = is_aligned(a) && is_aligned(out);
  u32 middle_bits = log_n - 2 * Q;
  for (u64 v = blockIdx.y; v < batch; v += gridDim.y) {
    const u32* from = a + (v << log_n) * W;
    u32* to = out + (v << log_n) * W;
    for (u64 m = blockIdx.x; m < (u64)1 << middle_bits; m += gridDim.x) {
      u64 other = reverse_bits(m, middle_bits);
      if (other < m) { continue; }
      u32 pair = other == m ? 1 : 2;
      IC_NO_UNROLL
      for (u32 at = threadIdx.x; at < pair * COUNT; at += blockDim.x) {
        u32 s = at / COUNT, unit = at % COUNT % S::UNITS, column = at % COUNT / S::UNITS % S::SIDE;
        u32 row = at % COUNT / S::UNITS / S::SIDE;
        u64 i = (u64)row << (log_n - Q) | (s ? other : m) << Q | column;
        u32* cell = &squares[s][row * S::PITCH + column * W + unit * S::UNIT];
        if constexpr (S::UNIT == 4) {
          *(Chunk*)cell = load_chunk(from + i * W + unit * 4, aligned);
        } else {
          *cell = from[i * W + unit];
        }
      }
      __syncthreads();
      IC_NO_UNROLL
      for (u32 at = threadIdx.x; at < pair * COUNT; at += blockDim.x) {
        u32 s = at / COUNT, unit = at % COUNT % S::UNITS, column = at % COUNT / S::UNITS % S::SIDE;
        u32 row = at % COUNT / S::UNITS / S::SIDE;
        // Of square s, to the square of the other middle.
        u64 i = (u64)row << (log_n - Q) | (s ? m : other) << Q | column;
        u32 from_row = (u32)reverse_bits(column, Q), from_column = (u32)reverse_bits(row, Q);
        const u32* cell = &squares[s][from_row * S::PITCH + from_column * W + unit * S::UNIT];
        if constexpr (S::UNIT == 4) {
          store_chunk(to + i * W + unit * 4, *(const Chunk*)cell, aligned);
        } else {
          to[i * W + unit] = *cell;
        }
      }
      __syncthreads();
    }
  }
}

// The same for any layout: element i of vector v at `v·pitch + i·stride`. One thread a pair of elements.
template <u32 W>
IC_D void bit_reverse_pairs(const u32* a, u32* out, u32 log_n, u64 batch, u64 pitch, u64 stride)
{
  u64 n = (u64)1 << log_n;
  for (u64 at = thread_index(); at < batch << log_n; at += thread_count()) {
    // Neighbouring threads along whichever index is contiguous.
    u64 i = stride == 1 ? at & (n - 1) : at / batch, v = stride == 1 ? at >> log_n : at - i * batch;
    u64 j = reverse_bits(i, log_n);
    if (j < i) { continue; }
    u64 p = (v * pitch + i * stride) * W, q = (v * pitch + j * stride) * W;
    u32 first[W], second[W];
    IC_UNROLL
    for (u32 k = 0; k < W; k++) {
      first[k] = a[p + k];
      second[k] = a[q + k];
    }
    IC_UNROLL
    for (u32 k = 0; k < W; k++) {
      out[p + k] = second[k];
      out[q + k] = first[k];
    }
  }
}

// `out[v][i] = a[v][offset + i·step]`; element i of vector v of `a` at `v·pitch + i·stride`, of `out` at
// `v·out_pitch + i·stride`. One thread an element.
template <u32 W>
IC_D void slice(const u32* a, u32* out, u64 n_out, u64 batch, u64 offset, u64 step, u64 pitch, u64 out_pitch, u64 stride)
{
  bool aligned = is_aligned(a) && is_aligned(out);
  for (u64 at = thread_index(); at < n_out * batch; at += thread_count()) {
    u64 major = stride == 1 ? n_out : batch, q = at / major, r = at - q * major;
    u64 i = stride == 1 ? r : q, v = stride == 1 ? q : r;
    move_element<W>(out + (v * out_pitch + i * stride) * W, a + (v * pitch + (offset + i * step) * stride) * W, aligned);
  }
}

// Tiles that transposes pass through shared memory: squares, or where a matrix is thinner than those as thin as it, and longer,
// up to eight times.
template <u32 W>
struct Rectangle {
  using S = Square<W>;
  static constexpr u32 LOG_LONG = S::LOG_SIDE + 3;
  static constexpr u32 WORDS = S::SIDE * S::SIDE * W + (S::UNIT << LOG_LONG);
  u32 log_height, log_width;

  IC_D Rectangle(u64 rows, u64 cols) : log_height(log_up(rows, S::LOG_SIDE)), log_width(log_up(cols, S::LOG_SIDE))
  {
    if (log_height < S::LOG_SIDE) { log_width = log_up(cols, longest(log_height)); }
    else if (log_width < S::LOG_SIDE) { log_height = log_up(rows, longest(log_width)); }
  }
  static IC_D u32 longest(u32 log_thin)
  {
    u32 room = 2 * S::LOG_SIDE - log_thin;
    return room < LOG_LONG ? room : LOG_LONG;
  }
  // Log of the least power of two that holds an extent, or the most.
  static IC_D u32 log_up(u64 extent, u32 most)
  {
    u32 log = 0;
    while (log < most && (u64)1 << log < extent) { log++; }
    return log;
  }
  IC_D u32 pitch() const { return (W << log_width) + S::UNIT; }
  IC_D u32 units() const { return S::UNITS << (log_height + log_width); }
};

// Transposes of `batch` contiguous matrices, not in place. Blocks of 256 threads; grid x: tiles of one matrix, row of
// tiles by row; grid y: matrices. Shared memory: a tile, at most 10 KiB.
template <u32 W>
IC_D void transpose(const u32* a, u32* out, u64 rows, u64 cols, u64 batch)
{
  using S = Square<W>;
  __shared__ alignas(16) u32 cells[Rectangle<W>::WORDS];
  Rectangle<W> tile(rows, cols);
  u32 count = tile.units(), pitch = tile.pitch(), height = 1u << tile.log_height, width = 1u << tile.log_width;
  bool aligned = is_aligned(a) && is_aligned(out);
  u64 across = (cols + width - 1) >> tile.log_width, tiles = across * ((rows + height - 1) >> tile.log_height);
  for (u64 v = blockIdx.y; v < batch; v += gridDim.y) {
    const u32* from = a + v * rows * cols * W;
    u32* to = out + v * rows * cols * W;
    for (u64 at_tile = blockIdx.x; at_tile < tiles; at_tile += gridDim.x) {
      u64 row0 = at_tile / across << tile.log_height, col0 = at_tile % across << tile.log_width;
      IC_NO_UNROLL
      for (u32 at = threadIdx.x; at < count; at += blockDim.x) {
        u32 unit = at % S::UNITS, c = at / S::UNITS & (width - 1), r = at / S::UNITS >> tile.log_width;
        if (row0 + r < rows && col0 + c < cols) {
          move<S::UNIT>(&cells[r * pitch + c * W + unit * S::UNIT], from + ((row0 + r) * cols + col0 + c) * W + unit * S::UNIT,
                        aligned);
        }
      }
      __syncthreads();
      IC_NO_UNROLL
      for (u32 at = threadIdx.x; at < count; at += blockDim.x) {
        u32 unit = at % S::UNITS, r = at / S::UNITS & (height - 1), c = at / S::UNITS >> tile.log_height;
        if (row0 + r < rows && col0 + c < cols) {
          move<S::UNIT>(to + ((col0 + c) * rows + row0 + r) * W + unit * S::UNIT, &cells[r * pitch + c * W + unit * S::UNIT],
                        aligned);
        }
      }
      __syncthreads();
    }
  }
}

// Transposes of interleaved matrices: entries are records of `batch` elements. One thread an element.
template <u32 W>
IC_D void transpose_columns(const u32* a, u32* out, u64 rows, u64 cols, u64 batch)
{
  bool aligned = is_aligned(a) && is_aligned(out);
  for (u64 at = thread_index(); at < rows * cols * batch; at += thread_count()) {
    u64 entry = at / batch, v = at - entry * batch, c = entry / rows, r = entry - c * rows;
    move_element<W>(out + at * W, a + ((r * cols + c) * batch + v) * W, aligned);
  }
}

// Index of the last nonzero element of each vector, by maximum into `out`, which the host has filled with -1 (bytes
// 0xff). Element i of vector v at `v·pitch + i·stride`. Each thread walks down from its highest index and stops.
template <u32 W>
IC_D void highest_non_zero(const u32* a, i64* out, u64 n, u64 batch, u64 pitch, u64 stride)
{
  for (u64 v = blockIdx.y; v < batch; v += gridDim.y) {
    u64 step = thread_count(), first = thread_index();
    if (first >= n) { continue; }
    // What another thread has found already bounds the search from below.
    volatile i64* best = out + v;
    u32 polls = 0;
    for (u64 down = first; down < n; down += step) {
      i64 i = (i64)(n - 1 - down);
      if (polls++ % 4 == 0 && *best >= i) { break; }
      const u32* x = a + (v * pitch + (u64)i * stride) * W;
      u32 any = 0;
      IC_UNROLL
      for (u32 k = 0; k < W; k++) { any |= x[k]; }
      if (any != 0) {
        atomicMax(out + v, i);
        break;
      }
    }
  }
}

} // namespace icicle
