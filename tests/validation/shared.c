/* A valid program that maps a buffer created from shared virtual memory: the map returns a known address. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

int main(void) {
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 0);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 256, memory, &error);
  for (int each = 0; each < 2; each++) {
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 256, 0, NULL, NULL, &error);
    clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
    clFinish(queue);
  }
  clReleaseMemObject(buffer);
  clSVMFree(context, memory);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return memory ? 0 : 3;
}
