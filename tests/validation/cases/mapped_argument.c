/* A kernel is enqueued with a buffer: unmapped before, mapped for reading (READING), or mapped for writing (MISTAKE). */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 16;
  cl_program program;
  cl_kernel kernel = new_kernel(&program, "kernel void k(global int *a) { a[get_global_id(0)] = 7; }");
  cl_mem memory = new_buffer(64);
#ifdef READING
  cl_map_flags flags = CL_MAP_READ;
#else
  cl_map_flags flags = CL_MAP_WRITE;
#endif
  int *mapped = clEnqueueMapBuffer(queue, memory, CL_TRUE, flags, 0, 64, 0, NULL, NULL, NULL);
#if !defined READING && !defined MISTAKE
  clEnqueueUnmapMemObject(queue, memory, mapped, 0, NULL, NULL);
#endif
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  clFinish(queue);
#if defined READING || defined MISTAKE
  clEnqueueUnmapMemObject(queue, memory, mapped, 0, NULL, NULL);
#endif
  clReleaseMemObject(memory);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return stop();
}
