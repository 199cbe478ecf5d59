#pragma once
// What is checked and timed of multi-scalar multiplication, over a curve.
#include "msm.cuh"

#define IC_TEST_KERNELS(name)                                                                                          \
  msm_test::Kernels                                                                                                    \
  {                                                                                                                    \
    name##_msm_convert, name##_msm_digits, name##_msm_accumulate, name##_msm_gather, name##_msm_merge,                 \
      name##_msm_lanes, name##_msm_parts, name##_msm_rows, name##_msm_finish                                           \
  }

namespace msm_test {

// `out[i] = (first + i·step)·G` in canonical form, for `n` consecutive numbers: distinct points of known logarithms.
template <class C>
__global__ void __launch_bounds__(128) multiples_kernel(u32* out, u64 n, u32 first, u32 step)
{
  constexpr u32 EACH = 16, W = Affine<C>::WORDS;
  u64 from = thread_index() * EACH;
  if (from >= n) { return; }
  auto times = [](u64 by) {
    Xyzz<C> sum = Xyzz<C>::neutral(), g = Xyzz<C>::from_affine(Affine<C>::generator());
    IC_NO_UNROLL
    for (u32 bit = 64; bit-- > 0;) {
      double_point(sum, 1);
      if (by >> bit & 1) { add_point(sum, g); }
    }
    return sum;
  };
  Xyzz<C> sum = times(first + from * step), delta = times(step);
  IC_NO_UNROLL
  for (u64 i = from; i < n && i < from + EACH; i++) {
    sum.to_affine().to_raw().to_limbs(out + i * W);
    add_point(sum, delta);
  }
}

// `x·G` by double-and-add on the host, canonical projective limbs.
template <class C>
std::vector<u32> expected_multiple(const typename C::Scalar& x)
{
  Xyzz<C> sum = Xyzz<C>::neutral();
  u32 words[C::Scalar::WORDS];
  x.to_raw().to_limbs(words);
  for (u32 bit = C::Scalar::BITS; bit-- > 0;) {
    double_point(sum, 1);
    if (words[bit / 32] >> (bit % 32) & 1) { sum.add(Affine<C>::generator()); }
  }
  std::vector<u32> out(Projective<C>::WORDS);
  Projective<C>::from_affine(sum.to_affine()).to_raw().to_limbs(out.data());
  return out;
}

// Scalars of a kind, canonical: random, all equal, few distinct, mostly zeros and ones, `r - 1`, all zero.
template <class S>
std::vector<S> scalars_of(u32 kind, u64 n)
{
  u64 state = kind * 1000 + n;
  std::vector<S> out(n);
  S few[3] = {random_element<S>(state), random_element<S>(state), random_element<S>(state)};
  for (u64 i = 0; i < n; i++) {
    out[i] = kind == 0   ? random_element<S>(state)
             : kind == 1 ? few[0]
             : kind == 2 ? few[next_random(state) % 3]
             : kind == 3 ? (i % 50 == 49 ? random_element<S>(state) : i % 2 ? S::raw_one() : S::zero())
             : kind == 4 ? (-S::one()).to_raw()
                         : S::zero();
  }
  return out;
}

// Logarithms of up to 512 points, with repeated, opposite and neutral ones, against the device's result.
template <class C>
void small(const std::string& name, const Kernels& k)
{
  using S = typename C::Scalar;
  constexpr u32 W = Affine<C>::WORDS;
  for (u64 n : {1, 2, 31, 100, 512}) {
    std::vector<u32> bases(n * W);
    std::vector<S> logs(n);
    u64 state = n;
    Xyzz<C> g = Xyzz<C>::from_affine(Affine<C>::generator());
    std::vector<Affine<C>> doubles;
    for (u32 i = 0; i < 20; i++) {
      doubles.push_back(g.to_affine());
      g = g.dbl();
    }
    for (u64 i = 0; i < n; i++) {
      u32 pick = (u32)(next_random(state) % 20);
      bool opposite = next_random(state) % 4 == 0, none = next_random(state) % 10 == 0;
      Affine<C> p = none ? Affine<C>::neutral() : opposite ? -doubles[pick] : doubles[pick];
      logs[i] = none ? S::zero() : opposite ? -S::from_u32(1u << pick) : S::from_u32(1u << pick);
      p.to_raw().to_limbs(&bases[i * W]);
    }
    Buffer dbases(bases), out(Projective<C>::WORDS);
    for (u32 kind = 0; kind < 6; kind++) {
      std::vector<S> scalars = scalars_of<S>(kind, n);
      Buffer dscalars(words_of(scalars), kind % 2);
      S log = S::zero();
      for (u64 i = 0; i < n; i++) { log += S::from_raw(scalars[i]) * logs[i]; }
      for (u32 c : {0u, 1u, 4u, 13u}) {
        Job<C> job(k, n, 1, c);
        job.run(dscalars.p, dbases.p, out.p);
        compare(out, expected_multiple<C>(log), name + " msm of " + std::to_string(n) + ", scalars " +
                                                  std::to_string(kind) + ", c " + std::to_string(c));
      }
    }
  }
}

// Large ones over `(1 + i)·G`, every kind of scalar; and a batch of two.
template <class C>
void large(const std::string& name, const Kernels& k, u32 log_n, Buffer& bases)
{
  using S = typename C::Scalar;
  constexpr u32 P = Projective<C>::WORDS;
  u64 n = 1ull << log_n;
  Job<C> job(k, n, 1, 0);
  Buffer out(P);
  std::vector<u32> two, results;
  for (u32 kind = 0; kind < 6; kind++) {
    std::vector<S> scalars = scalars_of<S>(kind, n);
    S log = S::zero(), index = S::zero();
    for (u64 i = 0; i < n; i++) {
      index += S::one();
      log += scalars[i] * index;
    }
    std::vector<u32> words = words_of(scalars), expected = expected_multiple<C>(S::from_raw(log));
    Buffer dscalars(words);
    double ms = time_ms([&] { job.run(dscalars.p, bases.p, out.p); });
    compare(out, expected, name + " msm of 2^" + std::to_string(log_n) + ", scalars " + std::to_string(kind));
    printf("%-10s msm 2^%u, scalars of kind %u: %8.3f ms\n", name.c_str(), log_n, kind, ms);
    if (kind < 2) {
      two.insert(two.end(), words.begin(), words.end());
      results.insert(results.end(), expected.begin(), expected.end());
    }
  }
  if (log_n > 18) { return; }
  Job<C> both(k, n, 2, 0);
  Buffer dtwo(two), pair(2 * P);
  both.run(dtwo.p, bases.p, pair.p);
  compare(pair, results, name + " batch of two msm of 2^" + std::to_string(log_n));
}

template <class C>
void test(const char* name, const Kernels& k, const std::vector<double>& peers)
{
  using S = typename C::Scalar;
  small<C>(name, k);
  u64 most = 1ull << 24;
  Buffer bases(most * Affine<C>::WORDS), out(Projective<C>::WORDS);
  multiples_kernel<C><<<blocks(most / 16, 128), 128>>>(bases.p, most, 1, 1);
  CUDA(cudaDeviceSynchronize());
  for (u32 log_n : {12u, 16u, 20u}) { large<C>(name, k, log_n, bases); }
  // Random scalars of less than the modulus, repeated: the digits' distribution is what matters.
  std::vector<u32> words = words_of(scalars_of<S>(0, 1 << 20));
  Buffer scalars(most * S::WORDS);
  for (u32 i = 0; i < 16; i++) {
    CUDA(cudaMemcpy(scalars.p + i * words.size(), words.data(), 4 * words.size(), cudaMemcpyHostToDevice));
  }
  for (u32 i = 0; i < peers.size(); i++) {
    u64 n = 1ull << (12 + 2 * i);
    Job<C> job(k, n, 1, 0);
    double stage[4];
    for (u32 s = 0; s < 4; s++) { stage[s] = time_ms([&] { job.run(scalars.p, bases.p, out.p, s + 1); }); }
    printf("%-10s msm 2^%u, c %2u, chunk %3u: %8.3f ms (sort %.3f, accumulate %.3f, gather and lanes %.3f, rest %.3f); "
           "best peer %.2f, %.2fx\n",
           name, 12 + 2 * i, job.plan.c, job.plan.chunk, stage[3], stage[0], stage[1] - stage[0], stage[2] - stage[1],
           stage[3] - stage[2], peers[i], peers[i] / stage[3]);
  }
}

} // namespace msm_test
