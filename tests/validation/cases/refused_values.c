/* Transfers, images, regions and sizes that the driver must refuse, each if its macro is defined. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  size_t items = 16, group = 16;
  static char values[256];
  cl_program program;
  cl_kernel kernel = new_kernel(&program, "kernel void k(global int *a) { a[get_global_id(0)] = 7; }");
  cl_mem memory = new_buffer(128);
  cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
  cl_buffer_region region = {0, 64};
  size_t transferred = 128;
#ifdef SIZE
  transferred = 256;
#elif defined FORMAT
  format.image_channel_data_type = CL_UNORM_SHORT_565; /* only with CL_RGB and CL_RGBx */
#elif defined REGION
  region.size = 256;
#elif defined GROUP
  group = (size_t)1 << 40;
  items = group;
#elif defined GROUPS
  group = 4; /* the kernel is built for groups of 16 */
#endif
  cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &description, NULL, NULL);
  cl_mem part = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
  clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, transferred, values, 0, NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
#ifdef GROUPS
  clReleaseKernel(kernel), clReleaseProgram(program);
  kernel = new_kernel(&program, "kernel __attribute__((reqd_work_group_size(16, 1, 1))) void k(global int *a) { a[0] = 7; }");
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
#endif
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
  clFinish(queue);
  if (image) clReleaseMemObject(image);
  if (part) clReleaseMemObject(part);
  clReleaseMemObject(memory);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return stop();
}
