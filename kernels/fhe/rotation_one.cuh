// Blind rotation of one ciphertext by the four warps of a block: the least latency, for as few ciphertexts as there are
// multiprocessors. What `rotation.cuh` does with 32 values a lane and two passes, with 16 and three: of 1024 values thread t of 64
// has those at t + 64k, then in each block of 64 those at 4k + r, then four fours side by side.
#pragma once
#include "rotation.cuh"

namespace icicle {
namespace fhe {

// Threads of a polynomial, and values of a thread.
constexpr int THREADS = 64, VALUES_EACH = HALF / THREADS;

// Roots of each thread, where it has part r of block b as thread 4b + r, or the values from t on.
struct ThreadRoots {
  // Of the second pass, by `place`, then two for each four of the last.
  Root forward[16][THREADS];
  // Of the inverse's second pass, which are those of r alone, and of its last, by `place`.
  Root inner[8][4];
  Root outer[8][THREADS];
  // exp(-2πi t/4096).
  Root twist[THREADS];
};

struct SharedOne {
  Complex values[2][HALF];
  Complex stage[4 * HALF];
  Root outer[8][THREADS], inner[8][4];
  u32 accumulators[2][N];
};

// Where a value is between passes: eight lanes that read or write together have eight places of 16 bytes in different banks.
IC_D int spread(int i) { return i ^ (i >> 6 & 1) << 2 ^ (i >> 5 & 1) << 1 ^ (i >> 7 & 1); }

IC_D void rotate_one(SharedOne& shared, const Roots& roots, const ThreadRoots& own, const Rotation& a)
{
  const int thread = int(threadIdx.x), lane = thread % LANES, warp = thread / LANES;
  for (int i = thread; i < 8 * THREADS; i += 2 * THREADS) (&shared.outer[0][0])[i] = (&own.outer[0][0])[i];
  if (thread < 8 * 4) { (&shared.inner[0][0])[thread] = (&own.inner[0][0])[thread]; }
  const unsigned short* const mask = a.masks + u64(blockIdx.x) * a.stride;
  // Outside: a polynomial, mask or body, for each half of the threads.
  const int polynomial = thread / THREADS, t = thread % THREADS;
  u32* const accumulator = shared.accumulators[polynomial];
  const u32* const table = a.tables + blockIdx.x % a.table_count * VALUES;
  u32 sums[2][VALUES_EACH];
  IC_UNROLL
  for (int k = 0; k < VALUES_EACH; ++k) {
    IC_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int j = t + THREADS * k + HALF * half;
      sums[half][k] = polynomial == 1 ? rotated_table(table, u32(j), mask[a.steps]) : 0;
      accumulator[j] = sums[half][k];
    }
  }
  // Inside: of both polynomials part r of block b, so that lanes of a warp have the same values of mask and body.
  const int column = lane / 16, r = lane / 8 % 2 + lane % 2 * 2, b = warp * 4 + lane / 2 % 4;
  Complex* const inside = shared.values[column];
  Complex* const outside = shared.values[polynomial];
  Root forward_roots[16];
  IC_UNROLL
  for (int i = 0; i < 16; ++i) forward_roots[i] = own.forward[i][4 * b + r];
  const Root twist = own.twist[t];
  const Complex* key = a.key;
  const auto fetch = [&] {
    for (int i = thread; i < 4 * HALF; i += 2 * THREADS) copy(shared.stage + i, key + i);
  };
  fetch();
  __syncthreads();
  u32 d = mask[0];
  for (u32 step = 0; step < a.steps; ++step) {
    Complex x[VALUES_EACH];
    IC_UNROLL
    for (int k = 0; k < VALUES_EACH; ++k) {
      const u32 j = u32(t + THREADS * k);
      x[k].re = digit(rotated(accumulator, j, d) - sums[0][k]);
      x[k].im = digit(rotated(accumulator, j + HALF, d) - sums[1][k]);
    }
    d = mask[step + 1];
    forward<4>(x, [&](int i) { return roots.forward[i]; });
    IC_UNROLL
    for (int k = 0; k < VALUES_EACH; ++k) outside[spread(t + THREADS * k)] = x[k];
    __syncthreads();
    IC_UNROLL
    for (int k = 0; k < VALUES_EACH; ++k) x[k] = inside[spread(64 * b + 4 * k + r)];
    forward<4>(x, [&](int i) { return forward_roots[i]; });
    IC_UNROLL
    for (int k = 0; k < VALUES_EACH; ++k) inside[spread(64 * b + 4 * k + r)] = x[k];
    __syncwarp();
    IC_UNROLL
    for (int v = 0; v < VALUES_EACH; ++v) x[v] = inside[spread(64 * b + 16 * r + v)];
    IC_UNROLL
    for (int four = 0; four < 4; ++four) forward<2>(x + 4 * four, [&](int i) { return forward_roots[8 + 2 * four + i]; });
    end_copies();
    __syncthreads();
    // Value i of the key is at 32(i % 32) + i/32.
    const Complex* const part_of_key = shared.stage + 16 * LANES * (r % 2) + 2 * b + r / 2;
    const Complex *const straight = part_of_key + 3 * column * HALF, *const across = part_of_key + (2 - column) * HALF;
    IC_UNROLL
    for (int v = 0; v < VALUES_EACH; ++v) x[v] = row_times_key(x[v], straight[v * LANES], across[v * LANES], 16);
    key += 4 * HALF;
    IC_UNROLL
    for (int four = 0; four < 4; ++four) inverse_first<2>(x + 4 * four, roots.inverse);
    IC_UNROLL
    for (int v = 0; v < VALUES_EACH; ++v) inside[spread(64 * b + 16 * r + v)] = x[v];
    __syncwarp();
    IC_UNROLL
    for (int k = 0; k < VALUES_EACH; ++k) x[k] = inside[spread(64 * b + 4 * k + r)];
    inverse_last<4>(x, [&](int i) { return shared.inner[i][r]; });
    IC_UNROLL
    for (int k = 0; k < VALUES_EACH; ++k) inside[spread(64 * b + 4 * k + r)] = x[k];
    __syncthreads();
    if (step + 1 < a.steps) { fetch(); }
    IC_UNROLL
    for (int k = 0; k < VALUES_EACH; ++k) x[k] = outside[spread(t + THREADS * k)];
    inverse_last<4>(x, [&](int i) { return shared.outer[i][t]; });
    IC_UNROLL
    for (int k = 0; k < VALUES_EACH; ++k) {
      const int j = t + THREADS * k;
      untwist(x[k], twist, roots.twist[2 * k], sums[0][k], sums[1][k]);
      accumulator[j] = sums[0][k];
      accumulator[j + HALF] = sums[1][k];
    }
    __syncthreads();
  }
  u64* const out = a.out + u64(blockIdx.x) * a.outputs * WORDS;
  for (u32 i = u32(polynomial); i < a.outputs; i += 2) {
    extract(shared.accumulators[0], shared.accumulators[1], i * HALF, out + i * WORDS, u32(t));
  }
}

} // namespace fhe
} // namespace icicle
