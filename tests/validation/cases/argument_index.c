/* A kernel's last argument is set; with MISTAKE one after the last, so that the last one stays unset (EXTRA: it is set, too). */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 16;
  cl_int number = 2, last = 1;
  cl_program program;
  cl_kernel kernel = new_kernel(&program, "kernel void k(global int *a, int by) { a[get_global_id(0)] = by; }");
  cl_mem memory = new_buffer(64);
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
#if defined MISTAKE || defined EXTRA
  clSetKernelArg(kernel, last + 1, sizeof number, &number);
#endif
#ifndef MISTAKE
  clSetKernelArg(kernel, last, sizeof number, &number);
#endif
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  clFinish(queue);
  clReleaseMemObject(memory);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return stop();
}
