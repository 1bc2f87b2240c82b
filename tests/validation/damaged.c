/* Two host threads with violations; with a number as an argument, they repeat them so often. At the end, the program leaks
 * objects, and nothing waits for a read. With a second argument, the program waits for a signal instead. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static cl_context context;
static cl_device_id device;
static int rounds = 1;

static void *write_and_read(void *unused) {
  cl_int error;
  int numbers[16] = {1, 2, 3}, back[16];
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  for (int each = 0; each < rounds; each++) {
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &error);
    clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, &error);
    clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, sizeof back, back, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL);
    clReleaseMemObject(buffer);
  }
  clReleaseCommandQueue(queue);
  return unused;
}

static void *set_events(void *unused) {
  cl_int error;
  for (int each = 0; each < rounds; each++) {
    cl_event event = clCreateUserEvent(context, &error);
    clSetUserEventStatus(event, CL_COMPLETE);
    clSetUserEventStatus(event, CL_COMPLETE);
    clWaitForEvents(1, &event);
    clReleaseEvent(event);
    clWaitForEvents(0, NULL);
  }
  return unused;
}

int main(int count_of_words, char **words) {
  static int back[16];
  cl_int error;
  cl_platform_id platform;
  pthread_t threads[2];
  char name[2];
  if (count_of_words > 1) rounds = atoi(words[1]);
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  pthread_create(threads, NULL, write_and_read, NULL);
  pthread_create(threads + 1, NULL, set_events, NULL);
  for (int each = 0; each < 2; each++) pthread_join(threads[each], NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof back, NULL, &error);
  clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof back, back, 0, NULL, NULL);
  clFlush(queue);
  if (count_of_words > 2) puts("waiting"), fflush(stdout), pause();
  return 0;
}
