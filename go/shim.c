#include "shim.h"

#include <stdlib.h>
#include <string.h>

/* The device of the Device.Run this thread is in; no type while it is in none. */
static _Thread_local icicle_device_t run_device;

static bool same(const icicle_device_t *a, const icicle_device_t *b) {
  return a->id == b->id && !strncmp(a->device_type, b->device_type, sizeof a->device_type);
}

int32_t go_enter(go_scope *scope, const go_place *at) {
  const icicle_device_t *want = at->ambient && run_device.device_type[0] ? &run_device : &at->device;
  scope->changed = false;
  int32_t code = icicle_get_active_device(&scope->before);
  if (code || same(&scope->before, want)) return code;
  code = icicle_set_device(want);
  scope->changed = !code;
  return code;
}

static go_failure *failure(void) {
  size_t bytes = icicle_last_error_message(NULL, 0);
  go_failure *made = malloc(sizeof *made + bytes);
  if (!made) return NULL;
  made->text = (char *)(made + 1);
  icicle_last_error_message(made->text, bytes);
  if (icicle_get_active_device(&made->device)) memset(&made->device, 0, sizeof made->device);
  return made;
}

go_status go_leave(const go_scope *scope, int32_t code) {
  go_status status = {code, code ? failure() : NULL};
  if (scope->changed) (void)icicle_set_device(&scope->before); /* it was the current one: it exists */
  return status;
}

go_status go_run_begin(icicle_device_t device, go_run *before) {
  int32_t code = icicle_get_active_device(&before->active);
  before->run = run_device;
  if (!code) code = icicle_set_device(&device);
  if (!code) run_device = device;
  return (go_status){code, code ? failure() : NULL};
}

go_status go_run_end(const go_run *before) {
  run_device = before->run;
  int32_t code = icicle_set_device(&before->active);
  return (go_status){code, code ? failure() : NULL};
}
