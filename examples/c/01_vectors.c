/* Add two vectors of BabyBear elements on every CPU and GPU of the machine. */
#include "check.h"

int main(void) {
  const icicle_device_t types[2] = {{"CPU", 0}, {"CUDA", 0}};
  for (int type = 0; type < 2; type++) {
    icicle_device_info_t info = {.struct_size = sizeof info};
    icicle_device_t device = types[type];
    for (; icicle_device_info(&device, &info) == ICICLE_SUCCESS; device.id++) {
      CHECK(icicle_set_device(&device)); /* this thread's device from here on */
      uint32_t a[3] = {1, 2, 3}, b[3] = {10, 20, 2013265920}; /* the modulus less 1 */
      void *device_a, *device_b;
      CHECK(icicle_malloc(&device_a, sizeof a));
      CHECK(icicle_malloc(&device_b, sizeof b));
      CHECK(icicle_copy_to_device(device_a, a, sizeof a));
      CHECK(icicle_copy_to_device(device_b, b, sizeof b));
      icicle_vec_ops_config_t config = icicle_vec_ops_config_default();
      config.is_a_on_device = config.is_b_on_device = config.is_result_on_device = true;
      CHECK(icicle_vector_add(ICICLE_FIELD_BABYBEAR, device_a, device_b, 3, &config, device_a)); /* in place */
      CHECK(icicle_copy_to_host(a, device_a, sizeof a));
      EXPECT(a[0] == 11 && a[1] == 22 && a[2] == 2);
      printf("%s:%d %u %u %u\n", device.device_type, device.id, a[0], a[1], a[2]);
      CHECK(icicle_free(device_a));
      CHECK(icicle_free(device_b));
    }
  }
  return 0;
}
