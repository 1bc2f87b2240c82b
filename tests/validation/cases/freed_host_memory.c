/* The host memory of a buffer is unmapped after the buffer's last command; with MISTAKE before it. */
#include "start.h"
#include <sys/mman.h>

int main(void) {
  REQUIRE(start(0));
  size_t size = 1 << 20;
  int values[16];
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(memory, 1, size);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, memory, NULL);
#ifdef MISTAKE
  munmap(memory, size);
#endif
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, values, 0, NULL, NULL);
  clReleaseMemObject(buffer);
  stop();
#ifndef MISTAKE
  munmap(memory, size);
#endif
  return 0;
}
