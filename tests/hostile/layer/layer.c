/* A driver that passes all calls to another one, and fails them as the environment states: see failing_layer.py. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define OUT_OF_RESOURCES (-5)

static atomic_int calls;
static int after, lock = -1, held;
static struct { int code; const char *names; } failing;
static struct { char name[80]; int at, number; atomic_int calls; } crash;
static const char *mark;

static int is_marked(void) { return mark && !access(mark, F_OK); }

static void crash_if_chosen(const char *name) {
  if (strcmp(crash.name, name) || ++crash.calls != crash.at || is_marked()) return;
  if (mark) close(open(mark, O_CREAT | O_WRONLY, 0600));
  signal(crash.number, SIG_DFL); /* compilers in drivers handle such signals */
  raise(crash.number);
}

/* Returns whether a name is in a list with commas. */
static int is_listed(const char *name, const char *list) {
  size_t length = strlen(name);
  if (!strcmp(list, "*")) return 1;
  for (const char *at = list; (at = strstr(at, name)); at += length)
    if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ',')) return 1;
  return 0;
}

/* Returns the code with which a call fails, or 0. */
static int failure(const char *name) {
  int number = ++calls;
  crash_if_chosen(name);
  if (lock >= 0 && !strncmp(name, "clCreateContext", 15) && !held && !(held = !flock(lock, LOCK_EX | LOCK_NB)))
    return OUT_OF_RESOURCES;
  if (!failing.names || (mark && !is_marked()) || number <= after) return 0;
  return is_listed(name, failing.names) ? failing.code : 0;
}

#define ENTRY(index, name, error, place, words, passed)                                                \
  static intptr_t (*real_##name) words;                                                                \
  static intptr_t layer_##name words {                                                                 \
    int code = failure(#name);                                                                         \
    if (!code || (error) == -2) return real_##name passed;                                             \
    if ((error) == -1) return code;                                                                    \
    int32_t *told = place;                                                                             \
    if (told) *told = code;                                                                            \
    return 0;                                                                                          \
  }
#include "entries.h"
#undef ENTRY

static void replace_entries(void **table) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)table & ~(page - 1);
  mprotect((void *)first, (uintptr_t)(table + 256) - first, PROT_READ | PROT_WRITE);
#define ENTRY(index, name, error, place, words, passed)                                                \
  real_##name = (intptr_t(*) words)table[index];                                                       \
  if (table[index]) table[index] = (void *)layer_##name;
#include "entries.h"
#undef ENTRY
}

__attribute__((constructor)) static void read_environment(void) {
  const char *given = getenv("LAYER_FAIL"), *colon = given ? strchr(given, ':') : NULL;
  mark = getenv("LAYER_MARK");
  after = getenv("LAYER_AFTER") ? atoi(getenv("LAYER_AFTER")) : 0;
  if (colon) failing.code = atoi(given), failing.names = colon + 1;
  if (getenv("LAYER_LOCK")) lock = open(getenv("LAYER_LOCK"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  crash.number = SIGSEGV;
  if (getenv("LAYER_CRASH")) sscanf(getenv("LAYER_CRASH"), "%79[^#]#%d!%d", crash.name, &crash.at, &crash.number);
}

/* Returns a function of the other driver, or NULL. */
static void *find_in_driver(const char *name) {
  static void *loaded;
  if (!loaded) loaded = dlopen(getenv("LAYER_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  if (!loaded) fprintf(stderr, "%s\n", dlerror());
  void *(*find)(const char *) = loaded ? dlsym(loaded, "clGetExtensionFunctionAddress") : NULL;
  return find ? find(name) : NULL;
}

EXPORT int clIcdGetPlatformIDsKHR(uint32_t room, void **places, uint32_t *count) {
  static int replaced;
  int (*real)(uint32_t, void **, uint32_t *) = find_in_driver("clIcdGetPlatformIDsKHR");
  int code = real ? real(room, places, count) : -30;
  if (!code && places && !replaced++) replace_entries(*(void ***)places[0]);
  return code;
}

EXPORT void *clGetExtensionFunctionAddress(const char *name) {
  return strcmp(name, "clIcdGetPlatformIDsKHR") ? find_in_driver(name) : (void *)clIcdGetPlatformIDsKHR;
}
