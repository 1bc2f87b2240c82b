/* The program releases all objects, and ends a map; with MISTAKE it releases no buffer of a loop, and does not unmap. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  cl_mem buffers[3];
  void *mapped;
  for (int each = 0; each < 3; each++) buffers[each] = new_buffer(64);
  mapped = clEnqueueMapBuffer(queue, buffers[0], CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, NULL);
#ifndef MISTAKE
  clEnqueueUnmapMemObject(queue, buffers[0], mapped, 0, NULL, NULL);
  clFinish(queue);
  for (int each = 0; each < 3; each++) clReleaseMemObject(buffers[each]);
#endif
  return stop();
}
