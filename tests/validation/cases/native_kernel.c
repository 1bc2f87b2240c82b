/* A native kernel writes to the buffer that it was given. */
#include "start.h"

static void CL_CALLBACK fill(void *arguments) { memset(*(void **)arguments, 9, 64); }

int main(void) {
  REQUIRE(start(0));
  cl_device_exec_capabilities capabilities = 0;
  clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof capabilities, &capabilities, NULL);
  REQUIRE(capabilities & CL_EXEC_NATIVE_KERNEL);
  int zeros[16] = {0}, values[16];
  void *arguments[1] = {NULL};
  const void *place = &arguments[0];
  cl_mem memory = new_buffer(64);
  clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 64, zeros, 0, NULL, NULL);
  clEnqueueNativeKernel(queue, fill, arguments, sizeof arguments, 1, &memory, &place, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 64, values, 0, NULL, NULL);
  clReleaseMemObject(memory);
  return stop();
}
