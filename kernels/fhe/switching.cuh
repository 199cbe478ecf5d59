// What comes before blind rotation: combinations of ciphertexts, and their key switch to short ciphertexts whose elements are
// powers of X (`circuit/run.rs` and `key_switch.rs` of `core/fhe`).
//
// The key switch is a product of small integers, digits of the ciphertexts and bytes of the key, on tensor cores: sums of 8192
// products of digits up to 8 and bytes fit 32 bits. Of the key only the upper half of each word takes part, as the rest is far below
// the key's noise.
#pragma once
#include "rotation.cuh"

namespace icicle {
namespace fhe {

// Digits of an element, and bits of one.
constexpr int LEVELS = 4, DIGIT_BITS = 4;
// A message of one.
constexpr u64 DELTA = 1ull << 59;

// What a signal's terms read: ciphertexts, or clear values of two bits, so many for each element.
struct Source {
  u64 address;
  u64 per_element;
  u64 is_clear;
};
struct Term {
  u32 source, offset;
  i64 weight;
};
// The terms from `first` to before `end`, and a torus element.
struct Signal {
  u64 constant;
  u32 first, end;
};
struct Combination {
  const Source* sources;
  const Term* terms;
  const Signal* signals;
  u64 first_element;
  u32 signals_per_element;
};

// Word `at` of output `i`.
IC_D u64 combined(const Combination& a, u64 i, u32 at)
{
  const u64 element = a.first_element + i / a.signals_per_element;
  const Signal signal = a.signals[i % a.signals_per_element];
  u64 sum = at == N ? signal.constant : 0;
  for (u32 t = signal.first; t < signal.end; ++t) {
    const Term term = a.terms[t];
    const Source source = a.sources[term.source];
    const u64 place = element * source.per_element + term.offset;
    if (source.is_clear) {
      if (at == N) { sum += DELTA * (u64(term.weight) * reinterpret_cast<const u8*>(source.address)[place]); }
    } else {
      sum += u64(term.weight) * reinterpret_cast<const u64*>(source.address)[place * WORDS + at];
    }
  }
  return sum;
}

// Ciphertexts, one a block.
IC_D void combine(const Combination& a, u64* out)
{
  for (u32 at = threadIdx.x; at < WORDS; at += blockDim.x) out[u64(blockIdx.x) * WORDS + at] = combined(a, blockIdx.x, at);
}

// Balanced digits of the leading bits of a word, to nearest, the least significant one first, each a byte; as `round` and `digit` of
// `key_switch.rs`.
IC_D u32 digits(u64 word)
{
  constexpr int BITS = LEVELS * DIGIT_BITS;
  const u64 with_next = word >> (63 - BITS);
  const i32 rounded = i32(((with_next + 1) >> 1) & ((1u << BITS) - 1)), half = 1 << (BITS - 1);
  const bool negative = rounded > half || (rounded == half && (with_next & 1) == 1);
  i32 rest = negative ? rounded - (1 << BITS) : rounded;
  u32 out = 0;
  IC_UNROLL
  for (int level = 0; level < LEVELS; ++level) {
    const i32 low = rest & ((1 << DIGIT_BITS) - 1);
    rest >>= DIGIT_BITS;
    const i32 carry = (((low - 1) | rest) & low) >> (DIGIT_BITS - 1);
    rest += carry;
    out |= (u32(low - (carry << DIGIT_BITS)) & 0xff) << 8 * level;
  }
  return out;
}

// Digits of ciphertexts, N words each, and what their key switch begins with: zeros and, as word `body` of `stride`, the upper half of
// the body. One a block.
IC_D void decompose(const Combination& a, u32* out, u32* small, u32 body, u32 stride)
{
  const u64 i = blockIdx.x;
  for (u32 at = threadIdx.x; at < N; at += blockDim.x) out[i * N + at] = digits(combined(a, i, at));
  for (u32 at = threadIdx.x; at < stride; at += blockDim.x) {
    small[i * stride + at] = at == body ? u32((combined(a, i, N) + (1u << 31)) >> 32) : 0;
  }
}

// c += a b on tensor cores: of a, bytes with a sign, words 0 and 2 of row lane/4, 1 and 3 of row lane/4 + 8; of b, bytes without,
// of column lane/4; of c, columns 2(lane%4) and the next of these rows. Word `lane % 4` of a row goes with that of a column, and so
// do the second words.
IC_D void multiply_add(i32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  const u32 lane = threadIdx.x % LANES;
  for (u32 from = 0; from < 4; ++from) {
    for (int half = 0; half < 2; ++half) {
      for (int row = 0; row < 2; ++row) {
        const u32 x = __shfl_sync(~0u, a[2 * half + row], lane / 4 * 4 + from);
        for (u32 column = 0; column < 2; ++column) {
          const u32 y = __shfl_sync(~0u, b[half], (lane % 4 * 2 + column) * 4 + from);
          for (int byte = 0; byte < 4; ++byte) {
            c[2 * row + int(column)] += i32((signed char)(x >> 8 * byte)) * i32(y >> 8 * byte & 0xff);
          }
        }
      }
    }
  }
#endif
}

// Columns and rows that a warp multiplies at a time, elements of a ciphertext, and planes of bytes of the key.
constexpr int COLUMNS = 8, ROWS = 64, ELEMENTS = 16, PLANES = 4;
// Chunks of the key's for a warp's columns: of the elements `4 (lane % 4)` and on, for column `lane / 4`, their levels' bytes.
constexpr int STEP_CHUNKS = PLANES * LANES, COLUMN_STEPS = N / ELEMENTS;

// Take from short ciphertexts the products of digits and the key. Warps have eight columns each; along y are tiles of ROWS
// ciphertexts, along z equal parts of their elements, whose results add up in any order.
IC_D void key_switch(const u32* digits, const Chunk* key, u32* small, u32 count, u32 columns, u32 stride)
{
  const u32 lane = threadIdx.x % LANES, group = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
  if (group * COLUMNS >= columns) { return; }
  const u32 first = blockIdx.y * ROWS, steps = COLUMN_STEPS / gridDim.z, step = blockIdx.z * steps;
  constexpr int TILES = ROWS / 16;
  const Chunk* rows[TILES][2];
  IC_UNROLL
  for (int tile = 0; tile < TILES; ++tile) {
    IC_UNROLL
    for (int half = 0; half < 2; ++half) {
      const u32 row = first + u32(16 * tile + 8 * half) + lane / 4;
      // Past the last it does not matter.
      const u32 there = row < count ? row : count - 1;
      rows[tile][half] = reinterpret_cast<const Chunk*>(digits + u64(there) * N) + lane % 4 + step * 4;
    }
  }
  key += (u64(group) * COLUMN_STEPS + step) * STEP_CHUNKS + lane;
  i32 sums[TILES][PLANES][4] = {};
  for (u32 i = 0; i < steps; ++i, key += STEP_CHUNKS) {
    Chunk b[PLANES];
    IC_UNROLL
    for (int plane = 0; plane < PLANES; ++plane) b[plane] = key[plane * LANES];
    IC_UNROLL
    for (int tile = 0; tile < TILES; ++tile) {
      const Chunk upper = rows[tile][0][i * 4], lower = rows[tile][1][i * 4];
      IC_UNROLL
      for (int part = 0; part < 4; part += 2) {
        const u32 a[4] = {upper.w[part], lower.w[part], upper.w[part + 1], lower.w[part + 1]};
        IC_UNROLL
        for (int plane = 0; plane < PLANES; ++plane) {
          const u32 words[2] = {b[plane].w[part], b[plane].w[part + 1]};
          multiply_add(sums[tile][plane], a, words);
        }
      }
    }
  }
  IC_UNROLL
  for (int tile = 0; tile < TILES; ++tile) {
    IC_UNROLL
    for (int i = 0; i < 4; ++i) {
      const u32 row = first + u32(16 * tile + i / 2 * 8) + lane / 4, column = group * COLUMNS + lane % 4 * 2 + u32(i % 2);
      u32 sum = 0;
      IC_UNROLL
      for (int plane = 0; plane < PLANES; ++plane) sum += u32(sums[tile][plane][i]) << 8 * plane;
      if (row < count && column < columns) { atomicAdd(small + u64(row) * stride + column, 0 - sum); }
    }
  }
}

// A chunk of the key as `key_switch` reads it, of the words of LWE ciphertexts of `columns` words: for each element its levels,
// the least significant first.
IC_D void arrange_key(const u64* words, Chunk* out, u32 columns)
{
  const u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;
  const u32 lane = u32(i) % LANES, plane = u32(i) / LANES % PLANES, step = u32(i) / STEP_CHUNKS % COLUMN_STEPS;
  const u32 group = u32(i) / STEP_CHUNKS / COLUMN_STEPS, column = group * COLUMNS + lane / 4;
  if (group * COLUMNS >= columns) { return; }
  Chunk chunk = {};
  for (u32 part = 0; part < 4 && column < columns; ++part) {
    const u64 element = step * ELEMENTS + lane % 4 * 4 + part;
    for (u32 level = 0; level < LEVELS; ++level) {
      const u32 word = u32((words[(element * LEVELS + level) * columns + column] + (1u << 31)) >> 32);
      chunk.w[part] |= (word >> 8 * plane & 0xff) << 8 * level;
    }
  }
  out[i] = chunk;
}

// Switch the modulus of short ciphertexts to 2N, a warp each; as `switch_modulus` of `blind_rotation.rs`. The last of `words` is the
// body.
IC_D void switch_modulus(const u32* small, unsigned short* out, u32 count, u32 words, u32 stride)
{
  constexpr int SHIFT = 32 - 12;
  static_assert(1 << 12 == 2 * N, "bits of the modulus");
  const u32 lane = threadIdx.x % LANES, i = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
  if (i >= count) { return; }
  const u32* const from = small + u64(i) * stride;
  unsigned short* const to = out + u64(i) * stride;
  i32 errors = 0;
  for (u32 at = lane; at < words - 1; at += LANES) {
    const u32 rounded = ((from[at] >> (SHIFT - 1)) + 1) >> 1;
    errors += i32(from[at] - (rounded << SHIFT));
    to[at] = (unsigned short)(rounded % (2 * N));
  }
  for (u32 distance = LANES / 2; distance > 0; distance /= 2) errors += __shfl_xor_sync(~0u, errors, distance);
  if (lane == 0) { to[words - 1] = (unsigned short)((from[words - 1] - u32(errors >> 1)) >> SHIFT); }
}

} // namespace fhe
} // namespace icicle
