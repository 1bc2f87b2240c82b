/* A mapped region is the source of a write into another buffer, and is then unmapped; with MISTAKE it is unmapped before,
 * with TWICE it is unmapped twice. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  cl_mem memory = new_buffer(64), other = new_buffer(64);
  int *mapped = clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 64, 0, NULL, NULL, NULL);
  mapped[0] = 1;
#ifdef MISTAKE
  clEnqueueUnmapMemObject(queue, memory, mapped, 0, NULL, NULL);
  clFinish(queue);
  clEnqueueWriteBuffer(queue, other, CL_TRUE, 0, 64, mapped, 0, NULL, NULL);
#else
  clEnqueueWriteBuffer(queue, other, CL_TRUE, 0, 64, mapped, 0, NULL, NULL);
  clEnqueueUnmapMemObject(queue, memory, mapped, 0, NULL, NULL);
#endif
#ifdef TWICE
  clEnqueueUnmapMemObject(queue, memory, mapped, 0, NULL, NULL);
#endif
  clFinish(queue);
  clReleaseMemObject(memory);
  clReleaseMemObject(other);
  return stop();
}
