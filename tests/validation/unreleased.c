/* Creates objects and does not release them; with ABORTS it is ended by a signal before it could. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>

int main(void) {
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
#ifdef ABORTS
  abort();
#endif
  return 0;
}
