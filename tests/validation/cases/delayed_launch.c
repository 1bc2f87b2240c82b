/* A kernel whose buffer is mapped waits for a user event that is set after the buffer is unmapped on another queue, and
 * a read into host memory waits for one that is set after an earlier write from it; with MISTAKE neither waits. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 16;
  int values[16] = {0};
  cl_program program;
  cl_kernel kernel = new_kernel(&program, "kernel void k(global int *a) { a[get_global_id(0)] = 7; }");
  cl_mem memory = new_buffer(64);
  cl_command_queue other = new_queue(0);
  void *mapped = clEnqueueMapBuffer(other, memory, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, NULL);
  cl_event ready = clCreateUserEvent(context, NULL);
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
#ifdef MISTAKE
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
#else
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 1, &ready, NULL);
#endif
  clEnqueueUnmapMemObject(other, memory, mapped, 0, NULL, NULL);
  clFinish(other);
  clSetUserEventStatus(ready, CL_COMPLETE);
  clFinish(queue);
  clReleaseEvent(ready);
  ready = clCreateUserEvent(context, NULL);
  cl_mem second = new_buffer(64);
#ifndef MISTAKE
  clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, 64, values, 1, &ready, NULL);
#endif
  clEnqueueWriteBuffer(other, second, CL_FALSE, 0, 64, values, 0, NULL, NULL);
  clFinish(other);
  clSetUserEventStatus(ready, CL_COMPLETE);
  clFinish(queue);
  clReleaseEvent(ready);
  clReleaseMemObject(second);
  clReleaseMemObject(memory);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(other);
  return stop();
}
