/* Writes an image with the pitch of its rows, or with half of it (MISTAKE); SLICE: a 3D image and its slices. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 16};
  size_t origin[3] = {0}, region[3] = {64, 16, 1}, row = 256, slice = 0;
  static char texels[256 * 16 * 4];
#ifdef SLICE
  description.image_type = CL_MEM_OBJECT_IMAGE3D;
  description.image_depth = region[2] = 4;
  slice = row * 16;
#endif
#ifdef MISTAKE
  if (slice) slice /= 2; else row /= 2;
#endif
  cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &description, NULL, NULL);
  REQUIRE(image);
  clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, row, slice, texels, 0, NULL, NULL);
  clReleaseMemObject(image);
  return stop();
}
