/* The program sets a user event to an error, so that the command that waits for it fails, as the wait reports; with MISTAKE
 * it sets an invalid status. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  cl_event ready = clCreateUserEvent(context, NULL), marked;
  clEnqueueMarkerWithWaitList(queue, 1, &ready, &marked);
#ifdef MISTAKE
  clSetUserEventStatus(ready, CL_RUNNING);
#endif
  clSetUserEventStatus(ready, -5);
  clFlush(queue);
  clWaitForEvents(1, &marked);
  clReleaseEvent(marked);
  clReleaseEvent(ready);
  return stop();
}
