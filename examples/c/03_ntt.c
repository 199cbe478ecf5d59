/* Multiply two polynomials over BabyBear: forward NTTs, a product of values, an inverse NTT. */
#include "check.h"
#include <string.h>

enum { N = 4, FORWARD = 0, INVERSE = 1 }; /* N is more than the product's degree */

int main(void) {
  const int32_t field = ICICLE_FIELD_BABYBEAR;
  uint32_t root;
  icicle_ntt_init_domain_config_t domain = icicle_ntt_init_domain_config_default();
  CHECK(icicle_get_root_of_unity(field, N, &root));
  CHECK(icicle_ntt_init_domain(field, &root, &domain)); /* once for all sizes up to N */

  uint32_t a[N] = {1, 2, 3}, b[N] = {4, 5}; /* 1 + 2x + 3x², 4 + 5x */
  uint32_t values_a[N], values_b[N], back[N];
  icicle_ntt_config_1_t config = icicle_ntt_config_1_default(); /* scalars of one 32-bit limb */
  CHECK(icicle_ntt(field, a, N, FORWARD, &config, values_a));
  CHECK(icicle_ntt(field, b, N, FORWARD, &config, values_b));
  CHECK(icicle_ntt(field, values_a, N, INVERSE, &config, back));
  EXPECT(memcmp(a, back, sizeof a) == 0);

  icicle_vec_ops_config_t product = icicle_vec_ops_config_default();
  CHECK(icicle_vector_mul(field, values_a, values_b, N, &product, values_a));
  CHECK(icicle_ntt(field, values_a, N, INVERSE, &config, values_a));
  EXPECT(values_a[0] == 4 && values_a[1] == 13 && values_a[2] == 22 && values_a[3] == 15);
  printf("the product's coefficients are %u %u %u %u\n", values_a[0], values_a[1], values_a[2], values_a[3]);
  CHECK(icicle_ntt_release_domain(field));
  return 0;
}
