/* Enqueues the given number of commands, and polls their status until they have ended: it never waits. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdlib.h>
#include <time.h>

int main(int count_of_words, char **words) {
  cl_int error, numbers[16] = {0};
  cl_platform_id platform;
  cl_device_id device;
  long rounds = count_of_words > 1 ? atol(words[1]) / 4 : 250;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &error);
  for (long round = 0; round < rounds; round++) {
    cl_event written;
    clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, &written);
    clFlush(queue);
    for (cl_int status = CL_QUEUED; status > CL_COMPLETE;) {
      clGetEventInfo(written, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
      if (status > CL_COMPLETE) nanosleep(&(struct timespec){0, 20000}, NULL);
    }
    clReleaseEvent(written);
  }
  clFinish(queue);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
