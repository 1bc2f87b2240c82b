/* Makes a mix of calls, and prints how many nanoseconds one of them takes: arguments, retains, and markers with lists. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *source = "kernel void scale(global int *all, int by) { all[get_global_id(0)] *= by; }";

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
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
  double start = now();
  for (int each = 0; each < rounds; each++) {
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof each, &each);
    clRetainMemObject(buffer);
    clReleaseMemObject(buffer);
    clRetainKernel(kernel);
    clReleaseKernel(kernel);
    if (each % 16 == 0) {
      cl_event marker;
      clEnqueueMarkerWithWaitList(queue, 1, &gate, &marker);
      clReleaseEvent(marker);
      clFinish(queue);
    }
  }
  printf("%.1f\n", (now() - start) / (rounds * 6 + rounds / 16 * 3));
  clReleaseEvent(gate);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
