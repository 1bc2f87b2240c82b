/* Makes a call, then loads an interpreter and runs a script: the arguments are its library and the script. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words) {
  cl_platform_id platform;
  char run[4096];
  if (count < 3 || clGetPlatformIDs(1, &platform, NULL)) return 2; /* PLACE before */
  void *library = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
  if (!library) return 3;
  void (*start)(void) = (void (*)(void))dlsym(library, "Py_Initialize");
  int (*perform)(const char *) = (int (*)(const char *))dlsym(library, "PyRun_SimpleString");
  int (*end)(void) = (int (*)(void))dlsym(library, "Py_FinalizeEx");
  if (!start || !perform || !end) return 4;
  start();
  snprintf(run, sizeof run, "exec(compile(open(r'%s').read(), r'%s', 'exec'))", words[2], words[2]);
  int failed = perform(run); /* PLACE embedding */
  end();
  clGetPlatformIDs(1, &platform, NULL); /* PLACE after */
  return failed ? 5 : 0;
}
