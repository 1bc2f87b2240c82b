/* A program that uses memory of the host only once commands have ended that use it, and with EARLY defined before.
 * It learns that they have ended by a query, by a callback, and by waiting. The comment of a line that begins with WRONG
 * is what is to be named; those with HASHES only where hashes are recorded, at the line of the command. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifdef EARLY
#define WRONG(...) __VA_ARGS__
#define RIGHT(...)
#else
#define WRONG(...)
#define RIGHT(...) __VA_ARGS__
#endif

static atomic_int ended;

static void noted(cl_event event, cl_int status, void *unused) {
  (void)event, (void)status, (void)unused;
  ended = 1;
}

static void ask(cl_event event) {
  for (cl_int status = CL_QUEUED; status > 0;) {
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    nanosleep(&(struct timespec){0, 100000}, NULL);
  }
}

static void wait_for_callback(void) {
  while (!ended) nanosleep(&(struct timespec){0, 100000}, NULL);
}

int main(void) {
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  static int numbers[20000], back[20000];
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &error);
  cl_mem spare = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &error);
  cl_event event;

  /* memory that a command writes to, given to another one */
  clEnqueueFillBuffer(queue, buffer, &error, sizeof error, 0, sizeof numbers, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof back, back, 0, NULL, &event);
  clFlush(queue);
  RIGHT(ask(event);)
  WRONG(clEnqueueWriteBuffer(other, spare, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL);) /* undefined clEnqueueWriteBuffer */
  RIGHT(clEnqueueWriteBuffer(other, spare, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL);)
  clReleaseEvent(event);
  clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof back, back, 0, NULL, &event);
  clSetEventCallback(event, CL_COMPLETE, noted, NULL);
  clReleaseEvent(event);
  clFlush(queue);
  wait_for_callback();
  clEnqueueWriteBuffer(other, spare, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL);
  clFinish(queue);

  /* memory that a command reads, changed by the program: the command is held up by an event of the program's own */
  cl_event gate = clCreateUserEvent(context, &error);
  WRONG(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof numbers, numbers, 1, &gate, NULL);) /* HASHES undefined clEnqueueWriteBuffer */
  RIGHT(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof numbers, numbers, 1, &gate, &event);)
  WRONG(numbers[19000] = 1;)
  clSetUserEventStatus(gate, CL_COMPLETE);
  RIGHT(ask(event);)
  RIGHT(clReleaseEvent(event);)
  RIGHT(numbers[19000] = 1;)
  clFinish(queue);
  clReleaseEvent(gate);

  /* memory that one command reads and a later one of the same queue writes to */
  clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, NULL);
  clEnqueueFillBuffer(queue, spare, &error, sizeof error, 0, sizeof numbers, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, spare, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, NULL);
  clFinish(queue);
  memset(numbers, 1, sizeof numbers);
  clFinish(queue);

  /* a long source, twice: the recording has its text once */
  char source[4096] = "kernel void the_only_kernel(global int *all) { all[0] = 1; }";
  memset(source + strlen(source), ' ', sizeof source - 1 - strlen(source));
  const char *text = source;
  for (int each = 0; each < 2; each++) clReleaseProgram(clCreateProgramWithSource(context, 1, &text, NULL, &error));

  clReleaseMemObject(buffer);
  clReleaseMemObject(spare);
  clReleaseCommandQueue(queue);
  clReleaseCommandQueue(other);
  clReleaseContext(context);
  printf("%d\n", back[1]);
  return 0;
}
