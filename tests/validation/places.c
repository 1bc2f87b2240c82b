/* A mistake at the end of each kind of call stack; `library_call` is in a library of the same folder. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define APART __attribute__((noinline, noclone))
#define KEPT(call) do { int got = (call); __asm__ volatile("" : : "r"(got) : "memory"); } while (0)

int library_call(cl_context context);

static cl_context context;
static int failed_calls;
static int header_call(void);

static void refuse(void) {
  cl_int error;
  clCreateBuffer(context, 0, 0, NULL, &error); /* PLACE refused */
  failed_calls += error == CL_INVALID_BUFFER_SIZE;
}

APART static int deep(int depth) {
  if (depth) {
    KEPT(deep(depth - 1));
  } else {
    refuse();
  }
  return depth;
}

APART static void with_large_frame(int size) {
  char *used = __builtin_alloca(size);
  memset(used, size, size);
  KEPT(deep(used[0] & 1)); /* PLACE large */
}

/* Two callers with equal frames. */
APART static void one(int size) { KEPT((with_large_frame(size), size)); } /* PLACE one */
APART static void other(int size) { KEPT((with_large_frame(size), -size)); } /* PLACE other */

/* Call a function with a frame pointer that is no address of the stack: without unwind data, and with wrong ones. */
#define CALLER(name, start, end) \
  __asm__(".text\n" #name ":\n" start "push %rbp\nmov %rdi, %rbp\ncall *%rsi\npop %rbp\nret\n" end)
CALLER(without_unwind_data, "", "");
CALLER(with_wrong_unwind_data, ".cfi_startproc\n", ".cfi_endproc\n");
void without_unwind_data(uintptr_t pointer, void (*called)(void));
void with_wrong_unwind_data(uintptr_t pointer, void (*called)(void));

APART static void with_frame_pointer(uintptr_t value) {
  without_unwind_data(value, refuse);
  with_wrong_unwind_data(value, refuse);
}

static ucontext_t outside, coroutine;
static void in_coroutine(void) { KEPT(deep(2)); } /* PLACE coroutine */
static void on_signal(int number) { KEPT(deep(number & 1)); }
static void *in_thread(void *unused) {
  KEPT(deep(1)); /* PLACE thread */
  return unused;
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  static char stack[65536], signal_stack[65536];
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  KEPT(deep(0)); /* PLACE main */
  KEPT(deep(60));
  with_large_frame(3001);
  with_frame_pointer(0);
  with_frame_pointer(1);
  with_frame_pointer(UINTPTR_MAX - 7);
  with_frame_pointer((uintptr_t)&context);
  with_frame_pointer((uintptr_t)__builtin_frame_address(0) - 64);
  for (uintptr_t each = 0; each < 200; each++) with_frame_pointer((uintptr_t)__builtin_frame_address(0) + 8 * each - 256);
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = stack, coroutine.uc_stack.ss_size = sizeof stack, coroutine.uc_link = &outside;
  makecontext(&coroutine, in_coroutine, 0);
  swapcontext(&outside, &coroutine);
  sigaltstack(&(stack_t){.ss_sp = signal_stack, .ss_size = sizeof signal_stack}, NULL);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_ONSTACK}, NULL);
  raise(SIGUSR1);
  sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_signal}, NULL);
  raise(SIGUSR2); /* PLACE raised */
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
  for (int each = 0; each < 12; each++) (each & 1 ? one : other)(each & 2 ? 1000 : 2000);
  KEPT(library_call(context)); /* PLACE library */
  KEPT(header_call()); /* PLACE header */
  clReleaseContext(context);
  printf("%d\n", failed_calls);
  return 0;
}

/* A function of a header of the system, as in the C++ bindings. */
#line 1 "/usr/include/CL/header.h"
static int header_call(void) {
  cl_int error;
  clCreateBuffer(context, 0, 0, NULL, &error);
  return error;
}
