/* A read returns its event to a variable of its own, or with MISTAKE to the list of events that it waits for. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  int values[16] = {0};
  cl_mem memory = new_buffer(64);
  cl_event events[2] = {NULL, NULL}, first;
  clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 64, values, 0, NULL, &events[0]);
  first = events[0];
#ifdef MISTAKE
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 64, values, 1, events, &events[0]);
  if (events[0] != first) clReleaseEvent(events[0]); /* the call may fail */
#else
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 64, values, 1, events, &events[1]);
  clReleaseEvent(events[1]);
#endif
  clReleaseEvent(first);
  clReleaseMemObject(memory);
  return stop();
}
