/* The destructor callback of a buffer sets a flag; with MISTAKE it also queries the buffer. */
#include "start.h"

static volatile int done;

static void CL_CALLBACK destroyed(cl_mem memory, void *unused) {
  (void)unused, (void)memory;
#ifdef MISTAKE
  size_t size;
  clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL);
#endif
  done = 1;
}

int main(void) {
  REQUIRE(start(0));
  cl_mem memory = new_buffer(64);
  clSetMemObjectDestructorCallback(memory, destroyed, NULL);
  clReleaseMemObject(memory);
  for (int tries = 0; tries < 500 && !done; tries++) usleep(10000);
  return stop();
}
