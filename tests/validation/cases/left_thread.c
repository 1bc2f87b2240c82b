/* A host thread waits for a user event: the program sets it, or with LEFT it ends normally while the thread still waits. */
#include "start.h"

static void *wait(void *event) {
  clWaitForEvents(1, (cl_event *)event);
  return NULL;
}

int main(void) {
  REQUIRE(start(0));
  pthread_t thread;
  static cl_event ready;
  ready = clCreateUserEvent(context, NULL);
  pthread_create(&thread, NULL, wait, &ready);
  usleep(100000); /* so that the thread usually waits */
#ifndef LEFT
  clSetUserEventStatus(ready, CL_COMPLETE);
  pthread_join(thread, NULL);
  clReleaseEvent(ready);
  return stop();
#else
  exit(0);
#endif
}
