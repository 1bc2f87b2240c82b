/* Makes a mix of calls and prints the wall-clock time and the CPU time of this thread per call, in nanoseconds. The calls
 * set arguments, enqueue kernels with wait lists, retain and release. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *source = "kernel void scale(global int *all, int by) { all[get_global_id(0)] *= by; }";

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int count_of_words, char **words) {
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  int rounds = count_of_words > 1 ? atoi(words[1]) : 10000;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "scale", &error);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &error);
  cl_event gate = clCreateUserEvent(context, &error);
  clSetUserEventStatus(gate, CL_COMPLETE);
  size_t one = 1;
  long calls = 0;
  double start = now(CLOCK_MONOTONIC), busy = now(CLOCK_THREAD_CPUTIME_ID);
  for (int each = 0; each < rounds; each++) {
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof each, &each);
    clRetainMemObject(buffer);
    clReleaseMemObject(buffer);
    clRetainKernel(kernel);
    clReleaseKernel(kernel);
    calls += 6;
    if (each % 8 == 0) {
      cl_event launched;
      clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &gate, &launched);
      clReleaseEvent(launched);
      calls += 2;
    }
    if (each % 64 == 0) {
      clFinish(queue);
      calls++;
    }
  }
  printf("%.1f %.1f\n", (now(CLOCK_MONOTONIC) - start) / calls, (now(CLOCK_THREAD_CPUTIME_ID) - busy) / calls);
  clReleaseEvent(gate);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
