// Random numbers by a key: Philox4x32-10 and the rules by which its words become elements, each the same to the bit as on the
// host (`core/array/src/random`), whose files say where they come from.
#pragma once
#include "elementwise.cuh"

namespace array {
namespace random {

struct Block {
  uint32 word[4];
  IC_FN uint64 wide(int half) const { return word[2 * half] | uint64(word[2 * half + 1]) << 32; }
};

// The cipher's key and the upper half of its counters.
struct Stream {
  uint64 key, upper;

  IC_FN Block block(uint64 lower) const
  {
    uint32 x0 = uint32(lower), x1 = uint32(lower >> 32), x2 = uint32(upper), x3 = uint32(upper >> 32);
    uint32 key0 = uint32(key), key1 = uint32(key >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const uint64 a = uint64(x0) * 0xD2511F53u, b = uint64(x2) * 0xCD9E8D57u;
      x0 = uint32(b >> 32) ^ x1 ^ key0;
      x2 = uint32(a >> 32) ^ x3 ^ key1;
      x1 = uint32(b);
      x3 = uint32(a);
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    return {{x0, x1, x2, x3}};
  }
};

// All bits of a block. A rule's `OF_BLOCK` elements come from one block; the first has this index.
template <class T>
struct Bits {
  using Out = T;
  static constexpr int OF_BLOCK = 16 / sizeof(T);
  IC_FN Bits(const Stream&, const uint64*) {}
  IC_FN void elements(const Block& block, uint64, T* out) const
  {
    constexpr int EACH = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
#pragma unroll
    for (int k = 0; k < OF_BLOCK; ++k) {
      if constexpr (sizeof(T) == 8) {
        out[k] = block.wide(k);
      } else {
        out[k] = T(block.word[k / EACH] >> (k % EACH * (8 * sizeof(T)) % 32));
      }
    }
  }
};

IC_FN float fraction_above(uint32 word) { return float(int32(word >> 8)) * (1.0f / 16777216.0f); }
IC_FN double fraction_above(uint64 word) { return double(int64(word >> 11)) * (1.0 / 9007199254740992.0); }

// The words of a block of as many bits as a float has.
IC_FN uint32 word_of(const Block& block, int k, float) { return block.word[k]; }
IC_FN uint64 word_of(const Block& block, int k, double) { return block.wide(k); }

// From `low` on, over a span, at most `last`: three words of the floats' bits.
template <class T>
struct Uniform {
  using Out = T;
  static constexpr int OF_BLOCK = 16 / sizeof(T);
  T low, span, last;
  IC_FN Uniform(const Stream&, const uint64* word)
      : low(value(word[0])), span(value(word[1])), last(value(word[2]))
  {
  }
  static IC_FN T value(uint64 bits) { return Traits<T>::from_bits(typename Traits<T>::Bits(bits)); }
  IC_FN void elements(const Block& block, uint64, T* out) const
  {
#pragma unroll
    for (int k = 0; k < OF_BLOCK; ++k) {
      const T x = low + span * fraction_above(word_of(block, k, T()));
      out[k] = x < last ? x : last;
    }
  }
};

// True below a bound.
struct Bernoulli {
  using Out = bool;
  static constexpr int OF_BLOCK = 4;
  uint64 below;
  IC_FN Bernoulli(const Stream&, const uint64* word) : below(word[0]) {}
  IC_FN void elements(const Block& block, uint64, bool* out) const
  {
#pragma unroll
    for (int k = 0; k < OF_BLOCK; ++k) out[k] = block.word[k] < below;
  }
};

IC_FN uint64 upper_half(uint64 a, uint64 b)
{
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  return uint64((unsigned __int128)a * b >> 64);
#endif
}

// The upper half of a word's product with a count (0: 2^64), unless the lower is one of those that some integers have more of.
IC_FN bool scaled(uint64 word, uint64 count, uint64 excess, uint64& out)
{
  out = count == 0 ? word : upper_half(word, count);
  return count == 0 || word * count >= excess;
}
IC_FN uint64 excess_of(uint64 count) { return count == 0 ? 0 : (0 - count) % count; }

// The number for an element whose first word was refused, of words of a key of its own.
IC_SLOW uint64 another(const Stream& stream, uint64 index, uint64 count)
{
  const Block derived = stream.block(3ull << 61 | index);
  const Stream own = {derived.wide(0), derived.wide(1)};
  const uint64 excess = excess_of(count);
  uint64 out = 0;
  // Each word is taken with a probability above one half.
  for (uint64 i = 0;; ++i) {
    const Block block = own.block(i);
    if (scaled(block.wide(0), count, excess, out) || scaled(block.wide(1), count, excess, out)) return out;
  }
}

// Up to 2^24 integers: the lowest and how many.
template <class T>
struct Few {
  using Out = T;
  static constexpr int OF_BLOCK = 4;
  Stream stream;
  T low;
  uint32 count, excess;
  IC_FN Few(const Stream& stream, const uint64* word)
      : stream(stream), low(T(word[0])), count(uint32(word[1])), excess((0u - count) % count)
  {
  }
  IC_FN void elements(const Block& block, uint64 first, T* out) const
  {
#pragma unroll
    for (int k = 0; k < OF_BLOCK; ++k) {
      const uint64 product = uint64(block.word[k]) * count;
      const uint64 value = uint32(product) >= excess ? product >> 32 : another(stream, first + k, count);
      out[k] = wrapping_add(low, T(value));
    }
  }
};

// Any number of integers, up to 2^64: the lowest and how many, 0 for 2^64.
template <class T>
struct Many {
  using Out = T;
  static constexpr int OF_BLOCK = 2;
  Stream stream;
  T low;
  uint64 count, excess;
  IC_FN Many(const Stream& stream, const uint64* word)
      : stream(stream), low(T(word[0])), count(word[1]), excess(excess_of(count))
  {
  }
  IC_FN void elements(const Block& block, uint64 first, T* out) const
  {
#pragma unroll
    for (int k = 0; k < OF_BLOCK; ++k) {
      uint64 value;
      if (!scaled(block.wide(k), count, excess, value)) value = another(stream, first + k, count);
      out[k] = wrapping_add(low, T(value));
    }
  }
};

// Elements of a rule: `word` is their number, where they go, the stream, and what the rule is made of. A thread takes one block.
template <class Rule>
IC_FN void fill(const uint64* word)
{
  using T = typename Rule::Out;
  constexpr int V = Rule::OF_BLOCK;
  const uint64 n = word[0];
  T* const out = reinterpret_cast<T*>(word[1]);
  const Stream stream = {word[2], word[3]};
  const uint64 block = (blockIdx.y * uint64(gridDim.x) + blockIdx.x) * THREADS + threadIdx.x, first = block * V;
  if (first >= n) return;
  Pack<T, V> pack;
  Rule(stream, word + 4).elements(stream.block(block), first, pack.at);
  if (first + V <= n) {
    *reinterpret_cast<Pack<T, V>*>(out + first) = pack;
  } else {
#pragma unroll
    for (int k = 0; k < V; ++k) {
      if (first + k < n) out[first + k] = pack.at[k];
    }
  }
}

} // namespace random
} // namespace array
