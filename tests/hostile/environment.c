/* Drivers that change process-wide state: limits, signals, floating-point modes, permissions. */
#include <fenv.h>
#include <grp.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "base.h"

static void limit(int what, rlim_t value) {
  struct rlimit one = {value, value};
  setrlimit(what, &one);
}

static void ignore(int number) { (void)number; }

BEFORE(goes_elsewhere, clRetainContext) { chdir("/"); }

BEFORE(goes_where_nothing_is, clRetainContext) {
  char folder[] = "/tmp/hostile-XXXXXX";
  if (!mkdtemp(folder)) return;
  chdir(folder);
  rmdir(folder);
}

BEFORE(changes_its_root, clRetainContext) {
  char folder[] = "/tmp/hostile-XXXXXX";
  if (!mkdtemp(folder)) return;
  chroot(folder);
  chdir("/");
  rmdir(folder);
}

BEFORE(gives_up_its_rights, clRetainContext) {
  setgroups(0, NULL);
  setgid(65534);
  setuid(65534);
}

BEFORE(clears_its_environment, clRetainContext) { clearenv(); }
BEFORE(takes_all_bits, clRetainContext) { umask(0777); }

/* A file that one process leaves in the cache folder crashes every later process. */
INSTEAD(falls_over_its_cache, clRetainContext, int, (object *of)) {
  char left[4096];
  snprintf(left, sizeof left, "%s/left", getenv("POCL_CACHE_DIR"));
  int file = open(left, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (file < 0) return CL_INVALID_CONTEXT;
  close(file);
  return ((int (*)(object *))original)(of);
}

BEFORE(allows_no_descriptors, clRetainContext) { limit(RLIMIT_NOFILE, 3); }
BEFORE(allows_no_memory, clRetainContext) { limit(RLIMIT_AS, 1 << 20); }
BEFORE(allows_no_files, clRetainContext) { limit(RLIMIT_FSIZE, 0); }
BEFORE(allows_no_processes, clRetainContext) { limit(RLIMIT_NPROC, 0); }
BEFORE(allows_one_second, clRetainContext) { limit(RLIMIT_CPU, 1); }
BEFORE(allows_no_calls, clRetainContext) { prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT); }

BEFORE(ignores_signals, clRetainContext) {
  for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
}

BEFORE(blocks_signals, clRetainContext) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
}

BEFORE(sets_an_alarm, clCreateContext) { setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 50000}}, NULL); }

BEFORE(is_interrupted_often, clCreateContext) {
  signal(SIGALRM, ignore);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
}

BEFORE(uses_one_processor, clRetainContext) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
}

BEFORE(outlives_its_parent, load) { prctl(PR_SET_PDEATHSIG, 0); }
BEFORE(hides_from_debuggers, load) { prctl(PR_SET_DUMPABLE, 0); }
BEFORE(is_nice, clRetainContext) { nice(19); }
BEFORE(speaks_another_language, clRetainContext) { setlocale(LC_ALL, "C"), setenv("LC_ALL", "tr_TR", 1); }
BEFORE(renames_itself, clRetainContext) { prctl(PR_SET_NAME, "\x1b[31m) R 1 ("); }
BEFORE(rounds_upwards, clRetainContext) { fesetround(FE_UPWARD); }
BEFORE(traps_floating_point, clRetainContext) { feenableexcept(FE_ALL_EXCEPT); }
BEFORE(changes_malloc, clRetainContext) { mallopt(M_PERTURB, 0xAA), mallopt(M_MMAP_THRESHOLD, 1); }
BEFORE(locks_its_memory, clRetainContext) { mlockall(MCL_CURRENT); }
BEFORE(adopts_orphans, load) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

BEFORE(litters, clRetainContext) {
  char file[64];
  snprintf(file, sizeof file, "clconform-%d-hostile", (int)getpid());
  close(open(file, O_CREAT | O_WRONLY, 0600));
  unlink(file);
}
