/* A program that queries a context for its devices, and uses the returned value. PoCL returns the root device of the
 * sub-devices with which the context was created. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

int main(void) {
  cl_int error;
  cl_platform_id platform;
  cl_device_id root, parts[2], devices[2];
  cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  const char *source = "kernel void count(global int *all) { all[0] += 1; }";
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &root, NULL)) return 2;
  if (clCreateSubDevices(root, halves, 2, parts, NULL)) return 3;
  cl_context context = clCreateContext(NULL, 2, parts, NULL, NULL, &error);
  size_t size = 0, group;
  clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size);
  if (size > sizeof devices || clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices, NULL)) return 4;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  clBuildProgram(program, 0, NULL, "", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "count", &error);
  clGetKernelWorkGroupInfo(kernel, devices[0], CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseContext(context);
  clReleaseDevice(parts[0]);
  clReleaseDevice(parts[1]);
  return 0;
}
