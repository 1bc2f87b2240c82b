/* Drivers that exhaust memory, or write to invalid places or at invalid times. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "base.h"

/* exhausting memory */

BEFORE(takes_all_memory, clRetainContext) {
  for (size_t size = (size_t)1 << 32; size >= 16; size /= 2)
    while (malloc(size)) {}
}

BEFORE(leaks, clRetainContext) { memset(malloc(1 << 24), 1, 1 << 24); }

BEFORE(maps_60000_times, clRetainContext) {
  for (int i = 0; i < 60000; i++)
    if (mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return;
}

/* query values written past the end, before the start, or late */

static int beyond(object *of, uint32_t name, size_t room, void *place, size_t *size_ret, size_t bytes) {
  int code = ((info *)original)(of, name, room, place, size_ret);
  if (place && !code) memset((char *)place + room, 0x5A, bytes);
  return code;
}

INSTEAD(writes_1_beyond, clGetContextInfo, int, (object *of, uint32_t name, size_t room, void *place, size_t *size)) {
  return beyond(of, name, room, place, size, 1);
}

INSTEAD(writes_64_beyond, clGetContextInfo, int, (object *of, uint32_t name, size_t room, void *place, size_t *size)) {
  return beyond(of, name, room, place, size, 64);
}

INSTEAD(writes_4096_beyond, clGetContextInfo, int,
        (object *of, uint32_t name, size_t room, void *place, size_t *size)) {
  return beyond(of, name, room, place, size, 4096);
}

INSTEAD(writes_megabytes_beyond, clGetContextInfo, int,
        (object *of, uint32_t name, size_t room, void *place, size_t *size)) {
  return beyond(of, name, room, place, size, 64 << 20);
}

INSTEAD(writes_1_before, clGetContextInfo, int, (object *of, uint32_t name, size_t room, void *place, size_t *size)) {
  int code = ((info *)original)(of, name, room, place, size);
  if (place && !code) ((char *)place)[-1] = 0x5A;
  return code;
}

static void write_garbage(void *place) { memset(place, 0x5A, 4); }

INSTEAD(writes_after_return, clGetContextInfo, int,
        (object *of, uint32_t name, size_t room, void *place, size_t *size)) {
  int code = ((info *)original)(of, name, room, place, size);
  if (place && !code) later(10, write_garbage, place);
  return code;
}

static void *written_on[100];

static void write_for_ever(void *unused) {
  (void)unused;
  for (;; usleep(100))
    for (int i = 0; i < 100; i++)
      if (written_on[i]) memset(written_on[i], 0x5A, 4);
}

INSTEAD(writes_for_ever, clGetContextInfo, int, (object *of, uint32_t name, size_t room, void *place, size_t *size)) {
  static int count;
  int code = ((info *)original)(of, name, room, place, size);
  if (place && !code && count < 100) {
    if (!count) later(0, write_for_ever, NULL);
    written_on[count++] = place;
  }
  return code;
}

/* the application's own memory */

INSTEAD(writes_into_its_inputs, clCreateContext, object *,
        (const intptr_t *properties, uint32_t count, object *const *given, complaint *notify, void *data,
         int32_t *error)) {
  object *one = clCreateContext(properties, count, given, notify, data, error);
  for (uint32_t i = 0; one && i < count; i++) ((object **)given)[i] = NULL;
  return one;
}

INSTEAD(writes_into_the_source, clEnqueueWriteBuffer, int,
        (object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, const void *place,
         uint32_t count, object *const *waits, object **event)) {
  int code = clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, place, count, waits, event);
  if (!code) memset((void *)place, 0, size);
  return code;
}

INSTEAD(keeps_the_source, clEnqueueWriteBuffer, int,
        (object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, const void *place,
         uint32_t count, object *const *waits, object **event)) {
  int code = clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, place, count, waits, event);
  if (!code) later(20, write_garbage, (void *)place);
  return code;
}

INSTEAD(reads_too_much, clEnqueueReadBuffer, int,
        (object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, void *place, uint32_t count,
         object *const *waits, object **event)) {
  int code = clEnqueueReadBuffer(queue, buffer, blocking, offset, size, place, count, waits, event);
  if (!code) memset((char *)place + size, 0x5A, 16);
  return code;
}

INSTEAD(reads_nothing, clEnqueueReadBuffer, int,
        (object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, void *place, uint32_t count,
         object *const *waits, object **event)) {
  (void)place;
  void *instead = malloc(size + 1);
  return clEnqueueReadBuffer(queue, buffer, blocking, offset, size, instead, count, waits, event);
}

INSTEAD(reads_late, clEnqueueReadBuffer, int,
        (object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, void *place, uint32_t count,
         object *const *waits, object **event)) {
  int code = clEnqueueReadBuffer(queue, buffer, blocking, offset, size, place, count, waits, event);
  if (!code && size >= 4) later(20, write_garbage, place);
  return code;
}

/* the process's own memory */

static void each_mapping(void (*act)(char *start, size_t size), const char *wanted) {
  static char line[1000];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long start, end;
    if (strstr(line, wanted) && sscanf(line, "%lx-%lx", &start, &end) == 2) act((char *)start, end - start);
  }
}

static void scribble(char *start, size_t size) { for (size_t i = 4096; i < size; i += 512) start[i] ^= 0x55; }
static void unmap(char *start, size_t size) { munmap(start, size); }

BEFORE(scribbles_over_the_heap, clRetainContext) { each_mapping(scribble, "[heap]"); }
BEFORE(unmaps_the_heap, clRetainContext) { each_mapping(unmap, "[heap]"); }

/* the heap: a byte past the end of a block, which crashes a later call */

static int stumble(object *of) {
  (void)of;
  return *(volatile int *)8;
}

INSTEAD(write_spoils_the_heap, clEnqueueWriteBuffer, int,
        (object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, const void *place,
         uint32_t count, object *const *waits, object **event)) {
  int code = clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, place, count, waits, event);
  if (code) return code;
  buffer->bytes[buffer->size] ^= 0x5A;
  take_the_place_of("clRetainContext", stumble);
  return code;
}

#define COPY_PARAMETERS                                                                                       \
  (object *queue, object *source, object *target, size_t from, size_t to, size_t size, uint32_t count,       \
   object *const *waits, object **event)
typedef int copy COPY_PARAMETERS;

/* Copies, and then changes the first byte of the source or of the copy. */
static int spoilt(object *spoils, size_t at, int code) {
  wait_for_work();
  if (!code) spoils->bytes[at] ^= 1;
  return code;
}

INSTEAD(copies_spoil_their_source, clEnqueueCopyBuffer, int, COPY_PARAMETERS) {
  return spoilt(source, from, ((copy *)original)(queue, source, target, from, to, size, count, waits, event));
}

INSTEAD(copies_spoil_their_target, clEnqueueCopyBuffer, int, COPY_PARAMETERS) {
  return spoilt(target, to, ((copy *)original)(queue, source, target, from, to, size, count, waits, event));
}
