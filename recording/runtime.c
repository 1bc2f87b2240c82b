/* The layer's runtime: storage of records, and the common part of the wrappers.
 *
 * A recording is a file of chunks. Each host thread writes to its own window, a piece of the file that is mapped and
 * shared, so that written data persist however the process ends. A full window is copied to the end of the file and
 * reused: resident pages cost a program far less than new ones. A call has two records: one with its arguments,
 * before the driver is entered, and one with its result. A record gets its number when it is otherwise complete, and
 * the counter lies in the file: a reader can determine whether a record is missing. If the program is judged while it
 * runs, there is no file: each record is sent to the judge (`live_stream.c`).
 *
 * `recording/file_layout.py` describes the layout.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
#ifdef __ANDROID__ /* its linker has no static TLS for libraries that are opened later */
#define THREAD_LOCAL __thread
#else
#define THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))
#endif
#define RARELY(condition) __builtin_expect(!!(condition), 0)
#define WINDOW_BYTES ((uint64_t)128 << 10)
#define PAGE ((uint64_t)4096)
#define NO_CONTENT UINT64_MAX
#define SMALL 256
#define LONGEST_CODE ((uint64_t)64 << 20)
#define LONGEST_RECORD ((uint64_t)1 << 30)
#define WITHOUT_CONTENTS 1024
#define MOST_ERROR_CALLBACKS 1024
#define MODULUS (((uint64_t)1 << 61) - 1)

enum { ENTERED = 1, LEFT, CALLED_BACK, CALLBACK_ENDED, MAPPED, ASKED, EXITED = 9 };

struct file_head {
  char magic[8];
  uint64_t length, checksum;
  char stopped[4];
  int32_t error;
  uint64_t unused[4];
  _Atomic uint64_t next; /* the number of the next record, in a cache line of its own */
  uint64_t rest[7];
};

struct chunk {
  char magic[4];
  uint32_t checksum; /* of the following numbers except for `used` */
  uint64_t size, position;
  uint64_t used; /* in the lower half; in the upper half combined with the checksum */
  uint32_t process, thread;
};

/* The words before the data of a record; the shape is its length, kind and function. */
enum { CHECKSUM, SEQUENCE, SHAPE, WORDS_OF_HEAD };

struct code_range {
  uintptr_t start, end;
};

struct thread_state {
  struct chunk *window, *chunk; /* the chunk of the current record: the window, or a separate one */
  uint64_t *record, *at, *end; /* its start, its current end, and the end of the chunk */
  unsigned generation;
  int opening, busy;
  uint32_t id;
  int connection, replies_due; /* the connection to the judge of a running program, and its replies to receive */
  ino_t connection_inode;
  struct code_range code; /* the range of the last call site */
};

static struct file_head nowhere; /* for processes without a recording */
static struct {
  int file, error; /* the number of the error because of which recording stopped */
  struct file_head *shared; /* the first page of the file */
  _Atomic uint64_t end;
  pthread_mutex_t lock, of_unused;
  pthread_key_t thread_ends;
  struct chunk *unused[64]; /* windows of threads that have ended */
  int unused_count;
  uint64_t longest;
  _Atomic unsigned generation;
  _Atomic int on;
  int is_live; /* the program is judged while it runs */
  char path[4096];
  const char *head;
  uint64_t head_bytes;
} recording = {.file = -1, .shared = &nowhere, .lock = PTHREAD_MUTEX_INITIALIZER, .of_unused = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t opened = PTHREAD_ONCE_INIT; /* the queries of platforms and devices */
static int forked; /* a child process repeats the queries of its parent only if it starts its own platform discovery */
static THREAD_LOCAL struct thread_state mine;

/* The code ranges of call sites: executable mappings that the recording already has. */
static struct {
  _Atomic int count;
  struct code_range ranges[4096];
} code;

static int begin_stream(void); /* in live_stream.c */
static int connect_stream(void);
static void disconnect_stream(void);
static int send_record(void);
static void stop_if_requested(void);
static void stop_process(void);

static uint64_t whole_pages(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

static int is_on(void) { return atomic_load_explicit(&recording.on, memory_order_relaxed); }

/* Adds the word before the bytes of a sum, read as a little-endian number, modulo the prime. */
static inline uint64_t add_word(uint64_t sum, uint64_t word) {
  return (sum << 3 & MODULUS) + (sum >> 58) + (word & MODULUS) + (word >> 61);
}

static inline uint64_t remainder_of(uint64_t sum) {
  sum = (sum & MODULUS) + (sum >> 61);
  return sum < MODULUS ? sum : sum - MODULUS;
}

static uint64_t used_part(const struct chunk *chunk) { return (uint32_t)chunk->used; }

/* One store, so that both halves fit however the process ends. */
static inline void set_used_part(struct chunk *chunk, uint64_t used) {
  __atomic_store_n(&chunk->used, used | (uint64_t)((uint32_t)used ^ chunk->checksum) << 32, __ATOMIC_RELEASE);
}

static void seal_chunk(struct chunk *chunk, uint64_t used) {
  uint64_t sum = add_word(0, chunk->process | (uint64_t)chunk->thread << 32);
  sum = remainder_of(add_word(add_word(sum, chunk->position), chunk->size));
  chunk->checksum = (uint32_t)(sum ^ sum >> 32);
  set_used_part(chunk, used);
}

/* Marks the file, which needs no further space for it; the end of the process reports it. */
static void stop_recording(int error) {
  if (!atomic_exchange(&recording.on, 0)) return;
  recording.error = recording.shared->error = error;
  memcpy(recording.shared->stopped, "STOP", 4);
}

/* Returns whether a limit allows a file of this size; a write above the limit would end the program by SIGXFSZ. */
static int is_allowed(uint64_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

/* Reserves a piece of the file; returns 0 or the number of an error. */
static int reserve(uint64_t start, uint64_t size) {
  return is_allowed(start + size) ? posix_fallocate(recording.file, (off_t)start, (off_t)size) : EFBIG;
}

/* Returns a new mapped piece of the file, or of memory if there is no file; NULL if there is no space. */
static struct chunk *new_chunk(uint64_t bytes) {
  uint64_t size = whole_pages(bytes), start = atomic_fetch_add(&recording.end, size);
  int error = recording.is_live ? 0 : reserve(start, size);
  int flags = recording.is_live ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
  struct chunk *chunk = MAP_FAILED;
  if (!error) {
    chunk = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, recording.file, recording.is_live ? 0 : (off_t)start);
    if (chunk == MAP_FAILED) error = errno;
  }
  if (error) {
    stop_recording(error);
    return NULL;
  }
  memcpy(chunk->magic, "CLCH", 4);
  chunk->size = size;
  chunk->position = start;
  chunk->process = (uint32_t)getpid();
  chunk->thread = mine.id;
  seal_chunk(chunk, sizeof *chunk);
  return chunk;
}

static struct chunk *new_window(void) {
  struct chunk *window = NULL;
  pthread_mutex_lock(&recording.of_unused);
  if (recording.unused_count) window = recording.unused[--recording.unused_count];
  pthread_mutex_unlock(&recording.of_unused);
  if (!window) return new_chunk(WINDOW_BYTES);
  window->thread = mine.id;
  seal_chunk(window, sizeof *window);
  return window;
}

/* Copies the contents of a window to the end of the file as a separate chunk, and empties the window. If the process
 * ends in between, both remain, and begin with the same number. */
static int empty_window(struct chunk *window) {
  struct chunk copied = *window;
  copied.size = whole_pages(used_part(window));
  struct iovec parts[] = {{&copied, sizeof copied}, {window + 1, copied.size - sizeof copied}};
  if (used_part(window) == sizeof *window) return 1;
  copied.position = atomic_fetch_add(&recording.end, copied.size);
  seal_chunk(&copied, used_part(window));
  int before = errno, error = is_allowed(copied.position + copied.size) ? 0 : EFBIG;
  ssize_t written = error ? 0 : pwritev(recording.file, parts, 2, (off_t)copied.position);
  if (written != (ssize_t)copied.size) {
    stop_recording(error ? error : written < 0 ? errno : ENOSPC);
    errno = before;
    return 0;
  }
  set_used_part(window, sizeof *window);
  return 1;
}

static uint64_t filled(void) { return (uint64_t)((unsigned char *)mine.at - (unsigned char *)mine.record); }

static uint64_t left_in_chunk(void) { return (uint64_t)((unsigned char *)mine.end - (unsigned char *)mine.at); }

static void write_to(struct chunk *chunk, uint64_t *record) {
  mine.chunk = chunk;
  mine.record = record;
  mine.end = (uint64_t *)((unsigned char *)chunk + chunk->size);
}

/* Makes space if there is too little: in the window after emptying it, or in a chunk for this record alone. */
static __attribute__((noinline)) int more(uint64_t bytes) {
  struct chunk *before = mine.chunk;
  uint64_t already = filled();
  if (before == mine.window) {
    if (!before) {
      if (!(mine.window = new_window())) return 0;
      if (recording.is_live && !connect_stream()) return 0;
      pthread_setspecific(recording.thread_ends, &mine);
    } else if (!empty_window(before)) {
      return 0;
    }
    uint64_t *start = (uint64_t *)(mine.window + 1);
    if (already) memmove(start, mine.record, already);
    write_to(mine.window, start);
  }
  mine.at = mine.record + already / sizeof *mine.at;
  if (bytes <= left_in_chunk()) return 1;
  struct chunk *alone = new_chunk(sizeof *alone + 2 * (already + bytes));
  if (!alone) return 0;
  memcpy(alone + 1, mine.record, already);
  if (mine.chunk != mine.window) munmap(mine.chunk, mine.chunk->size);
  write_to(alone, (uint64_t *)(alone + 1));
  mine.at = mine.record + already / sizeof *mine.at;
  return 1;
}

/* Ensures that this many more bytes fit, plus the maximum of a record without contents of the program. */
static int room(uint64_t bytes) {
  bytes += WITHOUT_CONTENTS;
  return !RARELY(bytes > left_in_chunk()) || more(bytes);
}

static void begin_thread(unsigned generation) {
  mine.generation = generation;
  mine.window = mine.chunk = NULL;
  mine.record = mine.at = mine.end = NULL;
  mine.replies_due = 0;
  mine.id = (uint32_t)syscall(SYS_gettid);
}

/* Passes the window of an ending thread to the next new thread. */
static void end_thread(void *unused) {
  struct chunk *window = mine.window;
  (void)unused;
  if (!window || mine.busy || mine.generation != atomic_load(&recording.generation)) return;
  if (recording.is_live) disconnect_stream();
  begin_thread(mine.generation);
  if (!empty_window(window)) return;
  pthread_mutex_lock(&recording.of_unused);
  int kept = recording.unused_count < (int)(sizeof recording.unused / sizeof *recording.unused);
  if (kept) recording.unused[recording.unused_count++] = window;
  pthread_mutex_unlock(&recording.of_unused);
  if (!kept) munmap(window, window->size);
}

static inline int begin_record(int kind, int what) {
  if (RARELY(!is_on() || mine.busy)) return 0;
  unsigned generation = atomic_load_explicit(&recording.generation, memory_order_relaxed);
  if (RARELY(mine.generation != generation)) begin_thread(generation);
  mine.busy = 1;
  mine.record = mine.at; /* after the previous record */
  if (RARELY(!room(0))) {
    mine.busy = 0;
    return 0;
  }
  mine.record[SHAPE] = (uint64_t)kind << 32 | (uint64_t)what << 48;
  mine.at += WORDS_OF_HEAD;
  return 1;
}

static inline void put(uint64_t value) { *mine.at++ = value; }

static int copy_through_pipe(unsigned char *to, const unsigned char *from, uint64_t bytes) {
  int ends[2], fine = !pipe2(ends, O_CLOEXEC);
  if (!fine) return 0;
  for (uint64_t done = 0; fine && done < bytes; done += PAGE) { /* a pipe has space for a page */
    size_t size = bytes - done < PAGE ? bytes - done : PAGE;
    fine = write(ends[1], from + done, size) == (ssize_t)size && read(ends[0], to + done, size) == (ssize_t)size;
  }
  close(ends[0]);
  close(ends[1]);
  return fine;
}

/* Copies memory that may be unreadable; returns whether it is readable. Sandboxes and emulators may lack the call. */
static int copy_carefully(void *to, const void *from, uint64_t bytes) {
  struct iovec ours = {to, bytes}, theirs = {(void *)from, bytes};
  int before = errno, fine = process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0) == (ssize_t)bytes;
  if (!fine && (errno == ENOSYS || errno == EPERM)) fine = copy_through_pipe(to, from, bytes);
  errno = before;
  return fine;
}

/* Writes bytes of the program, preceded by their number; an invalid address yields no contents instead of a crash. */
static void put_up_to(uint64_t longest, const void *from, uint64_t bytes) {
  uint64_t words = (bytes + 7) / 8;
  if (!from || bytes > longest || filled() + bytes > LONGEST_RECORD || !room((words + 1) * 8)) {
    if (room(8)) put(NO_CONTENT);
    return;
  }
  uint64_t *to = mine.at + 1;
  if (words) to[words - 1] = 0;
  if (bytes == 8) {
    memcpy(to, from, 8);
  } else if (bytes == 4) {
    memcpy(to, from, 4);
  } else if (bytes <= SMALL) {
    memcpy(to, from, bytes);
  } else {
    if (!copy_carefully(to, from, bytes)) {
      put(NO_CONTENT);
      return;
    }
  }
  put(bytes);
  mine.at += words;
}
/* Writes bytes up to the limit that the user chose; values of the layer's own queries are written completely. */
static void put_bytes(const void *from, uint64_t bytes) {
  put_up_to(mine.opening ? LONGEST_CODE : recording.longest, from, bytes);
}

/* Writes bytes that may be partly unreadable. */
static void put_carefully(const void *from, uint64_t bytes) {
  unsigned char there[SMALL];
  put_bytes(from && bytes <= SMALL && copy_carefully(there, from, bytes) ? there : NULL, bytes);
}

static void put_text(const char *text) { put_up_to(LONGEST_CODE, text, text ? strlen(text) + 1 : 0); }

/* Completes a record; returns its number, or 0 if recording has stopped. */
static uint64_t end_record(void) {
  struct chunk *chunk = mine.chunk;
  uint64_t sequence = 0, sum = 0;
  int must_stop = 0;
  if (is_on()) {
    mine.record[SHAPE] |= filled();
    for (const uint64_t *at = mine.at; at > mine.record + SHAPE;) sum = add_word(sum, *--at);
    sequence = atomic_fetch_add_explicit(&recording.shared->next, 1, memory_order_seq_cst);
    mine.record[SEQUENCE] = sequence;
    mine.record[CHECKSUM] = MODULUS - remainder_of(add_word(add_word(sum, sequence), 0));
    if (RARELY(recording.is_live))
      must_stop = send_record();
    else
      set_used_part(chunk, used_part(chunk) + filled());
  }
  if (RARELY(recording.is_live || !sequence)) mine.at = mine.record;
  if (RARELY(chunk != mine.window)) {
    munmap(chunk, chunk->size);
    write_to(mine.window, (uint64_t *)((unsigned char *)mine.window + used_part(mine.window)));
    mine.at = mine.record;
  }
  mine.busy = 0;
  if (RARELY(must_stop)) stop_process();
  return sequence;
}

static void find_python(void); /* in python_lines.c */
static void find_new_python(void);
static void know_script(void);

/* Records the executable mappings, if the address is in none of the known ones. */
static void know_code(uintptr_t address) {
  if (address - mine.code.start < mine.code.end - mine.code.start) return;
  int count = atomic_load_explicit(&code.count, memory_order_acquire);
  for (int each = 0; each < count; each++)
    if (address - code.ranges[each].start < code.ranges[each].end - code.ranges[each].start) {
      mine.code = code.ranges[each];
      return;
    }
  pthread_mutex_lock(&recording.lock);
  FILE *maps = fopen("/proc/self/maps", "re");
  char line[4352];
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long start, end, offset;
    char rights[8], path[4096] = "";
    if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &start, &end, rights, &offset, path) < 4) continue;
    if (!strchr(rights, 'x')) continue;
    int known = 0, last = atomic_load_explicit(&code.count, memory_order_relaxed);
    for (int each = 0; each < last; each++) known |= code.ranges[each].start == start && code.ranges[each].end == end;
    if (known || last == sizeof code.ranges / sizeof *code.ranges) continue;
    code.ranges[last] = (struct code_range){start, end};
    atomic_store_explicit(&code.count, last + 1, memory_order_release);
    if (begin_record(MAPPED, 0)) {
      put(start);
      put(end);
      put(offset);
      put_text(path);
      end_record();
    }
  }
  if (maps) fclose(maps);
  pthread_mutex_unlock(&recording.lock);
  find_new_python();
}

static void know_stack(const void *from); /* in call_stacks.c */
static void begin_digests(void); /* in host_memory.c */
static void begin_areas(void);   /* in unmapped_memory.c */

/* Begins the record of a call; returns whether the call is recorded. */
static int enter(int function, const void *from) {
  if (RARELY(!is_on() || mine.busy)) return 0;
  if (RARELY(recording.is_live)) stop_if_requested();
  know_code((uintptr_t)from);
  know_stack(from);
  know_script();
  if (!begin_record(mine.opening ? ASKED : ENTERED, function)) return 0;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  put((uint64_t)(uintptr_t)from);
  put((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
  return 1;
}

static int leave(int function, uint64_t sequence, uint64_t result) {
  if (!sequence || !begin_record(LEFT, function)) return 0;
  put(sequence);
  put(result);
  return 1;
}

/* Records that the process exits normally, and reports lost calls. Calls may follow, from other destructors. */
static __attribute__((destructor)) void note_exit(void) {
  if (begin_record(EXITED, 0)) end_record();
  if (recording.error)
    fprintf(stderr, "clconform: the recording of process %d is incomplete: %s\n", (int)getpid(), strerror(recording.error));
}

static uint64_t least(uint64_t one, uint64_t other) { return one < other ? one : other; }

/* A callback of the program: the driver calls the layer's function, which forwards the arguments. */
struct registration {
  void *function, *user_data;
  uint64_t sequence;
};

static struct registration *registration(void *function, void *user_data, uint64_t sequence) {
  struct registration *made = malloc(sizeof *made);
  if (made) *made = (struct registration){function, user_data, sequence};
  return made;
}

/* The registrations of error callbacks of contexts: Oclgrind passes user_data as private_info, and NULL as user_data. */
static struct {
  _Atomic int count;
  struct registration *_Atomic each[MOST_ERROR_CALLBACKS];
} of_errors;

/* Returns whether there is a place for another registration; without one, the driver calls the program directly. */
static int know_error_registration(struct registration *made) {
  int at = atomic_fetch_add(&of_errors.count, 1);
  if (at < MOST_ERROR_CALLBACKS) atomic_store(&of_errors.each[at], made);
  return at < MOST_ERROR_CALLBACKS;
}

static int is_error_registration(const void *address) {
  int count = (int)least((uint64_t)atomic_load(&of_errors.count), MOST_ERROR_CALLBACKS);
  for (int at = 0; at < count; at++)
    if (address && atomic_load(&of_errors.each[at]) == address) return 1;
  return 0;
}

/* Returns the registration of an error callback, and replaces its address by the program's user_data in the argument in
 * which the driver has passed the address; NULL if it is in none. */
static struct registration *error_registration(void **private_info, void **user_data) {
  void **given = is_error_registration(*user_data) ? user_data : is_error_registration(*private_info) ? private_info : NULL;
  struct registration *made = given ? *given : NULL;
  if (made) *given = made->user_data;
  return made;
}

static int begin_callback(int kind, const struct registration *made) {
  if (!begin_record(kind, 0)) return 0;
  put(made->sequence);
  return 1;
}

/* lengths */

/* Returns the size of a list of pairs that ends with 0 in the place of a name; at most 64 KiB are examined. */
static uint64_t pairs(const void *list, uint64_t element) {
  const unsigned char *at = list;
  static const unsigned char zeros[8];
  if (!list) return 0;
  for (uint64_t each = 0; each < 8192; each += 2)
    if (!memcmp(at + each * element, zeros, element)) return (each + 1) * element;
  return NO_CONTENT;
}

/* Returns the size of a partition property list: a scheme, its values, the end of their list if any, and 0. */
static uint64_t partition(const void *list) {
  const uintptr_t *at = list;
  if (!list) return 0;
  uint64_t each = 0;
  for (; each < 8192 && at[each]; each++) {
    uintptr_t scheme = at[each];
    int counts = scheme == 0x1087 || scheme == 0x4051, names = scheme == 0x4052;
    if (!counts && !names) each++;
    if (counts || names)
      while (++each < 8192 && at[each] != (names ? UINTPTR_MAX : 0)) {}
  }
  return (each + 1) * sizeof *at;
}

/* start of a recording */

/* Writes the head of the file and maps it; MAP_FAILED, and an empty file, if there is no space. */
static struct file_head *map_head(uint64_t size) {
  struct file_head *head = MAP_FAILED;
  errno = reserve(0, size);
  if (!errno && pwrite(recording.file, recording.head, recording.head_bytes, 0) == (ssize_t)recording.head_bytes)
    head = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, recording.file, 0);
  int error = errno;
  if (head == MAP_FAILED && ftruncate(recording.file, 0)) return MAP_FAILED;
  errno = error;
  return head;
}

/* Creates the file of the recording; returns whether it is there. */
static int create_file(void) {
  const char *named = getenv("CLCONFORM_RECORDING");
  if (!named || strlen(named) + 16 > sizeof recording.path) return 0;
  if (!recording.path[0]) snprintf(recording.path, sizeof recording.path, "%s", named);
  char path[sizeof recording.path + 16];
  snprintf(path, sizeof path, "%s", recording.path);
  int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  recording.file = open(path, flags, 0644);
  if (recording.file < 0 && errno == EEXIST) {
    snprintf(path, sizeof path, "%s.%d", recording.path, (int)getpid());
    recording.file = open(path, flags, 0644);
  }
  uint64_t size = whole_pages(recording.head_bytes);
  struct file_head *head = recording.file < 0 ? MAP_FAILED : map_head(size);
  if (head == MAP_FAILED) {
    fprintf(stderr, "clconform: cannot write the recording %s: %s\n", path, strerror(errno));
    return 0;
  }
  recording.shared = head;
  atomic_store(&recording.end, size);
  return 1;
}

static void open_recording(void) {
  const char *longest = getenv("CLCONFORM_CONTENTS");
  recording.longest = longest ? strtoull(longest, NULL, 10) : 4096;
  if (recording.longest < SMALL) recording.longest = SMALL;
  recording.is_live = begin_stream();
  if (!recording.is_live && !create_file()) return;
  recording.error = 0;
  atomic_store(&code.count, 0);
  mine.code = (struct code_range){0, 0};
  begin_thread(atomic_fetch_add(&recording.generation, 1) + 1);
  find_python();
  begin_digests();
  begin_areas();
  atomic_store(&recording.on, 1);
  if (recording.is_live) room(0); /* connects, so that the judge knows the process even without a call */
}

static void in_the_child(void) {
  int was_on = is_on();
  pthread_mutex_init(&recording.lock, NULL);
  pthread_mutex_init(&recording.of_unused, NULL);
  if (recording.file >= 0) close(recording.file);
  if (recording.shared != &nowhere) munmap(recording.shared, PAGE);
  recording.shared = &nowhere;
  recording.error = 0;
  atomic_store(&recording.on, 0);
  recording.unused_count = 0;
  if (recording.is_live && mine.window) disconnect_stream();
  if (mine.window) munmap(mine.window, mine.window->size);
  mine.window = NULL;
  mine.busy = 0;
  opened = PTHREAD_ONCE_INIT;
  forked = 1;
  if (was_on || !recording.is_live) open_recording(); /* without a judge, its parent has said so */
}

static void start_recording(const char *head, uint64_t bytes) {
  static _Atomic int started;
  if (atomic_exchange(&started, 1)) return;
  recording.head = head;
  recording.head_bytes = bytes;
  if (pthread_key_create(&recording.thread_ends, end_thread)) return;
  open_recording();
  pthread_atfork(NULL, NULL, in_the_child);
}
