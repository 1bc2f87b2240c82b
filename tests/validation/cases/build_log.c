/* The program queries the build log with too little room, and then with enough; with MISTAKE only with too little. */
#include "start.h"

int main(void) {
  REQUIRE(start(0));
  const char *source = "kernel void k(global int *a) { undeclared = 1; another = 2; }";
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  static char text[1 << 16];
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 16, text, NULL);
#ifndef MISTAKE
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
#endif
  clReleaseProgram(program);
  return stop();
}
