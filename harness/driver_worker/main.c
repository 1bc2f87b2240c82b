/* The process that runs a driver: worker --mailbox ID [--unsupervised].

   It knows no OpenCL: it loads libraries, calls functions with machine words, and reads and writes memory, as the
   session asks in messages (requests.c). With --unsupervised, for a debugger, it forks no process of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mailbox.h"
#include "requests.h"
#include "supervisor.h"
#include "system.h"

static int fail(const char *message, const char *value) {
    fprintf(stderr, "clconform: %s %s; this program is started by clconform\n", message, value);
    return 2;
}

#if defined(__GNUC__)
/* Writes the counts of a build for coverage, since exit handlers do not run; in other builds it does not exist. */
extern void __gcov_dump(void) __attribute__((weak));
#endif

/* Answer one request; false if the session has ended. */
static bool answer_message(const uint8_t *request, size_t size, struct buffer *reply) {
    struct writer writer = {reply, false};
    reply->size = 0;
    return !answer_request(request, size, &writer) || send_message(reply, has_supervisor_ended);
}

/* Answer the requests of a message that has several, each after its size. */
static bool answer_several(const struct buffer *request, struct buffer *reply) {
    size_t at = 0;
    while (at < request->size) {
        uint32_t size;
        if (request->size - at < sizeof size) {
            return false;
        }
        memcpy(&size, request->data + at, sizeof size);
        at += sizeof size;
        if (size > request->size - at || !answer_message(request->data + at, size, reply)) {
            return false;
        }
        at += size;
    }
    return true;
}

static void serve(void) {
    struct buffer request = {0}, reply = {0};
    struct writer writer = {&reply, false};
    write_greeting(&writer);
    bool is_open = !writer.has_failed && send_message(&reply, has_supervisor_ended);
    while (is_open) {
        bool has_several = false;
        if (receive_message(&request, &has_several, has_supervisor_ended) != RECEIVED_MESSAGE) {
            break;
        }
        is_open = has_several ? answer_several(&request, &reply) : answer_message(request.data, request.size, &reply);
    }
}

int main(int count, char **words) {
    bool is_supervised = true;
    long segment = -1;
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--unsupervised") == 0) {
            is_supervised = false;
        } else if (strcmp(words[i], "--mailbox") == 0 && i + 1 < count) {
            char *end = NULL;
            segment = strtol(words[++i], &end, 10);
            if (*end != 0 || end == words[i] || segment < 0 || segment > INT_MAX) {
                return fail("not the id of shared memory:", words[i]);
            }
        } else {
            return fail("unknown option", words[i]);
        }
    }
    if (segment < 0) {
        return fail("an option is missing:", "--mailbox ID");
    }
    note_parent();
    if (!attach_mailbox((int)segment)) {
        return fail("cannot attach the shared memory:", strerror(errno));
    }
    reset_signals();
    if (!limit_data(0)) { /* the session may have a limit of its own, which would change what a driver reports */
        return fail("cannot restore the limit of memory for data:", strerror(errno));
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
    serve();
    fflush(NULL);
#if defined(__GNUC__)
    if (__gcov_dump != NULL) {
        __gcov_dump();
    }
#endif
    _exit(0);
}
