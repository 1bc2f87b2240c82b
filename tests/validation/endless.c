/* Makes the given number of calls, in rounds that release all their objects. Each round has commands that wait for each
 * other, mapped regions and callbacks. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdlib.h>

static const char *source = "kernel void scale(global int *all, int by) { all[get_global_id(0)] *= by; }";

static void CL_CALLBACK ended(cl_event event, cl_int status, void *data) { ++*(volatile long *)data; }

int main(int count_of_words, char **words) {
  cl_int error, numbers[16] = {0}, zero = 0;
  cl_platform_id platform;
  cl_device_id device;
  long rounds = (count_of_words > 1 ? atol(words[1]) : 1000) / 24, called = 0;
  size_t size = 16;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return 2;
  cl_event before = NULL;
  for (long round = 0; round < rounds; round++) {
    cl_event first, second, third;
    cl_kernel kernel = clCreateKernel(program, "scale", &error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &error);
    clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof numbers, before != NULL, before ? &before : NULL, &first);
    if (before) clReleaseEvent(before);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof zero, &zero);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 1, &first, &second);
    clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof numbers, numbers, 1, &second, &third);
    clSetEventCallback(third, CL_COMPLETE, ended, &called);
    clFlush(queue);
    clEnqueueMarkerWithWaitList(other, 1, &third, &before);
    clWaitForEvents(1, &before);
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, sizeof numbers, 0, NULL, NULL, &error);
    clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
    clReleaseEvent(first);
    clReleaseEvent(second);
    clRetainMemObject(buffer);
    clReleaseMemObject(buffer);
    clGetEventInfo(third, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof error, &error, NULL);
    clReleaseEvent(third);
    clFinish(queue);
    clFinish(other);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
  }
  if (before) clReleaseEvent(before);
  clReleaseProgram(program);
  clReleaseCommandQueue(other);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
