/* A program that passes an address of shared virtual memory to a kernel and, with MISTAKES defined, an address of its
 * own memory, on a device without fine-grained system SVM. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdlib.h>

static const char *source = "kernel void scale(global int *all) { all[get_global_id(0)] *= 2; }";

int main(void) {
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  size_t items = 16;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "scale", &error);
  int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 16 * sizeof *shared, 0), *own = calloc(16, sizeof *own);
  clSetKernelArgSVMPointer(kernel, 0, shared + 1);
  clSetKernelArgSVMPointer(kernel, 0, shared);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
#ifdef MISTAKES
  clSetKernelArgSVMPointer(kernel, 0, own);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
#endif
  clFinish(queue);
  clSVMFree(context, shared);
  free(own);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
