/* After an unmap, the program allocates memory of the same size again and again, and writes from it to another buffer. The
 * host memory of a buffer that was mapped and released is written from, too, and a region that was mapped twice. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t size = 1 << 16;
  cl_mem target = new_buffer(size);
  for (int step = 0; step < 4; step++) {
    cl_mem mapped = new_buffer(size);
    void *pointer = clEnqueueMapBuffer(queue, mapped, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, NULL);
    clEnqueueUnmapMemObject(queue, mapped, pointer, 0, NULL, NULL);
    clFinish(queue);
    clReleaseMemObject(mapped);
    char *memory = aligned_alloc(4096, size);
    memset(memory, step, size);
    clEnqueueWriteBuffer(queue, target, CL_TRUE, 0, size, memory, 0, NULL, NULL);
    mapped = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, size, memory, NULL);
    pointer = clEnqueueMapBuffer(queue, mapped, CL_TRUE, CL_MAP_WRITE, 0, size, 0, NULL, NULL, NULL);
    clEnqueueUnmapMemObject(queue, mapped, pointer, 0, NULL, NULL);
    clFinish(queue);
    clReleaseMemObject(mapped);
    clEnqueueWriteBuffer(queue, target, CL_TRUE, 0, size, memory, 0, NULL, NULL);
    free(memory);
  }
  cl_mem twice = new_buffer(size);
  char *whole = clEnqueueMapBuffer(queue, twice, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, NULL);
  char *half = clEnqueueMapBuffer(queue, twice, CL_TRUE, CL_MAP_READ, size / 2, size / 2, 0, NULL, NULL, NULL);
  clEnqueueUnmapMemObject(queue, twice, whole, 0, NULL, NULL);
  clFinish(queue);
  clEnqueueWriteBuffer(queue, target, CL_TRUE, 0, size / 2, half, 0, NULL, NULL);
  clEnqueueUnmapMemObject(queue, twice, half, 0, NULL, NULL);
  clFinish(queue);
  clReleaseMemObject(twice);
  clReleaseMemObject(target);
  return stop();
}
