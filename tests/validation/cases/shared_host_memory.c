/* Two buffers over host memory of the program, which it also writes without a map; with MISTAKE they overlap. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  char *memory = aligned_alloc(4096, 8192);
  int ones[16] = {1}, values[16];
#ifdef MISTAKE
  size_t offset = 2048;
#else
  size_t offset = 4096;
#endif
  memset(memory, 0, 8192);
  cl_mem first = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4096, memory, NULL);
  cl_mem second = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4096, memory + offset, NULL);
  clEnqueueWriteBuffer(queue, first, CL_TRUE, 2048, 64, ones, 0, NULL, NULL);
  memset(memory, 5, 64);
  clEnqueueReadBuffer(queue, second, CL_TRUE, 0, 64, values, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, first, CL_TRUE, 0, 64, values, 0, NULL, NULL);
#ifdef COPY
  clEnqueueCopyBuffer(queue, first, second, 0, 128, 64, 0, NULL, NULL);
#endif
  clReleaseMemObject(first);
  clReleaseMemObject(second);
  stop();
  free(memory);
  return 0;
}
