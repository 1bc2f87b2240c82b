#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "driver_process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver_loop.h"
#include "mailbox.h"
#include "stream.h"
#include "supervisor.h"
#include "system.h"
#include "throttling.h"

enum {
    SAMPLES = 20,
    PAUSE_NANOSECONDS = 10000000,
    MIN_RUNNABLE = 3, /* a thread that only waits is runnable now and then */
    MAX_PROCESSES = 4096,
    MAX_LOG_BYTES = 1 << 24,
    FOLDER_MODE = 0700,
    FILE_MODE = 0600,
    OPEN_FOLDERS = 16,
    KERNEL_RECORD_BYTES = 8192,
    IS_EXITING = 4, /* PF_EXITING in the flags of a thread */
};
static const char folder_prefix[] = "clconform-server-", lock_name[] = "lock";

static pid_t driver, server;
static int driver_status, log_file = -1;
static char folder[PATH_MAX / 2];
static volatile sig_atomic_t has_to_end;

static void request_end(int number) {
    (void)number;
    has_to_end = 1;
}

static void note_child(int number) { (void)number; } /* interrupts a wait */

void prepare_server(void) {
    reset_signals();
    const struct sigaction ending = {.sa_handler = request_end}, child = {.sa_handler = note_child};
    sigaction(SIGTERM, &ending, NULL);
    sigaction(SIGHUP, &ending, NULL);
    sigaction(SIGINT, &ending, NULL);
    sigaction(SIGCHLD, &child, NULL);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    server = getpid();
}

bool has_server_to_end(void) { return has_to_end != 0; }

/* the folder */

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *position) {
    (void)about, (void)kind, (void)position;
    remove(path);
    return 0;
}

static void remove_tree(const char *path) { nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS); }

/* Lock the folder; -1 if a server has locked it. The lock ends with the process. */
static int lock_folder(const char *path) {
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%s", path, lock_name);
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
        close(file);
        return -1;
    }
    return file;
}

/* Remove the folders of servers that were killed. */
static void remove_abandoned(const char *root) {
    DIR *entries = opendir(root);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        char path[PATH_MAX];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        if (strncmp(entry->d_name, folder_prefix, sizeof folder_prefix - 1) == 0 && lstat(path, &about) == 0 &&
            S_ISDIR(about.st_mode) && about.st_uid == geteuid()) {
            int lock = lock_folder(path);
            if (lock >= 0) {
                remove_tree(path);
                close(lock);
            }
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

/* The usual folder for temporary files: Android has no /tmp. */
static const char *usual_root(void) {
    static const char *const known[] = {"/data/local/tmp", "/tmp"};
    const char *named = getenv("TMPDIR");
    if (named != NULL && *named != 0) {
        return named;
    }
    return access(known[0], W_OK) == 0 ? known[0] : known[1];
}

/* Lock the new folder, and open the file for the driver's output; false if another server removes the folder. */
static bool use_new_folder(void) {
    char name[sizeof folder + sizeof "/output"];
    struct stat locked, named;
    int lock = lock_folder(folder);
    snprintf(name, sizeof name, "%s/%s", folder, lock_name);
    if (lock < 0 || fstat(lock, &locked) != 0 || stat(name, &named) != 0 || locked.st_ino != named.st_ino) {
        return false;
    }
    snprintf(name, sizeof name, "%s/output", folder);
    log_file = open(name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);
    return log_file >= 0;
}

const char *create_server_folder(const char *root) {
    root = *root != 0 ? root : usual_root();
    remove_abandoned(root);
    for (int attempt = 0; attempt < MAX_FOLDERS; attempt++) {
        snprintf(folder, sizeof folder, "%s/%s%d-XXXXXX", root, folder_prefix, (int)getpid());
        if (mkdtemp(folder) == NULL) {
            return NULL;
        }
        if (use_new_folder()) { /* another server may take it for an abandoned one before it is locked */
            return folder;
        }
    }
    return NULL;
}

void remove_server_folder(void) { remove_tree(folder); }

/* the process */

static bool has_server_ended(void) { return getppid() != server; }

static _Noreturn void run_driver(const struct variable *variables, size_t count) {
    exclude_mailbox_from_forks();
    setsid();
    reset_signals();
    limit_process();
    close_stream();
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing > 0) {
        dup2(nothing, 0);
        close(nothing);
    }
    dup2(log_file, 1);
    dup2(log_file, 2);
    for (size_t i = 0; i < count; i++) {
        if (variables[i].value != NULL) {
            setenv(variables[i].name, variables[i].value, 1);
        } else {
            unsetenv(variables[i].name);
        }
    }
    if (!limit_data(0) || has_server_ended()) {
        _exit(1);
    }
    use_mailbox_again();
    set_mailbox_process(getpid());
    run_driver_loop(has_server_ended);
}

static int kernel_log = -1;

/* Read the log from now on. */
static void open_kernel_log(void) {
    if (kernel_log >= 0) {
        close(kernel_log);
    }
    kernel_log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (kernel_log >= 0) {
        lseek(kernel_log, 0, SEEK_END);
    }
}

size_t read_kernel_log(uint8_t *to, size_t size) {
    char record[KERNEL_RECORD_BYTES];
    size_t used = 0;
    ssize_t done;
    while (kernel_log >= 0 && ((done = read(kernel_log, record, sizeof record - 1)) > 0 || errno == EPIPE)) {
        if (done <= 0) {
            continue; /* earlier records were overwritten */
        }
        record[done] = 0;
        const char *text = strchr(record, ';'); /* after level, number, time and flags */
        size_t length = text != NULL ? strcspn(++text, "\n") + 1 : 0;
        if (length > size || length == 0) {
            continue;
        }
        size_t kept = used < size - length ? used : size - length; /* of the earlier bytes */
        memmove(to, to + used - kept, kept);
        memcpy(to + kept, text, length - 1);
        to[kept + length - 1] = '\n';
        used = kept + length;
    }
    return used;
}

const char *start_driver_process(const struct variable *variables, size_t count) {
    open_kernel_log();
    if (ftruncate(log_file, 0) != 0) {
        return strerror(errno);
    }
    driver = fork();
    if (driver == 0) {
        run_driver(variables, count);
    }
    return driver < 0 ? strerror(errno) : "";
}

bool run_started_driver(const char *option, const char *value) {
    (void)option, (void)value;
    return false;
}

/* Whether the main thread, which answers requests, has ended while other threads continue. */
static bool has_lost_main_thread(void) {
    static char text[MAX_FILE_BYTES];
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)driver);
    const char *after_name = read_text_file(path, text) ? strrchr(text, ')') : NULL;
    return after_name != NULL && after_name[1] == ' ' && after_name[2] == 'Z';
}

static bool is_main_thread_lost;

bool has_driver_ended(void) {
    if (driver <= 0) {
        return true;
    }
    struct stat about;
    if (fstat(log_file, &about) == 0 && about.st_size > MAX_LOG_BYTES && ftruncate(log_file, 0) != 0) {
        return false;
    }
    int status;
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
        if (ended == driver) {
            driver_status = status;
            is_main_thread_lost = false;
            driver = 0;
            return true;
        }
    }
    is_main_thread_lost = has_lost_main_thread();
    return is_main_thread_lost;
}

enum end driver_end(uint32_t *number) {
    if (is_main_thread_lost) {
        return END_MAIN_THREAD;
    }
    bool is_signal = WIFSIGNALED(driver_status);
    *number = (uint32_t)(is_signal ? WTERMSIG(driver_status) : WEXITSTATUS(driver_status));
    return is_signal ? END_SIGNAL : END_EXIT;
}

void end_driver_process(void) {
    if (driver > 0) {
        kill(driver, SIGKILL);
    }
    kill_children();
    driver = 0;
    is_main_thread_lost = false;
}

/* its use of processors */

struct process_stat {
    int process, parent;
    char state;
    unsigned long flags;
    uint64_t ticks;
};

static bool read_stat(const char *path, struct process_stat *found) {
    static char text[MAX_FILE_BYTES];
    const char *after_name = read_text_file(path, text) ? strrchr(text, ')') : NULL;
    unsigned long user, system;
    long child_user, child_system;
    *found = (struct process_stat){0};
    if (after_name == NULL ||
        sscanf(after_name, ") %c %d %*d %*d %*d %*d %lu %*u %*u %*u %*u %lu %lu %ld %ld", &found->state, &found->parent,
               &found->flags, &user, &system, &child_user, &child_system) != 7) {
        return false;
    }
    found->process = atoi(text);
    found->ticks = (uint64_t)user + system + (uint64_t)child_user + (uint64_t)child_system;
    return true;
}

/* Find the processes below this one; return their number. */
static size_t find_descendants(struct process_stat *found) {
    static struct process_stat all[MAX_PROCESSES];
    size_t count = 0, descendants = 0;
    DIR *entries = opendir("/proc");
    for (struct dirent *entry; entries != NULL && count < MAX_PROCESSES && (entry = readdir(entries)) != NULL;) {
        char path[64];
        if (isdigit((unsigned char)entry->d_name[0])) {
            snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
            count += read_stat(path, &all[count]);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    for (bool is_more = true; is_more;) { /* in rounds, since a child may precede its parent */
        is_more = false;
        for (size_t i = 0; i < count; i++) {
            bool is_below = all[i].parent == (int)server;
            for (size_t known = 0; known < descendants && !is_below; known++) {
                is_below = all[i].parent == found[known].process;
            }
            if (is_below && all[i].process != 0) {
                found[descendants++] = all[i];
                all[i] = (struct process_stat){0};
                is_more = true;
            }
        }
    }
    return descendants;
}

/* Note whether a thread of a process is blocked or runnable. */
static void watch_threads(int process, bool *is_blocked, bool *is_runnable) {
    char path[128];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *entries = opendir(path);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        struct process_stat thread;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", process, entry->d_name);
        if (!isdigit((unsigned char)entry->d_name[0]) || !read_stat(path, &thread)) {
            continue;
        }
        bool has_ended = thread.state == 'Z' || thread.state == 'X';
        *is_blocked |= thread.state == 'D' || ((thread.flags & IS_EXITING) != 0 && !has_ended);
        *is_runnable |= thread.state == 'R';
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

struct usage watch_driver(void) {
    static struct process_stat processes[MAX_PROCESSES];
    struct usage usage = {0, false, false};
    size_t count = find_descendants(processes);
    int runnable = 0;
    for (int look = 0; look < SAMPLES && !usage.is_blocked; look++) {
        bool is_runnable = false;
        for (size_t i = 0; i < count; i++) {
            watch_threads(processes[i].process, &usage.is_blocked, &is_runnable);
        }
        runnable += is_runnable;
        const struct timespec pause = {0, PAUSE_NANOSECONDS};
        nanosleep(&pause, NULL);
    }
    usage.is_runnable = !usage.is_blocked && runnable >= MIN_RUNNABLE;
    uint64_t ticks = 0;
    count = find_descendants(processes);
    for (size_t i = 0; i < count; i++) {
        ticks += processes[i].ticks;
    }
    usage.nanoseconds = ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
    return usage;
}

size_t read_output(uint8_t *to, size_t size) {
    struct stat about;
    if (fstat(log_file, &about) != 0) {
        return 0;
    }
    off_t start = about.st_size > (off_t)size ? about.st_size - (off_t)size : 0;
    ssize_t read_bytes = pread(log_file, to, size, start);
    return read_bytes > 0 ? (size_t)read_bytes : 0;
}

/* facts */

void read_boot(char *text, size_t size) {
    static char content[MAX_FILE_BYTES];
    read_text_file("/proc/sys/kernel/random/boot_id", content);
    content[strcspn(content, "\n")] = 0;
    snprintf(text, size, "%.40s", content);
}

void read_facts(struct facts *facts) {
    struct utsname names;
    struct sysinfo about;
    struct statvfs space;
    if (uname(&names) == 0) {
        add_fact(facts, "system", names.sysname);
        add_fact(facts, "release", names.release);
        add_fact(facts, "machine", names.machine);
        add_fact(facts, "name", names.nodename);
    }
    add_number_fact(facts, "processors", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    if (sysinfo(&about) == 0) {
        add_number_fact(facts, "memory", (uint64_t)about.totalram * about.mem_unit);
        add_number_fact(facts, "free memory", (uint64_t)about.freeram * about.mem_unit);
    }
    if (statvfs(folder, &space) == 0) {
        add_number_fact(facts, "free space", (uint64_t)space.f_bavail * space.f_frsize);
    }
    add_number_fact(facts, "time", (uint64_t)time(NULL));
    add_throttling_facts(facts, "/sys");
}
