/* What stands between Go and icicle.h: one C call per Go call, which picks the device, makes the call and brings the
 * message along, so that nothing depends on which thread a goroutine runs.
 *
 * Memory is `uint8_t *`: cgo checks what a `void *` points to, and would refuse numbers inside a larger Go object that has
 * pointers elsewhere. Handles are integers: Go's collector must not take a small handle for an address. */
#ifndef ICICLE_GO_SHIM_H
#define ICICLE_GO_SHIM_H

#include <icicle.h>

typedef const uint8_t *go_in;
typedef uint8_t *go_out;

/* The device of a call: `device`, or, if `ambient`, that of the Device.Run this thread is in, where it is in one. */
typedef struct {
  icicle_device_t device;
  bool ambient;
} go_place;

/* A failed call's device and message; both in one block, to be freed with free(). */
typedef struct {
  icicle_device_t device;
  char *text;
} go_failure;

/* How a call ended; `failure` is null on success, or if memory for it ran out. */
typedef struct {
  int32_t code;
  go_failure *failure;
} go_status;

/* What Device.Run restores. */
typedef struct {
  icicle_device_t active, run;
} go_run;

/* Between `go_enter` and `go_leave` the device of a call is this thread's current one. */
typedef struct {
  icicle_device_t before;
  bool changed;
} go_scope;

int32_t go_enter(go_scope *scope, const go_place *at);
go_status go_leave(const go_scope *scope, int32_t code);
go_status go_run_begin(icicle_device_t device, go_run *before);
go_status go_run_end(const go_run *before);

/* The body of a shim: evaluate CALL with the device of AT; return its status. */
#define GO_CALL(at, call)                 \
  do {                                    \
    go_scope scope_;                      \
    int32_t code_ = go_enter(&scope_, &at); \
    if (!code_) code_ = (call);           \
    return go_leave(&scope_, code_);      \
  } while (0)

/* As GO_CALL, for calls that name their device themselves or have none. */
#define GO_PLAIN(call)                         \
  do {                                         \
    go_scope scope_ = {.changed = false};      \
    return go_leave(&scope_, (call));          \
  } while (0)

/* Keep a handle that a call made. */
static inline int32_t go_keep(int32_t code, void *const *made, uintptr_t *handle) {
  if (!code) *handle = (uintptr_t)*made;
  return code;
}

/* The body of a shim that makes an array and keeps its handle: CALL writes `made`. With the device of AT, or of none. */
#define GO_MAKE_AT(at, call) \
  void *made = NULL;         \
  GO_CALL(at, go_keep(call, &made, handle))
#define GO_MAKE(call) \
  void *made = NULL;  \
  GO_PLAIN(go_keep(call, &made, handle))

/* Which operands are device memory, and how to launch; counts of 0 stand for the library's defaults. */
typedef struct {
  uintptr_t stream;
  int32_t batch_size;
  bool is_async, columns_batch, is_a_on_device, is_b_on_device, is_result_on_device;
} go_vector_options;

static inline icicle_vec_ops_config_t go_vector_config(go_vector_options o) {
  icicle_vec_ops_config_t config = icicle_vec_ops_config_default();
  config.stream = (void *)o.stream;
  config.is_async = o.is_async;
  if (o.batch_size) config.batch_size = o.batch_size;
  config.columns_batch = o.columns_batch;
  config.is_a_on_device = o.is_a_on_device;
  config.is_b_on_device = o.is_b_on_device;
  config.is_result_on_device = o.is_result_on_device;
  return config;
}

#endif
