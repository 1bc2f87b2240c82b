/* A sub-buffer is read, and used by a kernel, while another one of the same buffer is mapped for writing; with MISTAKE it
 * is the mapped one. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 16;
  int values[16];
  cl_program program;
  cl_kernel kernel = new_kernel(&program, "kernel void k(global int *a) { a[get_global_id(0)] = 7; }");
  cl_mem memory = new_buffer(1 << 16), halves[2];
  for (size_t half = 0; half < 2; half++) {
    cl_buffer_region region = {half << 15, 1 << 15};
    halves[half] = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
  }
#ifdef MISTAKE
  cl_mem used = halves[0];
#else
  cl_mem used = halves[1];
#endif
  void *mapped = clEnqueueMapBuffer(queue, halves[0], CL_TRUE, CL_MAP_WRITE, 0, 1 << 15, 0, NULL, NULL, NULL);
  clEnqueueReadBuffer(queue, used, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof used, &used);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  clFinish(queue);
  clEnqueueUnmapMemObject(queue, halves[0], mapped, 0, NULL, NULL);
  clFinish(queue);
  clReleaseMemObject(halves[0]);
  clReleaseMemObject(halves[1]);
  clReleaseMemObject(memory);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return stop();
}
