/* Enqueues the given number of commands before it waits for any; the second argument is the kind of commands. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

#define PART 64
#define SIZE (4096 * PART)

static const char *source = "kernel void store(global int *all, int value) { all[0] = value; }";

int main(int count_of_words, char **words) {
  cl_int error, value = 1;
  cl_platform_id platform;
  cl_device_id device;
  if (count_of_words < 3) return 2;
  long commands = atol(words[1]);
  const char *kind = words[2];
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queues[3];
  for (int at = 0; at < 3; at++)
    queues[at] = clCreateCommandQueue(context, device, at == 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return 2;
  char *host[2];
  cl_mem buffers[2];
  cl_kernel kernels[2];
  for (int at = 0; at < 2; at++) {
    host[at] = calloc(1, SIZE);
    buffers[at] = clCreateBuffer(context, CL_MEM_READ_WRITE, SIZE, NULL, &error);
    kernels[at] = clCreateKernel(program, "store", &error);
    clSetKernelArg(kernels[at], 0, sizeof *buffers, &buffers[at]);
    clSetKernelArg(kernels[at], 1, sizeof value, &value);
  }
  cl_event *events = calloc(commands, sizeof *events);
  size_t one = 1;
  for (long number = 0; number < commands; number++) {
    int side = number & 1;
    size_t part = number % (SIZE / PART) * PART;
    cl_uint count = number > 1;
    const cl_event *before = count ? &events[number - 2] : NULL;
    cl_event *event = &events[number];
    if (!strcmp(kind, "kernels")) {
      error = clEnqueueNDRangeKernel(queues[0], kernels[0], 1, NULL, &one, NULL, 0, NULL, NULL);
    } else if (!strcmp(kind, "events")) {
      error = clEnqueueNDRangeKernel(queues[0], kernels[0], 1, NULL, &one, NULL, 0, NULL, event);
    } else if (!strcmp(kind, "writes")) {
      error = clEnqueueWriteBuffer(queues[0], buffers[0], CL_FALSE, 0, PART, host[0], 0, NULL, NULL);
    } else if (!strcmp(kind, "reads")) {
      error = clEnqueueReadBuffer(queues[0], buffers[0], CL_FALSE, part, PART, host[0] + part, 0, NULL, NULL);
    } else if (!strcmp(kind, "same-reads")) {
      error = clEnqueueReadBuffer(queues[0], buffers[0], CL_FALSE, 0, PART, host[0], 0, NULL, NULL);
    } else if (!strcmp(kind, "queues")) {
      error = clEnqueueNDRangeKernel(queues[side], kernels[side], 1, NULL, &one, NULL, 0, NULL, NULL);
    } else if (!strcmp(kind, "crossing")) {
      const cl_event *previous = number ? &events[number - 1] : NULL;
      error = clEnqueueNDRangeKernel(queues[side], kernels[0], 1, NULL, &one, NULL, !!previous, previous, event);
      clFlush(queues[side]);
    } else if (!strcmp(kind, "blocking")) {
      clEnqueueNDRangeKernel(queues[0], kernels[0], 1, NULL, &one, NULL, 0, NULL, NULL);
      error = clEnqueueWriteBuffer(queues[1], buffers[1], CL_TRUE, 0, PART, host[1], 0, NULL, NULL);
    } else if (!strcmp(kind, "unordered")) {
      error = clEnqueueWriteBuffer(queues[2], buffers[0], CL_FALSE, part, PART, host[0] + part, 0, NULL, NULL);
    } else if (!strcmp(kind, "chains")) {
      error = clEnqueueNDRangeKernel(queues[2], kernels[side], 1, NULL, &one, NULL, count, before, event);
    } else if (!strcmp(kind, "barriers")) {
      if (number % 8 == 7) error = clEnqueueBarrierWithWaitList(queues[2], 0, NULL, NULL);
      else error = clEnqueueWriteBuffer(queues[2], buffers[0], CL_FALSE, number % 8 * PART, PART, host[0], 0, NULL, NULL);
    } else if (!strcmp(kind, "user-events")) {
      *event = clCreateUserEvent(context, &error);
      error = clEnqueueNDRangeKernel(queues[0], kernels[0], 1, NULL, &one, NULL, 1, event, NULL);
    } else {
      return 2;
    }
    if (error) return 3;
  }
  for (long number = 0; number < commands; number++)
    if (!strcmp(kind, "user-events")) clSetUserEventStatus(events[number], CL_COMPLETE);
  for (int at = 0; at < 3; at++) clFinish(queues[at]);
  for (long number = 0; number < commands; number++)
    if (events[number]) clReleaseEvent(events[number]);
  for (int at = 0; at < 2; at++) clReleaseKernel(kernels[at]), clReleaseMemObject(buffers[at]);
  clReleaseProgram(program);
  for (int at = 0; at < 3; at++) clReleaseCommandQueue(queues[at]);
  clReleaseContext(context);
  return 0;
}
