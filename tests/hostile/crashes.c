/* Drivers that end their process: by signals, by exit, by exec, immediately, late, or in a thread. */
#include <sched.h>
#include <setjmp.h>
#include <sys/resource.h>

#include "base.h"

static void segv_in_a_thread(void *unused) { (void)unused, *(volatile int *)8 = 1; }
static void abort_in_a_thread(void *unused) { (void)unused, abort(); }
static void exit_in_a_thread(void *unused) { (void)unused, exit(0); }
static void kill_in_a_thread(void *unused) { (void)unused, kill(getpid(), SIGKILL); }

/* by signals */

BEFORE(segv, clRetainContext) { *(volatile int *)8 = 1; }
BEFORE(bus, clRetainContext) { raise(SIGBUS); }
BEFORE(fpe, clRetainContext) { raise(SIGFPE); }
BEFORE(ill, clRetainContext) { raise(SIGILL); }
BEFORE(trap, clRetainContext) { raise(SIGTRAP); }
BEFORE(sys, clRetainContext) { raise(SIGSYS); }
BEFORE(aborts, clRetainContext) { abort(); }
BEFORE(kills_itself, clRetainContext) { kill(getpid(), SIGKILL); }
BEFORE(terminates_itself, clRetainContext) { kill(getpid(), SIGTERM); }
BEFORE(interrupts_itself, clRetainContext) { kill(getpid(), SIGINT); }
BEFORE(hangs_up_itself, clRetainContext) { kill(getpid(), SIGHUP); }
BEFORE(kills_its_group, clRetainContext) { kill(0, SIGKILL); }
BEFORE(realtime_signal, clRetainContext) { raise(SIGRTMIN + 3); }

static int deep(volatile int *depth) {
  if (*depth < 0) return 0;
  volatile int room[1024];
  room[0] = ++*depth;
  return deep(depth) + room[0];
}

BEFORE(overflows_the_stack, clRetainContext) {
  int depth = 0;
  deep(&depth);
}

BEFORE(frees_twice, clRetainContext) {
  void *volatile one = malloc(100000);
  free(one);
  free((char *)one + 8);
}

BEFORE(jumps_nowhere, clRetainContext) {
  jmp_buf nowhere;
  memset(nowhere, 1, sizeof nowhere);
  longjmp(nowhere, 1);
}

BEFORE(spends_its_processor_time, clRetainContext) {
  struct rlimit one = {1, 1};
  setrlimit(RLIMIT_CPU, &one);
  for (volatile long i = 0;; i++) {}
}

/* by ending the process */

BEFORE(exits_0, clRetainContext) { exit(0); }
BEFORE(exits_7, clRetainContext) { exit(7); }
BEFORE(exits_at_once, clRetainContext) { _exit(0); }
BEFORE(exits_quickly, clRetainContext) { quick_exit(3); }
BEFORE(executes_true, clRetainContext) { execlp("true", "true", NULL); }
BEFORE(executes_sleep, clRetainContext) { execlp("sleep", "sleep", "1000", NULL); }

/* during exit, after all tests */

static void crash_on_exit(void) { *(volatile int *)8 = 1; }
BEFORE(crashes_on_exit, load) { atexit(crash_on_exit); }
BEFORE(hangs_on_exit, load) { atexit(sleep_for_ever); }

/* late, and in threads */

BEFORE(thread_crashes, clRetainContext) {
  later(0, segv_in_a_thread, NULL);
  usleep(200000);
}

BEFORE(thread_crashes_late, clCreateContext) { later(50, segv_in_a_thread, NULL); }
BEFORE(thread_aborts_late, clCreateContext) { later(50, abort_in_a_thread, NULL); }
BEFORE(thread_exits_late, clCreateContext) { later(50, exit_in_a_thread, NULL); }
BEFORE(thread_kills_late, clCreateContext) { later(50, kill_in_a_thread, NULL); }

BEFORE(threads_crash_together, clCreateContext) {
  for (int i = 0; i < 50; i++) later(50, segv_in_a_thread, NULL);
}

BEFORE(handles_its_crash, clRetainContext) {
  signal(SIGSEGV, _exit);
  *(volatile int *)8 = 1;
}

/* intermittently */

BEFORE(crashes_sometimes, clRetainContext) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_nsec / 1000 % 3 == 0) abort();
}

/* in the threads that execute commands, some time after their enqueueing */

INSTEAD(write_crashes_late, clEnqueueWriteBuffer, int,
        (object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, const void *place,
         uint32_t count, object *const *waits, object **event)) {
  int code = clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, place, count, waits, event);
  if (code) return code;
  at_work++;
  later(30, segv_in_a_thread, NULL);
  if (blocking) wait_for_work();
  return code;
}

static object *_Atomic busy;

static void end_work(void *unused) {
  (void)unused;
  busy = NULL;
  at_work--;
}

/* Only if two queues have commands at the same time. */
INSTEAD(writes_crash_together, clEnqueueWriteBuffer, int,
        (object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, const void *place,
         uint32_t count, object *const *waits, object **event)) {
  int code = clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, place, count, waits, event);
  if (code) return code;
  int crashes = busy && busy != queue;
  if (!crashes) busy = queue;
  at_work++;
  later(crashes ? 30 : 700, crashes ? segv_in_a_thread : end_work, NULL);
  if (blocking) wait_for_work();
  return code;
}

/* After a call that succeeds although it must fail. */
INSTEAD(accepts_null_and_crashes_later, clRetainContext, int, (object *context)) {
  static int accepted;
  if (!context) return accepted = 1, 0;
  if (accepted) *(volatile int *)8 = 1;
  return clRetainContext(context);
}

INSTEAD(accepts_null_and_hangs_later, clRetainContext, int, (object *context)) {
  static int accepted;
  if (!context) return accepted = 1, 0;
  if (accepted) sleep_for_ever();
  return clRetainContext(context);
}

/* With an object of a call that must fail. */
static int crash_with_a_buffer(object *of) {
  *(volatile int *)8 = of->kind == BUFFER;
  return 0;
}
INSTEAD(makes_an_empty_buffer_that_crashes, clCreateBuffer, object *,
        (object *context, uint64_t flags, size_t size, void *host_ptr, int32_t *error)) {
  if (!size) take_the_place_of("clRetainMemObject", crash_with_a_buffer);
  return clCreateBuffer(context, flags, size ? size : 1, host_ptr, error);
}

/* Long after a command has ended, when nothing should run. */
INSTEAD(finish_leaves_a_crash, clFinish, int, (object *queue)) {
  int code = clFinish(queue);
  if (!code) later(30, segv_in_a_thread, NULL);
  return code;
}
