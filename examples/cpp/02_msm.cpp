// An MSM over BN254: the sum of i·(i·G) for i from 1 to 8, which is 204·G.
#include <icicle.hpp>

#include <cstdio>

int main() {
  const icicle_curve_t curve = ICICLE_CURVE_BN254;
  bn254_projective_t generator, multiple, sum, want;
  icicle::generator(curve, &generator);
  std::vector<bn254_scalar_t> scalars(8);
  std::vector<bn254_affine_t> bases(8);
  for (std::uint32_t i = 0; i < 8; i++) {
    scalars[i].limbs[0] = i + 1;
    icicle::point_mul(curve, &scalars[i], &generator, &multiple);
    icicle::point_to_affine(curve, &multiple, &bases[i]);
  }

  icicle::msm(curve, scalars.data(), bases.data(), 8, &sum);

  const bn254_scalar_t all{{204}};  // 1 + 4 + 9 + … + 64
  icicle::point_mul(curve, &all, &generator, &want);
  if (!icicle::point_eq(curve, &sum, &want)) return 1;
  std::puts("the MSM is 204·G");
}
