// NCCL on memory of the host, for tests of what is called with which arguments: communicators are ranks of one process, which
// one thread has or each its own. Streams are ignored: everything is done before a group ends.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, IN_PROGRESS = 7 };
enum { ALL_REDUCE, REDUCE, REDUCE_SCATTER, BROADCAST, ALL_GATHER, SEND, RECV };
enum { MOST = 64 };

typedef struct { char internal[128]; } Id;
typedef struct { size_t size; unsigned magic, version; int blocking; } Config;

typedef struct Op {
  struct Comm* comm;
  int kind, type, how, peer, done, result;
  const void* send;
  void* recv;
  size_t count;
  struct Op* next;
} Op;

typedef struct Clique {
  char id[128];
  int size, aborted;
  // Collectives that some ranks have not come to, the oldest first, and transfers whose other end has not.
  Op* waiting[MOST];
  Op* transfers;
  struct Clique* next;
} Clique;

typedef struct Comm {
  Clique* clique;
  int rank, blocking, polls;
} Comm;

// What fake_driver.c counts calls by, where it is linked with this.
__attribute__((weak)) void fake_call(const char* name);
static void note(const char* name) { if (fake_call) fake_call(name); }

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static Clique* cliques;
static int ids;
static _Thread_local int depth;
static _Thread_local Op* pending;
static _Thread_local Op** last;

int ncclGetVersion(int* version) { *version = 22803; return SUCCESS; }
int ncclGetUniqueId(Id* id)
{
  memset(id, 0, sizeof *id);
  pthread_mutex_lock(&lock);
  snprintf(id->internal, sizeof id->internal, "fake %d", ++ids);
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}
const char* ncclGetErrorString(int code) { return code == INVALID_USAGE ? "invalid usage" : "invalid argument"; }
const char* ncclGetLastError(Comm* comm) { (void)comm; return "fake"; }

int ncclCommInitRankConfig(Comm** out, int size, Id id, int rank, Config* config)
{
  if (config->size != 24 || config->magic != 0xcafebeef || config->version != 21400) return INVALID_ARGUMENT;
  if (rank < 0 || rank >= size || size > MOST) return INVALID_ARGUMENT;
  pthread_mutex_lock(&lock);
  Clique* clique = cliques;
  while (clique && memcmp(clique->id, id.internal, 128)) clique = clique->next;
  if (!clique) {
    clique = calloc(1, sizeof *clique);
    memcpy(clique->id, id.internal, 128);
    clique->size = size;
    clique->next = cliques;
    cliques = clique;
  }
  pthread_mutex_unlock(&lock);
  Comm* comm = calloc(1, sizeof *comm);
  *comm = (Comm){clique, rank, config->blocking, 3};
  *out = comm;
  return config->blocking ? SUCCESS : IN_PROGRESS;
}
int ncclCommFinalize(Comm* comm) { comm->polls = 3; return comm->blocking ? SUCCESS : IN_PROGRESS; }
int ncclCommDestroy(Comm* comm) { free(comm); return SUCCESS; }
int ncclCommAbort(Comm* comm)
{
  pthread_mutex_lock(&lock);
  comm->clique->aborted = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  free(comm);
  return SUCCESS;
}
int ncclCommGetAsyncError(Comm* comm, int* state)
{
  *state = !comm->blocking && comm->polls > 0 ? (--comm->polls, IN_PROGRESS) : SUCCESS;
  return SUCCESS;
}

static const size_t BYTES[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

static float bf16_to(uint16_t x) { uint32_t b = (uint32_t)x << 16; float f; memcpy(&f, &b, 4); return f; }
static uint16_t bf16_of(float f)
{
  uint32_t b;
  memcpy(&b, &f, 4);
  return f != f ? (uint16_t)(b >> 16 | 0x40) : (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
static float f16_to(uint16_t x) { _Float16 h; memcpy(&h, &x, 2); return (float)h; }
static uint16_t f16_of(float f) { _Float16 h = (_Float16)f; uint16_t x; memcpy(&x, &h, 2); return x; }

#define COMBINE(A, B) (how == 0 ? (A) + (B) : how == 1 ? (A) * (B) : how == 2 ? ((B) > (A) ? (B) : (A)) : ((B) < (A) ? (B) : (A)))
#define CASE(N, T, W, TO, OF)                                                                                          \
  case N: {                                                                                                            \
    W acc = TO(((const T*)from[0])[i]);                                                                                \
    for (int r = 1; r < size; ++r) { W x = TO(((const T*)from[r])[i]); acc = COMBINE(acc, x); }                        \
    ((T*)out)[i] = OF(acc);                                                                                            \
  } break;
static void reduce(void* out, const void** from, int size, size_t n, int type, int how)
{
  for (size_t i = 0; i < n; ++i) switch (type) {
      CASE(0, int8_t, int8_t, , ) CASE(1, uint8_t, uint8_t, , ) CASE(2, uint32_t, uint32_t, , ) CASE(3, uint32_t, uint32_t, , )
      CASE(4, uint64_t, uint64_t, , ) CASE(5, uint64_t, uint64_t, , ) CASE(6, uint16_t, float, f16_to, f16_of)
      CASE(7, float, float, , ) CASE(8, double, double, , ) CASE(9, uint16_t, float, bf16_to, bf16_of)
    }
}
// Extrema of signed numbers.
static void signed_extreme(void* out, const void** from, int size, size_t n, int type, int how)
{
  for (size_t i = 0; i < n; ++i) switch (type) {
      CASE(2, int32_t, int32_t, , ) CASE(4, int64_t, int64_t, , )
    }
}

// One operation of all ranks.
static void run(Op** ops, int size)
{
  Op* first = ops[0];
  size_t each = BYTES[first->type], bytes = first->count * each;
  int whole = first->kind == ALL_REDUCE || first->kind == REDUCE;
  if (first->kind == BROADCAST || first->kind == ALL_GATHER) {
    for (int to = 0; to < size; ++to)
      for (int r = 0; r < size; ++r) {
        if (first->kind == BROADCAST && r != first->peer) continue;
        char* at = (char*)ops[to]->recv + (first->kind == ALL_GATHER ? r * bytes : 0);
        if (at != ops[r]->send) memmove(at, ops[r]->send, bytes);
      }
    return;
  }
  size_t n = whole ? first->count : first->count * size;
  char* all = malloc(n * each + 1);
  const void* from[MOST];
  for (int r = 0; r < size; ++r) from[r] = ops[r]->send;
  if (first->how >= 2 && (first->type == 2 || first->type == 4)) {
    signed_extreme(all, from, size, n, first->type, first->how);
  } else {
    reduce(all, from, size, n, first->type, first->how);
  }
  for (int r = 0; r < size; ++r) {
    if (first->kind == REDUCE && r != first->peer) continue;
    memcpy(ops[r]->recv, all + (whole ? 0 : r * bytes), bytes);
  }
  free(all);
}

static void post(Op* op)
{
  Clique* c = op->comm->clique;
  if (op->kind == SEND || op->kind == RECV) {
    for (Op** at = &c->transfers; *at; at = &(*at)->next) {
      Op* other = *at;
      if (other->kind == op->kind || other->comm->rank != op->peer || other->peer != op->comm->rank) continue;
      *at = other->next;
      Op *send = op->kind == SEND ? op : other, *recv = op->kind == SEND ? other : op;
      op->result = other->result = send->count == recv->count ? SUCCESS : INVALID_USAGE;
      if (op->result == SUCCESS) memcpy(recv->recv, send->send, send->count * BYTES[send->type]);
      op->done = other->done = 1;
      return;
    }
    Op** end = &c->transfers;
    while (*end) end = &(*end)->next;
    op->next = NULL;
    *end = op;
    return;
  }
  Op** end = &c->waiting[op->comm->rank];
  while (*end) end = &(*end)->next;
  op->next = NULL;
  *end = op;
  Op* ops[MOST];
  for (int r = 0; r < c->size; ++r) if (!(ops[r] = c->waiting[r])) return;
  int result = SUCCESS;
  for (int r = 1; r < c->size; ++r)
    if (ops[r]->kind != ops[0]->kind || ops[r]->count != ops[0]->count || ops[r]->type != ops[0]->type ||
        ops[r]->how != ops[0]->how || ops[r]->peer != ops[0]->peer) result = INVALID_USAGE;
  if (result == SUCCESS) run(ops, c->size);
  for (int r = 0; r < c->size; ++r) {
    c->waiting[r] = ops[r]->next;
    ops[r]->result = result;
    ops[r]->done = 1;
  }
}

int ncclGroupStart(void) { note(__func__); ++depth; return SUCCESS; }
int ncclGroupEnd(void)
{
  note(__func__);
  if (--depth > 0) return SUCCESS;
  Op* ops = pending;
  pending = NULL;
  last = NULL;
  int result = SUCCESS, blocking = 1;
  Op* list[1024];
  int n = 0;
  pthread_mutex_lock(&lock);
  for (Op* op = ops; op;) {
    Op* next = op->next;
    list[n++] = op;
    if (!op->comm->blocking) blocking = 0, op->comm->polls = 3;
    post(op);
    op = next;
  }
  pthread_cond_broadcast(&changed);
  for (int i = 0; i < n; ++i) {
    while (!list[i]->done && !list[i]->comm->clique->aborted) pthread_cond_wait(&changed, &lock);
    if (!list[i]->done) result = INVALID_USAGE;
    else if (list[i]->result) result = list[i]->result;
  }
  pthread_mutex_unlock(&lock);
  return result == SUCCESS && !blocking ? IN_PROGRESS : result;
}

static int add(Op op)
{
  if (depth == 0 || op.type < 0 || op.type > 9 || op.how < 0 || op.how > 3 || !op.comm) return INVALID_ARGUMENT;
  Op* made = malloc(sizeof *made);
  *made = op;
  *(last ? last : &pending) = made;
  last = &made->next;
  return SUCCESS;
}
#define A const void* send, void* recv, size_t count
int ncclAllReduce(A, int type, int how, Comm* comm, void* stream)
{ note(__func__); (void)stream; return add((Op){comm, ALL_REDUCE, type, how, 0, 0, 0, send, recv, count, NULL}); }
int ncclReduce(A, int type, int how, int root, Comm* comm, void* stream)
{ note(__func__); (void)stream; return add((Op){comm, REDUCE, type, how, root, 0, 0, send, recv, count, NULL}); }
int ncclReduceScatter(A, int type, int how, Comm* comm, void* stream)
{ note(__func__); (void)stream; return add((Op){comm, REDUCE_SCATTER, type, how, 0, 0, 0, send, recv, count, NULL}); }
int ncclBroadcast(A, int type, int root, Comm* comm, void* stream)
{ note(__func__); (void)stream; return add((Op){comm, BROADCAST, type, 0, root, 0, 0, send, recv, count, NULL}); }
int ncclAllGather(A, int type, Comm* comm, void* stream)
{ note(__func__); (void)stream; return add((Op){comm, ALL_GATHER, type, 0, 0, 0, 0, send, recv, count, NULL}); }
int ncclSend(const void* send, size_t count, int type, int peer, Comm* comm, void* stream)
{ note(__func__); (void)stream; return add((Op){comm, SEND, type, 0, peer, 0, 0, send, NULL, count, NULL}); }
int ncclRecv(void* recv, size_t count, int type, int peer, Comm* comm, void* stream)
{ note(__func__); (void)stream; return add((Op){comm, RECV, type, 0, peer, 0, 0, NULL, recv, count, NULL}); }
