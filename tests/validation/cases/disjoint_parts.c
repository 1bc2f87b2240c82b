/* Two queues write to sub-buffers of one buffer at the same time: to disjoint ones, or with MISTAKE to overlapping ones. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  static char values[1 << 16];
  size_t size = 1 << 16;
#ifdef MISTAKE
  size_t second = size / 2;
#else
  size_t second = size;
#endif
  cl_command_queue other = new_queue(0);
  cl_mem whole = new_buffer(2 * size), parts[2];
  cl_event written[2];
  cl_buffer_region regions[2] = {{0, size}, {second, size}};
  for (int each = 0; each < 2; each++)
    parts[each] = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &regions[each], NULL);
  clEnqueueWriteBuffer(queue, parts[0], CL_FALSE, 0, size, values, 0, NULL, &written[0]);
  clEnqueueWriteBuffer(other, parts[1], CL_FALSE, 0, size, values, 0, NULL, &written[1]);
  clFlush(queue);
  clFlush(other);
  clReleaseMemObject(whole); /* the sub-buffers keep it */
  clEnqueueCopyBuffer(queue, parts[1], parts[0], 0, 0, 64, 2, written, NULL);
  clFinish(queue);
  for (int each = 0; each < 2; each++) {
    clReleaseEvent(written[each]);
    clReleaseMemObject(parts[each]);
  }
  clReleaseCommandQueue(other);
  return stop();
}
