/* What the case programs share: one device, a context and a queue. A driver without a needed feature ends a case with 77. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SKIPPED 77
#define REQUIRE(condition) do { if (!(condition)) return SKIPPED; } while (0)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static inline cl_command_queue new_queue(cl_command_queue_properties properties) {
  return clCreateCommandQueue(context, device, properties, NULL);
}

static inline int start(cl_command_queue_properties properties) {
  alarm(30); /* some drivers never end a wait that no document promises to end */
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 0;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  queue = new_queue(properties);
  return queue != NULL;
}

static inline cl_mem new_buffer(size_t size) { return clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, NULL); }

static inline cl_kernel new_kernel(cl_program *program, const char *source) {
  *program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  clBuildProgram(*program, 1, &device, "", NULL, NULL);
  return clCreateKernel(*program, "k", NULL);
}

static inline int stop(void) {
  clFinish(queue);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
