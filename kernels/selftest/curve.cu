// Self-test of the curve arithmetic: sums, doublings and conversions of all forms on the device against the host.
#include "../curve/projective.cuh"
#include "harness.cuh"

using namespace icicle;

// Every result of a pair of points, as affine limbs.
template <class C>
struct Results {
  static constexpr u32 COUNT = 8;
  Affine<C> p[COUNT];
};

template <class C>
IC_HD Results<C> all_results(const Affine<C>& p, const Affine<C>& q)
{
  Results<C> out;
  Xyzz<C> x = Xyzz<C>::from_affine(p);
  x.add(q);
  out.p[0] = x.to_affine();
  Xyzz<C> y = x.dbl();
  out.p[1] = y.to_affine();
  y.add(x);
  out.p[2] = y.to_affine();
  Jacobian<C> j = Jacobian<C>::from_affine(p);
  j.add(q);
  Jacobian<C> k = j.dbl();
  out.p[3] = k.to_affine();
  k.add(j);
  out.p[4] = k.to_affine();
  Projective<C> h = Projective<C>::from_affine(p) + q;
  out.p[5] = h.dbl().to_affine();
  out.p[6] = (h.dbl() + h).to_affine();
  out.p[7] = Projective<C>::from_xyzz(Jacobian<C>::from_xyzz(x).to_xyzz()).to_affine();
  return out;
}

template <class C>
__global__ void results_kernel(const u32* points, u32* out, u32 n)
{
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n * n) { return; }
  constexpr u32 W = Affine<C>::WORDS;
  Results<C> r = all_results(Affine<C>::from_limbs(points + t / n * W), Affine<C>::from_limbs(points + t % n * W));
  for (u32 i = 0; i < Results<C>::COUNT; i++) { r.p[i].to_limbs(out + (t * Results<C>::COUNT + i) * W); }
}

template <class C>
__global__ void __launch_bounds__(128) accumulate(const u32* points, u32* out, u32 rounds)
{
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  Affine<C> q = Affine<C>::from_limbs(points);
  Xyzz<C> x = Xyzz<C>::from_affine(Affine<C>::from_limbs(points + Affine<C>::WORDS));
#pragma unroll 1
  for (u32 i = 0; i < rounds; i++) { x.add(q); }
  x.to_limbs(out + (u64)t * Xyzz<C>::WORDS);
}

template <class C>
static void test(const char* name)
{
  constexpr u32 W = Affine<C>::WORDS;
  std::vector<Affine<C>> points = {Affine<C>::neutral(), Affine<C>::generator(), -Affine<C>::generator()};
  Xyzz<C> x = Xyzz<C>::from_affine(points[1]);
  for (int i = 0; i < 5; i++) {
    x = x.dbl();
    if (i % 2) { x.add(points[1]); }
    points.push_back(x.to_affine());
  }
  u32 n = (u32)points.size();
  std::vector<u32> in(n * W), expected((size_t)n * n * Results<C>::COUNT * W);
  for (u32 i = 0; i < n; i++) { points[i].to_limbs(&in[i * W]); }
  for (u32 t = 0; t < n * n; t++) {
    Results<C> r = all_results(points[t / n], points[t % n]);
    for (u32 i = 0; i < Results<C>::COUNT; i++) { r.p[i].to_limbs(&expected[((size_t)t * Results<C>::COUNT + i) * W]); }
  }
  Buffer din(in), out(expected.size());
  results_kernel<C><<<(n * n + 63) / 64, 64>>>(din.p, out.p, n);
  compare(out, expected, std::string(name) + " points");
  u32 blocks = SMS * 6, rounds = 500;
  Buffer sums((size_t)blocks * 128 * Xyzz<C>::WORDS);
  double ms = time_ms([&] { accumulate<C><<<blocks, 128>>>(din.p + 4 * W, sums.p, rounds); });
  printf("%-10s xyzz += affine: %6.2f G/s\n", name, (double)blocks * 128 * rounds / ms / 1e6);
}

void selftest_curves()
{
  test<curves::bn254>("bn254");
  test<curves::bls12_381>("bls12_381");
}
