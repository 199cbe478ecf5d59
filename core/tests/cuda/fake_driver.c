// A CUDA driver whose device memory is the host's, of as many devices as ICICLE_FAKE_DEVICES says (2 if unset): enough of
// it for the tests of the host side. It does work as late as the rules of streams allow (`fake_streams.h`), and refuses
// what the driver refuses: no or the wrong context, foreign and destroyed handles, memory it does not know. `store` and
// `spin`, the tests' kernels, work; `store` to an address that is nobody's loses the device, as on a GPU.
#define _GNU_SOURCE
#include "fake_streams.h"
#include <stdio.h>

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_IMAGE = 200 };
enum { INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_READY = 600, ALREADY_ENABLED = 704 };
enum { ALREADY_REGISTERED = 712, NOT_REGISTERED = 713 };
static const u64 TOTAL = 8ull << 30;

static int initialised, device_count;
static u64 reserved[MOST_DEVICES + 1], live_events[MOST_DEVICES + 1];
static pthread_mutex_t mutex;
static __thread intptr_t context; // device + 1

static pthread_mutex_t *locked(void) { return pthread_mutex_lock(&mutex), &mutex; }
static void unlock(pthread_mutex_t **held) { pthread_mutex_unlock(*held); }
// One call at a time, to the end of the function.
#define LOCK                                                                                                           \
  pthread_mutex_t *held __attribute__((cleanup(unlock))) = locked();                                                   \
  (void)held;
#define ENTER                                                                                                          \
  if (!initialised) return NOT_INITIALIZED;                                                                            \
  if (!context) return INVALID_CONTEXT;                                                                                \
  LOCK if (fault[context]) return fault[context];

// The stream that is meant, of this context; none if it is another's or gone.
static Stream *own(Stream *stream)
{
  stream = stream ? stream : &defaults[context];
  return stream->context == context ? stream : NULL;
}
static int bad(const Event *event) { return !event || event->context <= 0; }

// For the tests: how many live objects of a kind a device has, and how much work was ever given to a stream.
u64 fake_live(const char *what, int device)
{
  LOCK u64 count = 0;
  int kind = !strcmp(what, "allocations") ? DEVICE : !strcmp(what, "page-locked") ? HOST : !strcmp(what, "managed") ? MANAGED : 0;
  if (!strcmp(what, "events")) return live_events[device + 1];
  for (Stream *stream = streams; stream; stream = stream->next) count += !kind && stream->context == device + 1;
  for (int i = 0; kind && i < RANGES && ranges[i].start; i++)
    count += ranges[i].live && ranges[i].kind == kind && ranges[i].device == device;
  return count;
}
u64 fake_enqueued(Stream *stream, int device)
{
  LOCK return (stream ? stream : &defaults[device + 1])->enqueued;
}

int cuInit(u32 flags)
{
  const char *count = getenv("ICICLE_FAKE_DEVICES");
  device_count = count ? atoi(count) : 2;
  if (device_count < 0 || device_count > MOST_DEVICES) return INVALID_VALUE;
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &recursive);
  for (int i = 0; i <= MOST_DEVICES; i++) defaults[i].context = i;
  return initialised = 1, (int)flags;
}
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *count) { return *count = device_count, 0; }
int cuDeviceGet(int *device, int i) { return i < 0 || i >= device_count ? INVALID_DEVICE : (*device = i, 0); }
int cuDeviceGetName(char *name, int size, int device) { return snprintf(name, size, "fake device %d", device), 0; }
int cuDeviceGetUuid_v2(char *uuid, int device) { return memset(uuid, device, 16), 0; }
int cuDeviceGetPCIBusId(char *id, int size, int device) { return snprintf(id, size, "0000:%02X:00.0", device), 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = TOTAL, 0; }
int cuDeviceGetAttribute(int *value, int which, int device)
{
  *value = which == 97 ? 232448 : which == 16 ? 132 : 1; // shared bytes, multiprocessors, yes
  return device < device_count ? 0 : INVALID_DEVICE;
}
int cuDeviceCanAccessPeer(int *can, int a, int b) { return *can = a != b, 0; }
int cuDevicePrimaryCtxRetain(intptr_t *out, int device) { return *out = device + 1, 0; }
int cuCtxGetCurrent(intptr_t *out) { return *out = context, 0; }
int cuCtxSetCurrent(intptr_t to) { return context = to, 0; }
int cuCtxSynchronize(void)
{
  ENTER run_all(context);
  return fault[context];
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
int cuMemAllocFromPoolAsync(u64 *out, size_t bytes, intptr_t pool, Stream *stream)
{
  ENTER void *p;
  if (!own(stream) || pool != context + 100) return INVALID_VALUE;
  if (used[context] + bytes > TOTAL || posix_memalign(&p, 512, bytes)) return OUT_OF_MEMORY;
  used[context] += bytes;
  if (used[context] > reserved[context]) reserved[context] = used[context];
  add(*out = (u64)p, bytes, DEVICE, (int)context - 1);
  return 0;
}
int cuMemFreeAsync(u64 p, Stream *stream)
{
  ENTER Range *range = find(p);
  if (!own(stream) || !range || range->start != p || range->kind != DEVICE) return INVALID_VALUE;
  return enqueue(own(stream), (Work){.kind = FREE, .to = p, .bytes = range->bytes}), 0;
}
int cuMemAllocManaged(u64 *out, size_t bytes, u32 flags)
{
  ENTER void *p;
  if (flags != 1 || posix_memalign(&p, 4096, bytes)) return INVALID_VALUE;
  return add(*out = (u64)p, bytes, MANAGED, (int)context - 1), 0;
}
// What frees or unlocks memory waits for all work.
static void run_everything(void)
{
  for (int i = 1; i <= device_count; i++) run_all(i);
}
int cuMemFree_v2(u64 p)
{
  ENTER u64 bytes;
  run_everything();
  return drop(p, MANAGED, &bytes) < 0 ? INVALID_VALUE : (free((void *)p), 0);
}
int cuMemAdvise(u64 p, size_t bytes, int advice, int device)
{
  ENTER return find(p) && bytes && advice && device < device_count ? 0 : INVALID_VALUE;
}
int cuMemPrefetchAsync(u64 p, size_t bytes, int device, Stream *stream)
{
  ENTER return find(p) && bytes && device < device_count && own(stream) ? 0 : INVALID_VALUE;
}
int cuMemHostAlloc(void **out, size_t bytes, u32 flags)
{
  ENTER if (flags != 1 || posix_memalign(out, 4096, bytes)) return INVALID_VALUE; // portable, not write-combined
  return add((u64)*out, bytes, HOST, (int)context - 1), 0;
}
int cuMemFreeHost(void *p)
{
  ENTER u64 bytes;
  run_everything();
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
  run_everything();
  return drop((u64)p, HOST, &bytes) < 0 ? NOT_REGISTERED : 0;
}
int cuPointerGetAttributes(u32 count, const int *which, void **values, u64 p)
{
  if (!context) return INVALID_CONTEXT;
  LOCK Range *range = find(p), none = {0, 0, 0, -2, 0}, *r = range ? range : &none;
  for (u32 i = 0; i < count; i++) switch (which[i]) {
    case 2: *(u32 *)values[i] = r->kind == MANAGED ? DEVICE : r->kind; break;
    case 8: *(unsigned char *)values[i] = r->kind == MANAGED; break;
    case 9: *(int *)values[i] = r->device; break;
    case 11: *(u64 *)values[i] = r->start; break;
    case 12: *(size_t *)values[i] = r->bytes; break;
    default: abort();
    }
  return 0;
}

// From pageable memory the driver reads before it returns; into pageable memory it has written when it returns.
int cuMemcpyHtoDAsync_v2(u64 dst, const void *src, size_t bytes, Stream *stream)
{
  ENTER if (!own(stream)) return INVALID_HANDLE;
  int pinned = known((u64)src, bytes) != NULL;
  if (!known(dst, bytes) || (!pinned && find((u64)src))) return INVALID_VALUE;
  Work work = {.kind = COPY, .to = dst, .from = (u64)src, .bytes = bytes, .to_known = 1, .from_known = pinned};
  if (!pinned) work.kept = memcpy(malloc(bytes), src, bytes), work.from = (u64)work.kept;
  return enqueue(own(stream), work), 0;
}
int cuMemcpyDtoHAsync_v2(void *dst, u64 src, size_t bytes, Stream *stream)
{
  ENTER if (!own(stream)) return INVALID_HANDLE;
  int pinned = known((u64)dst, bytes) != NULL;
  if (!known(src, bytes) || (!pinned && find((u64)dst))) return INVALID_VALUE;
  Work work = {.kind = COPY, .to = (u64)dst, .from = src, .bytes = bytes, .to_known = pinned, .from_known = 1};
  u64 order = enqueue(own(stream), work);
  if (!pinned) run(own(stream), order);
  return fault[context];
}
int cuMemcpyDtoDAsync_v2(u64 dst, u64 src, size_t bytes, Stream *stream)
{
  ENTER if (!own(stream)) return INVALID_HANDLE;
  if (!known(dst, bytes) || !known(src, bytes)) return INVALID_VALUE;
  Work work = {.kind = COPY, .to = dst, .from = src, .bytes = bytes, .to_known = 1, .from_known = 1};
  return enqueue(own(stream), work), 0;
}
int cuMemcpyPeerAsync(u64 dst, intptr_t to, u64 src, intptr_t from, size_t bytes, Stream *stream)
{
  LOCK Range *d = find(dst), *s = find(src);
  if (!d || !s || d->device + 1 != to || s->device + 1 != from) return INVALID_VALUE;
  return cuMemcpyDtoDAsync_v2(dst, src, bytes, stream);
}
int cuMemsetD8Async(u64 dst, unsigned char value, size_t bytes, Stream *stream)
{
  ENTER if (!own(stream)) return INVALID_HANDLE;
  if (!known(dst, bytes)) return INVALID_VALUE;
  return enqueue(own(stream), (Work){.kind = FILL, .to = dst, .from = value, .bytes = bytes}), 0;
}

int cuStreamCreateWithPriority(Stream **stream, u32 flags, int priority)
{
  ENTER if (flags > 1 || priority > 0) return INVALID_VALUE;
  *stream = calloc(1, sizeof **stream);
  **stream = (Stream){.context = context, .blocking = !flags, .next = streams};
  return streams = *stream, 0;
}
int cuStreamDestroy_v2(Stream *stream)
{
  ENTER if (!stream || stream->context != context) return INVALID_HANDLE;
  run(stream, ~0ull);
  Stream **at = &streams;
  while (*at != stream) at = &(*at)->next;
  *at = stream->next;
  return stream->context = -1, fault[context];
}
int cuStreamSynchronize(Stream *stream)
{
  ENTER if (!own(stream)) return INVALID_HANDLE;
  // The default stream's past has what blocks before it.
  u64 now = orders;
  if (!stream)
    for (Stream *other = streams; other; other = other->next)
      if (other->blocking && other->context == context) run(other, now);
  run(own(stream), now);
  return fault[context];
}
int cuLaunchHostFunc(Stream *stream, void (*function)(void *), void *data)
{
  ENTER if (!own(stream)) return INVALID_HANDLE;
  return enqueue(own(stream), (Work){.kind = CALL, .function = function, .data = data}), 0;
}
int cuStreamWaitEvent(Stream *stream, Event *event, u32 flags)
{
  ENTER if (bad(event) || !own(stream) || flags) return INVALID_HANDLE;
  if (event->stream) enqueue(own(stream), (Work){.kind = WAIT, .other = event->stream, .until = event->order});
  return 0;
}
int cuEventCreate(Event **event, u32 flags)
{
  ENTER *event = calloc(1, sizeof **event);
  **event = (Event){.context = context, .timing = !(flags & 2)};
  return live_events[context]++, 0;
}
int cuEventDestroy_v2(Event *event)
{
  ENTER if (bad(event)) return INVALID_HANDLE;
  live_events[event->context]--;
  return event->context = -1, 0;
}
int cuEventRecord(Event *event, Stream *stream)
{
  // An event is recorded on a stream of its own device only.
  ENTER if (bad(event) || event->context != context || !own(stream)) return INVALID_HANDLE;
  event->order = enqueue(own(stream), (Work){.kind = RECORD, .event = event});
  return event->stream = own(stream), 0;
}
int cuEventQuery(Event *event)
{
  ENTER if (bad(event)) return INVALID_HANDLE;
  if (passed(event)) return 0;
  // A device gets on with its work while it is asked.
  return run(event->stream, event->stream->first->order), NOT_READY;
}
int cuEventSynchronize(Event *event)
{
  ENTER if (bad(event)) return INVALID_HANDLE;
  if (event->stream) run(event->stream, event->order);
  return fault[context];
}
int cuEventElapsedTime(float *ms, Event *start, Event *end)
{
  ENTER if (bad(start) || bad(end) || start->context != end->context) return INVALID_HANDLE;
  if (!start->timing || !end->timing || !start->stream || !end->stream) return INVALID_HANDLE;
  if (!passed(start) || !passed(end)) return NOT_READY;
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
int cuTensorMapEncodeTiled(void)
{
  // Nothing that runs here has tiles copied.
  ENTER return INVALID_VALUE;
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
  Stream *stream;
  const u32 *attributes;
  u32 count;
};
int cuLaunchKernelEx(const struct LaunchConfig *config, const char *function, void **arguments, void **extra)
{
  ENTER for (int i = 0; i < 3; i++) if (!config->grid[i] || !config->block[i]) return INVALID_VALUE;
  if (config->shared > 232448 || extra) return INVALID_VALUE;
  // None, or that the kernel may start early.
  if (config->count > 1 || (config->count && config->attributes[0] != 6)) return INVALID_VALUE;
  Stream *stream = own(config->stream);
  if (!stream) return INVALID_HANDLE;
  if (!strcmp(function, "spin")) enqueue(stream, (Work){.kind = SPIN, .bytes = *(u64 *)arguments[0]});
  if (!strcmp(function, "store"))
    enqueue(stream, (Work){.kind = STORE, .to = *(u64 *)arguments[0], .from = *(u32 *)arguments[1]});
  return 0;
}
