/* A library for Windows whose functions end the process, hang, or work for some time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#define EXPORTED __declspec(dllexport)

EXPORTED int32_t write_to_null(void) {
  *(volatile int *)0 = 1;
  return 0;
}

EXPORTED int32_t call_abort(void) { abort(); }

EXPORTED int32_t call_exit(void) { exit(7); }

EXPORTED int32_t exit_with_minus_one(void) { exit(-1); }

EXPORTED int32_t divide_by_zero(void) {
  volatile int zero = 0;
  return 7 / zero;
}

EXPORTED int32_t run_illegal_instruction(void) {
  __asm__ volatile("ud2");
  return 0;
}

EXPORTED int32_t overflow_stack(void) {
  volatile char block[1 << 14];
  block[0] = 1;
  return overflow_stack() + block[0];
}

EXPORTED int32_t raise_exception(void) {
  RaiseException(0xE06D7363, 0, 0, NULL);
  return 0;
}

EXPORTED int32_t print_and_crash(void) {
  printf("printed by the driver\n");
  fflush(stdout);
  return write_to_null();
}

static DWORD WINAPI sleep_forever(void *context) {
  (void)context;
  Sleep(INFINITE);
  return 0;
}

static DWORD WINAPI crash(void *context) {
  (void)context;
  return (DWORD)write_to_null();
}

EXPORTED int32_t crash_on_another_thread(void) {
  CreateThread(NULL, 0, crash, NULL, 0, NULL);
  Sleep(INFINITE);
  return 0;
}

EXPORTED int32_t end_main_thread(void) {
  CreateThread(NULL, 0, sleep_forever, NULL, 0, NULL);
  ExitThread(3);
}

EXPORTED int32_t hang(void) {
  Sleep(INFINITE);
  return 0;
}

EXPORTED int32_t work_for_three_seconds(void) {
  DWORD began = GetTickCount();
  while (GetTickCount() - began < 3000) {
  }
  return 5;
}

/* Start a process that continues when the driver's process has ended; return its id. */
EXPORTED int32_t start_process(void) {
  STARTUPINFOA start = {.cb = sizeof start};
  PROCESS_INFORMATION started;
  char command[] = "cmd /c pause";
  return CreateProcessA(NULL, command, NULL, NULL, FALSE, 0, NULL, NULL, &start, &started) ? (int32_t)started.dwProcessId : -1;
}
