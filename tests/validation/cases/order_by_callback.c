/* A copy waits for a user event that the callback of the write's event sets; with MISTAKE the copy waits for nothing.
 * OUT_OF_ORDER: both are in one out-of-order queue. */
#include "start.h"

static void CL_CALLBACK set_next(cl_event event, cl_int status, void *next) {
  (void)event, (void)status;
  clSetUserEventStatus((cl_event)next, CL_COMPLETE);
}

int main(void) {
#ifdef OUT_OF_ORDER
  REQUIRE(start(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
  cl_command_queue other = queue;
  clRetainCommandQueue(other);
#else
  REQUIRE(start(0));
  cl_command_queue other = new_queue(0);
#endif
  static int source[1 << 16];
  cl_mem first = new_buffer(sizeof source), second = new_buffer(sizeof source);
  cl_event written, ready = clCreateUserEvent(context, NULL), copied;
  clEnqueueWriteBuffer(queue, first, CL_FALSE, 0, sizeof source, source, 0, NULL, &written);
#ifdef MISTAKE
  clEnqueueCopyBuffer(other, first, second, 0, 0, 64, 0, NULL, &copied);
#else
  clEnqueueCopyBuffer(other, first, second, 0, 0, 64, 1, &ready, &copied);
#endif
  clSetEventCallback(written, CL_COMPLETE, set_next, ready);
  clFlush(queue);
  clFlush(other);
  clWaitForEvents(1, &copied);
  clWaitForEvents(1, &ready);
  clReleaseEvent(copied);
  clReleaseEvent(ready);
  clReleaseEvent(written);
  clReleaseMemObject(first);
  clReleaseMemObject(second);
  clReleaseCommandQueue(other);
  return stop();
}
