/* A host thread waits for a user event: the program sets it, or with LEFT it ends normally while the thread still waits.
 * With SETTING, the thread sets the event, and the program ends normally in a callback for it, which may be in this call. */
#include "start.h"

static cl_event ready;
static volatile int is_called;

static void CL_CALLBACK rest(cl_event event, cl_int status, void *unused) {
  is_called = 1;
  pause();
}

static void *use(void *unused) {
#ifdef SETTING
  clSetUserEventStatus(ready, CL_COMPLETE);
#else
  clWaitForEvents(1, &ready);
#endif
  return NULL;
}

int main(void) {
  REQUIRE(start(0));
  pthread_t thread;
  ready = clCreateUserEvent(context, NULL);
#ifdef SETTING
  clSetEventCallback(ready, CL_COMPLETE, rest, NULL);
#endif
  pthread_create(&thread, NULL, use, NULL);
  usleep(100000); /* so that the thread is usually in its call */
#ifdef SETTING
  while (!is_called) usleep(1000);
#endif
#if defined LEFT || defined SETTING
  exit(0);
#else
  clSetUserEventStatus(ready, CL_COMPLETE);
  pthread_join(thread, NULL);
  clReleaseEvent(ready);
  return stop();
#endif
}
