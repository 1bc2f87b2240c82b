/* A valid program that, with MISTAKES defined, violates one rule in each line that begins with WRONG.
 * The comment of such a line is the expected finding: an error condition, or a kind of finding and the function. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef MISTAKES
#define WRONG(...) __VA_ARGS__
#define RIGHT(...)
#else
#define WRONG(...)
#define RIGHT(...) __VA_ARGS__
#endif

static const char *source =
    "kernel void scale(global int *all, int by) { all[get_global_id(0)] *= by; }\n"
    "kernel void keep(global int *all, local int *some) { some[0] = all[0]; all[0] = some[0] + 1; }";

static void noted(cl_event event, cl_int status, void *count) {
  (void)event, (void)status;
  ++*(volatile int *)count;
}

static cl_kernel kernels[2];
static _Atomic int is_inside, may_continue, linking_is_over;
static void *page;

static void told(cl_program program, void *unused) {
  (void)program, (void)unused;
  linking_is_over = 1;
}

static void set_argument(void) {
  int by = 3;
  RIGHT(clSetKernelArg(kernels[0], 1, sizeof by, &by);)
  WRONG(clSetKernelArg(kernels[1], 1, sizeof by, &by);) /* undefined clSetKernelArg */
}

/* Keeps the second thread in its call, in which the driver writes to the page, until the first thread has made a call. */
static void wait_inside(int number) {
  (void)number;
  is_inside = 1;
  for (int tries = 0; tries < 5000 && !may_continue; tries++) nanosleep(&(struct timespec){0, 1000000}, NULL);
  if (mprotect(page, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE)) _exit(4);
}

static void *second(void *unused) {
  clGetKernelInfo(kernels[1], CL_KERNEL_NUM_ARGS, sizeof(cl_uint), page, NULL);
  return unused;
}

int main(int count_of_words, char **words) {
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context_properties wanted[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  cl_context context = clCreateContext(wanted, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  cl_command_queue other = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "scale", &error);
  char text[8192]; /* more than is recorded, and the written size is not queried */
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL);
  int numbers[64], back[64], more[64], by = 3;
  for (int each = 0; each < 64; each++) numbers[each] = each;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &error);
  cl_mem read_only = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY, 256, NULL, &error);
  cl_mem spare = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &error);

  WRONG(clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, &error);) /* clCreateBuffer/CL_INVALID_BUFFER_SIZE/1 */
  WRONG(clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &error);) /* clCreateBuffer/CL_INVALID_VALUE */
  WRONG(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, NULL, &error);) /* clCreateBuffer/CL_INVALID_HOST_PTR */

  cl_buffer_region region = {0, 128};
  cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  WRONG(region.size = 512; clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);) /* clCreateSubBuffer/CL_INVALID_VALUE */

  size_t items = 64;
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 1, sizeof by, &by);
  cl_event launched;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &launched);
  WRONG(clEnqueueNDRangeKernel(queue, kernel, 0, NULL, &items, NULL, 0, NULL, NULL);) /* clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION */
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof back, back, 1, &launched, NULL);
  WRONG(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, sizeof back, back, 0, NULL, NULL);) /* clEnqueueReadBuffer/CL_INVALID_VALUE */
  WRONG(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof back, NULL, 0, NULL, NULL);) /* clEnqueueReadBuffer/CL_INVALID_VALUE */
  WRONG(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, back, 0, &launched, NULL);) /* clEnqueueReadBuffer/CL_INVALID_EVENT_WAIT_LIST */
  WRONG(clEnqueueWriteBuffer(queue, read_only, CL_TRUE, 0, 4, back, 0, NULL, NULL);) /* clEnqueueWriteBuffer/CL_INVALID_OPERATION */
  WRONG(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 4, 64, 0, NULL, NULL);) /* clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP */
  WRONG(clEnqueueCopyBuffer(queue, buffer, spare, 0, 256, 64, 0, NULL, NULL);) /* clEnqueueCopyBuffer/CL_INVALID_VALUE */
  clEnqueueFillBuffer(queue, spare, &by, sizeof by, 0, 256, 0, NULL, NULL);
  WRONG(clEnqueueFillBuffer(queue, spare, &by, 3, 0, 255, 0, NULL, NULL);) /* clEnqueueFillBuffer/CL_INVALID_VALUE */
  WRONG(clEnqueueFillBuffer(queue, spare, &by, sizeof by, 2, 8, 0, NULL, NULL);) /* clEnqueueFillBuffer/CL_INVALID_VALUE */
  cl_ulong time;
  WRONG(clGetEventProfilingInfo(launched, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL);) /* clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE */
  clReleaseEvent(launched);

  volatile int count = 0;
  cl_event user = clCreateUserEvent(context, &error);
  clSetEventCallback(user, CL_COMPLETE, noted, (void *)&count);
  WRONG(clSetEventCallback(user, CL_COMPLETE, NULL, NULL);) /* clSetEventCallback/CL_INVALID_VALUE */
  WRONG(clSetUserEventStatus(user, CL_RUNNING);) /* clSetUserEventStatus/CL_INVALID_VALUE */
  cl_event waiting;
  clEnqueueMarkerWithWaitList(queue, 1, &user, &waiting);
  clSetUserEventStatus(user, CL_COMPLETE);
  WRONG(clSetUserEventStatus(user, CL_COMPLETE);) /* clSetUserEventStatus/CL_INVALID_OPERATION */
  clWaitForEvents(1, &waiting);
  WRONG(clWaitForEvents(0, &waiting);) /* clWaitForEvents/CL_INVALID_VALUE */
  clReleaseEvent(waiting);
  clReleaseEvent(user);

  /* two queues, with and without an order between them */
  cl_event written;
  clEnqueueWriteBuffer(queue, spare, CL_FALSE, 0, 256, numbers, 0, NULL, &written);
  clFlush(queue);
  RIGHT(clEnqueueReadBuffer(other, spare, CL_TRUE, 0, 256, back, 1, &written, NULL);)
  WRONG(clEnqueueReadBuffer(other, spare, CL_TRUE, 0, 256, back, 0, NULL, NULL);) /* undefined clEnqueueReadBuffer */
  clFinish(queue);
  clReleaseEvent(written);

  /* host memory of a command that may still be running */
  clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 256, more, 0, NULL, NULL);
  RIGHT(clFinish(queue);)
  WRONG(clEnqueueWriteBuffer(other, spare, CL_TRUE, 0, 256, more, 0, NULL, NULL);) /* undefined clEnqueueWriteBuffer */
  clFinish(queue);

  /* mapped regions */
  void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 128, 0, NULL, NULL, &error);
  WRONG(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, back, 0, NULL, NULL);) /* undefined clEnqueueReadBuffer */
  memset(mapped, 1, 128);
  clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
  clFinish(queue);
  clFinish(other);

  /* regions mapped twice, once for writing */
  mapped = clEnqueueMapBuffer(queue, spare, CL_TRUE, CL_MAP_WRITE, 0, 128, 0, NULL, NULL, &error);
  RIGHT(void *again = clEnqueueMapBuffer(queue, spare, CL_TRUE, CL_MAP_WRITE, 128, 64, 0, NULL, NULL, &error);)
  WRONG(void *again = clEnqueueMapBuffer(queue, spare, CL_TRUE, CL_MAP_WRITE, 64, 64, 0, NULL, NULL, &error);) /* clEnqueueMapBuffer/CL_INVALID_OPERATION */
  clEnqueueUnmapMemObject(queue, spare, again, 0, NULL, NULL);
  clEnqueueUnmapMemObject(queue, spare, mapped, 0, NULL, NULL);
  clFinish(queue);

  /* a callback that receives the object of a call, and runs before the call has returned it */
  cl_program compiled = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  clCompileProgram(compiled, 1, &device, "", 0, NULL, NULL, NULL, NULL);
  cl_program linked = clLinkProgram(context, 1, &device, "", 1, &compiled, told, NULL, &error);
  while (!linking_is_over) nanosleep(&(struct timespec){0, 100000}, NULL);
  clReleaseProgram(compiled);
  clReleaseProgram(linked);

  /* a context by type, whose devices are not recorded */
  cl_context by_type = clCreateContextFromType(wanted, CL_DEVICE_TYPE_ALL, NULL, NULL, &error);
  cl_program for_all = clCreateProgramWithSource(by_type, 1, &source, NULL, &error);
  clBuildProgram(for_all, 0, NULL, "", NULL, NULL);
  cl_kernel of_all = clCreateKernel(for_all, "scale", &error);
  size_t group;
  clGetKernelWorkGroupInfo(of_all, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
  clReleaseKernel(of_all);
  clReleaseProgram(for_all);
  clReleaseContext(by_type);

  /* sizes that another device may reject */
  cl_kernel keep = clCreateKernel(program, "keep", &error);
  RIGHT(clSetKernelArg(keep, 1, 1024, NULL);)
  WRONG(clSetKernelArg(keep, 1, 40000, NULL);) /* portability clSetKernelArg */
  clReleaseKernel(keep);

  /* one kernel on two host threads */
  pthread_t thread;
  kernels[0] = kernel;
  kernels[1] = clCreateKernel(program, "scale", &error);
#ifdef SHORT
  set_argument();
#else
  page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  signal(SIGSEGV, wait_inside);
  if (page == MAP_FAILED || pthread_create(&thread, NULL, second, NULL)) return 3;
  while (!is_inside) nanosleep(&(struct timespec){0, 100000}, NULL);
  set_argument();
  may_continue = 1;
  pthread_join(thread, NULL);
#endif
  clReleaseKernel(kernels[1]);

  WRONG(clCreateUserEvent(context, &error);) /* advice clCreateUserEvent */
  WRONG(clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);) /* advice clCreateBuffer */
  if (count_of_words > 1) raise(words[1][0] == 'k' ? SIGKILL : SIGTERM);
  clReleaseMemObject(buffer); /* the parent of the sub-buffer still exists */
  WRONG(cl_uint references; clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL);) /* undefined clGetMemObjectInfo */
  clReleaseMemObject(part);
  clReleaseMemObject(read_only);
  clReleaseMemObject(spare);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseCommandQueue(other);
  clReleaseContext(context);
  WRONG(size_t size; clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, 0, NULL, &size);) /* undefined clGetContextInfo */
  clGetExtensionFunctionAddress("clNoDocumentHasThisOne"); /* the existence of such a function is unknown */
  printf("%d\n", back[1]);
  return 0;
}
