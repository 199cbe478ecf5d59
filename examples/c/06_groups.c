/* Two multiplications of different sizes on two devices at once, then one divided over both. Try ICICLE_CPU_DEVICES=2. */
#include "check.h"
#include <string.h>

enum { JOBS = 2, MOST = 1 << 12 };
static bn254_scalar_t scalars[MOST];
static bn254_affine_t points[MOST];
static const int64_t sizes[JOBS] = {1 << 10, 1 << 12};
static bn254_projective_t sums[JOBS];

/* Runs on the thread of a device, which is current there. */
static int32_t multiply(void *context, const icicle_group_job_t *place) {
  (void)context;
  icicle_msm_config_t config = icicle_msm_config_default();
  printf("%s:%d %d points\n", place->device.device_type, place->device.id, (int)sizes[place->job]);
  return icicle_msm(ICICLE_CURVE_BN254, scalars, points, sizes[place->job], &config, &sums[place->job]);
}

int main(void) {
  icicle_device_t devices[2] = {{"CPU", 0}, {"CPU", 0}};
  const icicle_device_t *cpu = devices;
  const double shares[2] = {1, 1};
  int count = 0;
  void *group = NULL;
  CHECK(icicle_set_device(cpu));
  CHECK(icicle_get_device_count(&count));
  if (count > 1) devices[1].id = 1;
  CHECK(icicle_group_create(devices, count > 1 ? 2 : 1, shares, &group));
  bn254_generate_scalars(scalars, MOST);
  bn254_generate_affine_points(points, MOST);

  icicle_group_map_config_t config = icicle_group_map_config_default();
  CHECK(icicle_group_map(group, JOBS, multiply, NULL, &config, NULL));

  icicle_msm_config_t options = icicle_msm_config_default();
  for (int i = 0; i < JOBS; i++) {
    bn254_projective_t sum;
    CHECK(icicle_group_msm(group, ICICLE_CURVE_BN254, scalars, points, sizes[i], &options, &sum));
    EXPECT(memcmp(&sum, &sums[i], sizeof sum) == 0);
  }
  CHECK(icicle_group_destroy(group));
  puts("the divided sums are the same");
  return 0;
}
