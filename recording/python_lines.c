/* Where in a Python script a call comes from: the lines of the interpreter in this process, if there is one.
 *
 * The interpreter's own function for faults prints the lines of a thread without its lock and without memory, so that a
 * thread that has given the lock away can be asked, too. It prints into a pipe of ours. Interpreters that do not export
 * it (CPython since 3.13) are not asked.
 */
#include <errno.h>

#define LONGEST_SCRIPT 2048

enum { SCRIPT = 7 };

static struct {
  void (*print)(int file, void *thread);
  void *(*thread)(void);
  int ends[2];
  pthread_mutex_t lock;
} python = {.ends = {-1, -1}, .lock = PTHREAD_MUTEX_INITIALIZER};

/* Looks for an interpreter when a recording begins, in a child process anew: its pipe is not its parent's. */
static void find_python(void) {
  pthread_mutex_init(&python.lock, NULL);
  if (python.ends[0] >= 0) close(python.ends[0]), close(python.ends[1]);
  python.ends[0] = python.ends[1] = -1;
  *(void **)&python.print = dlsym(RTLD_DEFAULT, "_Py_DumpTraceback");
  *(void **)&python.thread = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
  if (!python.thread || pipe2(python.ends, O_CLOEXEC | O_NONBLOCK)) python.print = NULL;
}

/* Reads what was printed, the innermost lines of it; returns how many bytes are kept. */
static size_t read_lines(char *kept) {
  static char printed[1 << 16];
  size_t size = 0;
  for (;;) {
    ssize_t got = read(python.ends[0], printed, sizeof printed);
    if (got <= 0) return size;
    size_t wanted = least((uint64_t)got, LONGEST_SCRIPT - 1 - size);
    memcpy(kept + size, printed, wanted);
    size += wanted;
  }
}

/* Records the lines of this thread, if they are others than those of its last call. */
static void know_script(void) {
  static __thread uint64_t told;
  static __thread unsigned generation;
  if (!python.print) return;
  int error = errno;
  char lines[LONGEST_SCRIPT];
  pthread_mutex_lock(&python.lock);
  void *thread = python.thread();
  if (thread) python.print(python.ends[1], thread);
  size_t size = thread ? read_lines(lines) : 0;
  pthread_mutex_unlock(&python.lock);
  lines[size] = 0;
  uint64_t digest = 14695981039346656037u;
  for (size_t each = 0; each < size; each++) digest = (digest ^ (unsigned char)lines[each]) * 1099511628211u;
  unsigned current = atomic_load(&recording.generation);
  if ((digest != told || generation != current) && begin_record(SCRIPT, 0, next())) {
    told = digest;
    generation = current;
    put_text(lines);
    end_record();
  }
  errno = error;
}
