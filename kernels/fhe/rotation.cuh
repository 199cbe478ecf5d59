// Blind rotation: tables, multiplied by X to the power of what LWE ciphertexts hold (Chillotti, Gama, Georgieva, Izabachène,
// eprint 2018/421), as `blind_rotation.rs` of `core/fhe` does on CPUs.
//
// Accumulators have the upper 32 bits of torus elements: what is below is far less than the noise of a product. Of every
// polynomial a warp computes the digits and adds the products; in between, values of all polynomials of a block are spread over its
// warps, so that lanes of one warp have the same values of a ciphertext's mask and body and exchange them by shuffles.
#pragma once
#include "transform.cuh"

namespace icicle {
namespace fhe {

// Bits of the one digit of a product.
constexpr int BASE_LOG = 23;
// Functions' values in a table, and coefficients that give the same.
constexpr int VALUES = 16, BOX = N / VALUES;
// Words of a ciphertext of a message.
constexpr int WORDS = N + 1;

// Where a step's part of the key waits for its products: nowhere, for devices with little shared memory, or where values were before.
enum class Stage { none, among_values };

// What a block of 64 P threads works in.
template <int P, Stage STAGE>
struct Shared {
  Complex values[2 * P][HALF];
  Root forward[16][LANES], inverse[16][LANES];
  u32 accumulators[2 * P][N];
};

struct Rotation {
  // Of each ciphertext the switched mask and body, `steps` + 1 and the rest of `stride`.
  const unsigned short* masks;
  // Of each table its values' upper halves, VALUES; ciphertexts take them in turn.
  const u32* tables;
  // The key: of each step, each row, each column, values as `key_place` says.
  const Complex* key;
  // Ciphertexts of messages, `outputs` of each rotation.
  u64* out;
  u32 count, table_count, outputs, steps, stride;
};

// Where value 32 b + v of a polynomial of the key is: lanes that have the same v of different blocks read what lies together.
IC_D int key_place(int b, int v) { return v * LANES + b; }

// An element of an accumulator times X^d, for d below 2N: coefficient j.
IC_D u32 rotated(const u32* polynomial, u32 j, u32 d)
{
  const u32 at = j - d;
  const u32 sign = 0 - (at / N & 1);
  return (polynomial[at % N] ^ sign) - sign;
}
// The leading digit of a difference, to nearest.
IC_D double digit(u32 difference)
{
  constexpr int REST = 32 - BASE_LOG;
  const u32 rounded = (difference + (1u << (REST - 1)) + (1u << 31)) >> REST;
  // A double from 2⁵² on has an integer's bits.
  constexpr double UNIT = 4503599627370496.0;
#ifdef __CUDA_ARCH__
  const double with_unit = __hiloint2double(0x43300000, int(rounded));
#else
  const double with_unit = UNIT + rounded;
#endif
  return with_unit - (UNIT + (1 << (BASE_LOG - 1)));
}
// The upper 32 bits of a fraction of the torus, which may have any whole part below 2⁵⁰, given as a product of two factors.
IC_D u32 on_torus(double a, double b)
{
  // Added to a number, they leave what is left of the point, and 32 bits on its right.
  constexpr double WHOLE = 6755399441055744.0, FRACTION = 1572864.0;
  const double whole = fused(a, b, WHOLE) - WHOLE;
  const double with_fraction = fused(a, b, -whole) + FRACTION;
#ifdef __CUDA_ARCH__
  return u32(__double2loint(with_fraction));
#else
  u64 bits;
  __builtin_memcpy(&bits, &with_fraction, 8);
  return u32(bits);
#endif
}

// Coefficient j of a table rotated by a ciphertext's body.
IC_D u32 rotated_table(const u32* table, u32 j, u32 rotation)
{
  const u32 at = (j + rotation + BOX / 2) % (2 * N), value = table[at % N / BOX];
  return at < N ? value : 0 - value;
}
// A value of a row of digits' transforms, of which the lane `distance` away has the other, times a column of the key.
IC_D Complex row_times_key(Complex x, Complex y, Complex z, int distance)
{
  const Complex other = {__shfl_xor_sync(~0u, x.re, distance), __shfl_xor_sync(~0u, x.im, distance)};
  const double re = fused(x.re, y.re, -x.im * y.im), im = fused(x.re, y.im, x.im * y.re);
  return {fused(other.re, z.re, fused(-other.im, z.im, re)), fused(other.re, z.im, fused(other.im, z.re, im))};
}
// Add a value, times both twists, cosines last, to coefficients of the lower and the upper half.
IC_D void untwist(Complex x, Root own, Root w, u32& low, u32& high)
{
  const double re = fused(-own.tan, x.im, x.re), im = fused(own.tan, x.re, x.im), cos = w.cos * own.cos;
  low += on_torus(cos, fused(-w.tan, im, re));
  high += on_torus(cos, fused(w.tan, re, im));
}

// Coefficient `at` of a pair of polynomials, mask and body, as a ciphertext under the key's coefficients; by 64 threads.
IC_D void extract(const u32* mask, const u32* body, u32 at, u64* to, u32 thread)
{
  for (u32 j = thread; j < N; j += 2 * LANES) {
    const u32 word = j <= at ? mask[at - j] : 0 - mask[N + at - j];
    to[j] = u64(word) << 32;
  }
  if (thread == 0) { to[N] = u64(body[at]) << 32; }
}

// Copies of 16 bytes into shared memory, beside other work, and the end of a thread's.
IC_D void copy(Complex* to, const Complex* from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(u32(__cvta_generic_to_shared(to))), "l"(from) : "memory");
#else
  *to = *from;
#endif
}
IC_D void end_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Between the parts of a step: a compiler that mixes them runs out of registers.
IC_D void part()
{
#ifdef __CUDA_ARCH__
  asm volatile("" ::: "memory");
#endif
}

// P ciphertexts a block.
template <int P, Stage STAGE>
IC_D void rotate(Shared<P, STAGE>& shared, const Roots& roots, const LaneRoots& own_roots, const Rotation& a)
{
  const int thread = int(threadIdx.x), lane = thread % LANES, warp = thread / LANES;
  for (int i = thread; i < 16 * LANES; i += 64 * P) {
    (&shared.forward[0][0])[i] = (&own_roots.forward[0][0])[i];
    (&shared.inverse[0][0])[i] = (&own_roots.inverse[0][0])[i];
  }
  // This warp's polynomial: a mask or a body.
  const u32 first = blockIdx.x * P, own = first + u32(warp / 2), ciphertext = own < a.count ? own : a.count - 1;
  const unsigned short* const mask = a.masks + u64(ciphertext) * a.stride;
  u32* const accumulator = shared.accumulators[warp];
  for (int j = lane; j < N; j += LANES) {
    const u32* const table = a.tables + ciphertext % a.table_count * VALUES;
    accumulator[j] = warp % 2 == 1 ? rotated_table(table, u32(j), mask[a.steps]) : 0;
  }
  // In between: which of a block's polynomials, of which block 32 values.
  constexpr int TOGETHER = LANES / (2 * P);
  const int polynomial = lane / TOGETHER, column = polynomial % 2, block = warp * TOGETHER + lane % TOGETHER;
  Complex* const between = shared.values[polynomial];
  const Root lane_twist = own_roots.twist[lane];
  Complex* const stage = shared.values[0];
  const Complex* key = a.key;
  const auto fetch = [&] {
    for (int i = thread; i < 4 * HALF; i += 64 * P) copy(stage + i, key + i);
  };
  __syncthreads();
  u32 d = mask[0];
  for (u32 step = 0; step < a.steps; ++step) {
    Complex x[LANES];
    IC_UNROLL
    for (int k = 0; k < LANES; ++k) {
      const u32 j = u32(lane + LANES * k);
      x[k].re = digit(rotated(accumulator, j, d) - accumulator[j]);
      x[k].im = digit(rotated(accumulator, j + HALF, d) - accumulator[j + HALF]);
    }
    d = mask[step + 1];
    part();
    forward<5>(x, [&](int i) { return roots.forward[i]; });
    part();
    IC_UNROLL
    for (int k = 0; k < LANES; ++k) shared.values[warp][exchanged(k, lane)] = x[k];
    __syncthreads();
    IC_UNROLL
    for (int v = 0; v < LANES; ++v) x[v] = between[exchanged(block, v)];
    if constexpr (STAGE == Stage::among_values) {
      __syncthreads();
      fetch();
    }
    part();
    forward<5>(x, [&](int i) { return shared.forward[i][block]; });
    if constexpr (STAGE != Stage::none) {
      end_copies();
      __syncthreads();
    }
    // Row 0 is that of the mask's digits, column 0 gives the mask.
    const Complex* const part_of_key = (STAGE == Stage::none ? key : stage) + block;
    const Complex *const straight = part_of_key + 3 * column * HALF, *const across = part_of_key + (2 - column) * HALF;
    IC_UNROLL
    for (int v = 0; v < LANES; ++v) {
      x[v] = row_times_key(x[v], straight[key_place(0, v)], across[key_place(0, v)], TOGETHER);
    }
    part();
    key += 4 * HALF;
    inverse_first<5>(x, roots.inverse);
    part();
    if constexpr (STAGE == Stage::among_values) { __syncthreads(); }
    // Where this lane read from.
    IC_UNROLL
    for (int v = 0; v < LANES; ++v) between[exchanged(block, v)] = x[v];
    __syncthreads();
    IC_UNROLL
    for (int k = 0; k < LANES; ++k) x[k] = shared.values[warp][exchanged(k, lane)];
    part();
    inverse_last<5>(x, [&](int i) { return shared.inverse[i][lane]; });
    part();
    IC_UNROLL
    for (int k = 0; k < LANES; ++k) {
      const int j = lane + LANES * k;
      untwist(x[k], lane_twist, roots.twist[k], accumulator[j], accumulator[j + HALF]);
    }
    __syncwarp();
    part();
  }
  __syncthreads();
  if (own < a.count) {
    u64* const out = a.out + u64(own) * a.outputs * WORDS;
    for (u32 i = 0; i < a.outputs; ++i) {
      extract(shared.accumulators[warp / 2 * 2], shared.accumulators[warp / 2 * 2 + 1], i * HALF, out + i * WORDS,
              u32(thread % (2 * LANES)));
    }
  }
}

} // namespace fhe
} // namespace icicle
