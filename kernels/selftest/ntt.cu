// Self-test of the transforms: small ones against the defining sums, large ones there and back, times beside sppark's.
#include "../ntt/instances.cuh"
#include "../tests/ntt_plan.h"
#include "harness.cuh"

using icicle::NttBits;
using icicle::NttShape;

IC_NTT_KERNELS(bn254)
IC_NTT_LARGE(bn254)
IC_NTT_KERNELS(bls12_381)
IC_NTT_LARGE(bls12_381)
IC_NTT_KERNELS(babybear)
IC_NTT_KERNELS(goldilocks)

template <class F>
struct Kernels {
  using PassKernel = void (*)(const u32*, u32*, const u32*, const u32*, u64, u64, NttShape);
  PassKernel down, up, down_small, up_small;
  void (*products)(u32*, u32, NttBits<F::WORDS>);
  void (*multiply)(const u32*, u32*, u32, u64, u64, NttBits<F::WORDS>);
  void (*shift)(const u32*, u32*, u32, u32, NttBits<F::WORDS>);
};

#define NTT_KERNELS(name, down_small, up_small)                                                                        \
  Kernels<icicle::fields::name>                                                                                        \
  {                                                                                                                    \
    name##_ntt_down, name##_ntt_up, down_small, up_small, name##_ntt_products, name##_ntt_multiply, name##_ntt_shift   \
  }

template <class F>
static NttBits<F::WORDS> bits_of(const std::vector<F>& elements, const F& scale)
{
  NttBits<F::WORDS> bits = {};
  scale.to_raw().to_limbs(bits.scale);
  for (u32 i = 0; i < elements.size(); i++) { elements[i].to_raw().to_limbs(bits.of_bit + i * F::WORDS); }
  return bits;
}

template <class F>
static std::vector<F> squares(F x, u32 count)
{
  std::vector<F> out;
  for (u32 i = 0; i < count; i++, x = x.sqr()) { out.push_back(x); }
  return out;
}

// The passes of one transform, and whether they are those of small ones: as src/ntt.rs decides.
template <class F>
static std::vector<NttPass> plan_of(u32 log_n, bool mirrored, bool& small)
{
  if constexpr (F::WORDS >= 8) {
    small = log_n <= 18;
    if (small) { return ntt_plan<F::WORDS, true>(log_n, 1, 1, mirrored, SMS); }
  }
  return ntt_plan<F::WORDS>(log_n, 1, 1, mirrored, SMS);
}

// The tables of transforms of `2^log_n` rows in one direction.
template <class F>
struct Tables {
  u32 log_n;
  bool small_kernels = false;
  bool inverse, coset;
  F root, generator, scale;
  std::vector<NttPass> plan;
  Buffer twiddles, factors, shifted;

  Tables(const Kernels<F>& k, u32 log_n, bool inverse, bool coset, bool mirrored)
    : log_n(log_n), inverse(inverse), coset(coset), plan(plan_of<F>(log_n, mirrored, small_kernels)),
      twiddles((u64)F::WORDS << log_n), factors((u64)F::WORDS << log_n), shifted((u64)F::WORDS << log_n)
  {
    root = F::two_adic_root();
    for (u32 i = log_n; i < F::Params::TWO_ADICITY; i++) { root = root.sqr(); }
    generator = F::from_u32(7);
    F size = F::one();
    for (u32 i = 0; i < log_n; i++) { size = size.dbl(); }
    scale = inverse ? size.inverse() : F::one();
    if (inverse) {
      root = root.inverse();
      generator = generator.inverse();
    }
    std::vector<F> roots = squares(root, log_n), turns;
    for (u32 i = 0; i + 1 < log_n; i++) { turns.push_back(roots[log_n - 2 - i]); }
    u32 low = plan[0].shape.levels, upper = log_n - low, count = coset ? low : 0;
    k.products<<<64, 256>>>(twiddles.p, log_n - 1, bits_of(turns, F::one()));
    auto shifts = bits_of(squares(generator, log_n), scale);
    k.products<<<4, 256>>>(factors.p, count, shifts);
    if (upper > 0) { k.shift<<<64, 256>>>(twiddles.p, shifted.p, log_n, upper, shifts); }
  }
  // From `a` to `out`, by way of `middle` where there are several passes.
  void run(const Kernels<F>& k, bool down, const u32* a, u32* out, u32* middle) const
  {
    for (u32 i = 0; i < plan.size(); i++) {
      NttPass pass = plan[down ? plan.size() - 1 - i : i];
      bool low = pass.shape.lo == 0;
      pass.shape.block = coset && !low ? 1 : 0;
      pass.shape.factor_mask = coset ? ~0u : 0;
      u32* to = i + 1 == plan.size() ? out : middle;
      auto kernel = small_kernels ? (down ? k.down_small : k.up_small) : (down ? k.down : k.up);
      const u32* table = pass.shape.block ? shifted.p : twiddles.p;
      const u32* scales = low && (coset || inverse) ? factors.p : nullptr;
      // Beside the last blocks of the pass before, as the library does.
      cudaLaunchAttribute early = {};
      early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      early.val.programmaticStreamSerializationAllowed = 1;
      cudaLaunchConfig_t config = {};
      config.gridDim = dim3((u32)pass.tiles);
      config.blockDim = dim3(pass.threads);
      config.attrs = &early;
      config.numAttrs = 1;
      CUDA(cudaLaunchKernelEx(&config, kernel, a, to, table, scales, pass.inner, pass.groups, pass.shape));
      a = to;
    }
  }
};

template <class F>
static void small(const std::string& name, const Kernels<F>& k, u32 log_n)
{
  u64 n = 1ull << log_n;
  std::vector<F> in = random_vector<F>(n, log_n);
  for (u32 option = 0; option < 16; option++) {
    bool inverse = option & 1, coset = option & 2, mirrored = option & 4, down = option & 8;
    // Elsewhere the coset is a pass of its own.
    if (coset && down == inverse) { continue; }
    Tables<F> tables(k, log_n, inverse, coset, mirrored);
    Buffer a(words_of(in)), out(n * F::WORDS), middle(n * F::WORDS);
    tables.run(k, down, a.p, out.p, middle.p);
    std::vector<F> powers(n), shift(n, F::one());
    powers[0] = F::one();
    for (u64 i = 1; i < n; i++) { powers[i] = powers[i - 1] * tables.root; }
    for (u64 i = 1; coset && i < n; i++) { shift[i] = shift[i - 1] * tables.generator; }
    bool reversed_in = !down && !mirrored, reversed_out = down && !mirrored;
    std::vector<u32> have = out.read();
    bool ok = true;
    for (u64 i = 0; i < n; i += n <= 64 ? 1 : n / 37) {
      F sum = F::zero();
      for (u64 j = 0; j < n; j++) {
        F x = in[reversed_in ? icicle::reversed_bits(j, log_n) : j] * powers[i * j & (n - 1)];
        sum += inverse ? x : x * shift[j];
      }
      sum = sum * tables.scale * (inverse ? shift[i] : F::one());
      u64 at = reversed_out ? icicle::reversed_bits(i, log_n) : i;
      ok = ok && F::from_limbs(&have[at * F::WORDS]) == sum;
    }
    check(ok, name + " ntt 2^" + std::to_string(log_n) + " option " + std::to_string(option));
  }
  // Powers in reversed order of the index.
  std::vector<F> turns = squares(F::from_u32(7), log_n);
  std::vector<F> expected(2 * n * 3), data = random_vector<F>(2 * n * 3, 99);
  for (u64 i = 0; i < data.size(); i++) {
    expected[i] = data[i] * F::from_u32(7).pow(icicle::reversed_bits(i / 3 % n, log_n));
  }
  Buffer d(words_of(data)), e(data.size() * F::WORDS);
  std::vector<F> mirrored(turns.rbegin(), turns.rend());
  k.multiply<<<dim3(2, 2), 256>>>(d.p, e.p, log_n, 3, 2, bits_of(mirrored, F::one()));
  compare(e, words_of(expected), name + " ntt_multiply 2^" + std::to_string(log_n));
}

// There and back, in both orders.
template <class F>
static void large(const std::string& name, const Kernels<F>& k, u32 log_n)
{
  u64 n = 1ull << log_n;
  std::vector<u32> in(n * F::WORDS);
  u64 state = log_n;
  for (u64 i = 0; i < n; i++) { random_limbs<typename F::Params>(&in[i * F::WORDS], state); }
  Buffer a(in), b(in.size()), middle(in.size());
  for (bool mirrored : {false, true}) {
    for (bool coset : {false, true}) {
      Tables<F> there(k, log_n, false, coset, mirrored), back(k, log_n, true, coset, mirrored);
      there.run(k, true, a.p, b.p, mirrored ? middle.p : b.p);
      back.run(k, false, b.p, b.p, mirrored ? middle.p : b.p);
      compare(b, in, name + " ntt there and back 2^" + std::to_string(log_n) + (mirrored ? " natural" : " reversed"));
    }
  }
}

// `peer`: sppark's times, natural to natural and natural to reversed.
template <class F>
static void times(const std::string& name, const Kernels<F>& k, const double (&peer)[6][2])
{
  for (u32 i = 0; i < 6; i++) {
    u32 log_n = 16 + 2 * i;
    Buffer a((u64)F::WORDS << log_n), middle((u64)F::WORDS << log_n);
    CUDA(cudaMemset(a.p, 1, a.words * 4));
    for (bool reversed : {false, true}) {
      Tables<F> tables(k, log_n, false, false, !reversed);
      u32 runs = log_n < 20 ? 40 : 4;
      double ms = time_ms([&] {
                    for (u32 r = 0; r < runs; r++) { tables.run(k, true, a.p, a.p, reversed ? a.p : middle.p); }
                  }) / runs;
      printf("%-10s ntt 2^%u natural to %-8s %8.4f ms, sppark %7.3f: %.2fx\n", name.c_str(), log_n,
             reversed ? "reversed" : "natural", ms, peer[i][reversed], peer[i][reversed] / ms);
    }
  }
}

template <class F>
static void selftest(const std::string& name, const Kernels<F>& k, const double (&peer)[6][2])
{
  int before = failures;
  for (u32 log_n = 1; log_n <= 12; log_n++) { small(name, k, log_n); }
  for (u32 log_n : {18, 19, 20, 22, 24}) { large(name, k, log_n); }
  printf("%-10s ntt checked%s\n", name.c_str(), failures == before ? "" : ", WITH FAILURES");
  times(name, k, peer);
}

void selftest_ntt()
{
  selftest("bn254", NTT_KERNELS(bn254, bn254_ntt_down_small, bn254_ntt_up_small),
           {{.026, .021}, {.071, .062}, {.269, .252}, {1.10, 1.03}, {4.66, 4.38}, {23.5, 20.7}});
  selftest("bls12_381", NTT_KERNELS(bls12_381, bls12_381_ntt_down_small, bls12_381_ntt_up_small),
           {{.025, .020}, {.073, .063}, {.273, .255}, {1.12, 1.04}, {4.73, 4.42}, {23.8, 20.9}});
  selftest("babybear", NTT_KERNELS(babybear, nullptr, nullptr),
           {{.014, .009}, {.016, .012}, {.028, .022}, {.073, .061}, {.260, .220}, {1.14, .98}});
  selftest("goldilocks", NTT_KERNELS(goldilocks, nullptr, nullptr),
           {{.015, .010}, {.020, .015}, {.056, .045}, {.173, .151}, {.723, .600}, {3.15, 2.73}});
}
