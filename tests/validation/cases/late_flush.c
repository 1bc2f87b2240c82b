/* A read waits for a write on another queue, which is flushed after the read is enqueued; with MISTAKE never. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  char source[64] = {1}, target[64];
  cl_command_queue other = new_queue(0);
  cl_mem memory = new_buffer(64);
  cl_event written, read;
  clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, 64, source, 0, NULL, &written);
  clEnqueueReadBuffer(other, memory, CL_FALSE, 0, 64, target, 1, &written, &read);
#ifdef MISTAKE
  clFlush(other); /* the wrong queue */
#else
  clFlush(queue);
#endif
  clWaitForEvents(1, &read);
  clReleaseEvent(written);
  clReleaseEvent(read);
  clReleaseMemObject(memory);
  clReleaseCommandQueue(other);
  return stop();
}
