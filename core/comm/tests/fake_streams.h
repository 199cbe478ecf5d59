// What fake_driver.c enqueues.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef uint64_t u64;
enum Kind { COPY, FILL, FREE, REDUCE, RECORD, WAIT };

typedef struct Op {
  enum Kind kind;
  void *to;
  const void *from;
  size_t bytes;
  unsigned char value;
  u64 arguments[8];
  // Whether what an event marks is done.
  volatile char *done;
  struct Op *next;
} Op;

// A context, stream, event or pool.
typedef struct {
  int device;
  // Of a stream: what is not done yet. Of an event: whether what it marked last is.
  Op *first;
  volatile char *done;
} Handle;

void fake_enqueue(Handle *stream, Op op);
void fake_wait(const Handle *stream);
void fake_wait_device(int device);
void fake_wait_event(const Handle *event);
void fake_forget(Handle *stream);
