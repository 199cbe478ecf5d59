/* Share one long sum out over every device of the processor, a thread each. Try ICICLE_CPU_DEVICES=4. */
#include "check.h"
#include <pthread.h>

enum { N = 1 << 20, MOST = 64 };
static const uint64_t modulus = 2013265921;
static uint32_t x[N];

typedef struct {
  icicle_device_t device;
  size_t from, to;
  uint32_t sum;
} part_t;

/* The current device is the thread's own. */
static void *add_up(void *argument) {
  part_t *part = argument;
  icicle_vec_ops_config_t config = icicle_vec_ops_config_default();
  CHECK(icicle_set_device(&part->device));
  CHECK(icicle_vector_sum(ICICLE_FIELD_BABYBEAR, x + part->from, part->to - part->from, &config, &part->sum));
  printf("%s:%d %zu elements\n", part->device.device_type, part->device.id, part->to - part->from);
  return NULL;
}

int main(void) {
  const icicle_device_t cpu = {"CPU", 0};
  int devices = 0;
  CHECK(icicle_set_device(&cpu));
  CHECK(icicle_get_device_count(&devices));
  EXPECT(devices <= MOST);
  for (uint32_t i = 0; i < N; i++) x[i] = i;

  part_t parts[MOST];
  pthread_t threads[MOST];
  for (int k = 0; k < devices; k++) {
    parts[k] = (part_t){{"CPU", k}, (size_t)N * k / devices, (size_t)N * (k + 1) / devices, 0};
    EXPECT(pthread_create(&threads[k], NULL, add_up, &parts[k]) == 0);
  }
  uint64_t total = 0;
  for (int k = 0; k < devices; k++) {
    EXPECT(pthread_join(threads[k], NULL) == 0);
    total += parts[k].sum;
  }
  EXPECT(total % modulus == (uint64_t)N * (N - 1) / 2 % modulus);
  puts("the parts' sum is right");
  return 0;
}
