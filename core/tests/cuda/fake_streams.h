// Streams that put work off as long as they may: it is done when somebody waits for it, or for what comes after it, and
// in no other order than CUDA's rules ask for. So what the host's side forgets to wait for has not happened yet.
#pragma once
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long u64;
typedef unsigned u32;
enum { MOST_DEVICES = 8, HOST = 1, DEVICE = 2, MANAGED = 3, RANGES = 65536 };
enum { ILLEGAL_ADDRESS = 700 };

// Streams and events are never freed, so that late use is seen: then the context is -1.
typedef struct Stream Stream;
typedef struct {
  intptr_t context;
  int timing;
  double ms;
  Stream *stream; // of the last record, and its place there
  u64 order;
} Event;
typedef enum { COPY, FILL, STORE, SPIN, CALL, RECORD, WAIT, FREE } Kind;
typedef struct Work {
  Kind kind;
  u64 to, from, bytes; // or, of STORE and SPIN, address and value, nanoseconds
  int to_known, from_known; // COPY: whether these must be memory that some call gave, when it is done
  void *kept;               // what was read of a source at the call
  void (*function)(void *);
  void *data;
  Event *event;
  Stream *other; // WAIT: until this work of that stream
  u64 until, order;
  struct Work *next;
} Work;
struct Stream {
  intptr_t context;
  int blocking;
  u64 done, enqueued; // the last work that is done; how much there was in all
  Work *first, *last;
  Stream *next;
};
typedef struct {
  u64 start, bytes;
  int kind, device, live;
} Range;

static Range ranges[RANGES];
static int fault[MOST_DEVICES + 1], peers[MOST_DEVICES + 1][MOST_DEVICES + 1];
static u64 used[MOST_DEVICES + 1];
static Stream defaults[MOST_DEVICES + 1], *streams;
static u64 orders;

static Range *find(u64 p)
{
  for (int i = 0; i < RANGES && ranges[i].start; i++)
    if (ranges[i].live && p >= ranges[i].start && p < ranges[i].start + ranges[i].bytes) return &ranges[i];
  return NULL;
}
// Whether all of it is memory that some call gave, and has not taken back.
static Range *known(u64 p, u64 bytes)
{
  Range *range = find(p);
  return range && p + bytes <= range->start + range->bytes ? range : NULL;
}
static void add(u64 start, u64 bytes, int kind, int device)
{
  int i = 0;
  while (ranges[i].live) i++;
  ranges[i] = (Range){start, bytes, kind, device, 1};
}
// Forget a range that starts here; -1 if there is none of this kind.
static int drop(u64 start, int kind, u64 *bytes)
{
  Range *range = find(start);
  if (!range || range->start != start || range->kind != kind) return -1;
  *bytes = range->bytes;
  range->live = 0;
  return range->device;
}

static void run(Stream *stream, u64 until);

static void do_work(const Work *work, intptr_t context)
{
  Range *range;
  u64 bytes;
  struct timespec now;
  switch (work->kind) {
  case COPY:
    if ((work->to_known && !known(work->to, work->bytes)) || (work->from_known && !known(work->from, work->bytes)))
      fault[context] = ILLEGAL_ADDRESS;
    else
      memmove((void *)work->to, work->kept ? work->kept : (void *)work->from, work->bytes);
    break;
  case FILL:
    if (!known(work->to, work->bytes))
      fault[context] = ILLEGAL_ADDRESS;
    else
      memset((void *)work->to, (int)work->from, work->bytes);
    break;
  case STORE:
    range = known(work->to, 4);
    // Memory of another device is reached where that was allowed.
    if (!range || (range->kind == DEVICE && range->device + 1 != context && !peers[context][range->device + 1]))
      fault[context] = ILLEGAL_ADDRESS;
    else
      *(u32 *)work->to = (u32)work->from;
    break;
  case SPIN: usleep((useconds_t)(work->bytes / 1000)); break;
  case CALL: work->function(work->data); break;
  case RECORD:
    clock_gettime(CLOCK_MONOTONIC, &now);
    work->event->ms = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
    break;
  case WAIT: run(work->other, work->until); break;
  case FREE:
    used[drop(work->to, DEVICE, &bytes) + 1] -= work->bytes;
    free((void *)work->to);
    break;
  }
  free(work->kept);
}

// Do a stream's work up to a place in the order of all calls, and before each what it must come after: the default
// stream and those that block wait for each other.
static void run(Stream *stream, u64 until)
{
  while (stream->first && stream->first->order <= until) {
    Work *work = stream->first;
    stream->first = work->next;
    if (!stream->first) stream->last = NULL;
    if (stream == &defaults[stream->context]) {
      for (Stream *other = streams; other; other = other->next)
        if (other->blocking && other->context == stream->context) run(other, work->order);
    } else if (stream->blocking) {
      run(&defaults[stream->context], work->order);
    }
    do_work(work, stream->context);
    stream->done = work->order;
    free(work);
  }
}
static void run_all(intptr_t context)
{
  run(&defaults[context], ~0ull);
  for (Stream *stream = streams; stream; stream = stream->next)
    if (stream->context == context) run(stream, ~0ull);
}

static u64 enqueue(Stream *stream, Work work)
{
  Work *last = malloc(sizeof work);
  *last = work;
  last->order = ++orders;
  last->next = NULL;
  *(stream->last ? &stream->last->next : &stream->first) = last;
  stream->last = last;
  stream->enqueued++;
  return last->order;
}
static int passed(const Event *event) { return !event->stream || event->stream->done >= event->order; }
