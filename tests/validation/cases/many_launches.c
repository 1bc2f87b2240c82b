/* Thousands of kernels are enqueued before the program waits. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 1;
  cl_program program;
  cl_kernel kernel = new_kernel(&program, "kernel void k(global int *a) { a[0] = 1; }");
  cl_mem memory = new_buffer(64);
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
  for (int each = 0; each < 2000; each++) clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  clFinish(queue);
  clReleaseMemObject(memory);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return stop();
}
