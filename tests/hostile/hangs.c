/* Drivers that do not return from a call, or return late. */
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base.h"

BEFORE(pauses, clRetainContext) { sleep_for_ever(); }

BEFORE(spins, clRetainContext) {
  for (volatile long i = 0;; i++) {}
}

BEFORE(locks_itself_out, clRetainContext) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  for (;;) pthread_mutex_lock(&lock);
}

BEFORE(blocks_all_signals, clRetainContext) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  sleep_for_ever();
}

BEFORE(ignores_all_signals, clRetainContext) {
  for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
  sleep_for_ever();
}

BEFORE(closes_and_pauses, clRetainContext) {
  for (int descriptor = 0; descriptor < 4096; descriptor++) close(descriptor);
  sleep_for_ever();
}

BEFORE(stops_itself, clRetainContext) { raise(SIGSTOP); }
BEFORE(stops_its_group, clRetainContext) { kill(0, SIGSTOP); }

/* Ends the calling thread: the process continues without its first thread. */
BEFORE(ends_its_thread, clRetainContext) { syscall(SYS_exit, 0); }

BEFORE(waits_for_its_child, clRetainContext) {
  if (!vfork()) {
    sleep_for_ever();
    _exit(0);
  }
}

BEFORE(waits_for_itself, clRetainContext) {
  char byte;
  int ends[2];
  pipe(ends);
  read(ends[0], &byte, 1);
}

BEFORE(sends_bytes_slowly, clRetainContext) {
  for (;;) {
    for (int descriptor = 3; descriptor < 4096; descriptor++)
      if (fcntl(descriptor, F_GETFL) == O_WRONLY) write(descriptor, "", 1);
    sleep(1);
  }
}

/* slow, but conforming */

BEFORE(is_slow, clRetainContext) { usleep(200000); }
BEFORE(is_slow_once, clRetainContext) { if (is_the_time()) sleep(3); }

/* Uses a second of processor time, which takes longer on a busy machine. */
static void *work(void *unused) {
  struct timespec used = {0};
  while (used.tv_sec < 1) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return unused;
}

BEFORE(works_long, clRetainContext) { work(NULL); }

BEFORE(works_long_in_a_thread, clRetainContext) {
  pthread_t thread;
  if (!pthread_create(&thread, NULL, work, NULL)) pthread_join(thread, NULL);
}

BEFORE(works_long_in_a_child, clRetainContext) {
  pid_t child = fork();
  if (!child) {
    work(NULL);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

BEFORE(sleeps_long, clRetainContext) { sleep(60); }

static void spin(void *unused) {
  (void)unused;
  for (volatile long i = 0;; i++) {}
}

static void pause_in_a_thread(void *unused) { (void)unused, sleep_for_ever(); }

BEFORE(thread_spins, load) { later(0, spin, NULL); }

BEFORE(starts_200_threads, clCreateContext) {
  static int started;
  for (; started < 200; started++) later(0, pause_in_a_thread, NULL);
}
