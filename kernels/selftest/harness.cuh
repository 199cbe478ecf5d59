#pragma once
// What the self-tests share: random data, device buffers, checks, timing.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../field/fields_gen.cuh"

using icicle::i64;
using icicle::u32;
using icicle::u64;

#define CUDA(call)                                                                                                     \
  do {                                                                                                                 \
    cudaError_t error = (call);                                                                                        \
    if (error != cudaSuccess) {                                                                                        \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));                                 \
      exit(2);                                                                                                         \
    }                                                                                                                  \
  } while (0)

extern int checks, failures;

inline void check(bool ok, const std::string& what)
{
  checks++;
  if (!ok && failures++ < 40) { printf("FAILED %s\n", what.c_str()); }
}

// SplitMix64.
inline u64 next_random(u64& state)
{
  state += 0x9e3779b97f4a7c15ull;
  u64 z = state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

template <class F>
struct Random;
// Canonical limbs: uniform words below the modulus by rejection of the top word.
template <class P>
void random_limbs(u32* w, u64& state)
{
  do {
    for (u32 i = 0; i < P::N; i++) { w[i] = (u32)next_random(state); }
    u32 top = P::modulus(P::N - 1), mask = top;
    for (u32 s = 1; s < 32; s *= 2) { mask |= mask >> s; }
    w[P::N - 1] &= mask;
  } while (w[P::N - 1] >= P::modulus(P::N - 1));
}
template <class F>
F random_element(u64& state)
{
  using P = typename F::Prime::Params;
  u32 w[F::WORDS];
  for (u32 i = 0; i < F::WORDS; i += P::N) { random_limbs<P>(w + i, state); }
  return F::from_limbs(w);
}
// Random elements with 0, 1 and p-1 sprinkled in.
template <class F>
std::vector<F> random_vector(size_t n, u64 seed)
{
  std::vector<F> out(n);
  F one = F::raw_one();
  for (size_t i = 0; i < n; i++) {
    out[i] = i % 97 == 3 ? F::zero() : i % 97 == 5 ? one : i % 97 == 7 ? -one : random_element<F>(seed);
  }
  return out;
}
template <class F>
std::vector<u32> words_of(const std::vector<F>& v)
{
  std::vector<u32> out(v.size() * F::WORDS);
  for (size_t i = 0; i < v.size(); i++) { v[i].to_limbs(&out[i * F::WORDS]); }
  return out;
}

// Device words; `shift` words of misalignment.
struct Buffer {
  u32* base = nullptr;
  u32* p = nullptr;
  size_t words;
  explicit Buffer(size_t words, u32 shift = 0) : words(words)
  {
    CUDA(cudaMalloc(&base, (words + shift + 4) * 4));
    CUDA(cudaMemset(base, 0xa5, (words + shift + 4) * 4));
    p = base + shift;
  }
  Buffer(const std::vector<u32>& data, u32 shift = 0) : Buffer(data.size(), shift)
  {
    CUDA(cudaMemcpy(p, data.data(), words * 4, cudaMemcpyHostToDevice));
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cudaFree(base); }
  std::vector<u32> read() const
  {
    CUDA(cudaDeviceSynchronize());
    std::vector<u32> out(words);
    CUDA(cudaMemcpy(out.data(), p, words * 4, cudaMemcpyDeviceToHost));
    return out;
  }
};

inline void compare(const Buffer& got, const std::vector<u32>& expected, const std::string& what)
{
  CUDA(cudaGetLastError());
  std::vector<u32> have = got.read();
  size_t at = 0;
  while (at < expected.size() && have[at] == expected[at]) { at++; }
  check(at == expected.size(), what + (at < expected.size() ? " at word " + std::to_string(at) : ""));
}

// Median milliseconds of nine runs after two for warmth.
inline double time_ms(const std::function<void()>& work)
{
  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  std::vector<float> times;
  for (int i = 0; i < 11; i++) {
    CUDA(cudaEventRecord(start));
    work();
    CUDA(cudaEventRecord(stop));
    CUDA(cudaEventSynchronize(stop));
    float ms;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    if (i >= 2) { times.push_back(ms); }
  }
  CUDA(cudaGetLastError());
  for (size_t i = 1; i < times.size(); i++) {
    for (size_t j = i; j > 0 && times[j] < times[j - 1]; j--) { std::swap(times[j], times[j - 1]); }
  }
  return times[times.size() / 2];
}

constexpr u32 SMS = 132;

// The host's plans of `src/launch.rs`, for the sizes tried here.
inline u32 blocks_for(u64 n, u32 threads, u32 per_thread)
{
  u64 blocks = (n + (u64)threads * per_thread - 1) / ((u64)threads * per_thread), most = 4ull * SMS * (2048 / threads);
  return blocks == 0 ? 1 : (u32)(blocks < most ? blocks : most);
}
