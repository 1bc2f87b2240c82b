/* The callback of one user event sets another one. */
#include "start.h"

static void CL_CALLBACK set_next(cl_event event, cl_int status, void *next) {
  (void)event, (void)status;
  clSetUserEventStatus((cl_event)next, CL_COMPLETE);
}

int main(void) {
  REQUIRE(start(0));
  cl_event first = clCreateUserEvent(context, NULL), second = clCreateUserEvent(context, NULL);
  clSetEventCallback(first, CL_COMPLETE, set_next, second);
  clSetUserEventStatus(first, CL_COMPLETE);
  clWaitForEvents(1, &second);
  clReleaseEvent(first);
  clReleaseEvent(second);
  return stop();
}
