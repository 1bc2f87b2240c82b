/* Drivers that attack the processes and the files of the run itself. HOSTILE_OUT is the folder of its results. */
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base.h"

enum { LONGEST = 100, MANY = 33 };

static int once(void) {
  static atomic_int times;
  return !times++;
}

/* Processes: the driver's process is a child of its reaper, which is a child of the session's process. */

static pid_t parent_of(pid_t process) {
  char path[64];
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)process);
  FILE *file = fopen(path, "r");
  char line[256];
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "PPid: %d", &parent) == 1) break;
  if (file) fclose(file);
  return parent;
}

static pid_t session(void) { return parent_of(getppid()); }

/* Sends a signal to all children of the session's process except the own reaper: templates and other reapers. */
static void signal_siblings(int number) {
  DIR *all = opendir("/proc");
  pid_t above = session(), own = getppid();
  for (struct dirent *one; all && (one = readdir(all));) {
    pid_t process = atoi(one->d_name);
    if (process > 1 && process != own && parent_of(process) == above) kill(process, number);
  }
  if (all) closedir(all);
}

static void leave_children(void) {
  prctl(PR_SET_PDEATHSIG, 0);
  for (int i = 0; i < MANY; i++)
    if (!fork()) {
      setsid();
      sleep(LONGEST);
      _exit(0);
    }
}

BEFORE(kills_its_reaper, clRetainContext) {
  if (once()) leave_children(), kill(getppid(), SIGKILL);
}

BEFORE(kills_its_reaper_and_sleeps, clRetainContext) {
  leave_children();
  kill(getppid(), SIGKILL);
  sleep_for_ever();
}

BEFORE(stops_its_reaper, clCreateContext) { kill(getppid(), SIGSTOP); }

BEFORE(stops_its_reaper_and_crashes, clRetainContext) {
  kill(getppid(), SIGSTOP);
  abort();
}

BEFORE(stops_its_reaper_and_sleeps, clRetainContext) {
  kill(getppid(), SIGSTOP);
  sleep_for_ever();
}

BEFORE(stops_the_template_and_crashes, clRetainContext) {
  signal_siblings(SIGSTOP);
  abort();
}

BEFORE(kills_the_template_and_crashes, clRetainContext) {
  signal_siblings(SIGKILL);
  abort();
}

BEFORE(traces_its_reaper_and_crashes, clRetainContext) {
  ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
  abort();
}

BEFORE(traces_the_session, clRetainContext) {
  ptrace(PTRACE_ATTACH, session(), NULL, NULL);
  sleep_for_ever();
}

BEFORE(traces_the_session_and_returns, clRetainContext) { ptrace(PTRACE_ATTACH, session(), NULL, NULL); }

BEFORE(ends_its_main_thread, clRetainContext) {
  static pthread_t other;
  if (pthread_create(&other, NULL, (void *(*)(void *))sleep_for_ever, NULL)) return;
  syscall(SYS_exit, 0);
}

BEFORE(becomes_a_zombie_of_a_stopped_reaper, clRetainContext) {
  kill(getppid(), SIGSTOP);
  _exit(0);
}

/* Files. */

static const char *results(void) {
  const char *folder = getenv("HOSTILE_OUT");
  return folder ? folder : "/nowhere";
}

static void run_shell(const char *format) {
  char command[8192];
  snprintf(command, sizeof command, format, results(), results(), results());
  if (system(command) < 0) abort();
}

BEFORE(removes_the_results, clRetainContext) { if (once()) run_shell("rm -rf '%s'"); }
BEFORE(moves_the_results, clRetainContext) { if (once()) run_shell("mv '%s' '%s.moved'"); }
BEFORE(links_the_results, clRetainContext) { if (once()) run_shell("mv '%s' '%s.moved'; ln -s /dev/null '%s'"); }
BEFORE(puts_a_file_over_the_results, clRetainContext) { if (once()) run_shell("rm -rf '%s'; echo x > '%s'"); }
BEFORE(removes_the_journal, clRetainContext) { if (once()) run_shell("rm -f '%s'/journal.jsonl"); }
BEFORE(truncates_the_journal, clRetainContext) { if (once()) run_shell(": > '%s'/journal.jsonl"); }
BEFORE(cuts_the_journal, clRetainContext) { if (once()) run_shell("truncate -s 3000 '%s'/journal.jsonl"); }

BEFORE(overwrites_the_journal, clRetainContext) {
  if (once()) run_shell("printf '%%s' garbage | dd of='%s'/journal.jsonl conv=notrunc bs=1 seek=100 2>/dev/null");
}

BEFORE(appends_to_the_journal, clRetainContext) { if (once()) run_shell("echo '{\"line\":\"nothing\"}' >> '%s'/journal.jsonl"); }
BEFORE(replaces_the_journal, clRetainContext) {
  if (once()) run_shell("cd '%s' && cp journal.jsonl other && mv other journal.jsonl");
}
