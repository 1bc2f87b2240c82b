/* Drivers that interfere with file descriptors of the process that has loaded them. */
#include <sys/resource.h>
#include <sys/socket.h>

#include "base.h"

enum { FIRST = 3, END = 4096 };
#define EACH(descriptor, first) for (int descriptor = first; descriptor < END; descriptor++)
#define EACH_TO_WRITE(descriptor) EACH(descriptor, FIRST) if ((fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_WRONLY || is_socket(descriptor))

static int is_socket(int descriptor) {
  int kind;
  socklen_t size = sizeof kind;
  return !getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size);
}

BEFORE(closes_all, clRetainContext) { EACH(one, 0) close(one); }
BEFORE(closes_the_high_ones, clRetainContext) { EACH(one, 50) close(one); }
BEFORE(closes_the_standard_ones, clRetainContext) { close(0), close(1), close(2); }

static void close_all(void *unused) {
  (void)unused;
  EACH(one, 0) close(one);
}

BEFORE(thread_closes_all_late, clCreateContext) { later(50, close_all, NULL); }

BEFORE(puts_null_over_all, clRetainContext) {
  int null = open("/dev/null", O_RDWR);
  EACH(one, 0) if (fcntl(one, F_GETFD) >= 0) dup2(null, one);
}

BEFORE(puts_a_full_pipe_over_all, clRetainContext) {
  int ends[2];
  pipe(ends);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  while (write(ends[1], ends, sizeof ends) > 0) {}
  fcntl(ends[1], F_SETFL, 0);
  EACH(one, FIRST) if (one != ends[0] && one != ends[1] && fcntl(one, F_GETFD) >= 0) dup2(ends[1], one);
}

/* Connects descriptors that could carry replies with those that could carry requests. */
BEFORE(connects_them, clRetainContext) {
  int ends[2];
  pipe(ends);
  EACH(one, FIRST) {
    int how = fcntl(one, F_GETFL);
    if (how >= 0 && one != ends[0] && one != ends[1]) dup2((how & O_ACCMODE) == O_RDONLY ? ends[0] : ends[1], one);
  }
}

BEFORE(writes_a_byte_to_each, clRetainContext) { EACH_TO_WRITE(one) write(one, "x", 1); }

BEFORE(writes_a_byte_and_pauses, clRetainContext) {
  EACH_TO_WRITE(one) write(one, "\x01", 1);
  sleep_for_ever();
}

BEFORE(writes_lengths, clRetainContext) {
  EACH_TO_WRITE(one) write(one, "\xff\xff\xff\x7f", 4);
  sleep_for_ever();
}

BEFORE(writes_random_bytes, clRetainContext) {
  unsigned char bytes[4000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)rand();
  EACH_TO_WRITE(one) write(one, bytes, sizeof bytes);
}

BEFORE(writes_zeros, clRetainContext) {
  static unsigned char bytes[60000];
  EACH_TO_WRITE(one) write(one, bytes, sizeof bytes);
}

/* Bytes like a message: a length of 4 bytes in either byte order, and MessagePack that is not a valid message. */
BEFORE(writes_messages, clRetainContext) {
  static const char *const messages[] = {
    "\x01\0\0\0\xc0", "\0\0\0\x01\xc0", "\x05\0\0\0\x81\xa1x\xa1y\xc0", "\0\0\0\x01\x93",
    "\x13\0\0\0\x81\xa4type\xa8Returned\xa5value\0",
  };
  static const size_t sizes[] = {5, 5, 9, 5, 23};
  EACH_TO_WRITE(one) for (int i = 0; i < 5; i++) write(one, messages[i], sizes[i]);
}

/* Nested arrays, deeper than any parser's stack. */
BEFORE(writes_nested_messages, clRetainContext) {
  static char message[20004];
  memset(message, 0x91, sizeof message);
  memcpy(message, "\x20\x4e\0\0", 4);
  EACH_TO_WRITE(one) write(one, message, sizeof message);
}

BEFORE(floods_all, clRetainContext) {
  static char bytes[1 << 16];
  for (;;) EACH_TO_WRITE(one) write(one, bytes, sizeof bytes);
}

/* Steals requests. */
BEFORE(reads_all, clRetainContext) {
  char bytes[4096];
  EACH(one, FIRST) {
    int how = fcntl(one, F_GETFL);
    if (how < 0) continue;
    fcntl(one, F_SETFL, how | O_NONBLOCK);
    while (read(one, bytes, sizeof bytes) > 0) {}
    fcntl(one, F_SETFL, how);
  }
}

static void steal(void *unused) {
  char bytes[4096];
  (void)unused;
  for (;;) EACH(one, 50) if (fcntl(one, F_GETFL) == O_RDONLY && read(one, bytes, sizeof bytes) > 0) break;
}

BEFORE(thread_reads_all, clCreateContext) {
  static atomic_int times;
  if (!times++) later(0, steal, NULL);
}

BEFORE(blocks_none, clRetainContext) {
  EACH(one, 0) {
    int how = fcntl(one, F_GETFL);
    if (how >= 0) fcntl(one, F_SETFL, how | O_NONBLOCK);
  }
}

BEFORE(shuts_down_sockets, clRetainContext) { EACH(one, FIRST) shutdown(one, SHUT_RDWR); }

BEFORE(moves_and_truncates, clRetainContext) {
  EACH(one, 0) {
    lseek(one, 1 << 30, SEEK_SET);
    ftruncate(one, 0);
  }
}

BEFORE(opens_all, clRetainContext) { while (open("/dev/null", O_RDONLY) >= 0) {} }

BEFORE(opens_thousands, clRetainContext) {
  for (int i = 0; i < 10000; i++) open("/dev/null", O_RDONLY);
}

BEFORE(floods_the_output, clRetainContext) {
  static char line[1 << 20];
  memset(line, 'x', sizeof line);
  for (int i = 0; i < 32; i++) write(i % 2 + 1, line, sizeof line);
}

BEFORE(prints_commands, clRetainContext) {
  printf("\x1b]0;owned\x07\x1b[2J%%s%%n \xff\xfe\n");
  fflush(stdout);
  abort();
}

BEFORE(closes_what_it_gave_away, load) { close(0), close(1), close(2); }
