/* Two kernels of a program are enqueued; with MISTAKE an argument of the second one was set only for the first one. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 16;
  cl_float number = 2;
  cl_program program;
  cl_kernel first = new_kernel(&program, "kernel void k(global float *a, float b) { a[get_global_id(0)] = b; }\n"
                                         "kernel void l(global float *a, float b) { a[get_global_id(0)] += b; }");
  cl_kernel second = clCreateKernel(program, "l", NULL);
  cl_mem memory = new_buffer(64);
  clSetKernelArg(first, 0, sizeof memory, &memory);
  clSetKernelArg(first, 1, sizeof number, &number);
  clSetKernelArg(second, 0, sizeof memory, &memory);
#ifndef MISTAKE
  clSetKernelArg(second, 1, sizeof number, &number);
#endif
  clEnqueueNDRangeKernel(queue, first, 1, NULL, &items, NULL, 0, NULL, NULL);
  clEnqueueNDRangeKernel(queue, second, 1, NULL, &items, NULL, 0, NULL, NULL);
  clFinish(queue);
  clReleaseMemObject(memory);
  clReleaseKernel(second);
  clReleaseKernel(first);
  clReleaseProgram(program);
  return stop();
}
