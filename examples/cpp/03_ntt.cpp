// Multiply two polynomials over BabyBear: forward NTTs, a product of values, an inverse NTT.
#include <icicle.hpp>

#include <cstdio>

int main() {
  using Vec = std::vector<std::uint32_t>;
  const icicle_field_t field = ICICLE_FIELD_BABYBEAR;
  const std::size_t n = 4;            // more than the product's degree
  icicle::ntt_init_domain(field, n);  // once for all sizes up to n

  const Vec a{1, 2, 3, 0}, b{4, 5, 0, 0};  // 1 + 2x + 3x², 4 + 5x
  Vec values_a(n), values_b(n), back(n);
  const auto config = icicle_ntt_config_1_default();  // scalars of one 32-bit limb
  icicle::ntt(field, a.data(), n, false, values_a.data(), config);
  icicle::ntt(field, b.data(), n, false, values_b.data(), config);
  icicle::ntt(field, values_a.data(), n, true, back.data(), config);
  if (back != a) return 1;

  icicle::vector_mul(field, values_a.data(), values_b.data(), n, values_a.data());
  icicle::ntt(field, values_a.data(), n, true, values_a.data(), config);
  if (values_a != Vec{4, 13, 22, 15}) return 1;
  std::printf("the product's coefficients are %u %u %u %u\n", values_a[0], values_a[1], values_a[2], values_a[3]);
}
