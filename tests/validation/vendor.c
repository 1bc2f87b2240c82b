/* A vendor's OpenCL library that calls its own exported functions, also from a constructor, at the end of a function, and
 * in a host thread. The linker may bind these calls to another library.
 *
 * It has few functions; with LACKS_KERNEL_INFO defined, it also lacks one of OpenCL 1.0. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define INVALID_VALUE (-30)
#define EXPORTED __attribute__((visibility("default")))

static int platform, device, calls_of_own_functions;
static void (*registered)(void *event, int32_t status, void *user_data);
static void *registered_data;

EXPORTED int32_t clGetPlatformInfo(void *given, uint32_t name, size_t size, void *value, size_t *size_ret) {
  static const char version[] = "OpenCL 1.1 fake";
  (void)given;
  calls_of_own_functions++;
  if (name != 0x901) return INVALID_VALUE;
  if (value && size >= sizeof version) memcpy(value, version, sizeof version);
  if (size_ret) *size_ret = sizeof version;
  return 0;
}

EXPORTED int32_t clGetPlatformIDs(uint32_t count, void **platforms, uint32_t *count_ret) {
  size_t size = 0;
  if (clGetPlatformInfo(&platform, 0x901, 0, NULL, &size)) return INVALID_VALUE; /* a call of its own function */
  if (count && platforms) *platforms = &platform;
  if (count_ret) *count_ret = 1;
  return 0;
}

EXPORTED int32_t clGetDeviceIDs(void *of, uint64_t type, uint32_t count, void **devices, uint32_t *count_ret) {
  (void)of, (void)type;
  if (count && devices) *devices = &device;
  if (count_ret) *count_ret = 1;
  return 0;
}

#define QUERY(name) \
  EXPORTED int32_t name(void *of, uint32_t what, size_t size, void *value, size_t *size_ret) { \
    (void)of, (void)what, (void)size, (void)value, (void)size_ret; \
    return INVALID_VALUE; \
  }
QUERY(clGetDeviceInfo)
QUERY(clGetMemObjectInfo)
QUERY(clGetImageInfo)
QUERY(clGetProgramInfo)
#ifndef LACKS_KERNEL_INFO
QUERY(clGetKernelInfo)
#endif

EXPORTED int32_t clGetKernelWorkGroupInfo(void *kernel, void *on, uint32_t what, size_t size, void *value, size_t *size_ret) {
  (void)kernel, (void)on, (void)what, (void)size, (void)value, (void)size_ret;
  return INVALID_VALUE;
}

static void *work(void *unused) {
  if (clGetDeviceInfo(&device, 1, 0, NULL, NULL) != INVALID_VALUE) return NULL; /* in a thread of the vendor */
  if (registered) registered(NULL, 0, registered_data);
  return unused;
}

EXPORTED int32_t clFinish(void *queue) {
  pthread_t thread;
  (void)queue;
  if (pthread_create(&thread, NULL, work, NULL)) return INVALID_VALUE;
  return pthread_join(thread, NULL);
}

EXPORTED int32_t clFlush(void *queue) { return clFinish(queue); } /* a jump, which leaves no return address */

EXPORTED int32_t clSetEventCallback(void *event, int32_t type, void (*notify)(void *, int32_t, void *), void *data) {
  (void)type;
  registered = notify;
  registered_data = data;
  registered(event, 0, data); /* at once, within the call of the program */
  return 0;
}

EXPORTED void *clHostMemAllocINTEL(void *context, const void *properties, size_t size, uint32_t alignment, int32_t *error) {
  static char memory[64];
  (void)context, (void)properties, (void)alignment;
  if (error) *error = 0;
  return size <= sizeof memory ? memory : NULL;
}

static int32_t unknown(int32_t value) { return value + 1; }

EXPORTED void *clGetExtensionFunctionAddress(const char *name) {
  static const struct {
    const char *name;
    void *address;
  } functions[] = {
      {"clHostMemAllocINTEL", (void *)clHostMemAllocINTEL},
      {"clGetPlatformInfo", (void *)clGetPlatformInfo},
      {"clUnknownFAKE", (void *)unknown},
  };
  for (size_t each = 0; each < sizeof functions / sizeof *functions; each++)
    if (!strcmp(name, functions[each].name)) return functions[each].address;
  return NULL;
}

static __attribute__((constructor)) void begin(void) {
  uint32_t count = 0;
  if (clGetPlatformIDs(0, NULL, &count) || count != 1) fprintf(stderr, "the vendor cannot start\n");
}
