/* What the C examples share: end with the message of a call that failed, or the condition that does not hold. */
#ifndef CHECK_H
#define CHECK_H
#include <icicle.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                           \
  do {                                                        \
    if ((call) != ICICLE_SUCCESS) {                           \
      char message[256];                                      \
      icicle_last_error_message(message, sizeof message);     \
      fprintf(stderr, "%s\n", message);                       \
      exit(1);                                                \
    }                                                         \
  } while (0)

#define EXPECT(condition)                                     \
  do {                                                        \
    if (!(condition)) {                                       \
      fprintf(stderr, "%s: not so\n", #condition);            \
      exit(1);                                                \
    }                                                         \
  } while (0)

#endif
