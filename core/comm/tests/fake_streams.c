// Streams of fake_driver.c. What is enqueued is done at once; or with ICICLE_FAKE_LATE, a number, when somebody waits, and then by
// chance, of that number, in any order that streams and events allow.
#include "fake_streams.h"
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Handle *streams[MOST];
static int count, at;
static u64 seed;

__attribute__((constructor)) static void choose(void)
{
  const char *late = getenv("ICICLE_FAKE_LATE");
  seed = late ? strtoull(late, NULL, 10) * 2654435769u + 1 : 0;
}

static unsigned chance(unsigned n) { seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17; return seed % n; }

// `ranks::reduce` of kernels/array/ranks.cuh, sums of bytes.
static void reduce(const u64 *a)
{
  const unsigned char *own = (void *)a[0], *slots = (void *)a[1];
  unsigned char *out = (void *)a[5];
  u64 stride = a[2], size = a[4], n = a[6];
  for (u64 i = 0; i < n; ++i) {
    unsigned char sum = own[i];
    for (u64 other = 0; other + 1 < size; ++other) sum += slots[other * stride + i];
    out[i] = sum;
  }
}

static void perform(const Op *op)
{
  switch (op->kind) {
    case COPY: memmove(op->to, op->from, op->bytes); break;
    case FILL: memset(op->to, op->value, op->bytes); break;
    // Whoever uses it later is to see that.
    case FREE: memset(op->to, 0xee, malloc_usable_size(op->to)), free(op->to); break;
    case REDUCE: reduce(op->arguments); break;
    case RECORD: *op->done = 1; break;
    case WAIT: break;
  }
}

static int is_ready(const Handle *stream) { return stream->first && (stream->first->kind != WAIT || *stream->first->done); }

// Do something that may be done next.
static void step(void)
{
  // Streams run ahead of each other.
  if (chance(8) == 0) at = chance(count);
  for (int i = 0; i < count; ++i, at = (at + 1) % count) {
    Handle *stream = streams[at];
    if (!is_ready(stream)) continue;
    Op *op = stream->first;
    stream->first = op->next;
    perform(op);
    free(op);
    return;
  }
  fprintf(stderr, "fake_streams: streams wait for each other\n");
  abort();
}

static void known(Handle *stream)
{
  for (int i = 0; i < count; ++i) if (streams[i] == stream) return;
  if (count == MOST) abort();
  streams[count++] = stream;
}

void fake_enqueue(Handle *stream, Op op)
{
  if (!seed) {
    perform(&op);
    return;
  }
  pthread_mutex_lock(&lock);
  known(stream);
  Op *made = malloc(sizeof *made), **end = &stream->first;
  *made = op;
  made->next = NULL;
  while (*end) end = &(*end)->next;
  *end = made;
  pthread_mutex_unlock(&lock);
}

void fake_wait(const Handle *stream)
{
  pthread_mutex_lock(&lock);
  while (stream->first) step();
  pthread_mutex_unlock(&lock);
}

void fake_wait_device(int device)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; ++i)
    while (streams[i]->device == device && streams[i]->first) step();
  pthread_mutex_unlock(&lock);
}

void fake_wait_event(const Handle *event)
{
  pthread_mutex_lock(&lock);
  while (event->done && !*event->done) step();
  pthread_mutex_unlock(&lock);
}

void fake_forget(Handle *stream)
{
  fake_wait(stream);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; ++i) if (streams[i] == stream) { streams[i] = streams[--count]; break; }
  at = 0;
  pthread_mutex_unlock(&lock);
}
