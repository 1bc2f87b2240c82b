/* Loads the given loader after its start, and makes calls from host threads on every platform, and then from a child
 * process. Prints the number of platforms.
 *
 * If there are several platforms, one thread at a time uses each: two in one context of Oclgrind corrupt its heap. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTIONS(DO) \
  DO(clGetPlatformIDs) DO(clGetDeviceIDs) DO(clCreateContext) DO(clReleaseContext) DO(clCreateCommandQueue) \
  DO(clReleaseCommandQueue) DO(clCreateBuffer) DO(clReleaseMemObject) DO(clEnqueueWriteBuffer) DO(clEnqueueReadBuffer)
#define DECLARE(name) static __typeof__(name) *p_##name;
#define LOOK_UP(name) \
  if (!(p_##name = (__typeof__(name) *)dlsym(loader, #name))) return 3;
FUNCTIONS(DECLARE)

struct place {
  cl_context context;
  cl_device_id device;
};

static void *work(void *given) {
  struct place *place = given;
  cl_int error, numbers[16] = {1, 2, 3}, back[16];
  cl_command_queue queue = p_clCreateCommandQueue(place->context, place->device, 0, &error);
  for (int each = 0; each < 20; each++) {
    cl_mem buffer = p_clCreateBuffer(place->context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &error);
    p_clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL);
    p_clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL);
    p_clReleaseMemObject(buffer);
  }
  p_clReleaseCommandQueue(queue);
  return NULL;
}

int main(int count_of_words, char **words) {
  void *loader = count_of_words > 1 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!loader) return 3;
  FUNCTIONS(LOOK_UP)
  cl_int error;
  cl_uint count = 0, again = 0;
  cl_platform_id platforms[8];
  if (p_clGetPlatformIDs(8, platforms, &count) || !count) return 2;
  for (int round = 0; round < 2; round++) {
    struct place places[8];
    pthread_t threads[8];
    cl_uint working = count < 2 ? 2 : count;
    for (cl_uint each = 0; each < count; each++) {
      if (p_clGetDeviceIDs(platforms[each], CL_DEVICE_TYPE_ALL, 1, &places[each].device, NULL)) return 2;
      places[each].context = p_clCreateContext(NULL, 1, &places[each].device, NULL, NULL, &error);
    }
    for (cl_uint one = 0; one < working; one++) pthread_create(threads + one, NULL, work, places + one % count);
    for (cl_uint one = 0; one < working; one++) pthread_join(threads[one], NULL);
    for (cl_uint each = 0; each < count; each++) p_clReleaseContext(places[each].context);
  }
  fflush(stdout);
  pid_t child = fork();
  if (!child) _exit(p_clGetPlatformIDs(0, NULL, &again) || again != count);
  int status = 1;
  waitpid(child, &status, 0);
  printf("%u\n", count);
  return status ? 1 : 0;
}
