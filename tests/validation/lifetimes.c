/* A valid program on one in-order queue, whose calls are changed at random: references, maps, arguments and events. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

static const char *source = "kernel void scale(global int *all, int by) { all[get_global_id(0)] *= by; }";

int main(void) {
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  clRetainContext(context);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "scale", &error), second = clCreateKernel(program, "scale", &error);
  cl_uint count; /* so that the number of their arguments is recorded */
  clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
  clGetKernelInfo(second, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
  int numbers[64], back[64], by = 3;
  for (int each = 0; each < 64; each++) numbers[each] = each;
  cl_mem data = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &error);
  cl_mem seen = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &error);
  cl_buffer_region region = {0, 128};
  cl_mem part = clCreateSubBuffer(data, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  size_t items = 64, half = 32;
  clSetKernelArg(kernel, 0, sizeof data, &data);
  clSetKernelArg(kernel, 1, sizeof by, &by);
  clSetKernelArg(second, 0, sizeof part, &part);
  clSetKernelArg(second, 1, sizeof by, &by);
  clEnqueueWriteBuffer(queue, data, CL_TRUE, 0, 256, numbers, 0, NULL, NULL);
  clEnqueueWriteBuffer(queue, seen, CL_TRUE, 0, 256, numbers, 0, NULL, NULL);
  for (int round = 0; round < 3; round++) {
    cl_event launched, again;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &launched);
    clEnqueueNDRangeKernel(queue, second, 1, NULL, &half, NULL, 1, &launched, &again);
    clRetainEvent(again);
    clWaitForEvents(1, &again);
    clReleaseEvent(launched);
    clReleaseEvent(again);
    clEnqueueReadBuffer(queue, data, CL_TRUE, 0, 256, back, 1, &again, NULL);
    clReleaseEvent(again);
    int *mapped = clEnqueueMapBuffer(queue, seen, CL_TRUE, CL_MAP_WRITE, 0, 128, 0, NULL, NULL, &error);
    mapped[0] = round;
    clEnqueueUnmapMemObject(queue, seen, mapped, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, 64, back, 0, NULL, NULL);
    clRetainMemObject(seen);
    clReleaseMemObject(seen);
    cl_event gate = clCreateUserEvent(context, &error), waiting;
    clEnqueueMarkerWithWaitList(queue, 1, &gate, &waiting);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clWaitForEvents(1, &waiting);
    clReleaseEvent(waiting);
    clReleaseEvent(gate);
  }
  clFinish(queue);
  clReleaseMemObject(part);
  clReleaseMemObject(data);
  clReleaseMemObject(seen);
  clReleaseKernel(second);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  clReleaseContext(context);
  return 0;
}
