/* Drivers that change the state of the process that calls them. */
#include <locale.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "base.h"

/* Limits, as numbers of bytes above what the process uses; HOSTILE_NUMBER, and its default. */

static rlim_t room(rlim_t otherwise) {
  const char *said = getenv("HOSTILE_NUMBER");
  return said ? (rlim_t)strtoull(said, NULL, 0) : otherwise;
}

static rlim_t used_bytes(int column) {
  unsigned long pages[7] = {0};
  FILE *file = fopen("/proc/self/statm", "r");
  if (file) {
    for (int i = 0; i < 7; i++)
      if (fscanf(file, "%lu", &pages[i]) != 1) break;
    fclose(file);
  }
  return (rlim_t)pages[column] * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit_to(int what, rlim_t value) { setrlimit(what, &(struct rlimit){value, value}); }

BEFORE(allows_little_more_memory, clRetainContext) { limit_to(RLIMIT_AS, used_bytes(0) + room(1 << 16)); }
BEFORE(allows_little_more_data, clRetainContext) { limit_to(RLIMIT_DATA, used_bytes(5) + room(1 << 16)); }
BEFORE(allows_a_short_stack, clRetainContext) { limit_to(RLIMIT_STACK, room(1 << 14)); }
BEFORE(allows_no_locked_memory, clRetainContext) { limit_to(RLIMIT_MEMLOCK, 0), limit_to(RLIMIT_MSGQUEUE, 0); }
BEFORE(allows_no_signals, clRetainContext) { limit_to(RLIMIT_SIGPENDING, 0); }

BEFORE(allows_nothing, clRetainContext) {
  int all[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_STACK};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) limit_to(all[i], 0);
}

/* The rest of the process's state. */

BEFORE(counts_in_another_language, clRetainContext) {
  const char *names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8", "C"};
  for (int i = 0; i < 4 && !setlocale(LC_ALL, names[i]); i++) {}
}

BEFORE(flushes_small_numbers, clRetainContext) {
#ifdef __x86_64__
  __builtin_ia32_ldmxcsr(0xffff);  /* all exceptions masked and raised, flush to zero, towards zero */
#endif
}

BEFORE(calculates_in_single_precision, clRetainContext) {
#ifdef __x86_64__
  unsigned short word = 0x007f;
  __asm__ volatile("fldcw %0" : : "m"(word));
#endif
}

BEFORE(changes_the_environment, clRetainContext) {
  setenv("PYTHONHOME", "/nowhere", 1), setenv("PYTHONPATH", "/nowhere", 1), setenv("LD_PRELOAD", "/nowhere", 1);
  setenv("TMPDIR", "/nowhere", 1), setenv("PATH", "", 1), unsetenv("HOME");
}

static void stop_there(int number) {
  (void)number;
  pause();
}

BEFORE(handles_all_signals, clRetainContext) {
  for (int number = 1; number < 65; number++) signal(number, stop_there);
}

BEFORE(uses_a_signal_stack_that_ends, clRetainContext) {
  void *stack = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = 1 << 16}, NULL);
  munmap(stack, 1 << 16);
}

BEFORE(profiles_itself, clRetainContext) {
  setitimer(ITIMER_PROF, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
}

BEFORE(closes_the_standard_streams, clRetainContext) { fclose(stdin), fclose(stdout), fclose(stderr); }
BEFORE(closes_a_range, clRetainContext) { close_range(0, ~0U, 0); }
