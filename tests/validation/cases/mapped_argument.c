/* A kernel is enqueued with a buffer: unmapped before, mapped for writing (MISTAKE), or mapped for reading (READING): the
 * kernel then writes to it, or only under a condition (CONDITION), or only reads it (CONSTANT). */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 16;
  cl_program program;
#ifdef CONDITION
  const char *source = "kernel void k(global int *a) { if (a[0]) a[get_global_id(0)] = 7; }";
#elif defined CONSTANT
  const char *source = "kernel void k(global const int *a) { int b = a[get_global_id(0)]; }";
#else
  const char *source = "kernel void k(global int *a) { a[get_global_id(0)] = 7; }";
#endif
  cl_kernel kernel = new_kernel(&program, source);
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
