// A CUDA driver with two GPUs whose memory is the host's, for tests of which driver functions are called, and in which order.
// Handles know their device, and whoever mixes those of two gets the driver's error. Every kernel is the one of fake_streams.c.
// With ICICLE_FAKE_CALLS each call's name is appended to that file, a line each, also by a fake_nccl.c that is linked with it.
#include "fake_streams.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GPUS = 2, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_HANDLE = 400,
       NOT_READY = 600 };
static Handle contexts[GPUS] = {{.device = 0}, {.device = 1}}, defaults[GPUS] = {{.device = 0}, {.device = 1}};
static _Thread_local Handle *current;
static int calls = -1;

__attribute__((constructor)) static void open_calls(void)
{
  const char *path = getenv("ICICLE_FAKE_CALLS");
  if (path) calls = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}
void fake_call(const char *name)
{
  char line[64];
  size_t n = strlen(name);
  memcpy(line, name, n), line[n] = '\n';
  if (calls >= 0 && write(calls, line, n + 1) < 0) abort();
}
#define NOTE fake_call(__func__)
#define IN_CONTEXT do { NOTE; if (!current) return INVALID_CONTEXT; } while (0)

int cuInit(unsigned flags) { NOTE; return flags ? INVALID_VALUE : 0; }
int cuDriverGetVersion(int *out) { NOTE; return *out = 12080, 0; }
int cuDeviceGetCount(int *out) { NOTE; return *out = GPUS, 0; }
int cuDeviceGet(int *out, int ordinal) { NOTE; return ordinal < 0 || ordinal >= GPUS ? INVALID_DEVICE : (*out = ordinal, 0); }
int cuDeviceGetName(char *out, int room, int device) { NOTE; (void)device; return strncpy(out, "fake", room), 0; }
int cuDeviceGetPCIBusId(char *out, int room, int device) { NOTE; (void)device; return strncpy(out, "0000:00:00.0", room), 0; }
int cuDeviceGetUuid_v2(char *out, int device) { NOTE; return memset(out, device, 16), 0; }
int cuDeviceTotalMem_v2(size_t *out, int device) { NOTE; (void)device; return *out = 1 << 30, 0; }
int cuDeviceGetAttribute(int *out, int which, int device) { NOTE; (void)which, (void)device; return *out = 1, 0; }
int cuDeviceCanAccessPeer(int *out, int from, int to) { NOTE; return *out = from != to, 0; }
int cuDevicePrimaryCtxRetain(Handle **out, int device) { NOTE; return *out = &contexts[device], 0; }

int cuCtxGetCurrent(Handle **out) { NOTE; return *out = current, 0; }
int cuCtxSetCurrent(Handle *context) { NOTE; return current = context, 0; }
int cuCtxSynchronize(void) { IN_CONTEXT; return fake_wait_device(current->device), 0; }
int cuCtxEnablePeerAccess(Handle *other, unsigned flags) { IN_CONTEXT; return flags || other == current ? INVALID_VALUE : 0; }

static int make(Handle **out, int device)
{
  return (*out = calloc(1, sizeof **out)) ? ((*out)->device = device, 0) : OUT_OF_MEMORY;
}
int cuMemGetInfo_v2(size_t *left, size_t *all) { IN_CONTEXT; return *left = *all = 1 << 30, 0; }
// The device is behind two numbers and the kind of place.
int cuMemPoolCreate(Handle **out, const int *properties) { NOTE; return make(out, properties[3]); }
int cuMemPoolSetAttribute(Handle *pool, int which, void *value) { NOTE; (void)pool, (void)which, (void)value; return 0; }
int cuMemPoolGetAttribute(Handle *pool, int which, void *value) { NOTE; (void)pool, (void)which; return *(u64 *)value = 0, 0; }
int cuMemPoolTrimTo(Handle *pool, size_t keep) { NOTE; (void)pool, (void)keep; return 0; }
int cuMemPoolSetAccess(Handle *pool, const void *access, size_t n) { NOTE; (void)pool, (void)access, (void)n; return 0; }
static int allocate(u64 *out, size_t bytes) { return (*out = (u64)aligned_alloc(256, (bytes + 255) / 256 * 256)) ? 0 : OUT_OF_MEMORY; }
// Stream 0 is the current device's.
static Handle *queue(Handle *stream) { return stream ? stream : &defaults[current->device]; }
static int device_of(Handle *stream) { return queue(stream)->device; }
int cuMemAllocFromPoolAsync(u64 *out, size_t bytes, Handle *pool, Handle *stream)
{
  IN_CONTEXT;
  return device_of(stream) == pool->device ? allocate(out, bytes) : INVALID_VALUE;
}
int cuMemFreeAsync(u64 address, Handle *stream) { IN_CONTEXT; return fake_enqueue(queue(stream), (Op){.kind = FREE, .to = (void *)address}), 0; }
int cuMemAllocManaged(u64 *out, size_t bytes, unsigned flags) { IN_CONTEXT; (void)flags; return allocate(out, bytes); }
int cuMemFree_v2(u64 address) { IN_CONTEXT; return free((void *)address), 0; }
int cuMemAdvise(u64 address, size_t bytes, int advice, int device) { NOTE; (void)address, (void)bytes, (void)advice, (void)device; return 0; }
int cuMemPrefetchAsync(u64 address, size_t bytes, int device, Handle *stream) { NOTE; (void)address, (void)bytes, (void)device, (void)stream; return 0; }
int cuMemHostAlloc(void **out, size_t bytes, unsigned flags) { IN_CONTEXT; (void)flags; return allocate((u64 *)out, bytes); }
int cuMemFreeHost(void *address) { IN_CONTEXT; return free(address), 0; }
int cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) { IN_CONTEXT; (void)address, (void)bytes, (void)flags; return 0; }
int cuMemHostUnregister(void *address) { IN_CONTEXT; (void)address; return 0; }
// Nothing is known of an address.
int cuPointerGetAttributes(unsigned n, int *which, void **out, u64 address) { IN_CONTEXT; (void)n, (void)which, (void)out, (void)address; return INVALID_VALUE; }

static int copy(Handle *stream, void *to, const void *from, size_t bytes)
{
  return fake_enqueue(queue(stream), (Op){.kind = COPY, .to = to, .from = from, .bytes = bytes}), 0;
}
// The host's memory is the caller's again.
int cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t bytes, Handle *stream)
{
  IN_CONTEXT;
  return copy(stream, (void *)to, from, bytes), fake_wait(queue(stream)), 0;
}
int cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t bytes, Handle *stream) { IN_CONTEXT; return copy(stream, to, (void *)from, bytes), fake_wait(queue(stream)), 0; }
int cuMemcpyDtoDAsync_v2(u64 to, u64 from, size_t bytes, Handle *stream) { IN_CONTEXT; return copy(stream, (void *)to, (void *)from, bytes); }
int cuMemcpyPeerAsync(u64 to, Handle *there, u64 from, Handle *here, size_t bytes, Handle *stream)
{
  IN_CONTEXT;
  int device = device_of(stream);
  if (device != there->device && device != here->device) return INVALID_VALUE;
  return copy(stream, (void *)to, (void *)from, bytes);
}
int cuMemsetD8Async(u64 address, unsigned char value, size_t bytes, Handle *stream)
{
  IN_CONTEXT;
  return fake_enqueue(queue(stream), (Op){.kind = FILL, .to = (void *)address, .bytes = bytes, .value = value}), 0;
}

int cuStreamCreateWithPriority(Handle **out, unsigned flags, int priority) { IN_CONTEXT; (void)flags, (void)priority; return make(out, current->device); }
int cuStreamDestroy_v2(Handle *stream) { NOTE; return fake_forget(stream), free(stream), 0; }
int cuStreamSynchronize(Handle *stream) { IN_CONTEXT; return fake_wait(queue(stream)), 0; }
int cuStreamWaitEvent(Handle *stream, Handle *event, unsigned flags)
{
  IN_CONTEXT;
  if (flags || !event) return INVALID_VALUE;
  if (event->done) fake_enqueue(queue(stream), (Op){.kind = WAIT, .done = event->done});
  return 0;
}
int cuLaunchHostFunc(Handle *stream, void (*run)(void *), void *data) { IN_CONTEXT; return fake_wait(queue(stream)), run(data), 0; }
int cuEventCreate(Handle **out, unsigned flags) { IN_CONTEXT; (void)flags; return make(out, current->device); }
int cuEventDestroy_v2(Handle *event) { NOTE; return free(event), 0; }
int cuEventRecord(Handle *event, Handle *stream)
{
  IN_CONTEXT;
  if (device_of(stream) != event->device) return INVALID_HANDLE;
  // Whoever waits for an earlier mark still does.
  event->done = calloc(1, 1);
  return fake_enqueue(queue(stream), (Op){.kind = RECORD, .done = event->done}), 0;
}
int cuEventQuery(Handle *event) { NOTE; return event->done && !*event->done ? NOT_READY : 0; }
int cuEventSynchronize(Handle *event) { NOTE; return fake_wait_event(event), 0; }
int cuEventElapsedTime(float *out, Handle *start, Handle *end) { NOTE; (void)start, (void)end; return *out = 0, 0; }

int cuModuleLoadData(void **out, const void *image) { NOTE; (void)image; return *out = &contexts, 0; }
int cuModuleGetFunction(void **out, void *module, const char *name) { NOTE; (void)name; return *out = module, 0; }
int cuTensorMapEncodeTiled(void) { NOTE; return 1; }
int cuFuncSetAttribute(void *function, int which, int value) { NOTE; (void)function, (void)which, (void)value; return 0; }
int cuFuncGetAttribute(int *out, int which, void *function) { NOTE; (void)which, (void)function; return *out = 1024, 0; }
typedef struct { unsigned numbers[7]; Handle *stream; } Launch;
int cuLaunchKernelEx(const Launch *launch, void *function, void **arguments, void **extra)
{
  IN_CONTEXT;
  (void)function, (void)extra;
  Op op = {.kind = REDUCE};
  memcpy(op.arguments, arguments[0], sizeof op.arguments);
  return fake_enqueue(queue(launch->stream), op), 0;
}
