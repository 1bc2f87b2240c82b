/* A read on another queue waits for a user event that a second host thread sets after the write; with MISTAKE the read
 * waits for nothing. */
#include "start.h"

static cl_event ready, written;

static void *set_ready(void *unused) {
  clWaitForEvents(1, &written);
  clSetUserEventStatus(ready, CL_COMPLETE);
  return unused;
}

int main(void) {
  REQUIRE(start(0));
  static int source[1 << 16], target[16];
  cl_command_queue other = new_queue(0);
  cl_mem memory = new_buffer(sizeof source);
  cl_event read;
  pthread_t thread;
  ready = clCreateUserEvent(context, NULL);
  clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, sizeof source, source, 0, NULL, &written);
  clFlush(queue);
#ifdef MISTAKE
  clEnqueueReadBuffer(other, memory, CL_FALSE, 0, 64, target, 0, NULL, &read);
#else
  clEnqueueReadBuffer(other, memory, CL_FALSE, 0, 64, target, 1, &ready, &read);
#endif
  clFlush(other);
  pthread_create(&thread, NULL, set_ready, NULL);
  pthread_join(thread, NULL);
  clWaitForEvents(1, &read);
  clReleaseEvent(read);
  clReleaseEvent(ready);
  clReleaseEvent(written);
  clReleaseMemObject(memory);
  clReleaseCommandQueue(other);
  return stop();
}
