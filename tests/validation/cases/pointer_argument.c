/* A kernel receives a buffer and a structure; with MISTAKE it receives an address of the program instead of the buffer.
 * The program never enqueues it. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  static int values[16];
  struct { cl_int one, other; } pair = {1, 2};
  cl_program program;
  cl_kernel kernel = new_kernel(&program, "struct pair { int one, other; };\n"
                                          "kernel void k(global int *a, struct pair b) { a[0] = b.one; }");
  cl_mem memory = new_buffer(64);
#ifdef MISTAKE
  int *given = values;
#else
  cl_mem given = memory;
#endif
  clSetKernelArg(kernel, 0, sizeof given, &given);
  clSetKernelArg(kernel, 1, sizeof pair, &pair);
  clReleaseMemObject(memory);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return stop();
}
