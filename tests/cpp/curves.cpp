// Every wrapper of icicle/curve.hpp, over BN254 and, for the compressed encoding, BLS12-381.
#include "check.hpp"

using namespace icicle;

static constexpr icicle_curve_t G = ICICLE_CURVE_BN254;
static constexpr std::size_t n = 4;

// The generator of BN254 is (1, 2) (EIP-196); twice it as in EIP-196's tests.
static const char *const kTwiceX = "030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3";

static bn254_scalar_t scalar(std::uint32_t value) {
  bn254_scalar_t out;
  bn254_from_u32(value, &out);
  return out;
}

static bool same(const bn254_projective_t &a, const bn254_projective_t &b) { return point_eq(G, &a, &b); }

static void single_points() {
  bn254_projective_t g, twice, four, back;
  bn254_affine_t affine;
  generator(G, &g);
  CHECK(point_is_on_curve(G, &g) && g.x.limbs[0] == 1 && g.y.limbs[0] == 2);
  point_add(G, &g, &g, &twice);
  point_to_affine(G, &twice, &affine);
  char hex[65];
  for (int i = 0; i < 8; i++) std::snprintf(hex + 8 * i, 9, "%08x", affine.x.limbs[7 - i]);
  CHECK(std::string(hex) == kTwiceX);
  point_from_affine(G, &affine, &back);
  CHECK(same(back, twice) && !same(back, g));
  const bn254_scalar_t s = scalar(4);
  point_mul(G, &s, &g, &four);
  point_sub(G, &four, &twice, &back);
  CHECK(same(back, twice));
}

static void arrays() {
  bn254_projective_t g, a[n], b[n], out[n];
  bn254_affine_t affine[n];
  std::uint32_t equal[n];
  generator(G, &g);
  random_affine(G, affine, n);
  check_points(G, affine, n);
  affine[0].x.limbs[0] ^= 1;
  CHECK(code_of([&] { check_points(G, affine, n); }) == ICICLE_INVALID_ARGUMENT);
  random_projective(G, a, n);
  points_add(G, a, a, n, b);
  const std::vector<bn254_scalar_t> twos(n, scalar(2));
  points_mul(G, twos.data(), a, n, out);
  points_equal(G, b, out, n, equal);
  CHECK(equal[0] == 1 && equal[n - 1] == 1);
  points_sub(G, b, a, n, b);
  points_equal(G, a, b, n, equal);
  CHECK(equal[0] == 1 && equal[n - 1] == 1);
  points_negate(G, a, n, b);
  points_add(G, a, b, n, out);
  CHECK(out[0].z.limbs[0] == 0 && out[0].y.limbs[0] == 1);
  PointsConfig to_affine = icicle_points_config_default(), from_affine = icicle_points_config_default();
  to_affine.is_result_affine = from_affine.is_a_affine = true;
  points_normalize(G, a, n, affine, to_affine);
  check_points(G, affine, n);
  points_equal(G, affine, a, n, equal, from_affine);
  CHECK(equal[0] == 1 && equal[n - 1] == 1);

  bn254_affine_t montgomery[n];
  affine_convert_montgomery(G, affine, n, true, montgomery);
  CHECK(std::memcmp(affine, montgomery, sizeof affine) != 0);
  affine_convert_montgomery(G, montgomery, n, false, montgomery);
  CHECK(std::memcmp(affine, montgomery, sizeof affine) == 0);
  projective_convert_montgomery(G, a, n, true, b);
  CHECK(std::memcmp(a, b, sizeof a) != 0);
  projective_convert_montgomery(G, b, n, false, b);
  CHECK(std::memcmp(a, b, sizeof a) == 0);
}

static void sums() {
  bn254_projective_t g, expected, out, multiples[n], transformed[n];
  bn254_affine_t bases[n];
  generator(G, &g);
  std::vector<bn254_scalar_t> scalars;
  for (std::uint32_t i = 0; i < n; i++) {
    scalars.push_back(scalar(i + 1));
    point_mul(G, &scalars[i], &g, &multiples[i]);
    point_to_affine(G, &multiples[i], &bases[i]);
  }
  const bn254_scalar_t thirty = scalar(30);  // 1 + 4 + 9 + 16
  point_mul(G, &thirty, &g, &expected);
  msm(G, scalars.data(), bases, n, &out);
  CHECK(same(out, expected));
  MsmConfig config = icicle_msm_config_default();
  config.precompute_factor = 3;
  std::vector<bn254_affine_t> expanded(3 * n);
  msm_precompute_bases(G, bases, n, expanded.data(), config);
  msm(G, scalars.data(), expanded.data(), n, &out, config);
  CHECK(same(out, expected));

  ntt_init_domain(ICICLE_FIELD_BN254, n);
  const auto options = icicle_ntt_config_8_default();
  ecntt(G, multiples, n, false, transformed, options);
  const bn254_scalar_t ten = scalar(10);
  point_mul(G, &ten, &g, &expected);
  CHECK(same(transformed[0], expected));
  ecntt(G, transformed, n, true, transformed, options);
  for (std::size_t i = 0; i < n; i++) CHECK(same(transformed[i], multiples[i]));
  ntt_release_domain(ICICLE_FIELD_BN254);
}

static void compressed() {
  const icicle_curve_t B = ICICLE_CURVE_BLS12_381;
  bls12_381_projective_t g, back;
  bls12_381_affine_t affine;
  unsigned char bytes[48];
  generator(B, &g);
  compress(B, &g, 1, bytes);
  CHECK(bytes[0] == 0x97 && bytes[1] == 0xf1 && bytes[47] == 0xbb);  // as every client of Ethereum writes it
  decompress(B, bytes, 1, &affine);
  point_from_affine(B, &affine, &back);
  CHECK(point_eq(B, &g, &back));
  bytes[0] = 0;
  CHECK(code_of([&] { decompress(B, bytes, 1, &affine); }) == ICICLE_INVALID_ARGUMENT);
}

int main() {
  single_points(), arrays(), sums(), compressed();
  std::puts("curves: ok");
}
