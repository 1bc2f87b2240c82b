/* The position in a Python script of a call: the lines that the interpreter of this process reports, if there is one.
 *
 * `faulthandler.register` is the interpreter's own way to print the lines of a thread at any time, without its lock
 * and without allocating memory, so that it also works for a thread that has released the lock. It is called at the
 * first OpenCL call, for an unused signal, with a pipe of the layer as output. The signal is never sent: the layer
 * calls the installed handler directly. Only functions that all versions of the interpreter export are used. If the
 * lines are not available, the recording states this.
 *
 * A program that calls OpenCL through ctypes never holds the lock in a call. A thread that waits for the lock in a call
 * may wait forever, if the holder waits for that thread. So another thread of the layer waits for it, and the call
 * continues after a while.
 */
#include <link.h>
#include <signal.h>

#define LONGEST_SCRIPT 8192
#define NO_LINES "?"

enum { SCRIPT = 7 };
enum { ABSENT, NOT_ASKED, BEING_ASKED, READY, REFUSED };
#define LONGEST_WAIT_MS 2000
#define PATH_LENGTH 4096

static void put_once(const void *from, uint64_t bytes); /* in host_memory.c */

static struct {
  void *library; /* the interpreter's, or the whole program */
  void *(*thread)(void);
  int (*has_lock)(void);
  void (*print)(int number);
  int number, ends[2];
  _Atomic int state, is_searched;
  _Atomic int64_t asked; /* when, in milliseconds */
  pthread_mutex_t lock;
} python = {.ends = {-1, -1}, .lock = PTHREAD_MUTEX_INITIALIZER};

static void *python_function(const char *name) { return dlsym(python.library, name); }

static int note_library(struct dl_phdr_info *file, size_t size, void *name) {
  (void)size;
  if (!file->dlpi_name || !strstr(file->dlpi_name, "/libpython3")) return 0;
  snprintf(name, PATH_LENGTH, "%s", file->dlpi_name);
  return 1;
}

/* Finds the functions of an interpreter, also in a library whose symbols are not global. */
static void find_python_library(void) {
  char name[PATH_LENGTH] = "";
  python.library = RTLD_DEFAULT;
  if (!python_function("PyGILState_Check") && dl_iterate_phdr(note_library, name))
    python.library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
}

/* Looks for an interpreter when a recording begins, again in a child process: its pipe differs from its parent's. */
static void find_python(void) {
  pthread_mutex_init(&python.lock, NULL);
  if (python.ends[0] >= 0) close(python.ends[0]), close(python.ends[1]);
  python.ends[0] = python.ends[1] = -1;
  python.state = ABSENT;
  find_python_library();
  *(void **)&python.thread = python_function("PyGILState_GetThisThreadState");
  *(void **)&python.has_lock = python_function("PyGILState_Check");
  if (python.thread && python.has_lock)
    python.state = pipe2(python.ends, O_CLOEXEC | O_NONBLOCK) ? REFUSED : NOT_ASKED;
}

/* Looks for an interpreter that the program has loaded after the recording began. */
static void find_new_python(void) {
  if (python.state != ABSENT || atomic_exchange(&python.is_searched, 1)) return;
  find_python();
  python.is_searched = 0;
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
  *(void **)&import = python_function("PyImport_ImportModule");
  *(void **)&call = python_function("PyObject_CallMethod");
  *(void **)&failed = python_function("PyErr_Occurred");
  *(void **)&clear = python_function("PyErr_Clear");
  *(void **)&forget = python_function("Py_DecRef");
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

static void *ask_for_lock(void *unused) { return python.has_lock() ? &python : unused; }

/* Registers in a thread of the layer, which may wait for the lock. */
static void *register_in_thread(void *unused) {
  int (*take)(void) = NULL;
  void (*give)(int) = NULL;
  int number = unused_signal(), state = REFUSED;
  *(void **)&take = python_function("PyGILState_Ensure");
  *(void **)&give = python_function("PyGILState_Release");
  if (take && give && number) {
    int before = take();
    state = register_handler(number);
    give(before);
  }
  python.state = state;
  return unused;
}

/* Runs a function in a new thread, which gets no signals of the program; returns whether the thread exists. */
static int run_in_thread(pthread_t *thread, void *(*function)(void *)) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int failed = pthread_create(thread, NULL, function, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return !failed;
}

/* Returns whether this thread certainly holds the lock: the interpreter may say so of every thread. */
static int has_lock(void) {
  pthread_t thread;
  void *is_always = &python;
  if (!python.has_lock()) return 0;
  return run_in_thread(&thread, ask_for_lock) && !pthread_join(thread, &is_always) && !is_always;
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void register_with_python(void) {
  pthread_t thread;
  int expected = NOT_ASKED, number = unused_signal();
  python.asked = milliseconds();
  if (!atomic_compare_exchange_strong(&python.state, &expected, BEING_ASKED)) return;
  if (!number)
    python.state = REFUSED;
  else if (has_lock())
    python.state = register_handler(number);
  else if (run_in_thread(&thread, register_in_thread))
    pthread_detach(thread);
  else
    python.state = REFUSED;
}

/* Returns whether the interpreter can print the lines of this thread. */
static int can_print(void) {
  struct timespec pause = {0, 100000};
  if (python.state == NOT_ASKED) register_with_python();
  while (python.state == BEING_ASKED && !python.has_lock() && milliseconds() - python.asked < LONGEST_WAIT_MS)
    nanosleep(&pause, NULL);
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
  if (python.state == ABSENT || mine.opening) return;
  int error = errno;
  char lines[LONGEST_SCRIPT];
  lines[0] = 0;
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
    put_once(lines, strlen(lines) + 1);
    end_record();
  }
  errno = error;
}
