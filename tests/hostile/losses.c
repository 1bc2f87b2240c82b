/* Drivers whose device is lost: from one call on, every call fails. If HOSTILE_MARK names a file, the device is also
 * lost in all later processes. */
#include <sys/file.h>

#include "base.h"

static int32_t code;  /* the result of all calls; 0 while the device is there */

/* Declares a function that fails once the device is lost, and before that calls the entry. It passes on as many words
 * as any entry has parameters. `error` is the index of the parameter `errcode_ret`, -1 for a function that returns its
 * code. */
#define WORDS intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h, intptr_t i, \
  intptr_t j
#define LOSABLE(name, error)                                                                           \
  static intptr_t (*real_##name)(WORDS);                                                               \
  static intptr_t losable_##name(WORDS) {                                                              \
    intptr_t words[] = {a, b, c, d, e, f, g, h, i, j};                                                 \
    if (!code) return real_##name(a, b, c, d, e, f, g, h, i, j);                                       \
    if ((error) < 0) return code;                                                                      \
    if (words[(error) & 15]) *(int32_t *)words[(error) & 15] = code;                                   \
    return 0;                                                                                          \
  }
#define EVERY(DO)                                                                                      \
  DO(clCreateContext, 5) DO(clCreateContextFromType, 4) DO(clRetainContext, -1) DO(clGetContextInfo, -1) \
  DO(clCreateCommandQueue, 3) DO(clRetainCommandQueue, -1) DO(clSetCommandQueueProperty, -1)           \
  DO(clGetCommandQueueInfo, -1)                                                                        \
  DO(clCreateBuffer, 4) DO(clCreateSubBuffer, 4) DO(clRetainMemObject, -1) DO(clGetMemObjectInfo, -1)  \
  DO(clEnqueueReadBuffer, -1) DO(clEnqueueWriteBuffer, -1) DO(clEnqueueCopyBuffer, -1)                 \
  DO(clEnqueueMapBuffer, 9) DO(clEnqueueUnmapMemObject, -1) DO(clCreateUserEvent, 1)                   \
  DO(clSetUserEventStatus, -1) DO(clGetEventInfo, -1) DO(clWaitForEvents, -1) DO(clFlush, -1) DO(clFinish, -1)
EVERY(LOSABLE)

static void make_losable(const char *entry, void *instead, void *real) {
  *(void **)real = find_entry(entry);
  take_the_place_of(entry, instead);
}

static void make_all_losable(void) {
#define REPLACE(name, error) make_losable(#name, (void *)losable_##name, &real_##name);
  EVERY(REPLACE)
}

/* Returns the first letter of the file HOSTILE_MARK, 0 without a file. */
static char read_mark(void) {
  char letter = 0;
  int file = getenv("HOSTILE_MARK") ? open(getenv("HOSTILE_MARK"), O_RDONLY) : -1;
  if (file >= 0) {
    read(file, &letter, 1);
    close(file);
  }
  return letter;
}

static void write_mark(char letter) {
  int file = getenv("HOSTILE_MARK") ? open(getenv("HOSTILE_MARK"), O_CREAT | O_WRONLY, 0600) : -1;
  if (file >= 0) {
    write(file, &letter, 1);
    close(file);
  }
}

static int finds_no_device(object *of, uint64_t type, uint32_t room, object **places, uint32_t *count) {
  (void)of, (void)type, (void)room, (void)places;
  if (count) *count = 0;
  return CL_DEVICE_NOT_FOUND;
}

static int is_unavailable(object *of, uint32_t name, size_t room, void *place, size_t *size_ret) {
  uint32_t no = 0;
  if (name == CL_DEVICE_AVAILABLE) return answer(&no, sizeof no, room, place, size_ret);
  return clGetDeviceInfo(of, name, room, place, size_ret);
}

/* A driver that lacks resources from some call on, in each process, for a part of its functions. HOSTILE_FAILING: the
 * name of a function, or nothing for all. HOSTILE_AFTER: the number of its calls that work. HOSTILE_CODE: the error code. */
static atomic_int attempts;

static int is_starved(const char *name) {
  const char *chosen = getenv("HOSTILE_FAILING"), *after = getenv("HOSTILE_AFTER");
  return (!chosen || !strcmp(chosen, name)) && ++attempts > (after ? atoi(after) : 0);
}
#define STARVABLE(name, error)                                                                         \
  static intptr_t (*fed_##name)(WORDS);                                                                \
  static intptr_t starved_##name(WORDS) {                                                              \
    intptr_t words[] = {a, b, c, d, e, f, g, h, i, j};                                                 \
    int32_t result = getenv("HOSTILE_CODE") ? atoi(getenv("HOSTILE_CODE")) : CL_OUT_OF_RESOURCES;      \
    if (!is_starved(#name)) return fed_##name(a, b, c, d, e, f, g, h, i, j);                           \
    if ((error) < 0) return result;                                                                    \
    if (words[(error) & 15]) *(int32_t *)words[(error) & 15] = result;                                 \
    return 0;                                                                                          \
  }
EVERY(STARVABLE)

static void starve_all(void) {
#define STARVE(name, error) make_losable(#name, (void *)starved_##name, &fed_##name);
  EVERY(STARVE)
}

BEFORE(starves, load) { starve_all(); }

BEFORE(loses_its_resources, clRetainContext) {
  code = CL_OUT_OF_RESOURCES;
  write_mark('r');
}

BEFORE(loses_its_server, clRetainContext) {
  code = CL_INVALID_OPERATION;
  write_mark('s');
}

BEFORE(loses_its_device_in_a_crash, clRetainContext) {
  write_mark('d');
  raise(SIGSEGV);
}

BEFORE(starts_no_more, clRetainContext) {
  write_mark('n');
  raise(SIGKILL);
}

/* HOSTILE_LOSS: the letter of what later processes have lost. */
BEFORE(crashes_with_a_loss, clRetainContext) {
  if (read_mark()) return;
  write_mark(getenv("HOSTILE_LOSS") ? *getenv("HOSTILE_LOSS") : 'r');
  raise(SIGSEGV);
}

__attribute__((constructor(200))) static void stay_lost(void) {
  if (getenv("HOSTILE") && strstr(getenv("HOSTILE"), "los")) make_all_losable();
  switch (read_mark()) {
    case 'r': code = CL_OUT_OF_RESOURCES; break;
    case 's': take_the_place_of("clGetDeviceIDs", finds_no_device); break;
    case 'd':
      code = CL_DEVICE_NOT_AVAILABLE;
      take_the_place_of("clGetDeviceInfo", is_unavailable);
      break;
    case 'f': starve_all(); break;
    case 'n': _exit(3);
  }
}

/* A driver that works, and has a fault in a function that the check of the device needs. */
INSTEAD(never_creates_a_context, clCreateContext, object *,
        (const intptr_t *properties, uint32_t count, object *const *from, complaint *notify, void *data,
         int32_t *error)) {
  (void)properties, (void)count, (void)from, (void)notify, (void)data;
  if (error) *error = CL_INVALID_VALUE;
  return NULL;
}

/* A device that contexts of only one process can use at a time. HOSTILE_LOCK: a file, which the process locks.
 * HOSTILE_CODE: the error code in other processes. With HOSTILE_KEEPS, the process keeps the device until it ends;
 * otherwise it gives the device back when it releases its last context. */
static int exclusive = -1, contexts;

/* Whether the device belongs to this process, or with HOSTILE_KEEPS to all processes of one test worker after the other. */
static int owns_device(void) {
  const char *worker = getenv("HOSTILE_KEEPS") ? getenv("PYTEST_XDIST_WORKER") : NULL;
  char owner[64] = "";
  if (exclusive < 0) exclusive = open(getenv("HOSTILE_LOCK"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (!worker) return !flock(exclusive, LOCK_EX | LOCK_NB);
  flock(exclusive, LOCK_EX);
  if (pread(exclusive, owner, sizeof owner - 1, 0) == 0 && pwrite(exclusive, worker, strlen(worker), 0) > 0)
    strncpy(owner, worker, sizeof owner - 1);
  flock(exclusive, LOCK_UN);
  return !strcmp(owner, worker);
}

static int take_device(int32_t *error) {
  const char *given = getenv("HOSTILE_CODE");
  if (contexts || owns_device()) return 1;
  if (error) *error = given ? atoi(given) : CL_OUT_OF_RESOURCES;
  return 0;
}

static int gives_back(object *context) {
  int is_last = context && context->kind == CONTEXT && context->references == 1;
  int result = clReleaseContext(context);
  if (is_last && !result && !--contexts && !getenv("HOSTILE_KEEPS")) flock(exclusive, LOCK_UN);
  return result;
}

static object *takes_with_type(const intptr_t *properties, uint64_t type, complaint *notify, void *data, int32_t *error) {
  object *made = take_device(error) ? clCreateContextFromType(properties, type, notify, data, error) : NULL;
  contexts += made != NULL;
  return made;
}

INSTEAD(excludes_other_processes, clCreateContext, object *,
        (const intptr_t *properties, uint32_t count, object *const *from, complaint *notify, void *data,
         int32_t *error)) {
  take_the_place_of("clCreateContextFromType", takes_with_type);
  take_the_place_of("clReleaseContext", gives_back);
  object *made = take_device(error) ? clCreateContext(properties, count, from, notify, data, error) : NULL;
  contexts += made != NULL;
  return made;
}
