/* The callback of a marker sets the user event that the program waits for; with MISTAKE nobody flushes the marker. */
#include "start.h"

static void CL_CALLBACK set_next(cl_event event, cl_int status, void *next) {
  (void)event, (void)status;
  clSetUserEventStatus((cl_event)next, CL_COMPLETE);
}

int main(void) {
  REQUIRE(start(0));
  cl_event last = clCreateUserEvent(context, NULL), marker;
  clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker);
  clSetEventCallback(marker, CL_COMPLETE, set_next, last);
#ifndef MISTAKE
  clFlush(queue);
#endif
  clWaitForEvents(1, &last);
  clReleaseEvent(marker);
  clReleaseEvent(last);
  return stop();
}
