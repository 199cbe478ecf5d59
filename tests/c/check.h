/* What the C tests share: a check that tells where and why it failed. */
#ifndef CHECK_H
#define CHECK_H
#include "icicle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      char text_[256]; \
      icicle_last_error_message(text_, sizeof text_); \
      fprintf(stderr, "%s:%d: %s; last error: %s\n", __FILE__, __LINE__, #condition, text_); \
      exit(1); \
    } \
  } while (0)
#define OK(call) CHECK((call) == ICICLE_SUCCESS)

/* The call fails with this code, and its message holds this text. */
#define FAILS(call, code, text) \
  do { \
    char message_[512]; \
    icicle_error_take(NULL, 0); \
    CHECK((call) == (code)); \
    CHECK(icicle_last_error() == (code)); \
    icicle_error_take(message_, sizeof message_); \
    if (!strstr(message_, (text))) { \
      fprintf(stderr, "%s:%d: message \"%s\" lacks \"%s\"\n", __FILE__, __LINE__, message_, (text)); \
      exit(1); \
    } \
    CHECK(icicle_last_error() == ICICLE_SUCCESS); \
  } while (0)

static icicle_device_t cpu_device(int id) {
  icicle_device_t device;
  memset(&device, 0, sizeof device);
  strcpy(device.device_type, "CPU");
  device.id = id;
  return device;
}
#endif
