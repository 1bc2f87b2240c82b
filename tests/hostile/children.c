/* Drivers that leave child processes behind. Each child ends by itself after LONGEST seconds. */
#include <spawn.h>
#include <sys/wait.h>

#include "base.h"

enum { LONGEST = 100 };
extern char **environ;

static int once(void) {
  static atomic_int times;
  return !times++;
}

static void child(int sessions) {
  if (fork()) {
    usleep(20000);  /* until it has created its session */
    return;
  }
  if (sessions) setsid();
  sleep(LONGEST);
  _exit(0);
}

BEFORE(leaves_a_child, clCreateContext) { if (once()) child(0); }
BEFORE(leaves_a_session, clCreateContext) { if (once()) child(1); }

BEFORE(leaves_57_sessions, clCreateContext) {
  if (once()) for (int i = 0; i < 57; i++) child(1);
}

BEFORE(leaves_a_daemon, clCreateContext) {
  if (!once() || fork()) return;
  setsid();
  if (fork()) _exit(0);
  for (int descriptor = 0; descriptor < 4096; descriptor++) close(descriptor);
  sleep(LONGEST);
  _exit(0);
}

BEFORE(leaves_a_chain, clCreateContext) {
  if (!once() || fork()) return;
  for (int links = 0; links < 40; links++) {  /* each process is the child of the previous one, which ends */
    setsid();
    if (fork()) _exit(0);
    usleep(10000);
  }
  sleep(LONGEST);
  _exit(0);
}

BEFORE(leaves_a_child_without_environment, clCreateContext) {
  char *arguments[] = {"sleep", "100", NULL}, *nothing[] = {NULL};
  if (!once() || fork()) return;
  setsid();
  execve("/bin/sleep", arguments, nothing);
  _exit(1);
}

BEFORE(spawns_sleep, clCreateContext) {
  pid_t started;
  char *arguments[] = {"sleep", "100", NULL};
  if (once()) posix_spawnp(&started, "sleep", NULL, NULL, arguments, environ);
}

BEFORE(has_the_shell_sleep, clCreateContext) { if (once()) system("setsid sleep 100 & sleep 100 &"); }

BEFORE(crashes_beside_a_child, clRetainContext) {
  child(1);
  abort();
}

BEFORE(exits_beside_a_child, clRetainContext) {
  child(0);
  _exit(0);
}

BEFORE(hangs_beside_children, clRetainContext) {
  for (int i = 0; i < 20; i++) child(i % 2);
  sleep_for_ever();
}

/* The child continues instead of the parent. */
BEFORE(goes_on_as_its_child, clRetainContext) { if (fork()) _exit(0); }

BEFORE(goes_on_as_a_daemon, clRetainContext) {
  if (fork()) _exit(0);
  setsid();
}

/* Parent and child both return from the call. */
BEFORE(comes_back_twice, clRetainContext) { fork(); }

BEFORE(child_kills_it, clRetainContext) {
  pid_t parent = getpid();
  if (fork()) sleep_for_ever();
  kill(parent, SIGKILL);
  _exit(0);
}

BEFORE(child_kills_it_late, clCreateContext) {
  pid_t parent = getpid();
  if (!once() || fork()) return;
  setsid();
  usleep(20000);
  kill(parent, SIGKILL);
  sleep(LONGEST);
  _exit(0);
}

BEFORE(child_writes_to_its_descriptors, clCreateContext) {
  if (!once() || fork()) return;
  setsid();
  for (int times = 0; times < 100; times++) {
    for (int descriptor = 3; descriptor < 4096; descriptor++)
      if (fcntl(descriptor, F_GETFL) == O_WRONLY) write(descriptor, "garbage", 7);
    usleep(20000);
  }
  sleep(LONGEST);
  _exit(0);
}

BEFORE(multiplies, clCreateContext) {
  if (!once() || fork()) return;
  for (int i = 0; i < 6; i++)  /* 64 processes, each in a session of its own */
    if (!fork()) setsid();
  sleep(LONGEST);
  _exit(0);
}

BEFORE(leaves_the_dead, clRetainContext) {
  if (!fork()) _exit(0);  /* becomes a zombie */
}
