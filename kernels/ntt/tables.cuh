#pragma once
// Tables of transforms, made on the device from a few elements: products of those that the bits of an index select. With
// the roots of order 4, 8, 16, … these are twiddles in bit-reversed order; with `g, g², g⁴, …` powers of a coset
// generator, in either order of the index. Two products an element.
#include "../field/fields_gen.cuh"
#include "shape.cuh"

namespace icicle {

// An element for each bit of an index, canonical limbs, and a factor of all products.
template <u32 WORDS>
struct NttBits {
  u32 scale[WORDS];
  u32 of_bit[32 * WORDS];
};

template <class F>
IC_HD F ntt_bit(const NttBits<F::WORDS>& bits, u32 bit)
{
  return F::from_raw(F::from_limbs(bits.of_bit + bit * F::WORDS));
}

// Product of the elements of the bits `from..to` that are set in `x`.
template <class F>
IC_HD F ntt_select(const NttBits<F::WORDS>& bits, u64 x, u32 from, u32 to)
{
  F out = F::one();
  IC_NO_UNROLL
  for (u32 bit = from; bit < to; bit++) {
    if (x >> bit & 1) { out = out * ntt_bit<F>(bits, bit); }
  }
  return out;
}

#ifdef __CUDACC__
// Products of the indices of a chunk: of the low bits, of the middle ones and all above.
template <class F>
struct NttProducts {
  static constexpr u32 LOW = 8, MIDDLE = 4, LOG_CHUNK = LOW + MIDDLE;
  F low[1 << LOW];
  F rest[1 << MIDDLE];

  // By blocks of 256 threads.
  IC_D void prepare_low(const NttBits<F::WORDS>& bits, u32 count)
  {
    low[threadIdx.x] = ntt_select<F>(bits, threadIdx.x, 0, count < LOW ? count : LOW);
  }
  IC_D void prepare_rest(const NttBits<F::WORDS>& bits, u32 count, u64 chunk)
  {
    if (threadIdx.x < 1 << MIDDLE) {
      u64 x = (chunk << LOG_CHUNK) | (threadIdx.x << LOW);
      F scale = F::from_raw(F::from_limbs(bits.scale));
      rest[threadIdx.x] = scale * ntt_select<F>(bits, x, LOW, count);
    }
  }
  IC_D F of(u32 i) const { return rest[i >> LOW] * low[i & ((1 << LOW) - 1)]; }
};

// `out[i] = scale · Π of_bit[b]`, `b` over the set bits of `i < 2^count`, working form. Grid x over chunks of 2^12.
template <class F>
IC_D void ntt_products(u32* out, u32 count, const NttBits<F::WORDS>& bits)
{
  __shared__ NttProducts<F> products;
  u64 n = (u64)1 << count;
  products.prepare_low(bits, count);
  for (u64 chunk = blockIdx.x; chunk << NttProducts<F>::LOG_CHUNK < n; chunk += gridDim.x) {
    products.prepare_rest(bits, count, chunk);
    __syncthreads();
    u64 first = chunk << NttProducts<F>::LOG_CHUNK;
    IC_NO_UNROLL
    for (u32 i = threadIdx.x; i < 1 << NttProducts<F>::LOG_CHUNK && first + i < n; i += blockDim.x) {
      F x = products.of(i);
      u32 w[F::WORDS];
      x.to_limbs(w);
      IC_UNROLL
      for (u32 k = 0; k < F::WORDS; k++) { out[(first + i) * F::WORDS + k] = w[k]; }
    }
    __syncthreads();
  }
}

// Multiply row `i` of each of `batch` vectors of `2^count` rows by that product, in place or not. Grid y over vectors.
template <class F>
IC_D void ntt_multiply(const u32* a, u32* out, u32 count, u64 width, u64 batch, const NttBits<F::WORDS>& bits)
{
  __shared__ NttProducts<F> products;
  u64 n = (u64)1 << count;
  products.prepare_low(bits, count);
  for (u64 chunk = blockIdx.x; chunk << NttProducts<F>::LOG_CHUNK < n; chunk += gridDim.x) {
    products.prepare_rest(bits, count, chunk);
    __syncthreads();
    u64 first = chunk << NttProducts<F>::LOG_CHUNK;
    u64 rows = n - first < 1 << NttProducts<F>::LOG_CHUNK ? n - first : 1 << NttProducts<F>::LOG_CHUNK;
    for (u64 v = blockIdx.y; v < batch; v += gridDim.y) {
      u64 start = ((v << count) + first) * width * F::WORDS;
      IC_NO_UNROLL
      for (u64 at = threadIdx.x; at < rows * width; at += blockDim.x) {
        u32 w[F::WORDS];
        IC_UNROLL
        for (u32 k = 0; k < F::WORDS; k++) { w[k] = a[start + at * F::WORDS + k]; }
        F x = F::from_limbs(w) * products.of((u32)(at / width));
        x.to_limbs(w);
        IC_UNROLL
        for (u32 k = 0; k < F::WORDS; k++) { out[start + at * F::WORDS + k] = w[k]; }
      }
    }
    __syncthreads();
  }
}

// The twiddles of `levels` levels one after another with a coset in them: `out[2^s + k] = table[k]·of_bit[log_n-1-s]`.
template <class F>
IC_D void ntt_shift(const u32* table, u32* out, u32 log_n, u32 levels, const NttBits<F::WORDS>& bits)
{
  u64 step = (u64)gridDim.x * blockDim.x;
  for (u64 at = 1 + (u64)blockIdx.x * blockDim.x + threadIdx.x; at < (u64)1 << levels; at += step) {
    u32 s = 63 - (u32)__clzll((i64)at);
    u64 k = at - ((u64)1 << s);
    F x = F::from_limbs(table + k * F::WORDS) * ntt_bit<F>(bits, log_n - 1 - s);
    x.to_limbs(out + at * F::WORDS);
  }
}
#endif

} // namespace icicle
