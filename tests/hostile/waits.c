/* Drivers that misbehave while several host threads wait: for events, for a queue, or in blocking commands. */
#include <sys/syscall.h>

#include "base.h"

#define WAIT_PARAMETERS (uint32_t count, object *const *waits)
#define WAITED clWaitForEvents(count, waits)

static int has_to_wait(uint32_t count, object *const *waits) {
  for (uint32_t i = 0; waits && i < count; i++)
    if (waits[i] && waits[i]->kind == EVENT && waits[i]->status > CL_COMPLETE) return 1;
  return 0;
}

static atomic_int waiting;

/* Waits like the base driver. If another host thread is already waiting, misbehaves first, after a delay, so that the
 * misbehaviour always occurs during the same call of the application's main thread. */
static int after(void (*what)(void), uint32_t count, object *const *waits) {
  if (waiting++ && what) usleep(10000), what();
  int code = WAITED;
  waiting--;
  return code;
}

static void crash(void) { *(volatile int *)8 = 1; }
static void exit_7(void) { exit(7); }
static void kill_all(void) { kill(getpid(), SIGKILL); }
static void end_this_thread(void) { syscall(SYS_exit, 0); }
static void overflow(void) {
  volatile char much[64 << 20];
  for (size_t i = 0; i < sizeof much; i += 4096) much[i] = 1;
}

/* too early */

INSTEAD(wait_returns_at_once, clWaitForEvents, int, WAIT_PARAMETERS) {
  return has_to_wait(count, waits) ? CL_SUCCESS : WAITED;
}

INSTEAD(wait_returns_after_10_ms, clWaitForEvents, int, WAIT_PARAMETERS) {
  if (has_to_wait(count, waits)) return usleep(10000), CL_SUCCESS;
  return WAITED;
}

INSTEAD(wait_gives_up, clWaitForEvents, int, WAIT_PARAMETERS) {
  return has_to_wait(count, waits) ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : WAITED;
}

INSTEAD(second_wait_returns_at_once, clWaitForEvents, int, WAIT_PARAMETERS) {
  if (waiting && has_to_wait(count, waits)) return CL_SUCCESS;
  return after(NULL, count, waits);
}

INSTEAD(finish_returns_at_once, clFinish, int, (object *queue)) {
  return queue && queue->kind == QUEUE ? CL_SUCCESS : clFinish(queue);
}

INSTEAD(read_returns_at_once, clEnqueueReadBuffer, int,
        (object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, void *place, uint32_t count,
         object *const *waits, object **event)) {
  return clEnqueueReadBuffer(queue, buffer, blocking && !has_to_wait(count, waits), offset, size, place, count, waits,
                             event);
}

/* with an incorrect error code */

INSTEAD(wait_hides_failures, clWaitForEvents, int, WAIT_PARAMETERS) {
  int code = WAITED;
  return code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? CL_SUCCESS : code;
}

INSTEAD(wait_answers_at_random, clWaitForEvents, int, WAIT_PARAMETERS) { return WAITED, -(rand() % 70); }

/* not at all */

INSTEAD(wait_never_returns, clWaitForEvents, int, WAIT_PARAMETERS) {
  if (has_to_wait(count, waits)) sleep_for_ever();
  return WAITED;
}

INSTEAD(finish_never_returns, clFinish, int, (object *queue)) {
  clFinish(queue);
  sleep_for_ever();
}

INSTEAD(second_wait_never_returns, clWaitForEvents, int, WAIT_PARAMETERS) { return after(sleep_for_ever, count, waits); }

INSTEAD(second_wait_ends_its_thread, clWaitForEvents, int, WAIT_PARAMETERS) { return after(end_this_thread, count, waits); }

BEFORE(setting_never_returns, clSetUserEventStatus) { sleep_for_ever(); }

INSTEAD(wait_returns_late, clWaitForEvents, int, WAIT_PARAMETERS) {
  int code = WAITED;
  usleep(300000);
  return code;
}

/* by ending the process */

INSTEAD(second_wait_crashes, clWaitForEvents, int, WAIT_PARAMETERS) { return after(crash, count, waits); }
INSTEAD(second_wait_exits, clWaitForEvents, int, WAIT_PARAMETERS) { return after(exit_7, count, waits); }
INSTEAD(second_wait_kills, clWaitForEvents, int, WAIT_PARAMETERS) { return after(kill_all, count, waits); }
INSTEAD(second_wait_overflows, clWaitForEvents, int, WAIT_PARAMETERS) { return after(overflow, count, waits); }

INSTEAD(woken_wait_crashes, clWaitForEvents, int, WAIT_PARAMETERS) {
  int waited = has_to_wait(count, waits), code = WAITED;
  if (waited) crash();
  return code;
}
