// The machine's CUDA driver with every GPU listed twice: what is done on several GPUs can be tried, with real kernels and
// streams, where there is one. A twin has its own pools, streams and events, and its GPU's context. Peers reach each
// other's memory, or not if ICICLE_TWIN_PEERS is 0.
//
//   cc -O1 -shared -fPIC -pthread -o twin/libcuda.so.1 twin_driver.c -ldl
//   LD_LIBRARY_PATH=twin ICICLE_TWIN_DRIVER=/path/to/the/real/libcuda.so.1 test-group
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
enum { INVALID_DEVICE = 101, DEVICE_ORDINAL = 9 };

static void *driver;
static int count; // real devices

static void *real(const char *name)
{
  void *found = driver ? dlsym(driver, name) : NULL;
  if (!found) fprintf(stderr, "twin_driver: the driver has no %s\n", name), abort();
  return found;
}

// What names no device is passed on as it is.
#define PASSED(name)                                                                                                   \
  static void *real_##name;                                                                                            \
  __asm__(".globl " #name "\n.type " #name ", @function\n" #name ": jmp *real_" #name "(%rip)");                      \
  __attribute__((used)) static void **slot_##name = &real_##name;
#define EACH(of)                                                                                                       \
  of(cuCtxGetCurrent) of(cuCtxSetCurrent) of(cuCtxSynchronize) of(cuDriverGetVersion) of(cuEventCreate)               \
  of(cuEventDestroy_v2) of(cuEventElapsedTime) of(cuEventQuery) of(cuEventRecord) of(cuEventSynchronize)              \
  of(cuFuncGetAttribute) of(cuFuncGetParamInfo) of(cuFuncSetAttribute) of(cuLaunchHostFunc) of(cuLaunchKernelEx)      \
  of(cuMemAllocManaged) of(cuMemFreeAsync) of(cuMemFreeHost) of(cuMemFree_v2) of(cuMemGetInfo_v2) of(cuMemHostAlloc)   \
  of(cuMemHostRegister_v2) of(cuMemHostUnregister) of(cuMemPoolGetAttribute) of(cuMemPoolSetAttribute)                \
  of(cuMemPoolTrimTo) of(cuMemcpyDtoDAsync_v2) of(cuMemcpyDtoHAsync_v2) of(cuMemcpyHtoDAsync_v2) of(cuMemcpyPeerAsync) \
  of(cuMemsetD8Async) of(cuModuleGetFunction) of(cuModuleLoadData) of(cuStreamCreateWithPriority) of(cuStreamDestroy_v2)          \
  of(cuStreamSynchronize) of(cuStreamWaitEvent) of(cuTensorMapEncodeTiled)
EACH(PASSED)

__attribute__((constructor)) static void open_driver(void)
{
  const char *path = getenv("ICICLE_TWIN_DRIVER");
  driver = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!driver) fprintf(stderr, "twin_driver: ICICLE_TWIN_DRIVER: %s\n", path ? dlerror() : "not set"), abort();
#define RESOLVE(name) real_##name = real(#name);
  EACH(RESOLVE)
}

int cuInit(unsigned flags)
{
  int code = ((int (*)(unsigned))real("cuInit"))(flags);
  return code ? code : ((int (*)(int *))real("cuDeviceGetCount"))(&count);
}
int cuDeviceGetCount(int *out) { return *out = 2 * count, 0; }
int cuDeviceGet(int *out, int ordinal) { return ordinal < 0 || ordinal >= 2 * count ? INVALID_DEVICE : (*out = ordinal, 0); }

// A device comes last, and is its GPU.
#define OF_DEVICE(name, parameters, arguments, types)                                                                  \
  int name parameters { return ((int(*) types)real(#name))arguments; }
OF_DEVICE(cuDeviceGetAttribute, (int *out, int which, int device), (out, which, device % count), (int *, int, int))
OF_DEVICE(cuDeviceGetName, (char *out, int room, int device), (out, room, device % count), (char *, int, int))
OF_DEVICE(cuDeviceGetPCIBusId, (char *out, int room, int device), (out, room, device % count), (char *, int, int))
OF_DEVICE(cuDeviceTotalMem_v2, (size_t *out, int device), (out, device % count), (size_t *, int))
OF_DEVICE(cuDevicePrimaryCtxRetain, (void **out, int device), (out, device % count), (void **, int))

// Twins are told apart.
int cuDeviceGetUuid_v2(char *out, int device)
{
  int code = ((int (*)(char *, int))real("cuDeviceGetUuid_v2"))(out, device % count);
  if (!code) out[15] ^= (char)(device / count);
  return code;
}

static int peers(void)
{
  const char *said = getenv("ICICLE_TWIN_PEERS");
  return !said || strcmp(said, "0");
}
int cuDeviceCanAccessPeer(int *out, int from, int to) { return *out = from != to && peers(), 0; }
int cuCtxEnablePeerAccess(void *context, unsigned flags) { return (void)context, (void)flags, 0; }

typedef struct { int type, id; } Location;
typedef struct { int kind, handles; Location location; void *security; size_t most; unsigned char rest[56]; } Pool;
typedef struct { Location location; int flags; } Access;

// Whose a pool is, and what was allocated from it.
enum { MOST = 1 << 16 };
static struct { u64 start, bytes; int device; } ranges[MOST];
static struct { void *pool; int device; } pools[64];
static int range_count, pool_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int cuMemPoolCreate(void **out, const Pool *wanted)
{
  Pool pool = *wanted;
  pool.location.id %= count;
  int code = ((int (*)(void **, const Pool *))real("cuMemPoolCreate"))(out, &pool);
  pthread_mutex_lock(&mutex);
  if (!code && pool_count < 64) pools[pool_count].pool = *out, pools[pool_count++].device = wanted->location.id;
  pthread_mutex_unlock(&mutex);
  return code;
}
// All twins share memory; whether another may reach it is not checked.
int cuMemPoolSetAccess(void *pool, const Access *access, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    Access one = access[i];
    int owner = 0;
    one.location.id %= count;
    for (int p = 0; p < pool_count; p++) owner = pools[p].pool == pool ? pools[p].device : owner;
    if (owner % count == one.location.id) continue;
    int code = ((int (*)(void *, const Access *, size_t))real("cuMemPoolSetAccess"))(pool, &one, 1);
    if (code) return code;
  }
  return 0;
}
int cuMemAllocFromPoolAsync(u64 *out, size_t bytes, void *pool, void *stream)
{
  int code = ((int (*)(u64 *, size_t, void *, void *))real("cuMemAllocFromPoolAsync"))(out, bytes, pool, stream);
  if (code) return code;
  pthread_mutex_lock(&mutex);
  int at = 0, device = 0;
  for (int p = 0; p < pool_count; p++) device = pools[p].pool == pool ? pools[p].device : device;
  // What lay there before is gone.
  while (at < range_count && (ranges[at].start >= *out + bytes || ranges[at].start + ranges[at].bytes <= *out)) at++;
  if (at < MOST) {
    ranges[at].start = *out, ranges[at].bytes = bytes, ranges[at].device = device;
    if (at == range_count) range_count++;
    for (int i = at + 1; i < range_count; i++)
      if (ranges[i].start < *out + bytes && ranges[i].start + ranges[i].bytes > *out) ranges[i] = ranges[--range_count], i--;
  }
  pthread_mutex_unlock(&mutex);
  return 0;
}
int cuPointerGetAttributes(unsigned n, int *which, void **out, u64 address)
{
  int code = ((int (*)(unsigned, int *, void **, u64))real("cuPointerGetAttributes"))(n, which, out, address);
  pthread_mutex_lock(&mutex);
  for (int i = 0; !code && i < range_count; i++)
    if (address >= ranges[i].start && address - ranges[i].start < ranges[i].bytes)
      for (unsigned k = 0; k < n; k++)
        if (which[k] == DEVICE_ORDINAL) *(int *)out[k] = ranges[i].device;
  pthread_mutex_unlock(&mutex);
  return code;
}

// A device is an argument where one is meant, negative for the host.
int cuMemAdvise(u64 address, size_t bytes, int advice, int device)
{
  return ((int (*)(u64, size_t, int, int))real("cuMemAdvise"))(address, bytes, advice, device < 0 ? device : device % count);
}
int cuMemPrefetchAsync(u64 address, size_t bytes, int device, void *stream)
{
  device = device < 0 ? device : device % count;
  return ((int (*)(u64, size_t, int, void *))real("cuMemPrefetchAsync"))(address, bytes, device, stream);
}
