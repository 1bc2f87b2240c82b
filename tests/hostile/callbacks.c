/* Drivers that call callbacks at invalid times, in invalid ways, or with invalid arguments. */
#include <ucontext.h>

#include "base.h"

static struct { callback *call; object *event; int32_t status; void *data; } kept;

static void call_kept(void *unused) {
  (void)unused;
  kept.call(kept.event, kept.status, kept.data);
}

#define REGISTER_PARAMETERS (object *event, int32_t when, callback *call, void *data)
#define REGISTERED clSetEventCallback(event, when, call, data)

static void keep(object *event, int32_t when, callback *call, void *data) {
  kept.call = call, kept.event = event, kept.status = when, kept.data = data;
}

INSTEAD(never_calls_back, clSetEventCallback, int, REGISTER_PARAMETERS) {
  return event && call && when >= 0 && when <= CL_SUBMITTED ? (void)data, CL_SUCCESS : REGISTERED;
}

INSTEAD(calls_back_twice, clSetEventCallback, int, REGISTER_PARAMETERS) {
  int code = REGISTERED;
  return code ? code : REGISTERED;
}

INSTEAD(calls_back_at_once, clSetEventCallback, int, REGISTER_PARAMETERS) {
  if (event && call && when >= 0 && when <= CL_SUBMITTED) call(event, when, data);
  return REGISTERED;
}

INSTEAD(calls_back_100000_times, clSetEventCallback, int, REGISTER_PARAMETERS) {
  int code = REGISTERED;
  for (int i = 0; !code && i < 100000; i++) call(event, when, data);
  return code;
}

INSTEAD(calls_back_with_garbage, clSetEventCallback, int, REGISTER_PARAMETERS) {
  int code = REGISTERED;
  if (!code) call((object *)0x1234, 12345, (void *)0x5678);
  return code;
}

INSTEAD(calls_back_in_a_thread, clSetEventCallback, int, REGISTER_PARAMETERS) {
  int code = REGISTERED;
  keep(event, when, call, data);
  if (!code) later(0, call_kept, NULL);
  return code;
}

INSTEAD(calls_back_after_release, clSetEventCallback, int, REGISTER_PARAMETERS) {
  int code = REGISTERED;
  keep(event, when, call, data);
  if (!code) later(300, call_kept, NULL);
  return code;
}

INSTEAD(calls_back_in_50_threads, clSetEventCallback, int, REGISTER_PARAMETERS) {
  int code = REGISTERED;
  keep(event, when, call, data);
  for (int i = 0; !code && i < 50; i++) later(1, call_kept, NULL);
  return code;
}

static void call_for_ever(void *unused) {
  for (;; usleep(100)) call_kept(unused);
}

INSTEAD(calls_back_for_ever, clSetEventCallback, int, REGISTER_PARAMETERS) {
  int code = REGISTERED;
  keep(event, when, call, data);
  if (!code) later(0, call_for_ever, NULL);
  return code;
}

static void call_in_a_handler(int number) {
  (void)number;
  call_kept(NULL);
}

INSTEAD(calls_back_in_a_signal_handler, clSetEventCallback, int, REGISTER_PARAMETERS) {
  int code = REGISTERED;
  keep(event, when, call, data);
  signal(SIGUSR1, call_in_a_handler);
  if (!code) raise(SIGUSR1);
  return code;
}

static void call_and_end(void *unused) {
  call_kept(unused);
  pthread_exit(NULL);
}

INSTEAD(calls_back_and_ends_the_thread, clSetEventCallback, int, REGISTER_PARAMETERS) {
  int code = REGISTERED;
  keep(event, when, call, data);
  if (!code) later(0, call_and_end, NULL);
  return code;
}

INSTEAD(calls_back_on_another_stack, clSetEventCallback, int, REGISTER_PARAMETERS) {
  static ucontext_t here, there;
  static char stack[1 << 20];
  int code = REGISTERED;
  keep(event, when, call, data);
  if (code) return code;
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = &here;
  makecontext(&there, (void (*)(void))call_kept, 1, NULL);
  swapcontext(&here, &there);
  return code;
}

/* error callbacks of a context */

#define CONTEXT_PARAMETERS                                                                                   \
  (const intptr_t *properties, uint32_t count, object *const *given, complaint *notify, void *data, int32_t *error)

static object *complaining(object *one, complaint *notify, const char *words, const void *info, size_t size, void *data) {
  if (one && notify) notify(words, info, size, data);
  return one;
}

#define NEW_CONTEXT clCreateContext(properties, count, given, notify, data, error)

INSTEAD(complains_of_nothing, clCreateContext, object *, CONTEXT_PARAMETERS) {
  return complaining(NEW_CONTEXT, notify, NULL, NULL, 0, data);
}

INSTEAD(complains_of_unmapped_memory, clCreateContext, object *, CONTEXT_PARAMETERS) {
  return complaining(NEW_CONTEXT, notify, (const char *)0x1234, (void *)0x5678, 16, data);
}

INSTEAD(complains_of_a_huge_size, clCreateContext, object *, CONTEXT_PARAMETERS) {
  return complaining(NEW_CONTEXT, notify, "huge", "x", SIZE_MAX, data);
}

INSTEAD(complains_without_end, clCreateContext, object *, CONTEXT_PARAMETERS) {
  static char endless[1 << 22];
  memset(endless, 'x', sizeof endless - 1);
  return complaining(NEW_CONTEXT, notify, endless, endless, sizeof endless, data);
}

INSTEAD(complains_to_others, clCreateContext, object *, CONTEXT_PARAMETERS) {
  return complaining(NEW_CONTEXT, notify, "\xff\x1b[31m", "private", 7, (void *)0x1234);
}
