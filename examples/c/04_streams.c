/* Two streams work side by side: one squares a vector, the other waits for an event of the first before it adds. On a GPU
 * nothing waits on the host until the end; on the CPU every call is complete when it returns. */
#include "check.h"

enum { N = 1 << 16 };

int main(void) {
  const int32_t field = ICICLE_FIELD_BABYBEAR;
  const size_t bytes = N * sizeof(uint32_t);
  void *first, *second, *squared, *in, *out, *x, *y;
  CHECK(icicle_create_stream(&first));
  CHECK(icicle_create_stream(&second));
  CHECK(icicle_event_create(&squared, false));
  CHECK(icicle_host_alloc(&in, bytes)); /* page-locked: copies overlap with work */
  CHECK(icicle_host_alloc(&out, bytes));
  CHECK(icicle_malloc(&x, bytes));
  CHECK(icicle_malloc(&y, bytes));
  for (uint32_t i = 0; i < N; i++) ((uint32_t *)in)[i] = i;

  icicle_vec_ops_config_t config = icicle_vec_ops_config_default();
  config.is_a_on_device = config.is_b_on_device = config.is_result_on_device = config.is_async = true;
  config.stream = first;
  CHECK(icicle_copy_to_device_async(x, in, bytes, first));
  CHECK(icicle_vector_mul(field, x, x, N, &config, y));
  CHECK(icicle_event_record(squared, first));
  config.stream = second;
  CHECK(icicle_stream_wait_event(second, squared));
  CHECK(icicle_vector_add(field, x, y, N, &config, y));
  CHECK(icicle_copy_to_host_async(out, y, bytes, second));
  CHECK(icicle_stream_synchronize(second));

  for (uint64_t i = 0; i < N; i++) EXPECT(((uint32_t *)out)[i] == i * (i + 1) % 2013265921);
  printf("x² + x of %d elements\n", N);
  CHECK(icicle_free(x));
  CHECK(icicle_free(y));
  CHECK(icicle_host_free(in));
  CHECK(icicle_host_free(out));
  CHECK(icicle_event_destroy(squared));
  CHECK(icicle_destroy_stream(first));
  CHECK(icicle_destroy_stream(second));
  return 0;
}
