#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "supervisor.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mailbox.h"
#include "system.h"

enum { WATCH_SECONDS = 2 };
static const uint64_t max_kill_nanoseconds = 2000000000U;
static pid_t supervisor, parent;

void reset_signals(void) {
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void limit_process(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

bool has_supervisor_ended(void) { return supervisor != 0 && getppid() != supervisor; }

bool read_text_file(const char *path, char *text) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, text, MAX_FILE_BYTES - 1) : -1;
    if (file >= 0) {
        close(file);
    }
    text[size > 0 ? size : 0] = 0;
    return size > 0;
}

int status_number(int process, const char *name) {
    static char text[MAX_FILE_BYTES];
    char path[64], start[64];
    snprintf(path, sizeof path, "/proc/%d/status", process);
    snprintf(start, sizeof start, "\n%s:", name);
    const char *found = read_text_file(path, text) ? strstr(text, start) : NULL;
    return found != NULL ? (int)strtol(found + strlen(start), NULL, 10) : 0;
}

/* Whether a descendant of this process traces a process, which it could then stop for ever. */
static bool is_traced_from_below(int process) {
    int tracer = status_number(process, "TracerPid");
    while (tracer > 1 && tracer != getpid()) {
        tracer = status_number(tracer, "PPid");
    }
    return tracer == getpid();
}

/* Kill the children in the list of the kernel; false if there is no such list. */
static bool kill_listed_children(void) {
    static char text[MAX_FILE_BYTES];
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    if (access(path, R_OK) != 0) {
        return false;
    }
    read_text_file(path, text);
    for (char *at = text, *end = NULL; *at != 0; at = end) {
        long process = strtol(at, &end, 10);
        if (end == at) {
            break;
        }
        kill((pid_t)process, SIGKILL);
    }
    return true;
}

/* The same for kernels without that list. */
static void kill_found_children(void) {
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        int process = isdigit((unsigned char)entry->d_name[0]) ? (int)strtol(entry->d_name, NULL, 10) : 0;
        if (process > 1 && status_number(process, "PPid") == getpid()) {
            kill(process, SIGKILL);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

void kill_children(void) {
    uint64_t until = now_nanoseconds() + max_kill_nanoseconds;
    while (now_nanoseconds() < until) {
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
        }
        if (ended < 0 && errno == ECHILD) {
            return;
        }
        if (!kill_listed_children()) {
            kill_found_children();
        }
        const struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
}

static bool has_ended(int process) { return kill(process, 0) != 0 && errno == ESRCH; }

/* Wait for the child, and return its exit status as waitpid does. Kill it on SIGTERM, if the session ends (the parent
   may be a wrapper that continues), and if a process below this one traces the session. */
static int wait_for_child(pid_t child, int session, const sigset_t *watched) {
    bool is_visible = !has_ended(session); /* a wrapper may have put this process into another namespace */
    while (true) {
        const struct timespec limit = {WATCH_SECONDS, 0};
        int received = sigtimedwait(watched, NULL, &limit);
        bool is_time = received < 0 && errno == EAGAIN;
        if (received == SIGTERM || (is_time && ((is_visible && has_ended(session)) || is_traced_from_below(session)))) {
            kill(child, SIGKILL);
        }
        int status = 0;
        pid_t ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended == child) {
                return status;
            }
        }
        if (ended < 0 && errno == ECHILD) {
            return SIGKILL; /* its status was discarded */
        }
    }
}

static void fork_below_supervisor(void) {
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigaddset(&watched, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    sigprocmask(SIG_BLOCK, &watched, NULL);
    int session = mailbox_session();
    supervisor = getpid();
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, &watched, NULL);
        set_mailbox_process(getpid()); /* before the first message, which lets the session read it */
        setsid();
        exclude_mailbox_from_forks();
        limit_process();
        if (has_supervisor_ended()) {
            _exit(1);
        }
        return;
    }
    if (child < 0) {
        fprintf(stderr, "clconform: cannot fork the driver's process: %s\n", strerror(errno));
        _exit(1);
    }
    if (getppid() != parent) { /* it ended before prctl requested the signal */
        kill(child, SIGKILL);
    }
    end_mailbox(wait_for_child(child, session, &watched));
    kill_children();
    kill(session, SIGCONT); /* if the driver has traced the session, its end leaves the session stopped */
    _exit(0);
}

static void fail(const char *message) {
    fprintf(stderr, "clconform: %s: %s\n", message, strerror(errno));
    _exit(2);
}

void start_below_supervisor(int segment, bool is_supervised) {
    parent = getppid(); /* before the session can learn that this process runs */
    void *memory = shmat(segment, NULL, 0);
    if (memory == (void *)-1) { /* NOLINT: the value that POSIX defines */
        fail("cannot attach the shared memory");
    }
    use_mailbox(memory);
    reset_signals();
    if (!limit_data(0)) { /* the session may have a limit of its own, which would change what a driver reports */
        fail("cannot restore the limit of memory for data");
    }
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing > 0) {
        dup2(nothing, 0);
        close(nothing);
    }
    dup2(2, 1);
    if (is_supervised) {
        fork_below_supervisor();
    } else {
        set_mailbox_process(getpid());
        limit_process();
    }
}
