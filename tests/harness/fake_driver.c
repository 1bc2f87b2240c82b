/* A driver that misbehaves on purpose, depending on the function; it implements only the entries of ICD_ENTRIES.
 *
 *   clRetainContext          dereferences a bad pointer      clReleaseContext   aborts
 *   clRetainDevice           calls exit(7)                   clReleaseDevice    hangs, with a child process
 *   clCreateContextFromType  kills its process               clCreateSubDevices writes one device too many
 *   clCreateContext          calls the callback, and prints  clGetContextInfo   dies in a thread after returning
 *
 *   clGetDeviceInfo          CL_DEVICE_VENDOR_ID: counts concurrent threads; CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: counts
 *                            the processors of its thread's affinity; CL_DEVICE_MAX_CLOCK_FREQUENCY: takes
 *                            FAKE_SECONDS in the way that FAKE_TIME names: blocked (in the kernel), working,
 *                            working-in-a-thread, working-in-a-child, or sleeping
 *
 * FAKE_LOADING=crash: dies while it is loaded. FAKE_LOADING=hang: hangs while it is loaded. FAKE_DEVICES=0: no devices.
 * FAKE_TOGETHER: number of threads for which the first count waits. FAKE_VERSION: version of the platform. FAKE_CHILD:
 * file for the child's process id. FAKE_EXTENSION: the extension function that the driver has.
 * -DNO_PLATFORM: reports no platform. -DNO_DRIVER: a library that is not a driver.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct { void **dispatch; } object;
static void *table[];
static object platform = {table}, device = {table}, context = {table}, part = {table};

static int answer(const void *value, size_t size, size_t room, void *place, size_t *size_ret) {
  if (size_ret) *size_ret = size;
  if (place && room < size) return -30;
  if (place) memcpy(place, value, size);
  return 0;
}

static int text(const char *value, size_t room, void *place, size_t *size_ret) {
  return answer(value, strlen(value) + 1, room, place, size_ret);
}

static const char *setting(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value ? value : otherwise;
}

static int GetPlatformInfo(object *p, uint32_t what, size_t room, void *place, size_t *size_ret) {
  switch (what) {
    case 0x0900: return text("FULL_PROFILE", room, place, size_ret);
    case 0x0901: return text(setting("FAKE_VERSION", "OpenCL 1.2 fake"), room, place, size_ret);
    case 0x0902: return text("Fake platform", room, place, size_ret);
    case 0x0903: return text("clconform", room, place, size_ret);
    case 0x0904: return text("cl_khr_icd", room, place, size_ret);
    case 0x0920: return text("FAKE", room, place, size_ret);
  }
  return p ? -30 : -32;
}

static int GetDeviceIDs(object *p, uint64_t type, uint32_t room, object **places, uint32_t *count) {
  (void)p, (void)type;
  if (!strcmp(setting("FAKE_DEVICES", "1"), "0")) return -1;
  if (places && room) places[0] = &device;
  if (count) *count = 1;
  return 0;
}

/* Waits at most two seconds for FAKE_TOGETHER concurrent threads; returns the number of threads. */
static uint32_t gathered(void) {
  static int here;
  int wanted = atoi(setting("FAKE_TOGETHER", "1"));
  __sync_fetch_and_add(&here, 1);
  for (int tries = 0; tries < 2000 && __sync_fetch_and_add(&here, 0) < wanted; tries++) usleep(1000);
  return __sync_fetch_and_add(&here, 0);
}

static void *work(void *seconds) {
  time_t until = time(NULL) + *(unsigned *)seconds;
  while (time(NULL) < until) {}
  return NULL;
}

/* Waits as for a lock in the kernel: the parent of vfork sleeps in state D until the child has ended. */
static void wait_uninterruptibly(void) {
  unsigned seconds = atoi(setting("FAKE_SECONDS", "0"));
  if (seconds && vfork() == 0) {
    sleep(seconds);
    _exit(0);
  }
}

static void take_time(void) {
  const char *how = setting("FAKE_TIME", "blocked");
  unsigned seconds = atoi(setting("FAKE_SECONDS", "0"));
  pthread_t thread;
  if (!strcmp(how, "blocked")) wait_uninterruptibly();
  else if (!strcmp(how, "working")) work(&seconds);
  else if (!strcmp(how, "sleeping")) sleep(seconds);
  else if (!strcmp(how, "working-in-a-thread")) {
    pthread_create(&thread, NULL, work, &seconds);
    pthread_join(thread, NULL);
  } else {
    pid_t child = fork();
    if (child == 0) {
      work(&seconds);
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
}

static int GetDeviceInfo(object *d, uint32_t what, size_t room, void *place, size_t *size_ret) {
  uint64_t cpu = 2;
  uint32_t units = 4;
  cpu_set_t processors;
  intptr_t list[] = {0x1086, 1, (intptr_t)&device, 0};
  object *parent = d == &device ? NULL : &device, *owner = &platform;
  switch (what) {
    case 0x1000: return answer(&cpu, 8, room, place, size_ret);
    case 0x1001: units = gathered(); return answer(&units, 4, room, place, size_ret);
    case 0x1002: return answer(&units, 4, room, place, size_ret);
    case 0x1003:
      sched_getaffinity(0, sizeof processors, &processors);
      units = CPU_COUNT(&processors);
      return answer(&units, 4, room, place, size_ret);
    case 0x100C: take_time(); return answer(&units, 4, room, place, size_ret);
    case 0x102B: return text("Fake device", room, place, size_ret);
    case 0x102D: return text("7.7", room, place, size_ret);
    case 0x102F: return text("OpenCL 1.2 fake", room, place, size_ret);
    case 0x1031: return answer(&owner, 8, room, place, size_ret);
    case 0x1042: return answer(&parent, 8, room, place, size_ret);
    case 0x1046: return answer(list, sizeof list, room, place, size_ret);
  }
  return -30;
}

static int CreateSubDevices(object *d, const intptr_t *properties, uint32_t room, object **places, uint32_t *count) {
  (void)d, (void)properties;
  for (uint32_t i = 0; places && i <= room; i++) places[i] = &part;
  if (count) *count = room;
  return 0;
}

static object *CreateContext(const intptr_t *properties, uint32_t count, object **devices,
                             void (*notify)(const char *, const void *, size_t, void *), void *data, int *error) {
  (void)properties, (void)count, (void)devices;
  if (notify) notify("hello", NULL, 0, data);
  printf("printed by the driver\n");
  fflush(stdout);
  if (error) *error = 0;
  return &context;
}

static object *CreateContextFromType(void) { raise(SIGKILL); return NULL; }
static int RetainContext(object *c) { (void)c; return *(volatile int *)8; }
static int ReleaseContext(object *c) { (void)c; fprintf(stderr, "a last word\n"); abort(); }
static int RetainDevice(object *d) { (void)d; exit(7); }

static int ReleaseDevice(object *d) {
  (void)d;
  pid_t child = fork();
  if (child == 0) for (;;) pause();
  FILE *told = fopen(setting("FAKE_CHILD", "/dev/null"), "w");
  fprintf(told, "%d", (int)child);
  fclose(told);
  for (;;) pause();
}

static void *die_later(void *unused) { usleep(100000); abort(); return unused; }

static int GetContextInfo(object *c, uint32_t what, size_t room, void *place, size_t *size_ret) {
  (void)c, (void)what, (void)room, (void)place, (void)size_ret;
  pthread_t thread;
  pthread_create(&thread, NULL, die_later, NULL);
  return 0;
}

static void *table[256] = {
#define ENTRY(position, name) [position] = (void *)name,
ICD_ENTRIES
};

static int IcdGetPlatformIDs(uint32_t room, object **places, uint32_t *count) {
  const char *loading = setting("FAKE_LOADING", "");
  if (!strcmp(loading, "crash")) return *(volatile int *)8;
  while (!strcmp(loading, "hang")) pause();
#ifdef NO_PLATFORM
  if (count) *count = 0;
  return -1001;
#endif
  if (places && room) places[0] = &platform;
  if (count) *count = 1;
  return 0;
}

#ifndef NO_DRIVER
void *clGetExtensionFunctionAddress(const char *name) {
  if (!strcmp(name, "clIcdGetPlatformIDsKHR")) return (void *)IcdGetPlatformIDs;
  if (!strcmp(name, "clGetPlatformInfo")) return (void *)GetPlatformInfo;
  if (!strcmp(name, setting("FAKE_EXTENSION", ""))) return (void *)GetPlatformInfo;
  return NULL;
}
#endif
