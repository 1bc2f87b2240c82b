/* Queries with room for more than the answer, and without a request for its length. */
#include "start.h"

int main(void) {
  cl_platform_id platforms[16];
  cl_device_id devices[16];
  size_t sizes[16];
  char name[512];
  cl_device_partition_property properties[20];
  cl_image_format formats[512];
  memset(platforms, 0x5a, sizeof platforms);
  memset(devices, 0x5a, sizeof devices);
  memset(sizes, 0x5a, sizeof sizes);
  memset(name, 0x5a, sizeof name);
  memset(properties, 0x5a, sizeof properties);
  memset(formats, 0x5a, sizeof formats);
  clGetPlatformIDs(16, platforms, NULL);
  clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 16, devices, NULL);
  clGetDeviceInfo(devices[0], CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL);
  clGetDeviceInfo(devices[0], CL_DEVICE_NAME, sizeof name, name, NULL);
  clGetDeviceInfo(devices[0], CL_DEVICE_PARTITION_PROPERTIES, sizeof properties, properties, NULL);
  context = clCreateContext(NULL, 1, devices, NULL, NULL, NULL);
  clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL);
  clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 512, formats, NULL);
  clReleaseContext(context);
  return 0;
}
