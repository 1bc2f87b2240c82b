/* A program with two host threads that share a queue, and with a child process that also makes calls. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_context context;
static cl_device_id device;

static void *work(void *unused) {
  cl_int error;
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  int numbers[16] = {1, 2, 3}, back[16];
  for (int each = 0; each < 100; each++) {
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &error);
    clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL);
    clReleaseMemObject(buffer);
  }
  clReleaseCommandQueue(queue);
  return unused;
}

int main(void) {
  cl_int error;
  cl_uint count;
  cl_platform_id platform;
  pthread_t threads[2];
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  for (int each = 0; each < 2; each++) pthread_create(threads + each, NULL, work, NULL);
  for (int each = 0; each < 2; each++) pthread_join(threads[each], NULL);
  clReleaseContext(context);
  pid_t child = fork();
  if (!child) _exit(clGetPlatformIDs(0, NULL, &count) ? 1 : 0);
  int status = 1;
  waitpid(child, &status, 0);
  return status ? 1 : 0;
}
