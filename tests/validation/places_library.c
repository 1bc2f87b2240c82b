/* A library between the program and OpenCL. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

int library_call(cl_context context);

static __attribute__((noinline)) int allocate(cl_context context, size_t size) {
  cl_int error;
  cl_mem made = clCreateBuffer(context, 0, size, NULL, &error); /* PLACE inside */
  return made ? 0 : error;
}

int library_call(cl_context context) {
  int error = allocate(context, 0);
  return error + 1;
}
