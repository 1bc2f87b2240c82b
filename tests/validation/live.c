/* Makes a call that must fail, with a size of 0, and what the words select: a name, and a pipe to wait for. */
#define _GNU_SOURCE
#include "cases/start.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void say(const char *words) {
  puts(words);
  fflush(stdout);
}

static void make_mistake(void) { clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, NULL); }

/* Waits until another process has written to a named pipe. */
static void wait_for_byte(const char *pipe) { (void)!fgetc(fopen(pipe, "r")); }

static void *make_calls(void *number) {
  cl_mem own = new_buffer(16 + (size_t)number);
  for (int each = 0; each < 200; each++) {
    clRetainMemObject(own);
    clReleaseMemObject(own);
  }
  if (number) clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, NULL); /* a second place of the same mistake */
  clReleaseMemObject(own);
  return NULL;
}

static int with_threads(void) {
  pthread_t threads[8];
  for (size_t each = 0; each < 8; each++) pthread_create(threads + each, NULL, make_calls, (void *)each);
  for (size_t each = 0; each < 8; each++) pthread_join(threads[each], NULL);
  return 0;
}

static void CL_CALLBACK wait_for_ever(cl_event ended, cl_int status, void *never) {
  clWaitForEvents(1, (cl_event *)&never);
}

int main(int count, char **words) {
  struct rlimit none = {0, 0};
  const char *word = count > 1 ? words[1] : "";
  setrlimit(RLIMIT_CORE, &none);
  if (!start(0)) return SKIPPED;
  alarm(60);
  if (!strcmp(word, "threads")) return with_threads();
  if (!strcmp(word, "handle")) {
    say("before");
    clFinish((cl_command_queue)words[0]); /* the loader reads a driver's address there, and calls it */
    say("after");
  }
  if (!strcmp(word, "hangs")) {
    cl_event marker, never = clCreateUserEvent(context, NULL);
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker);
    clSetEventCallback(marker, CL_COMPLETE, wait_for_ever, never);
    clFinish(queue);
    pause();
  }
  if (!strcmp(word, "fork") && !fork()) {
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) _exit(2);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL);
    _exit(0);
  }
  make_mistake();
  wait(NULL);
  if (!strcmp(word, "killed")) raise(SIGKILL);
  if (!strcmp(word, "closed")) /* the program closes what it did not open, and may reuse the numbers */
    for (int each = 3; each < 64; each++) close(each);
  say("made");
  if (!strcmp(word, "for-ever"))
    for (;;) clFlush(queue), usleep(1000);
  if (!strcmp(word, "waits")) wait_for_byte(words[2]);
  clFlush(queue);
  for (int each = 0; each < 100; each++) clRetainContext(context), clReleaseContext(context);
  say("after");
  return stop();
}
