// What the C++ tests share: a check that tells where and why it failed.
#ifndef CHECK_HPP
#define CHECK_HPP
#include <cstdio>
#include <cstdlib>
#include <icicle.hpp>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1); \
    } \
  } while (0)

/// The code that a call fails with; its message must not be empty.
template <typename Call>
icicle_error_t code_of(Call call) {
  try {
    call();
  } catch (const icicle::Error &error) {
    CHECK(error.what()[0] != 0 && error.name()[0] != 0);
    return error.code();
  }
  return ICICLE_SUCCESS;
}
#endif
