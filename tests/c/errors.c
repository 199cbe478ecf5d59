/* Every code that a call can end with, provoked, with its message. */
#include "check.h"
#include <stdint.h>

int main(void) {
  icicle_device_t cpu = cpu_device(0), none = cpu_device(0), many = cpu_device(1 << 20), negative = cpu_device(-1);
  strcpy(none.device_type, "ABACUS");
  void *memory = NULL, *event = NULL;
  uint32_t words[64] = {1};
  icicle_vec_ops_config_t vec = icicle_vec_ops_config_default();

  /* 1 INVALID_DEVICE */
  FAILS(icicle_set_device(&none), ICICLE_INVALID_DEVICE, "ABACUS");
  FAILS(icicle_set_device(&many), ICICLE_INVALID_DEVICE, "cpu:1048576");
  FAILS(icicle_set_device(&negative), ICICLE_INVALID_DEVICE, "id -1");
  FAILS(icicle_set_default_device(&none), ICICLE_INVALID_DEVICE, "ABACUS");
  FAILS(icicle_set_library_path("abacus", "/dev/null"), ICICLE_INVALID_ARGUMENT, "must be one of [\"NVRTC\"");
  FAILS(icicle_set_library_path("NVRTC", "/nowhere"), ICICLE_INVALID_ARGUMENT, "path /nowhere: must be a file");
  FAILS(icicle_set_library_path(NULL, "/nowhere"), ICICLE_INVALID_POINTER, "library");
  FAILS(icicle_is_device_available(&none), ICICLE_INVALID_DEVICE, "ABACUS");
  OK(icicle_is_device_available(&many)); /* only the type counts */
  FAILS(icicle_free(words), ICICLE_INVALID_DEVICE, "free: pointer");
  memset(none.device_type, 'C', sizeof none.device_type); /* no end */
  FAILS(icicle_set_device(&none), ICICLE_INVALID_DEVICE, "CCCC");

  /* 2 OUT_OF_MEMORY */
  char list[64];
  OK(icicle_get_registered_devices(list, sizeof list));
  CHECK(strcmp(list + strlen(list) - 3, "CPU") == 0);
  FAILS(icicle_get_registered_devices(list, strlen(list)), ICICLE_OUT_OF_MEMORY, "output_size");
  OK(icicle_set_memory_limit(&cpu, 1 << 20));
  FAILS(icicle_malloc(&memory, 2 << 20), ICICLE_OUT_OF_MEMORY, "");
  CHECK(memory == NULL);
  OK(icicle_set_memory_limit(&cpu, UINT64_MAX));

  /* 3 INVALID_POINTER */
  FAILS(icicle_get_registered_devices(NULL, 64), ICICLE_INVALID_POINTER, "output is null");
  FAILS(icicle_set_device(NULL), ICICLE_INVALID_POINTER, "device is null");
  FAILS(icicle_malloc(NULL, 8), ICICLE_INVALID_POINTER, "ptr is null");
  size_t needed[2];
  list[0] = 'x';
  FAILS(icicle_device_facts(&cpu, list, sizeof list, (size_t *)(void *)((char *)needed + 1)), ICICLE_INVALID_POINTER,
        "needed");
  CHECK(list[0] == 'x'); /* nothing is written */
  FAILS(icicle_is_active_device_memory(words), ICICLE_INVALID_POINTER, "not device memory");
  FAILS(icicle_memset(words, 0, 4), ICICLE_INVALID_POINTER, "memset");
  vec.is_a_on_device = true;
  FAILS(babybear_vector_add((const babybear_scalar_t *)words, (const babybear_scalar_t *)words, 4, &vec,
                            (babybear_scalar_t *)words),
        ICICLE_INVALID_POINTER, "vec_a");
  vec.is_a_on_device = false;
  FAILS(icicle_event_query(words, (bool *)list), ICICLE_INVALID_POINTER, "event");
  FAILS(delete_program(words), ICICLE_INVALID_POINTER, "program");
  OK(icicle_malloc(&memory, 64));
  FAILS(icicle_is_host_memory(memory), ICICLE_INVALID_POINTER, "memory of cpu:0");
  FAILS(icicle_copy_to_host(words, memory, 65), ICICLE_INVALID_POINTER, "64");
  FAILS(icicle_memset(memory, 0, 65), ICICLE_INVALID_POINTER, "64");
  FAILS(icicle_free((char *)memory + 4), ICICLE_INVALID_DEVICE, "4 bytes into");
  OK(icicle_free(memory));
  FAILS(icicle_free(memory), ICICLE_INVALID_DEVICE, "freed already");
  vec.is_result_on_device = true;
  FAILS(babybear_vector_add((const babybear_scalar_t *)words, (const babybear_scalar_t *)words, 4, &vec,
                            (babybear_scalar_t *)memory),
        ICICLE_INVALID_POINTER, "output");
  vec.is_result_on_device = false;

  /* 4 ALLOCATION_FAILED */
  FAILS(icicle_malloc(&memory, SIZE_MAX), ICICLE_ALLOCATION_FAILED, "address space");

  /* 8, 9: streams and events; the CPU's only stream is null */
  void *stream = words;
  OK(icicle_create_stream(&stream));
  CHECK(stream == NULL);
  OK(icicle_stream_synchronize(stream));
  OK(icicle_destroy_stream(stream));
  FAILS(icicle_destroy_stream(words), ICICLE_STREAM_DESTRUCTION_FAILED, "stream");
  vec.stream = words;
  FAILS(icicle_vector_sum(ICICLE_FIELD_BABYBEAR, words, 4, &vec, words + 32), ICICLE_INVALID_POINTER, "stream");
  /* Under ICICLE's names the CPU ignores streams. */
  OK(babybear_vector_sum((const babybear_scalar_t *)words, 4, &vec, (babybear_scalar_t *)(words + 32)));
  OK(icicle_stream_synchronize(words));
  vec.stream = NULL;
  OK(icicle_event_create(&event, true));
  OK(icicle_event_record(event, NULL));
  OK(icicle_event_synchronize(event));
  bool reached = false;
  OK(icicle_event_query(event, &reached));
  CHECK(reached);
  OK(icicle_stream_wait_event(NULL, event));
  FAILS(icicle_stream_wait_event(words, event), ICICLE_INVALID_POINTER, "stream");
  float milliseconds = -1;
  OK(icicle_event_elapsed_ms(event, event, &milliseconds));
  CHECK(milliseconds >= 0);
  OK(icicle_event_destroy(event));
  FAILS(icicle_event_destroy(event), ICICLE_INVALID_POINTER, "freed already");

  /* 10 API_NOT_IMPLEMENTED */
  size_t total, left;
  OK(icicle_get_available_memory(&total, &left));
  CHECK(total > 0 && left > 0 && left <= total);
  FAILS(icicle_get_root_of_unity(ICICLE_FIELD_GRUMPKIN, 8, words), ICICLE_API_NOT_IMPLEMENTED, "grumpkin");
  bool supported = true;
  OK(icicle_supports(ICICLE_OP_NTT, ICICLE_FIELD_GRUMPKIN, &supported));
  CHECK(!supported);

  /* 11 INVALID_ARGUMENT */
  FAILS(icicle_vector_add(12345, words, words, 1, &vec, words), ICICLE_INVALID_ARGUMENT, "field 12345");
  FAILS(icicle_msm(10, words, words, 1, NULL, words), ICICLE_INVALID_ARGUMENT, "curve 10");
  vec.batch_size = -1;
  FAILS(babybear_vector_sum((const babybear_scalar_t *)words, 4, &vec, (babybear_scalar_t *)words),
        ICICLE_INVALID_ARGUMENT, "batch_size -1");
  vec.batch_size = 1;
  FAILS(babybear_vector_sum((const babybear_scalar_t *)words, UINT64_MAX / 2, &vec, (babybear_scalar_t *)words),
        ICICLE_INVALID_ARGUMENT, "address space");
  FAILS(babybear_bit_reverse((const babybear_scalar_t *)words, 3, &vec, (babybear_scalar_t *)words),
        ICICLE_INVALID_ARGUMENT, "power of two");

  /* functions without a code */
  icicle_error_take(NULL, 0);
  bn254_add(NULL, (const bn254_scalar_t *)words, (bn254_scalar_t *)words);
  CHECK(icicle_last_error() == ICICLE_INVALID_POINTER);
  CHECK(!bn254_projective_eq(NULL, NULL));
  CHECK(bn254_create_input_symbol(-1) == NULL);
  CHECK(icicle_last_error() == ICICLE_INVALID_ARGUMENT);
  void *ext = create_config_extension();
  CHECK(config_extension_get_int(ext, "missing") == 0);
  CHECK(icicle_error_take(NULL, 0) == ICICLE_INVALID_ARGUMENT);
  config_extension_set_int(ext, "n", 7);
  config_extension_set_bool(ext, "b", true);
  void *copy = clone_config_extension(ext);
  destroy_config_extension(ext);
  CHECK(config_extension_get_int(copy, "n") == 7 && config_extension_get_bool(copy, "b"));
  CHECK(!config_extension_get_bool(ext, "b"));
  CHECK(icicle_error_take(NULL, 0) == ICICLE_INVALID_POINTER);
  destroy_config_extension(copy);
  destroy_config_extension(NULL);

  /* names and truncation */
  CHECK(!strcmp(icicle_error_name(0), "SUCCESS") && !strcmp(icicle_error_name(14), "UNKNOWN_ERROR"));
  CHECK(!strcmp(icicle_error_name(-5), "UNKNOWN_ERROR"));
  CHECK(icicle_last_error_message(NULL, 0) == 1);
  (void)icicle_set_device(NULL);
  char small[6];
  CHECK(icicle_last_error_message(small, sizeof small) == strlen("set_device: device is null") + 1);
  CHECK(!strcmp(small, "set_d"));
  CHECK(strlen(icicle_version()) >= 5);
  puts("errors: ok");
  return 0;
}
