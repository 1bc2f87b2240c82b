/* The position in a Python script of a call: the lines that the interpreter of this process reports, if there is one.
 *
 * `faulthandler.register` is the interpreter's own way to print the lines of a thread at any time, without its lock
 * and without allocating memory, so that it also works for a thread that has released the lock. It is called at the
 * first OpenCL call that is made with the lock, for an unused signal, with a pipe of the layer as output. The signal
 * is never sent: the layer calls the installed handler directly. Only functions that all versions of the interpreter
 * export are used. If the lines are not available, the recording states this.
 */
#include <signal.h>

#define LONGEST_SCRIPT 2048
#define NO_LINES "?"

enum { SCRIPT = 7 };
enum { ABSENT, NOT_ASKED, BEING_ASKED, READY, REFUSED };

static struct {
  void *(*thread)(void);
  int (*has_lock)(void);
  void (*print)(int number);
  int number, ends[2];
  _Atomic int state;
  pthread_mutex_t lock;
} python = {.ends = {-1, -1}, .lock = PTHREAD_MUTEX_INITIALIZER};

/* Looks for an interpreter when a recording begins, again in a child process: its pipe differs from its parent's. */
static void find_python(void) {
  pthread_mutex_init(&python.lock, NULL);
  if (python.ends[0] >= 0) close(python.ends[0]), close(python.ends[1]);
  python.ends[0] = python.ends[1] = -1;
  python.state = ABSENT;
  *(void **)&python.thread = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
  *(void **)&python.has_lock = dlsym(RTLD_DEFAULT, "PyGILState_Check");
  if (python.thread && python.has_lock)
    python.state = pipe2(python.ends, O_CLOEXEC | O_NONBLOCK) ? REFUSED : NOT_ASKED;
}

/* Returns an unhandled signal, or the one chosen in a parent process; 0 if there is none. */
static int unused_signal(void) {
  struct sigaction there;
  if (python.number) return python.number;
  for (int number = SIGRTMAX; number > SIGRTMIN + 2; number--)
    if (!sigaction(number, NULL, &there) && there.sa_handler == SIG_DFL) return number;
  return 0;
}

/* Returns the handler of a signal if it is a function that takes only the signal number. */
static void (*handler_of(int number))(int) {
  struct sigaction there;
  if (sigaction(number, NULL, &there) || there.sa_flags & SA_SIGINFO) return NULL;
  return there.sa_handler == SIG_DFL || there.sa_handler == SIG_IGN ? NULL : there.sa_handler;
}

/* Makes the interpreter print to the pipe; only for a thread that holds the interpreter's lock. */
static int register_handler(int number) {
  void *(*import)(const char *) = NULL, *(*call)(void *, const char *, const char *, ...) = NULL;
  void *(*failed)(void) = NULL;
  void (*clear)(void) = NULL, (*forget)(void *) = NULL;
  *(void **)&import = dlsym(RTLD_DEFAULT, "PyImport_ImportModule");
  *(void **)&call = dlsym(RTLD_DEFAULT, "PyObject_CallMethod");
  *(void **)&failed = dlsym(RTLD_DEFAULT, "PyErr_Occurred");
  *(void **)&clear = dlsym(RTLD_DEFAULT, "PyErr_Clear");
  *(void **)&forget = dlsym(RTLD_DEFAULT, "Py_DecRef");
  if (!import || !call || !failed || !clear || !forget) return REFUSED;
  if (failed()) return NOT_ASKED; /* an exception of the program is pending and must not change */
  void *module = import("faulthandler");
  void *done = module ? call(module, "register", "iiii", number, python.ends[1], 0, 0) : NULL;
  if (!done) clear();
  forget(done);
  forget(module);
  python.print = done ? handler_of(number) : NULL;
  python.number = number;
  return python.print ? READY : REFUSED;
}

/* Returns whether the interpreter can print the lines of this thread. */
static int can_print(void) {
  int expected = NOT_ASKED;
  if (python.state == NOT_ASKED && python.has_lock() && atomic_compare_exchange_strong(&python.state, &expected, BEING_ASKED)) {
    int number = unused_signal();
    python.state = number ? register_handler(number) : REFUSED;
  }
  return python.state == READY && handler_of(python.number) == python.print; /* false after the interpreter has ended */
}

/* Reads the printed lines, the innermost first; returns the number of bytes kept. */
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

/* Records the lines of this thread, if they differ from those of its last call. */
static void know_script(void) {
  static __thread uint64_t told;
  static __thread unsigned generation;
  if (python.state == ABSENT) return;
  int error = errno;
  char lines[LONGEST_SCRIPT] = "";
  if (python.thread()) {
    if (can_print()) {
      pthread_mutex_lock(&python.lock);
      python.print(python.number);
      lines[read_lines(lines)] = 0;
      pthread_mutex_unlock(&python.lock);
    } else {
      strcpy(lines, NO_LINES);
    }
  }
  uint64_t digest = 14695981039346656037u;
  for (const char *each = lines; *each; each++) digest = (digest ^ (unsigned char)*each) * 1099511628211u;
  unsigned current = atomic_load(&recording.generation);
  if ((digest != told || generation != current) && begin_record(SCRIPT, 0)) {
    told = digest;
    generation = current;
    put_text(lines);
    end_record();
  }
  errno = error;
}
