/* The program releases a buffer that a kernel uses: after the kernel has ended; with ARGUMENT before it sets the argument,
 * with LAUNCH before it enqueues the kernel, with COPY before it enqueues a copy. With RETAINED it has a second reference. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 16;
  cl_program program;
  cl_kernel kernel = new_kernel(&program, "kernel void k(global int *a) { a[get_global_id(0)] = 7; }");
  cl_mem memory = new_buffer(64), other = new_buffer(64);
#if defined ARGUMENT || defined RETAINED
#ifdef RETAINED
  clRetainMemObject(memory);
#endif
  clReleaseMemObject(memory);
#endif
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
#ifdef LAUNCH
  clReleaseMemObject(memory);
#endif
#ifndef ARGUMENT
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
#endif
  clFinish(queue);
#ifdef COPY
  clReleaseMemObject(memory);
  clEnqueueCopyBuffer(queue, memory, other, 0, 0, 64, 0, NULL, NULL);
  clFinish(queue);
#endif
#if !defined ARGUMENT && !defined LAUNCH && !defined COPY
  clReleaseMemObject(memory);
#endif
  clReleaseMemObject(other);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return stop();
}
