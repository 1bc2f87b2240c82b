/* A context that is created by device type, for several devices; with MISTAKE two buffers with invalid arguments. */
#include "start.h"

int main(void) {
  cl_int error;
  REQUIRE(!clGetPlatformIDs(1, &platform, NULL));
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  context = clCreateContextFromType(properties, CL_DEVICE_TYPE_CPU, NULL, NULL, &error);
  REQUIRE(!error);
#ifdef MISTAKE
  clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, &error);
  clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, &error);
#else
  clReleaseMemObject(clCreateBuffer(context, CL_MEM_READ_ONLY, 16, NULL, &error));
#endif
  clReleaseContext(context);
  return 0;
}
