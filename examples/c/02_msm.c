/* An MSM over BN254: the sum of i·(i·G) for i from 1 to 8, which is 204·G. */
#include "check.h"

enum { N = 8 };

int main(void) {
  bn254_projective_t generator, multiple, sum, want;
  bn254_scalar_t scalars[N] = {{{0}}}, all = {{204}}; /* 1 + 4 + 9 + … + 64; little-endian limbs */
  bn254_affine_t bases[N];
  CHECK(icicle_point_generator(ICICLE_CURVE_BN254, &generator));
  for (int i = 0; i < N; i++) {
    scalars[i].limbs[0] = (uint32_t)i + 1;
    CHECK(icicle_point_mul_scalar(ICICLE_CURVE_BN254, &generator, &scalars[i], &multiple));
    CHECK(icicle_point_to_affine(ICICLE_CURVE_BN254, &multiple, &bases[i]));
  }

  icicle_msm_config_t config = icicle_msm_config_default();
  CHECK(icicle_msm(ICICLE_CURVE_BN254, scalars, bases, N, &config, &sum));

  bool equal = false;
  CHECK(icicle_point_mul_scalar(ICICLE_CURVE_BN254, &generator, &all, &want));
  CHECK(icicle_point_eq(ICICLE_CURVE_BN254, &sum, &want, &equal));
  EXPECT(equal);
  puts("the MSM is 204·G");
  return 0;
}
