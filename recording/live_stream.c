/* The stream of a program that is judged while it runs: each host thread sends its records to the judge on a connection
 * of its own, to the Unix socket that CLCONFORM_LIVE names. A thread waits while the judge is slower.
 *
 * A connection begins with the head of a recording and `struct stream_start`; the records follow. If CLCONFORM_BREAK is
 * set, the judge replies with a byte to each call of the program: the number of the latest stop, or 0. The thread that
 * receives a new number first stops the process. With CLCONFORM_BREAK=next, the reply is to the return of a call, and the
 * thread waits for it before its next call. With CLCONFORM_BREAK=before, the reply is to the entry, and the thread waits
 * for it before the call enters the driver.
 *
 * `recording/live_stream.py` reads the stream.
 */
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { NO_STOPS, STOP_AT_NEXT_CALL, STOP_BEFORE_DRIVER };

struct stream_start {
  uint64_t nanoseconds;
  uint32_t process, thread;
};

static struct {
  struct sockaddr_un address;
  uint64_t nanoseconds; /* when the process began its stream */
  int stops;
  _Atomic unsigned char last_stop;
} live;

/* Reads the settings of a stream; returns whether there is one. */
static int begin_stream(void) {
  const char *named = getenv("CLCONFORM_LIVE"), *stops = getenv("CLCONFORM_BREAK");
  struct timespec now;
  atomic_store(&nowhere.next, 1);
  if (!live.address.sun_path[0]) {
    if (!named || !*named || strlen(named) >= sizeof live.address.sun_path) return 0;
    live.address.sun_family = AF_UNIX;
    strcpy(live.address.sun_path, named);
    live.stops = !stops ? NO_STOPS : strcmp(stops, "before") ? STOP_AT_NEXT_CALL : STOP_BEFORE_DRIVER;
  }
  clock_gettime(CLOCK_MONOTONIC, &now);
  live.nanoseconds = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  atomic_store(&live.last_stop, 0);
  return 1;
}

/* Returns whether the descriptor of this thread is still its connection: a program may close descriptors that it did
 * not open, and reuse their numbers. Another connection then replaces it. */
static int is_connected(void) {
  struct stat there;
  return mine.connection >= 0 && !fstat(mine.connection, &there) && S_ISSOCK(there.st_mode) &&
         there.st_ino == mine.connection_inode;
}

static void stop_stream(const char *why) {
  if (atomic_exchange(&recording.on, 0)) fprintf(stderr, "clconform: the recording ends here: %s\n", why);
}

static int send_all(const void *from, uint64_t bytes) {
  const unsigned char *at = from;
  while (bytes) {
    ssize_t sent = send(mine.connection, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    at += sent;
    bytes -= (uint64_t)sent;
  }
  return 1;
}

/* Connects this thread with the judge; returns whether it is there. */
static int connect_stream(void) {
  struct stat there;
  int error = errno, done = -1;
  mine.replies_due = 0;
  mine.connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (mine.connection >= 0 && !fstat(mine.connection, &there)) {
    mine.connection_inode = there.st_ino;
    do done = connect(mine.connection, (struct sockaddr *)&live.address, sizeof live.address);
    while (done && errno == EINTR);
  }
  struct stream_start start = {live.nanoseconds, (uint32_t)getpid(), mine.id};
  if (done || !send_all(recording.head, recording.head_bytes) || !send_all(&start, sizeof start)) {
    if (mine.connection >= 0) close(mine.connection);
    mine.connection = -1;
    stop_stream(done ? "no connection to the judge" : "the judge has ended");
  }
  errno = error;
  return mine.connection >= 0;
}

static void disconnect_stream(void) {
  if (is_connected()) close(mine.connection);
  mine.connection = -1;
}

/* Waits for a reply of the judge; returns whether the process must stop. */
static int receive_reply(void) {
  unsigned char number = 0, last = atomic_load(&live.last_stop);
  ssize_t got;
  if (!is_connected()) return 0;
  do got = recv(mine.connection, &number, 1, 0);
  while (got < 0 && errno == EINTR);
  if (got != 1) stop_stream("the judge has ended");
  return number && (unsigned char)(number - last - 1) < 127 && atomic_compare_exchange_strong(&live.last_stop, &last, number);
}

/* Sends the current record; returns whether the process must stop in this call. */
static int send_record(void) {
  int error = errno, kind = (int)(mine.record[SHAPE] >> 32 & 0xffff), must_stop = 0;
  if (!is_connected() && !connect_stream()) return 0;
  if (!send_all(mine.record, filled()))
    stop_stream("the judge has ended");
  else if (live.stops == STOP_AT_NEXT_CALL && kind == LEFT && !mine.opening)
    mine.replies_due++;
  else if (live.stops == STOP_BEFORE_DRIVER && kind == ENTERED)
    must_stop = receive_reply();
  errno = error;
  return must_stop;
}

static int is_traced(void) {
  FILE *status = fopen("/proc/self/status", "re");
  char line[256];
  int tracer = 0;
  while (status && fgets(line, sizeof line, status)) sscanf(line, "TracerPid: %d", &tracer);
  if (status) fclose(status);
  return tracer;
}

/* Stops the process: a debugger stops it here, else the signal ends it, even if a handler returns, as LLVM's handlers
 * do. Nothing happens if the process ignores the signal. */
static void stop_process(void) {
  struct sigaction before;
  int has_handler = !sigaction(SIGTRAP, NULL, &before) && before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN;
  raise(SIGTRAP);
  if (!has_handler || is_traced()) return;
  signal(SIGTRAP, SIG_DFL);
  raise(SIGTRAP);
}

/* Stops the process if the judge requests this after an earlier call. */
static void stop_if_requested(void) {
  int error = errno, must_stop = 0;
  if (mine.opening) return;
  for (; mine.replies_due && is_on(); mine.replies_due--) must_stop |= receive_reply();
  errno = error;
  if (must_stop) stop_process();
}
