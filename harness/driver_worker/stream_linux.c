#define _GNU_SOURCE
#include "stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system.h"

enum { FIRST_DESCRIPTOR = 200, TOKEN_BYTES = 16, TOKEN_TEXT = 2 * TOKEN_BYTES, TOKEN_SECONDS = 10, BACKLOG = 16 };

static int input = -1, output = -1;

/* Move a descriptor to a high number, which drivers rarely use. */
static int move_descriptor(int from) {
    int moved = fcntl(from, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    return moved < 0 ? fcntl(from, F_DUPFD_CLOEXEC, 3) : moved;
}

bool use_standard_streams(void) {
    input = move_descriptor(0);
    output = move_descriptor(1);
    int nothing = open("/dev/null", O_RDWR);
    if (input < 0 || output < 0 || nothing < 0) {
        return false;
    }
    dup2(nothing, 0);
    dup2(2, 1); /* what is printed by mistake is not a frame */
    if (nothing > 2) {
        close(nothing);
    }
    return true;
}

bool use_started_connection(const char *option, const char *value) {
    (void)option, (void)value;
    return false;
}

void close_stream(void) {
    close(input);
    if (output != input) {
        close(output);
    }
}

bool wait_for_bytes(uint64_t nanoseconds) {
    struct pollfd one = {input, POLLIN, 0};
    return poll(&one, 1, (int)(nanoseconds / 1000000U)) > 0;
}

bool read_bytes_exactly(void *to, size_t size) {
    for (uint8_t *at = to; size != 0;) {
        ssize_t done = read(input, at, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        at += done;
        size -= (size_t)done;
    }
    return true;
}

bool write_bytes_exactly(const void *from, size_t size) {
    for (const uint8_t *at = from; size != 0;) {
        ssize_t done = write(output, at, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        at += done;
        size -= (size_t)done;
    }
    return true;
}

/* TCP */

static bool create_token(char *token) {
    uint8_t random[TOKEN_BYTES];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        return false;
    }
    for (size_t i = 0; i < sizeof random; i++) {
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    }
    return true;
}

/* Receive the token within some seconds, and compare all of it, so that the time does not show how much is right. */
static bool is_token_sent(const char *token) {
    char sent[TOKEN_TEXT];
    uint64_t until = now_nanoseconds() + TOKEN_SECONDS * UINT64_C(1000000000);
    for (size_t size = 0; size < sizeof sent;) {
        uint64_t now = now_nanoseconds();
        ssize_t done = now < until && wait_for_bytes(until - now) ? read(input, sent + size, sizeof sent - size) : 0;
        if (done <= 0) {
            return false;
        }
        size += (size_t)done;
    }
    unsigned difference = 0;
    for (size_t i = 0; i < sizeof sent; i++) {
        difference |= (unsigned)(sent[i] ^ token[i]);
    }
    return difference == 0;
}

static int open_listener(const char *address, unsigned port) {
    char service[16];
    snprintf(service, sizeof service, "%u", port);
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICHOST};
    struct addrinfo *found = NULL;
    if (getaddrinfo(address, service, &wanted, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    const int yes = 1;
    int listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_open = listener >= 0 && setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                   bind(listener, found->ai_addr, found->ai_addrlen) == 0 && listen(listener, BACKLOG) == 0;
    freeaddrinfo(found);
    if (!is_open && listener >= 0) {
        int error = errno;
        close(listener);
        errno = error;
        return -1;
    }
    return listener;
}

static unsigned port_of(int listener) {
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    if (getsockname(listener, (struct sockaddr *)&own, &size) != 0) {
        return 0;
    }
    return ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
                                           : ((struct sockaddr_in *)&own)->sin_port);
}

/* A peer that has gone without a word is noticed after a minute. */
static void set_options(int connection) {
    const int yes = 1, idle = 20, interval = 10, count = 4;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

bool use_connections(const char *address, unsigned port, const char *folder_root) {
    (void)folder_root; /* forked processes know it */
    char token[TOKEN_TEXT + 1];
    int listener = open_listener(address, port);
    if (listener < 0 || !create_token(token)) {
        fprintf(stderr, "clconform: cannot listen on %s, port %u: %s\n", address, port, strerror(errno));
        return false;
    }
    printf("clconform: listening on %s, port %u; token %s\n", address, port_of(listener), token);
    fflush(stdout);
    signal(SIGCHLD, SIG_IGN); /* no zombies */
    while (true) {
        int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0) {
            usleep(10000);
            continue;
        }
        if (fork() == 0) {
            close(listener);
            set_options(connection);
            input = output = move_descriptor(connection);
            close(connection);
            if (input >= 0 && is_token_sent(token)) {
                return true;
            }
            _exit(1);
        }
        close(connection);
    }
}
