/* Kernel arguments with the size of their type; with MISTAKE the size of a number is the one of another type, with HANDLE
 * the one of a buffer's handle is that of the buffer, with LOCAL local memory has no size. The kernel is then enqueued. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 16, number_size = sizeof(cl_float), handle_size = sizeof(cl_mem), local_size = 64;
  cl_double number = 2;
  cl_program program;
  cl_kernel kernel = new_kernel(
      &program, "kernel void k(global float *a, float by, local float *b) { int i = get_local_id(0); b[i] = by; a[i] = b[i]; }");
  cl_mem memory = new_buffer(64);
#ifdef MISTAKE
  number_size = sizeof number;
#elif defined HANDLE
  handle_size = 64;
  struct { cl_mem memory; char rest[56]; } padded = {memory};
#elif defined LOCAL
  local_size = 0;
#endif
#ifdef HANDLE
  clSetKernelArg(kernel, 0, handle_size, &padded);
#else
  clSetKernelArg(kernel, 0, handle_size, &memory);
#endif
  clSetKernelArg(kernel, 1, number_size, &number);
  clSetKernelArg(kernel, 2, local_size, NULL);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
  clFinish(queue);
  clReleaseMemObject(memory);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return stop();
}
