/* The flow of an ICICLE client: device, memory, msm, transform, vector sum; expected values come from the Rust core. */
#include "check.h"

enum { LOG_N = 3, N = 1 << LOG_N };

int main(int argc, char **argv) {
  CHECK(argc == 2);
  struct {
    bn254_affine_t msm;
    bn254_scalar_t ntt[N];
    bn254_scalar_t sum[N];
  } want;
  FILE *file = fopen(argv[1], "rb");
  CHECK(file && fread(&want, 1, sizeof want, file) == sizeof want);
  fclose(file);

  OK(icicle_load_backend_from_env_or_default());
  OK(icicle_load_backend("/nowhere", true));
  icicle_device_t cpu = cpu_device(0);
  OK(icicle_is_device_available(&cpu));
  OK(icicle_set_device(&cpu));

  /* scalars 1..N, bases G, 2G, .., NG */
  bn254_scalar_t scalars[N], other[N];
  bn254_projective_t point, generator;
  bn254_affine_t bases[N];
  bn254_generator(&generator);
  CHECK(bn254_is_on_curve(&generator));
  point = generator;
  for (int i = 0; i < N; i++) {
    bn254_from_u32((uint32_t)i + 1, &scalars[i]);
    bn254_pow(&scalars[i], 100 + i, &other[i]);
    bn254_to_affine(&point, &bases[i]);
    bn254_ecadd(&point, &generator, &point);
  }

  void *d_scalars, *d_bases, *d_out;
  OK(icicle_malloc(&d_scalars, sizeof scalars));
  OK(icicle_malloc(&d_bases, sizeof bases));
  OK(icicle_malloc(&d_out, sizeof scalars));
  OK(icicle_copy_to_device(d_scalars, scalars, sizeof scalars));
  OK(icicle_copy(d_bases, bases, sizeof bases));
  OK(icicle_is_active_device_memory(d_scalars));
  OK(icicle_is_host_memory(scalars));

  icicle_msm_config_t msm = icicle_msm_config_default();
  msm.are_scalars_on_device = true;
  msm.are_points_on_device = true;
  bn254_projective_t result;
  bn254_affine_t affine;
  OK(bn254_msm((const bn254_scalar_t *)d_scalars, (const bn254_affine_t *)d_bases, N, &msm, &result));
  bn254_to_affine(&result, &affine);
  CHECK(!memcmp(&affine, &want.msm, sizeof affine));
  FAILS(icicle_msm(ICICLE_CURVE_BN254, scalars, bases, N, &msm, &result), ICICLE_INVALID_POINTER, "msm: scalars");

  bn254_scalar_t root;
  OK(bn254_get_root_of_unity(N, &root));
  icicle_ntt_init_domain_config_t init = icicle_ntt_init_domain_config_default();
  OK(bn254_ntt_init_domain(&root, &init));
  OK(bn254_ntt_init_domain(&root, &init)); /* again: stays, succeeds */
  bn254_ntt_config_t ntt = icicle_ntt_config_8_default();
  ntt.are_inputs_on_device = true;
  bn254_scalar_t transformed[N], back[N];
  OK(bn254_ntt((const bn254_scalar_t *)d_scalars, N, 0, &ntt, transformed));
  CHECK(!memcmp(transformed, want.ntt, sizeof transformed));
  ntt.are_inputs_on_device = false;
  OK(icicle_ntt(ICICLE_FIELD_BN254, transformed, N, 1, &ntt, back));
  CHECK(!memcmp(back, scalars, sizeof back));
  FAILS(bn254_ntt(scalars, 2 * N, 0, &ntt, back), ICICLE_INVALID_ARGUMENT, "ntt: ");
  OK(bn254_get_root_of_unity_from_domain(LOG_N, &root));
  OK(bn254_ntt_release_domain());

  icicle_vec_ops_config_t vec = icicle_vec_ops_config_default();
  vec.is_a_on_device = true;
  vec.is_result_on_device = true;
  OK(bn254_vector_add((const bn254_scalar_t *)d_scalars, other, N, &vec, (bn254_scalar_t *)d_out));
  bn254_scalar_t sum[N];
  OK(icicle_copy_to_host(sum, d_out, sizeof sum));
  CHECK(!memcmp(sum, want.sum, sizeof sum));

  OK(icicle_free(d_scalars));
  OK(icicle_free(d_bases));
  OK(icicle_free(d_out));
  OK(icicle_free(NULL));
  OK(icicle_device_synchronize());
  puts("flow: ok");
  return 0;
}
