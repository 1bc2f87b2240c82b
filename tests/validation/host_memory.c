/* A program that uses host memory of commands only after they have ended, and with EARLY defined before that.
 * It detects their end by a query, by a callback, and by waiting. The comment of a line that begins with WRONG is the
 * expected finding; with HASHES only if hashes are recorded, at the line of the command. */
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

static void CL_CALLBACK gone(cl_mem memory, void *unused) {
  (void)memory, (void)unused;
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
  ended = 0;
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

  /* memory that a command writes, passed to another command */
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

  /* memory that a command reads, changed by the program: the command waits for a user event */
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

  /* the same for other commands that read host memory; the gaps between rows always belong to the program */
  size_t zero[3] = {0}, rows[3] = {64, 8, 2}, texels[3] = {16, 4, 1}, layers[3] = {16, 3, 1};
  cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc plane = {CL_MEM_OBJECT_IMAGE2D, 16, 4}, lines = {CL_MEM_OBJECT_IMAGE1D_ARRAY, 16, 0, 0, 3};
  cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &plane, NULL, &error);
  cl_mem array = clCreateImage(context, CL_MEM_READ_WRITE, &format, &lines, NULL, &error);
  void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
  char *bytes = (char *)numbers;
  gate = clCreateUserEvent(context, &error);
  WRONG(clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, zero, zero, rows, 128, 2048, 128, 2048, bytes, 1, &gate, NULL);) /* HASHES undefined clEnqueueWriteBufferRect */
  RIGHT(clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, zero, zero, rows, 128, 2048, 128, 2048, bytes, 1, &gate, NULL);)
  WRONG(clEnqueueWriteImage(queue, image, CL_FALSE, zero, texels, 128, 0, bytes + 8192, 1, &gate, NULL);) /* HASHES undefined clEnqueueWriteImage */
  RIGHT(clEnqueueWriteImage(queue, image, CL_FALSE, zero, texels, 128, 0, bytes + 8192, 1, &gate, NULL);)
  WRONG(clEnqueueWriteImage(queue, array, CL_FALSE, zero, layers, 0, 256, bytes + 16384, 1, &gate, NULL);) /* HASHES undefined clEnqueueWriteImage */
  RIGHT(clEnqueueWriteImage(queue, array, CL_FALSE, zero, layers, 0, 256, bytes + 16384, 1, &gate, NULL);)
  WRONG(clEnqueueSVMMemcpy(queue, CL_FALSE, shared, bytes + 32768, 4096, 1, &gate, NULL);) /* HASHES undefined clEnqueueSVMMemcpy */
  RIGHT(clEnqueueSVMMemcpy(queue, CL_FALSE, shared, bytes + 32768, 4096, 1, &gate, &event);)
  bytes[100]++, bytes[2048 + 7 * 128 + 64]++, bytes[8192 + 127]++, bytes[16384 + 64]++, bytes[32768 + 4096]++;
  WRONG(bytes[2048 + 7 * 128 + 63]++, bytes[8192 + 3 * 128 + 63]++, bytes[16384 + 2 * 256]++, bytes[32768 + 4095]++;)
  clSetUserEventStatus(gate, CL_COMPLETE);
  RIGHT(ask(event);)
  RIGHT(clReleaseEvent(event);)
  RIGHT(bytes[2048 + 7 * 128 + 63]++, bytes[8192 + 3 * 128 + 63]++, bytes[16384 + 2 * 256]++, bytes[32768 + 4095]++;)
  clFinish(queue);
  clReleaseEvent(gate);

  /* memory that a command reads while an earlier command of the same queue writes it */
  gate = clCreateUserEvent(context, &error);
  clEnqueueFillBuffer(queue, buffer, &zero[0], 1, 0, sizeof numbers, 0, NULL, NULL);
  clFinish(queue);
  numbers[7] = 7;
  clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof numbers, numbers, 1, &gate, &event);
  clEnqueueWriteBuffer(queue, spare, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, NULL);
  clSetUserEventStatus(gate, CL_COMPLETE);
  ask(event);
  clFinish(queue);
  clReleaseEvent(event);
  clReleaseEvent(gate);

  /* a command that must have ended, because its destination object has been destroyed */
  cl_mem short_lived = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &error);
  clSetMemObjectDestructorCallback(short_lived, gone, NULL);
  clEnqueueWriteBuffer(queue, short_lived, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, NULL);
  clReleaseMemObject(short_lived);
  clFlush(queue);
  wait_for_callback();
  numbers[8]++;
  clFinish(queue);

  /* two unordered commands, with overlapping rows, and with rows in each other's gaps */
  rows[2] = 1;
  size_t beside[3] = {64, 0, 0};
  clEnqueueReadBufferRect(queue, buffer, CL_FALSE, zero, zero, rows, 128, 0, 128, 0, bytes, 0, NULL, NULL);
  WRONG(clEnqueueReadBufferRect(other, spare, CL_FALSE, zero, zero, rows, 64, 0, 64, 0, bytes + 900, 0, NULL, NULL);) /* undefined clEnqueueReadBufferRect */
  RIGHT(clEnqueueReadBufferRect(other, spare, CL_FALSE, zero, beside, rows, 64, 0, 128, 0, bytes, 0, NULL, NULL);)
  clFinish(queue);
  clFinish(other);

  /* the same rows, but the first command waits for a user event, which may be set after the end of the second */
  gate = clCreateUserEvent(context, &error);
  clEnqueueReadBufferRect(queue, buffer, CL_FALSE, zero, zero, rows, 128, 0, 128, 0, bytes, 1, &gate, NULL);
  RIGHT(clEnqueueReadBufferRect(other, spare, CL_FALSE, zero, zero, rows, 64, 0, 64, 0, bytes + 900, 0, NULL, NULL);)
  clFinish(other);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(queue);
  clFinish(other);
  clReleaseEvent(gate);
  clSVMFree(context, shared);
  clReleaseMemObject(image);
  clReleaseMemObject(array);

  /* memory that one command reads and a later command of the same queue writes */
  clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, NULL);
  clEnqueueFillBuffer(queue, spare, &error, sizeof error, 0, sizeof numbers, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, spare, CL_FALSE, 0, sizeof numbers, numbers, 0, NULL, NULL);
  clFinish(queue);
  memset(numbers, 1, sizeof numbers);
  clFinish(queue);

  /* a long source, twice: the recording contains its text once */
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
