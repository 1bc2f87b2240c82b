/* A non-blocking read; with MISTAKE the program never waits for it. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  static int values[1 << 14];
  cl_mem memory = new_buffer(sizeof values);
  clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, sizeof values, values, 0, NULL, NULL);
#ifndef MISTAKE
  clFinish(queue);
#endif
  clReleaseMemObject(memory);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  usleep(200000); /* the read may still run */
  return 0;
}
