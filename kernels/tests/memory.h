#pragma once
// Operands of kernels on the host, and the count of what failed.
#include "device.h"
#include "../field/fields_gen.cuh"

namespace icicle {

inline int failures = 0;
inline long checks = 0;

inline void check(bool ok, const std::string& what)
{
  checks++;
  if (!ok && failures++ < 20) { fprintf(stderr, "FAILED: %s\n", what.c_str()); }
}

using Words = std::vector<u32>;

constexpr u32 NONSENSE = 0xa5a5a5a5u;

// Words at an address of 16 bytes' alignment, or `shift` words behind one, with nonsense around them that must stay.
struct Memory {
  std::vector<Chunk> chunks;
  u64 count;
  u32* p;
  explicit Memory(u64 words, u32 shift = 0)
      : chunks((words + shift) / 4 + 4, Chunk{{NONSENSE, NONSENSE, NONSENSE, NONSENSE}}), count(words), p(chunks[1].w + shift)
  {
  }
  Memory(const Words& from, u32 shift = 0) : Memory(from.size(), shift) { std::copy(from.begin(), from.end(), p); }
  Memory(Memory&&) = default;
  Memory(const Memory&) = delete;
  Words words() const { return Words(p, p + count); }
  // Whether these are the words, and nothing was written around them.
  bool holds(const Words& expected) const { return words() == expected && is_whole(); }
  bool is_whole() const
  {
    const u32 *from = chunks.front().w, *to = from + 4 * chunks.size();
    auto untouched = [](u32 word) { return word == NONSENSE; };
    return std::all_of(from, (const u32*)p, untouched) && std::all_of((const u32*)p + count, to, untouched);
  }
};

// SplitMix64.
inline u64 next_random(u64& state)
{
  state += 0x9e3779b97f4a7c15ull;
  u64 z = state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// A canonical element: 0, 1, -1 and others.
template <class F>
F element(u64& state)
{
  using Prime = typename F::Prime;
  u32 w[F::WORDS];
  for (u32 i = 0; i < F::WORDS; i += Prime::WORDS) {
    Prime x = Prime::from_u32((u32)next_random(state));
    for (u32 k = 0; k < 2 * Prime::WORDS; k++) { x = x.sqr() + Prime::from_u32((u32)next_random(state)); }
    u32 kind = next_random(state) % 8;
    (kind == 0 ? Prime::zero() : kind == 1 ? Prime::one() : kind == 2 ? -Prime::one() : x).to_raw().to_limbs(w + i);
  }
  return F::from_limbs(w);
}

} // namespace icicle
