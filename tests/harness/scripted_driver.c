/* Functions that record their arguments and do what a test has scripted. The functions with an OpenCL signature are
 * generated (scripted_driver.py); each calls perform. The functions below are called by the test itself. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 16, MAX_STEPS = 16, MAX_CALLS = 64, MAX_BYTES = 1 << 16 };

struct writing { size_t argument; intptr_t offset; size_t size; uint8_t content[MAX_BYTES]; };
struct invocation { uintptr_t target; char signature[8]; size_t times; intptr_t delay; uint64_t words[4]; };

uint64_t words[MAX_WORDS];
uint8_t seen[MAX_BYTES];
uint64_t call_count, threads[MAX_CALLS];

static struct writing writings[MAX_STEPS];
static struct invocation invocations[MAX_STEPS];
static size_t writing_count, invocation_count, seen_argument, seen_size;
static uint64_t result;
static volatile int is_held;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void invoke(const struct invocation *one) {
  const uint64_t *w = one->words;
  void *f = (void *)one->target, *p0 = (void *)w[0], *p1 = (void *)w[1], *p2 = (void *)w[2], *p3 = (void *)w[3];
  for (size_t i = 0; i < one->times; i++) {
    if (!strcmp(one->signature, "vp")) ((void (*)(void *))f)(p0);
    else if (!strcmp(one->signature, "vpp")) ((void (*)(void *, void *))f)(p0, p1);
    else if (!strcmp(one->signature, "vpip")) ((void (*)(void *, int32_t, void *))f)(p0, (int32_t)w[1], p2);
    else if (!strcmp(one->signature, "vpupp")) ((void (*)(void *, uint32_t, void *, void *))f)(p0, (uint32_t)w[1], p2, p3);
    else if (!strcmp(one->signature, "vpppp")) ((void (*)(void *, void *, size_t, void *))f)(p0, p1, (size_t)w[2], p3);
    else abort();
  }
}

static void *invoke_later(void *context) {
  struct invocation *one = context;
  usleep((useconds_t)one->delay);
  invoke(one);
  free(one);
  return NULL;
}

static uint64_t perform(size_t count, const uint64_t *passed) {
  pthread_mutex_lock(&mutex);
  threads[call_count++ % MAX_CALLS] = (uint64_t)pthread_self();
  memcpy(words, passed, count * sizeof *passed);
  pthread_mutex_unlock(&mutex);
  while (is_held) usleep(1000);
  if (seen_size) memcpy(seen, (void *)passed[seen_argument], seen_size);
  for (size_t i = 0; i < writing_count; i++)
    memcpy((uint8_t *)passed[writings[i].argument] + writings[i].offset, writings[i].content, writings[i].size);
  for (size_t i = 0; i < invocation_count; i++) {
    struct invocation *one = malloc(sizeof *one);
    *one = invocations[i];
    if (one->target < count) one->target = passed[one->target];
    if (one->delay < 0) {
      invoke(one);
      free(one);
      continue;
    }
    pthread_t thread;
    pthread_create(&thread, NULL, invoke_later, one);
    pthread_detach(thread);
  }
  return result;
}

/* Forget the script. */
int reset(void *unused) {
  (void)unused;
  writing_count = invocation_count = seen_size = 0;
  result = call_count = 0;
  is_held = 0;
  return 0;
}

int set_result(void *value) { return result = (uint64_t)value, 0; }

/* Let calls wait (1) or continue (0). */
int hold(void *value) { return is_held = value != NULL, 0; }

/* Copy the memory at an argument during the next calls. */
int watch(void *argument, void *size) { return seen_argument = (size_t)argument, seen_size = (size_t)size, 0; }

void *add_writing(void *argument, void *offset, void *content, void *size) {
  struct writing *one = &writings[writing_count++];
  *one = (struct writing){(size_t)argument, (intptr_t)offset, (size_t)size, {0}};
  memcpy(one->content, content, (size_t)size);
  return NULL;
}

/* Invoke a callback, an argument or an address: `times` times, in the same thread or `delay` microseconds later. */
void *add_invocation(void *target, void *signature, void *given, void *times_and_delay) {
  struct invocation *one = &invocations[invocation_count++];
  const intptr_t *numbers = times_and_delay;
  *one = (struct invocation){(uintptr_t)target, "", (size_t)numbers[0], numbers[1], {0}};
  strcpy(one->signature, signature);
  memcpy(one->words, given, sizeof one->words);
  return NULL;
}
