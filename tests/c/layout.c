/* Sizes and offsets of ICICLE's structs, as measured from its v4.0.0 headers; compiling is the test. */
#include "icicle.h"
#include <stddef.h>

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), "offset of " #field " in " #type)

SIZE(icicle_error_t, 4);
SIZE(icicle_device_t, 68);
AT(icicle_device_t, device_type, 0);
AT(icicle_device_t, id, 64);
SIZE(icicle_device_properties_t, 12);
AT(icicle_device_properties_t, using_host_memory, 0);
AT(icicle_device_properties_t, num_memory_regions, 4);
AT(icicle_device_properties_t, supports_pinned_memory, 8);
SIZE(icicle_vec_ops_config_t, 32);
AT(icicle_vec_ops_config_t, stream, 0);
AT(icicle_vec_ops_config_t, is_a_on_device, 8);
AT(icicle_vec_ops_config_t, is_b_on_device, 9);
AT(icicle_vec_ops_config_t, is_result_on_device, 10);
AT(icicle_vec_ops_config_t, is_async, 11);
AT(icicle_vec_ops_config_t, batch_size, 12);
AT(icicle_vec_ops_config_t, columns_batch, 16);
AT(icicle_vec_ops_config_t, ext, 24);
/* Our own: these offsets are for keeps. */
SIZE(icicle_points_config_t, 40);
AT(icicle_points_config_t, struct_size, 0);
AT(icicle_points_config_t, stream, 8);
AT(icicle_points_config_t, is_a_on_device, 16);
AT(icicle_points_config_t, is_b_on_device, 17);
AT(icicle_points_config_t, is_result_on_device, 18);
AT(icicle_points_config_t, is_async, 19);
AT(icicle_points_config_t, is_a_affine, 20);
AT(icicle_points_config_t, is_b_affine, 21);
AT(icicle_points_config_t, is_result_affine, 22);
AT(icicle_points_config_t, is_a_single, 23);
AT(icicle_points_config_t, is_b_single, 24);
AT(icicle_points_config_t, ext, 32);
SIZE(icicle_matmul_config_t, 24);
AT(icicle_matmul_config_t, stream, 0);
AT(icicle_matmul_config_t, is_a_on_device, 8);
AT(icicle_matmul_config_t, is_b_on_device, 9);
AT(icicle_matmul_config_t, is_result_on_device, 10);
AT(icicle_matmul_config_t, a_transposed, 11);
AT(icicle_matmul_config_t, b_transposed, 12);
AT(icicle_matmul_config_t, result_transposed, 13);
AT(icicle_matmul_config_t, is_async, 14);
AT(icicle_matmul_config_t, ext, 16);
SIZE(icicle_ntt_init_domain_config_t, 24);
AT(icicle_ntt_init_domain_config_t, is_async, 8);
AT(icicle_ntt_init_domain_config_t, ext, 16);
SIZE(icicle_msm_config_t, 40);
AT(icicle_msm_config_t, stream, 0);
AT(icicle_msm_config_t, precompute_factor, 8);
AT(icicle_msm_config_t, c, 12);
AT(icicle_msm_config_t, bitsize, 16);
AT(icicle_msm_config_t, batch_size, 20);
AT(icicle_msm_config_t, are_points_shared_in_batch, 24);
AT(icicle_msm_config_t, are_scalars_on_device, 25);
AT(icicle_msm_config_t, are_scalars_montgomery_form, 26);
AT(icicle_msm_config_t, are_points_on_device, 27);
AT(icicle_msm_config_t, are_points_montgomery_form, 28);
AT(icicle_msm_config_t, are_results_on_device, 29);
AT(icicle_msm_config_t, is_async, 30);
AT(icicle_msm_config_t, ext, 32);

#define NTT(type, size, batch, columns, order, in, out, async, extension) \
  SIZE(type, size); \
  AT(type, stream, 0); \
  AT(type, coset_gen, 8); \
  AT(type, batch_size, batch); \
  AT(type, columns_batch, columns); \
  AT(type, ordering, order); \
  AT(type, are_inputs_on_device, in); \
  AT(type, are_outputs_on_device, out); \
  AT(type, is_async, async); \
  AT(type, ext, extension)
NTT(babybear_ntt_config_t, 40, 12, 16, 20, 24, 25, 26, 32);
NTT(koalabear_ntt_config_t, 40, 12, 16, 20, 24, 25, 26, 32);
NTT(goldilocks_ntt_config_t, 40, 16, 20, 24, 28, 29, 30, 32);
NTT(bn254_ntt_config_t, 64, 40, 44, 48, 52, 53, 54, 56);
NTT(bls12_381_ntt_config_t, 64, 40, 44, 48, 52, 53, 54, 56);
NTT(bls12_377_ntt_config_t, 64, 40, 44, 48, 52, 53, 54, 56);
NTT(stark252_ntt_config_t, 64, 40, 44, 48, 52, 53, 54, 56);
NTT(bw6_761_ntt_config_t, 80, 56, 60, 64, 68, 69, 70, 72);

#define CURVE(prefix, scalar, base, g2) \
  SIZE(prefix##_scalar_t, scalar); \
  SIZE(prefix##_base_field_t, base); \
  SIZE(prefix##_affine_t, 2 * (base)); \
  SIZE(prefix##_projective_t, 3 * (base)); \
  SIZE(prefix##_g2_base_field_t, g2); \
  SIZE(prefix##_g2_affine_t, 2 * (g2)); \
  SIZE(prefix##_g2_projective_t, 3 * (g2))
CURVE(bn254, 32, 32, 64);
CURVE(bls12_381, 32, 48, 96);
CURVE(bls12_377, 32, 48, 96);
CURVE(bw6_761, 48, 96, 96);
SIZE(grumpkin_scalar_t, 32);
SIZE(grumpkin_affine_t, 64);
SIZE(grumpkin_projective_t, 96);
SIZE(babybear_scalar_t, 4);
SIZE(babybear_extension_t, 16);
SIZE(koalabear_extension_t, 16);
SIZE(m31_extension_t, 16);
SIZE(goldilocks_scalar_t, 8);
SIZE(goldilocks_extension_t, 16);
SIZE(stark252_scalar_t, 32);

int main(void) { return 0; }
