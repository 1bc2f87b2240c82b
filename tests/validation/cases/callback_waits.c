/* A callback reads a buffer; with MISTAKE the read blocks. */
#include "start.h"

static volatile int done;
static cl_mem memory;
static int values[16];
static cl_event read_event;

static void CL_CALLBACK read_back(cl_event event, cl_int status, void *other) {
  (void)event, (void)status;
#ifdef MISTAKE
  clEnqueueReadBuffer((cl_command_queue)other, memory, CL_TRUE, 0, 64, values, 0, NULL, NULL);
#else
  clEnqueueReadBuffer((cl_command_queue)other, memory, CL_FALSE, 0, 64, values, 0, NULL, &read_event);
  clFlush((cl_command_queue)other);
#endif
  done = 1;
}

int main(void) {
  REQUIRE(start(0));
  cl_command_queue other = new_queue(0);
  int zeros[16] = {0};
  cl_event event;
  memory = new_buffer(64);
  clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, 64, zeros, 0, NULL, &event);
  clSetEventCallback(event, CL_COMPLETE, read_back, other);
  clFlush(queue);
  for (int tries = 0; tries < 500 && !done; tries++) usleep(10000);
  if (!done) return 1;
  clFinish(other);
  if (read_event) clReleaseEvent(read_event);
  clReleaseEvent(event);
  clReleaseMemObject(memory);
  clReleaseCommandQueue(other);
  return stop();
}
