/* The program changes the host memory of its buffer, once without a map (unknown contents), once in a map. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  char *memory = aligned_alloc(4096, 4096);
  int values[16];
  memset(memory, 0, 4096);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 4096, memory, NULL);
  memset(memory, 6, 64);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, values, 0, NULL, NULL);
  void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 4096, 0, NULL, NULL, NULL);
  memset(memory, 7, 64);
  clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, values, 0, NULL, NULL);
  clReleaseMemObject(buffer);
  stop();
  free(memory);
  return 0;
}
