// A CUDA driver of two devices whose memory is the host's and whose work is done when a call returns: enough of it for
// the tests of the host side. It refuses what the driver refuses: no or the wrong context, foreign handles, memory it
// does not know. `store` and `spin`, the tests' kernels, work; `store` to a low address loses the device, as on a GPU.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long u64;
typedef unsigned u32;
enum { DEVICES = 2, HOST = 1, DEVICE = 2, MANAGED = 3, RANGES = 65536 };
enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_IMAGE = 200 };
enum { INVALID_CONTEXT = 201, INVALID_HANDLE = 400, ILLEGAL_ADDRESS = 700, ALREADY_ENABLED = 704 };
enum { ALREADY_REGISTERED = 712, NOT_REGISTERED = 713 };
static const u64 TOTAL = 8ull << 30;

typedef struct {
  intptr_t context;
  double ms;
  int timing, recorded;
} Object;
typedef struct {
  u64 start, bytes;
  int kind, device, live;
} Range;

static int initialised, fault[DEVICES + 1], peers[DEVICES + 1][DEVICES + 1];
static u64 used[DEVICES + 1], reserved[DEVICES + 1];
static Range ranges[RANGES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread intptr_t context; // device + 1

#define ENTER                                                                                                          \
  if (!initialised) return NOT_INITIALIZED;                                                                            \
  if (!context) return INVALID_CONTEXT;                                                                                \
  if (fault[context]) return fault[context];

static Range *find(u64 p)
{
  for (int i = 0; i < RANGES && ranges[i].start; i++)
    if (ranges[i].live && p >= ranges[i].start && p < ranges[i].start + ranges[i].bytes) return &ranges[i];
  return NULL;
}
static void add(u64 start, u64 bytes, int kind, int device)
{
  pthread_mutex_lock(&lock);
  int i = 0;
  while (ranges[i].live) i++;
  ranges[i] = (Range){start, bytes, kind, device, 1};
  pthread_mutex_unlock(&lock);
}
// Forget a range that starts here; -1 if there is none of this kind.
static int drop(u64 start, int kind, u64 *bytes)
{
  pthread_mutex_lock(&lock);
  Range *range = find(start);
  int device = range && range->start == start && range->kind == kind ? range->device : -1;
  if (device >= 0) {
    *bytes = range->bytes;
    range->live = 0;
  }
  pthread_mutex_unlock(&lock);
  return device;
}
static int foreign(const Object *object) { return object && object->context != context; }

int cuInit(u32 flags) { return initialised = 1, (int)flags; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *count) { return *count = DEVICES, 0; }
int cuDeviceGet(int *device, int i) { return i < 0 || i >= DEVICES ? INVALID_DEVICE : (*device = i, 0); }
int cuDeviceGetName(char *name, int size, int device) { return snprintf(name, size, "fake device %d", device), 0; }
int cuDeviceGetUuid_v2(char *uuid, int device) { return memset(uuid, device, 16), 0; }
int cuDeviceGetPCIBusId(char *id, int size, int device) { return snprintf(id, size, "0000:%02X:00.0", device), 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = TOTAL, 0; }
int cuDeviceGetAttribute(int *value, int which, int device)
{
  *value = which == 97 ? 232448 : which == 16 ? 132 : 1; // shared bytes, multiprocessors, yes
  return device < DEVICES ? 0 : INVALID_DEVICE;
}
int cuDeviceCanAccessPeer(int *can, int a, int b) { return *can = a != b, 0; }
int cuDevicePrimaryCtxRetain(intptr_t *out, int device) { return *out = device + 1, 0; }
int cuCtxGetCurrent(intptr_t *out) { return *out = context, 0; }
int cuCtxSetCurrent(intptr_t to) { return context = to, 0; }
int cuCtxSynchronize(void)
{
  ENTER return 0;
}
int cuCtxEnablePeerAccess(intptr_t other, u32 flags)
{
  ENTER if (flags) return INVALID_VALUE;
  if (peers[context][other]) return ALREADY_ENABLED;
  return peers[context][other] = 1, 0;
}

// A pool's handle is 100 and its context's.
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
  ENTER *total = TOTAL;
  return *free_bytes = TOTAL - reserved[context], 0;
}
int cuMemPoolCreate(intptr_t *pool, const int *properties) // allocation type, handle types, location type, location
{
  if (properties[0] != 1 || properties[1] != 0 || properties[2] != 1) return INVALID_VALUE;
  return *pool = 101 + properties[3], 0;
}
int cuMemPoolSetAttribute(intptr_t pool, int which, void *value) { return pool > 100 && which && value ? 0 : INVALID_VALUE; }
int cuMemPoolGetAttribute(intptr_t pool, int which, u64 *value)
{
  return which == 5 ? (*value = reserved[pool - 100], 0) : INVALID_VALUE;
}
int cuMemPoolTrimTo(intptr_t pool, size_t keep)
{
  u64 least = used[pool - 100] > keep ? used[pool - 100] : keep;
  if (reserved[pool - 100] > least) reserved[pool - 100] = least;
  return 0;
}
int cuMemPoolSetAccess(intptr_t pool, const int *access, size_t count) // location type, location, flags
{
  return access[0] == 1 && access[1] + 101 != pool && count == 1 ? 0 : INVALID_VALUE;
}
int cuMemAllocFromPoolAsync(u64 *out, size_t bytes, intptr_t pool, Object *stream)
{
  ENTER void *p;
  if (foreign(stream) || pool != context + 100) return INVALID_VALUE;
  if (used[context] + bytes > TOTAL || posix_memalign(&p, 512, bytes)) return OUT_OF_MEMORY;
  u64 now = __sync_add_and_fetch(&used[context], bytes);
  if (now > reserved[context]) reserved[context] = now;
  add(*out = (u64)p, bytes, DEVICE, (int)context - 1);
  return 0;
}
int cuMemFreeAsync(u64 p, Object *stream)
{
  ENTER u64 bytes;
  int device = foreign(stream) ? -1 : drop(p, DEVICE, &bytes);
  if (device < 0) return INVALID_VALUE;
  __sync_fetch_and_sub(&used[device + 1], bytes);
  return free((void *)p), 0;
}
int cuMemAllocManaged(u64 *out, size_t bytes, u32 flags)
{
  ENTER void *p;
  if (flags != 1 || posix_memalign(&p, 4096, bytes)) return INVALID_VALUE;
  return add(*out = (u64)p, bytes, MANAGED, (int)context - 1), 0;
}
int cuMemFree_v2(u64 p)
{
  ENTER u64 bytes;
  return drop(p, MANAGED, &bytes) < 0 ? INVALID_VALUE : (free((void *)p), 0);
}
int cuMemAdvise(u64 p, size_t bytes, int advice, int device)
{
  ENTER return find(p) && bytes && advice && device < DEVICES ? 0 : INVALID_VALUE;
}
int cuMemPrefetchAsync(u64 p, size_t bytes, int device, Object *stream)
{
  ENTER return find(p) && bytes && device < DEVICES && !foreign(stream) ? 0 : INVALID_VALUE;
}
int cuMemHostAlloc(void **out, size_t bytes, u32 flags)
{
  ENTER if (flags != 1 || posix_memalign(out, 4096, bytes)) return INVALID_VALUE; // portable, not write-combined
  return add((u64)*out, bytes, HOST, (int)context - 1), 0;
}
int cuMemFreeHost(void *p)
{
  ENTER u64 bytes;
  return drop((u64)p, HOST, &bytes) < 0 ? INVALID_VALUE : (free(p), 0);
}
int cuMemHostRegister_v2(void *p, size_t bytes, u32 flags)
{
  ENTER if (flags != 1) return INVALID_VALUE;
  return find((u64)p) ? ALREADY_REGISTERED : (add((u64)p, bytes, HOST, (int)context - 1), 0);
}
int cuMemHostUnregister(void *p)
{
  ENTER u64 bytes;
  return drop((u64)p, HOST, &bytes) < 0 ? NOT_REGISTERED : 0;
}
int cuPointerGetAttributes(u32 count, const int *which, void **values, u64 p)
{
  if (!context) return INVALID_CONTEXT;
  pthread_mutex_lock(&lock);
  Range *range = find(p), none = {0, 0, 0, -2, 0}, *r = range ? range : &none;
  for (u32 i = 0; i < count; i++) switch (which[i]) {
    case 2: *(u32 *)values[i] = r->kind == MANAGED ? DEVICE : r->kind; break;
    case 8: *(unsigned char *)values[i] = r->kind == MANAGED; break;
    case 9: *(int *)values[i] = r->device; break;
    case 11: *(u64 *)values[i] = r->start; break;
    case 12: *(size_t *)values[i] = r->bytes; break;
    default: abort();
    }
  pthread_mutex_unlock(&lock);
  return 0;
}

#define MOVE(name, DST, SRC)                                                                                           \
  int name(DST dst, SRC src, size_t bytes, Object *stream)                                                             \
  {                                                                                                                    \
    ENTER if (foreign(stream)) return INVALID_HANDLE;                                                                  \
    return memcpy((void *)dst, (const void *)src, bytes), 0;                                                           \
  }
MOVE(cuMemcpyHtoDAsync_v2, u64, const void *)
MOVE(cuMemcpyDtoHAsync_v2, void *, u64)
MOVE(cuMemcpyDtoDAsync_v2, u64, u64)
int cuMemcpyPeerAsync(u64 dst, intptr_t to, u64 src, intptr_t from, size_t bytes, Object *stream)
{
  ENTER Range *d = find(dst), *s = find(src);
  if (foreign(stream) || !d || !s || d->device + 1 != to || s->device + 1 != from) return INVALID_VALUE;
  return memcpy((void *)dst, (const void *)src, bytes), 0;
}
int cuMemsetD8Async(u64 dst, unsigned char value, size_t bytes, Object *stream)
{
  ENTER if (foreign(stream)) return INVALID_HANDLE;
  return memset((void *)dst, value, bytes), 0;
}

static int make(Object **out, int timing)
{
  ENTER *out = calloc(1, sizeof(Object)); // never freed, so that late use is seen
  **out = (Object){context, 0, timing, 0};
  return 0;
}
static int destroy(Object *object)
{
  ENTER if (object->context < 0) return INVALID_HANDLE;
  return object->context = -1, 0;
}
int cuStreamCreate(Object **stream, u32 flags) { return flags > 1 ? INVALID_VALUE : make(stream, 0); }
int cuStreamDestroy_v2(Object *stream) { return destroy(stream); }
int cuStreamSynchronize(Object *stream)
{
  ENTER return foreign(stream) ? INVALID_HANDLE : 0;
}
int cuLaunchHostFunc(Object *stream, void (*function)(void *), void *data)
{
  ENTER if (foreign(stream)) return INVALID_HANDLE;
  return function(data), 0;
}
int cuStreamWaitEvent(Object *stream, Object *event, u32 flags)
{
  ENTER return event->context < 0 || foreign(stream) || flags ? INVALID_HANDLE : 0;
}
int cuEventCreate(Object **event, u32 flags) { return make(event, !(flags & 2)); }
int cuEventDestroy_v2(Object *event) { return destroy(event); }
int cuEventRecord(Object *event, Object *stream)
{
  ENTER if (foreign(event) || foreign(stream)) return INVALID_HANDLE;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  event->ms = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
  return event->recorded = 1, 0;
}
int cuEventQuery(Object *event)
{
  ENTER return event->context < 0 ? INVALID_HANDLE : 0;
}
int cuEventSynchronize(Object *event) { return cuEventQuery(event); }
int cuEventElapsedTime(float *ms, Object *start, Object *end)
{
  ENTER if (!start->timing || !end->timing || !start->recorded || !end->recorded) return INVALID_HANDLE;
  return *ms = (float)(end->ms - start->ms), 0;
}

int cuModuleLoadData(const char **module, const char *image)
{
  ENTER *module = image;
  return *(const u32 *)image == 0xba55ed50 || strstr(image, ".version") ? 0 : INVALID_IMAGE;
}
int cuModuleGetFunction(char **function, const char *module, const char *name)
{
  ENTER return *function = strdup(name), module ? 0 : INVALID_HANDLE;
}
int cuFuncSetAttribute(const char *function, int which, int value)
{
  ENTER return function && which == 8 && value >= 0 ? 0 : INVALID_VALUE;
}
int cuFuncGetAttribute(int *value, int which, const char *function)
{
  // Most threads of a block, and the architecture.
  ENTER return function && (which == 0 || which == 5) ? (*value = which ? 90 : 1024, 0) : INVALID_VALUE;
}
// `CUlaunchConfig`.
struct LaunchConfig {
  u32 grid[3], block[3], shared;
  Object *stream;
  const u32 *attributes;
  u32 count;
};
int cuLaunchKernelEx(const struct LaunchConfig *config, const char *function, void **arguments, void **extra)
{
  ENTER for (int i = 0; i < 3; i++) if (!config->grid[i] || !config->block[i]) return INVALID_VALUE;
  if (config->shared > 232448 || extra) return INVALID_VALUE;
  // None, or that the kernel may start early.
  if (config->count > 1 || (config->count && config->attributes[0] != 6)) return INVALID_VALUE;
  Object *stream = config->stream;
  if (foreign(stream)) return INVALID_HANDLE;
  if (!strcmp(function, "spin")) usleep((useconds_t)(*(u64 *)arguments[0] / 1000));
  if (!strcmp(function, "store")) {
    u64 address = *(u64 *)arguments[0];
    if (address < 4096) return fault[context] = ILLEGAL_ADDRESS, 0;
    *(u32 *)address = *(u32 *)arguments[1];
  }
  return 0;
}
