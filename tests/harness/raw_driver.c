/* Functions for tests that send requests to the worker in the raw form; all return an int32_t. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

typedef void callback_vp(void *);
typedef void callback_vpp(void *, void *);
typedef void callback_vpip(void *, int32_t, void *);
typedef void callback_vpupp(void *, uint32_t, void *, void *);
typedef void callback_vpppp(void *, void *, size_t, void *);

enum { MAX_THREADS = 16 };

/* Invoke a callback of a signature, in the order of callbacks.c. */
int32_t invoke(void *function, size_t signature, void *pointer) {
  switch (signature) {
    case 0: ((callback_vp *)function)(pointer); return 0;
    case 1: ((callback_vpp *)function)(pointer, pointer); return 0;
    case 2: ((callback_vpip *)function)(pointer, -7, pointer); return 0;
    case 3: ((callback_vpupp *)function)(pointer, 2, pointer, pointer); return 0;
    case 4: ((callback_vpppp *)function)(pointer, pointer, 3, pointer); return 0;
  }
  return -1;
}

static void *invoke_often(void *function) {
  for (int i = 0; i < 50; i++) ((callback_vpip *)function)("text", i, NULL);
  return NULL;
}

/* Invoke a callback 50 times on each of some threads at once. */
int32_t invoke_on_threads(void *function, size_t count, void *unused) {
  (void)unused;
  pthread_t threads[MAX_THREADS];
  for (size_t i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, invoke_often, function)) return -1;
  for (size_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
  return (int32_t)count;
}

static void *invoke_late(void *function) {
  usleep(20000);
  ((callback_vpip *)function)("late", 5, NULL);
  return NULL;
}

/* Invoke a callback on a thread after the call has returned. */
int32_t invoke_later(void *function, size_t unused, void *unused_too) {
  (void)unused, (void)unused_too;
  pthread_t thread;
  if (pthread_create(&thread, NULL, invoke_late, function)) return -1;
  return pthread_detach(thread);
}

/* Write some bytes of ones from an address on. */
int32_t fill(void *to, size_t size, void *unused) {
  (void)unused;
  memset(to, 1, size);
  return 3;
}

/* Change a byte before an address. */
int32_t write_before(void *to, size_t distance, void *unused) {
  (void)unused;
  ((uint8_t *)to)[-(ptrdiff_t)distance] ^= 0xFF;
  return 0;
}

/* The sum of bytes, each of which is read. */
int32_t sum(void *from, size_t size, void *unused) {
  (void)unused;
  int32_t found = 0;
  for (size_t i = 0; i < size; i++) found += ((uint8_t *)from)[i];
  return found;
}

/* Follow the pointers at the starts of nested blocks; return the byte at the end. */
int32_t follow(void *block, size_t depth, void *unused) {
  (void)unused;
  for (size_t i = 0; i < depth; i++) block = *(void **)block;
  return *(uint8_t *)block;
}

static uint8_t *kept;

/* Keep an address for later calls, and write ones to it. */
int32_t keep(void *memory, size_t size, void *unused) {
  (void)unused;
  kept = memory;
  memset(kept, 1, size);
  return 0;
}

/* Write to the address that was kept, as an enqueued command does. */
int32_t write_kept(void *unused, size_t size, void *unused_too) {
  (void)unused, (void)unused_too;
  memset(kept, 2, size);
  return kept[size - 1];
}

/* Return after some time. */
int32_t wait_some(void *unused, size_t microseconds, void *unused_too) {
  (void)unused, (void)unused_too;
  usleep((useconds_t)microseconds);
  return 0;
}

/* End the thread, so that the call never returns. */
int32_t end_thread(void *unused, size_t unused_number, void *unused_too) {
  (void)unused, (void)unused_number, (void)unused_too;
  pthread_exit(NULL);
}
