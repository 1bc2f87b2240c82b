/* A copy waits for the event of a write; with MISTAKE the program has released the event before. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  int values[16] = {1};
  cl_mem memory = new_buffer(64), other = new_buffer(64);
  cl_event written;
  clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 64, values, 0, NULL, &written);
#ifdef MISTAKE
  clReleaseEvent(written);
#endif
  clEnqueueCopyBuffer(queue, memory, other, 0, 0, 64, 1, &written, NULL);
#ifndef MISTAKE
  clReleaseEvent(written); /* the command keeps it */
#endif
  clFinish(queue);
  clReleaseMemObject(other);
  clReleaseMemObject(memory);
  return stop();
}
