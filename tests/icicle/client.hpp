// What a C++ client of ICICLE 4 declares for itself: its names, layouts and conventions, and no header of ours.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Device {
  char type[64];
  int id;
};
struct Scalar {
  uint32_t limbs[8];
};
struct Base {
  uint32_t limbs[8];
};
struct Affine {
  Base x, y;
};
struct Projective {
  Base x, y, z;
};
struct VecOpsConfig {
  void* stream;
  bool is_a_on_device, is_b_on_device, is_result_on_device, is_async;
  int batch_size;
  bool columns_batch;
  void* ext;
};
struct NTTConfig {
  void* stream;
  Scalar coset_gen;
  int batch_size;
  bool columns_batch;
  int ordering;
  bool are_inputs_on_device, are_outputs_on_device, is_async;
  void* ext;
};
struct NTTInitDomainConfig {
  void* stream;
  bool is_async;
  void* ext;
};
struct MSMConfig {
  void* stream;
  int precompute_factor, c, bitsize, batch_size;
  bool are_points_shared_in_batch, are_scalars_on_device, are_scalars_montgomery_form, are_points_on_device,
    are_points_montgomery_form, are_results_on_device, is_async;
  void* ext;
};

extern "C" {
int icicle_load_backend_from_env_or_default();
int icicle_get_registered_devices(char* output, size_t size);
int icicle_is_device_available(const Device* device);
int icicle_set_device(const Device* device);
int icicle_get_device_count(int* count);
int icicle_get_available_memory(size_t* total, size_t* free);
int icicle_malloc(void** ptr, size_t size);
int icicle_malloc_async(void** ptr, size_t size, void* stream);
int icicle_free(void* ptr);
int icicle_free_async(void* ptr, void* stream);
int icicle_copy_to_device(void* dst, const void* src, size_t size);
int icicle_copy_to_device_async(void* dst, const void* src, size_t size, void* stream);
int icicle_copy_to_host(void* dst, const void* src, size_t size);
int icicle_copy_to_host_async(void* dst, const void* src, size_t size, void* stream);
int icicle_create_stream(void** stream);
int icicle_stream_synchronize(void* stream);
int icicle_destroy_stream(void* stream);
void* create_config_extension();
void config_extension_set_int(void* ext, const char* key, int value);
void destroy_config_extension(void* ext);

void bn254_generate_random(Scalar* out, int n);
void bn254_add(const Scalar* a, const Scalar* b, Scalar* out);
void bn254_mul(const Scalar* a, const Scalar* b, Scalar* out);
void bn254_from_u32(uint32_t value, Scalar* out);
int bn254_vector_add(const Scalar* a, const Scalar* b, uint64_t n, const VecOpsConfig* config, Scalar* out);
int bn254_vector_mul(const Scalar* a, const Scalar* b, uint64_t n, const VecOpsConfig* config, Scalar* out);
int bn254_get_root_of_unity(uint64_t max_size, Scalar* root);
int bls12_381_get_root_of_unity(uint64_t max_size, Scalar* root);
int babybear_get_root_of_unity(uint64_t max_size, uint32_t* root);
int bn254_ntt_init_domain(const Scalar* root, const NTTInitDomainConfig* config);
int bn254_ntt_release_domain();
int bn254_ntt(const Scalar* input, int size, int dir, const NTTConfig* config, Scalar* output);
void bn254_generate_affine_points(Affine* points, int n);
void bn254_from_affine(const Affine* point, Projective* out);
bool bn254_projective_eq(const Projective* a, const Projective* b);
void bn254_ecadd(const Projective* a, const Projective* b, Projective* out);
void bn254_mul_scalar(const Projective* point, const Scalar* scalar, Projective* out);
int bn254_msm(const Scalar* scalars, const Affine* bases, int n, const MSMConfig* config, Projective* results);
int bn254_msm_precompute_bases(const Affine* bases, int n, const MSMConfig* config, Affine* out);
void* bn254_create_input_symbol(int index);
void* bn254_create_scalar_symbol(const Scalar* constant);
int bn254_add_symbols(void* a, void* b, void** out);
int bn254_sub_symbols(void* a, void* b, void** out);
int bn254_multiply_symbols(void* a, void* b, void** out);
int bn254_inverse_symbol(void* a, void** out);
int bn254_generate_program(void** parameters, int n, void** program);
int bn254_execute_program(Scalar** data, uint64_t n, void* program, uint64_t size, const VecOpsConfig* config);
int delete_program(void* program);
}

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);               \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)
#define OK(call) CHECK((call) == 0)
