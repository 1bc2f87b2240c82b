/* Fills windows of the layer with records that are longer than a window (l), or from many successive host threads (t).
 * With k (SIGKILL) or s (SIGSEGV), a second host thread ends the process while the first one waits in a call. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cl_context context;
static int sent = SIGKILL;

static void *work(void *unused) {
  cl_int error;
  for (int each = 0; each < 20; each++) {
    cl_event event = clCreateUserEvent(context, &error);
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
  }
  return unused;
}

static void *end(void *unused) {
  usleep(300000);
  if (sent == SIGSEGV) signal(sent, SIG_DFL); /* a driver may have a handler */
  kill(getpid(), sent);
  return unused;
}

int main(int count_of_words, char **words) {
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  char how = count_of_words > 1 ? words[1][0] : 'l';
  pthread_t thread;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  if (how == 't') {
    for (int each = 0; each < 200; each++) {
      pthread_create(&thread, NULL, work, NULL);
      pthread_join(thread, NULL);
    }
  } else if (how == 'l') {
    for (int each = 0; each < 4; each++) {
      size_t size = (size_t)100000 << each;
      char *source = malloc(size + 1);
      memset(source, ' ', size);
      source[size] = 0;
      work(NULL);
      cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
      clGetProgramInfo(program, CL_PROGRAM_SOURCE, size + 1, source, &size);
      clReleaseProgram(program);
      free(source);
      for (int one = 0; one < 20; one++) work(NULL);
    }
  } else {
    sent = how == 's' ? SIGSEGV : SIGKILL;
    cl_event never = clCreateUserEvent(context, &error);
    pthread_create(&thread, NULL, end, NULL);
    clWaitForEvents(1, &never);
  }
  clReleaseContext(context);
  return 0;
}
