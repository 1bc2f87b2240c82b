/* The callback of each read enqueues the next read without waiting; with MISTAKE it finishes the queue. */
#include "start.h"

#define READS 4
static cl_command_queue other;
static cl_mem memory;
static int values[READS][16];
static cl_event events[READS];
static volatile int done;

static void read_next(int number);

static void CL_CALLBACK ended(cl_event event, cl_int status, void *number) {
  (void)event, (void)status;
  int next = (int)(size_t)number + 1;
#ifdef MISTAKE
  if (next == READS) clFinish(queue);
#endif
  if (next == READS) done = 1;
  else read_next(next);
}

static void read_next(int number) {
  clEnqueueReadBuffer(other, memory, CL_FALSE, 0, 64, values[number], 0, NULL, &events[number]);
  clSetEventCallback(events[number], CL_COMPLETE, ended, (void *)(size_t)number);
  clFlush(other);
}

int main(void) {
  REQUIRE(start(0));
  other = new_queue(0);
  memory = new_buffer(64);
  clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 64, values[0], 0, NULL, NULL);
  read_next(0);
  for (int tries = 0; tries < 500 && !done; tries++) usleep(10000);
  clFinish(other);
  for (int each = 0; each < READS; each++) clReleaseEvent(events[each]);
  clReleaseMemObject(memory);
  clReleaseCommandQueue(other);
  return stop();
}
