/* A buffer for each step of a loop over one piece of host memory; with MISTAKE all are released only at the end. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  char *memory = aligned_alloc(4096, 4096);
  int values[16];
  cl_mem buffers[3];
  for (int step = 0; step < 3; step++) {
    memset(memory, step, 4096);
    buffers[step] = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4096, memory, NULL);
    clEnqueueFillBuffer(queue, buffers[step], &step, sizeof step, 0, 4096, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffers[step], CL_TRUE, 0, 64, values, 0, NULL, NULL);
#ifndef MISTAKE
    clReleaseMemObject(buffers[step]);
#endif
  }
#ifdef MISTAKE
  for (int step = 0; step < 3; step++) {
    clEnqueueReadBuffer(queue, buffers[step], CL_TRUE, 0, 64, values, 0, NULL, NULL);
    clReleaseMemObject(buffers[step]);
  }
#endif
  stop();
  free(memory);
  return 0;
}
