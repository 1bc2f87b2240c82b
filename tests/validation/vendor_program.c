/* A program that calls the functions of a vendor's library from two threads at its start, and prints what it finds.
 * With OPENS defined, it opens the library of this name and looks up the functions; otherwise it is linked with it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define FUNCTIONS(DO) \
  DO(int32_t, clGetPlatformIDs, (uint32_t, void **, uint32_t *)) \
  DO(int32_t, clGetPlatformInfo, (void *, uint32_t, size_t, void *, size_t *)) \
  DO(int32_t, clFlush, (void *)) \
  DO(int32_t, clSetEventCallback, (void *, int32_t, void (*)(void *, int32_t, void *), void *)) \
  DO(void *, clGetExtensionFunctionAddress, (const char *))
#ifdef OPENS
#define DECLARE(result, name, types) static result(*name) types;
#else
#define DECLARE(result, name, types) result name types;
#endif
FUNCTIONS(DECLARE)

static pthread_barrier_t start;
static void *platform;

static void *list_platforms(void *unused) {
  void *found = NULL;
  pthread_barrier_wait(&start);
  if (!clGetPlatformIDs(1, &found, NULL)) platform = found;
  return unused;
}

static void notify(void *event, int32_t status, void *data) {
  (void)event, (void)status;
  ++*(int *)data;
  clGetPlatformInfo(platform, 0x902, 0, NULL, NULL);
}

int main(void) {
  pthread_t threads[2];
  int notified = 0;
#ifdef OPENS
  void *library = dlopen(OPENS, RTLD_NOW);
  if (!library) return 3;
#define LOOK_UP(result, name, types) \
  if (!(name = (result(*) types)dlsym(library, #name))) return 3;
  FUNCTIONS(LOOK_UP)
  void *missing = dlsym(library, "clCreateBufferWithProperties");
#else
  void *missing = NULL;
#endif
  pthread_barrier_init(&start, NULL, 2);
  for (int each = 0; each < 2; each++) pthread_create(threads + each, NULL, list_platforms, NULL);
  for (int each = 0; each < 2; each++) pthread_join(threads[each], NULL);
  clSetEventCallback(NULL, 0, notify, &notified);
  clFlush(NULL);
  void *(*allocate)(void *, void *, size_t, uint32_t, int32_t *) =
      (void *(*)(void *, void *, size_t, uint32_t, int32_t *))clGetExtensionFunctionAddress("clHostMemAllocINTEL");
  int32_t (*unknown)(int32_t) = (int32_t(*)(int32_t))clGetExtensionFunctionAddress("clUnknownFAKE");
  int32_t (*query)(void *, uint32_t, size_t, void *, size_t *) =
      (int32_t(*)(void *, uint32_t, size_t, void *, size_t *))clGetExtensionFunctionAddress("clGetPlatformInfo");
  int has_memory = allocate(NULL, NULL, 8, 0, NULL) != NULL;
  int error = query(platform, 0x903, 0, NULL, NULL);
  printf("%d %d %d %d %d\n", missing == NULL, notified, has_memory, unknown(1), error);
  return 0;
}
