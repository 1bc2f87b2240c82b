/* Drivers that attack the worker, the C program in whose process they run. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unwind.h>

#include "base.h"

struct region {
  char *start;
  size_t size;
};

/* Collect the mappings with these permissions whose line contains a word; return their number. */
static int find_regions(const char *permissions, const char *word, struct region *found, int most) {
  char line[1000], seen[8];
  int count = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && count < most && fgets(line, sizeof line, maps)) {
    unsigned long start, end;
    if (strstr(line, word) && sscanf(line, "%lx-%lx %7s", &start, &end, seen) == 3 && !strcmp(seen, permissions))
      found[count++] = (struct region){(char *)start, end - start};
  }
  if (maps) fclose(maps);
  return count;
}

/* Find the regions of the worker's executable. */
static int find_own(const char *permissions, struct region *found, int most) {
  char path[512] = "";
  return readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? find_regions(permissions, path, found, most) : 0;
}

enum { MOST = 64 };
static struct region regions[MOST];

static void scribble_over(int count) {
  for (int i = 0; i < count; i++)
    for (size_t at = 0; at < regions[i].size; at += 64) regions[i].start[at] ^= 0x55;
}

/* its memory */

BEFORE(overwrites_the_worker, clRetainContext) { scribble_over(find_own("rw-p", regions, MOST)); }

BEFORE(clears_the_worker, clRetainContext) {
  for (int i = find_own("rw-p", regions, MOST); i-- > 0;) memset(regions[i].start, 0, regions[i].size);
}

BEFORE(unmaps_the_worker, clRetainContext) {
  for (int i = find_own("rw-p", regions, MOST); i-- > 0;) munmap(regions[i].start, regions[i].size);
}

BEFORE(protects_the_worker, clRetainContext) {
  for (int i = find_own("rw-p", regions, MOST); i-- > 0;) mprotect(regions[i].start, regions[i].size, PROT_READ);
}

BEFORE(removes_the_code_of_the_worker, clRetainContext) {
  for (int i = find_own("r-xp", regions, MOST); i-- > 0;) mprotect(regions[i].start, regions[i].size, PROT_NONE);
}

BEFORE(overwrites_the_arguments, clRetainContext) { scribble_over(find_regions("rw-s", "/dev/zero", regions, MOST)); }
BEFORE(overwrites_the_messages, clRetainContext) { scribble_over(find_regions("rw-s", "/SYSV", regions, MOST)); }

BEFORE(unmaps_the_messages, clRetainContext) {
  for (int i = find_regions("rw-s", "/SYSV", regions, MOST); i-- > 0;) munmap(regions[i].start, regions[i].size);
}

BEFORE(protects_the_messages, clRetainContext) {
  for (int i = find_regions("rw-s", "/SYSV", regions, MOST); i-- > 0;)
    mprotect(regions[i].start, regions[i].size, PROT_READ);
}

/* Write to the messages all the time, so that every request and reply may be changed. */
static void write_messages_for_ever(void *unused) {
  (void)unused;
  for (unsigned value = 0;; value++, usleep(50))
    for (int word = 0; word < 64; word++) ((volatile unsigned *)regions[0].start)[word] = value % 3;
}

BEFORE(thread_overwrites_the_messages, clRetainContext) {
  if (find_regions("rw-s", "/SYSV", regions, 1)) later(0, write_messages_for_ever, NULL);
}

/* A child writes to the memory that it shares with the worker: that of arguments and results. */
BEFORE(child_overwrites_the_arguments, clRetainContext) {
  int count = find_regions("rw-s", "/dev/zero", regions, MOST);
  pid_t child = fork();
  if (!child) {
    scribble_over(count);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

/* The same child, which then searches for the messages and finds nothing: they are not shared with it. */
BEFORE(child_overwrites_the_messages, clRetainContext) {
  int count = find_regions("rw-s", "/SYSV", regions, MOST);
  pid_t child = fork();
  if (!child) {
    if (!find_regions("rw-s", "/SYSV", regions, MOST)) _exit(0);
    scribble_over(count);
    _exit(1);
  }
  waitpid(child, NULL, 0);
}

/* its control flow */

static jmp_buf earlier;

/* Return from a later call to the frame of an earlier one, which no longer exists. */
BEFORE(jumps_into_an_earlier_call, clRetainContext) {
  static int calls;
  if (calls++) longjmp(earlier, 1);
  if (setjmp(earlier)) _exit(3);
}

static struct _Unwind_Exception thrown;

/* No frame catches the exception, so this returns, and C++ would call abort. */
BEFORE(throws_an_exception, clRetainContext) {
  memcpy(&thrown.exception_class, "CLNGC++\0", 8);
  _Unwind_RaiseException(&thrown);
  abort();
}

static _Unwind_Reason_Code stop_never(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                      struct _Unwind_Exception *object, struct _Unwind_Context *context, void *end) {
  (void)version, (void)class, (void)object, (void)context, (void)end;
  if (actions & _UA_END_OF_STACK) _exit(5);
  return _URC_NO_REASON;
}

/* Unwind all frames, as the cancellation of a thread does. */
BEFORE(unwinds_all_frames, clRetainContext) { _Unwind_ForcedUnwind(&thrown, stop_never, NULL); }

static int exhaust(volatile char *before) {
  if (!before) return 0;
  volatile char room[1 << 16];
  room[0] = *before;
  return exhaust(room) + room[1];
}

BEFORE(exhausts_the_stack, clRetainContext) { exhaust((volatile char[]){0}); }

static void return_again(int number) { (void)number; }

/* The faulting instruction is executed again and again. */
BEFORE(handles_faults_for_ever, clRetainContext) {
  signal(SIGSEGV, return_again);
  *(volatile int *)8 = 1;
}

BEFORE(ignores_faults_and_children, clRetainContext) {
  for (int i = 0; i < 5; i++) signal((int[]){SIGCHLD, SIGTERM, SIGSEGV, SIGBUS, SIGABRT}[i], SIG_IGN);
}

/* its process */

BEFORE(unmasks_floating_point, clRetainContext) {
#ifdef __x86_64__
  __builtin_ia32_ldmxcsr(0);
  __asm__ volatile("fninit; fldcw %0" : : "m"((unsigned short){0x0340}));
#endif
}

BEFORE(sets_the_direction, clRetainContext) {
#ifdef __x86_64__
  __asm__ volatile("std");
#endif
}

BEFORE(is_idle_on_the_last_processor, clRetainContext) {
  sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
  cpu_set_t allowed, last;
  sched_getaffinity(0, sizeof allowed, &allowed);
  CPU_ZERO(&last);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &allowed)) {
      CPU_ZERO(&last);
      CPU_SET(i, &last);
    }
  sched_setaffinity(0, sizeof last, &last);
}

BEFORE(forgets_its_parent, clRetainContext) {
  prctl(PR_SET_PDEATHSIG, 0);
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  chdir("/proc/self/fd"), umask(0777);
}

/* Close all descriptors, and reuse their numbers for files that cannot be read. */
BEFORE(reuses_all_descriptors, clRetainContext) {
  for (int i = 0; i < 256; i++) close(i);
  for (int i = 0; i < 256; i++) open("/proc/self/mem", O_WRONLY);
}

BEFORE(allows_no_maps, clRetainContext) {
  int all[] = {RLIMIT_DATA, RLIMIT_AS, RLIMIT_NOFILE};
  for (int i = 0; i < 3; i++) setrlimit(all[i], &(struct rlimit){0, 0});
}

/* its callbacks */

static struct {
  callback *call;
  object *event;
  int32_t status;
  void *data;
} known;

static void *call_often(void *unused) {
  for (int i = 0; i < 100; i++) known.call(known.event, known.status, known.data);
  return unused;
}

INSTEAD(calls_back_from_ten_threads, clSetEventCallback, int,
        (object *event, int32_t when, callback *call, void *data)) {
  int code = clSetEventCallback(event, when, call, data);
  pthread_t threads[10];
  known.call = call, known.event = event, known.status = when, known.data = data;
  for (int i = 0; !code && i < 10; i++) pthread_create(&threads[i], NULL, call_often, NULL);
  for (int i = 0; !code && i < 10; i++) pthread_join(threads[i], NULL);
  return code;
}

/* Call functions near the callback, which the worker has not given away. */
INSTEAD(calls_others_back, clSetEventCallback, int, (object *event, int32_t when, callback *call, void *data)) {
  int code = clSetEventCallback(event, when, call, data);
  for (int i = 0; !code && i < 64; i++) {
    callback *other = NULL;
    uintptr_t step = (uintptr_t)call + 16 * (uintptr_t)i;
    memcpy(&other, &step, sizeof other);
    other(event, when, data);
  }
  return code;
}

static void return_quickly(int number) {
  (void)number;
  _exit(0);
}

/* A child that the driver forks invokes the callback. */
INSTEAD(child_calls_back, clSetEventCallback, int, (object *event, int32_t when, callback *call, void *data)) {
  int code = clSetEventCallback(event, when, call, data);
  pid_t child = code ? -1 : fork();
  if (!child) {
    signal(SIGSEGV, return_quickly);
    call(event, when, data);
    _exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
  return code;
}
