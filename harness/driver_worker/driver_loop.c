#include "driver_loop.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mailbox.h"
#include "requests.h"
#include "system.h"

static bool (*has_other_ended)(void);

#if defined(__GNUC__) && !defined(_WIN32)
/* Writes the counts of a build for coverage, since exit handlers do not run; in other builds it does not exist. */
extern void __gcov_dump(void) __attribute__((weak));
#define CAN_HAVE_COUNTS
#endif

static bool send_reply(const struct buffer *reply) {
    return send_message(reply->data, reply->size, false, WITHOUT_LIMIT, has_other_ended) == RECEIVED_MESSAGE;
}

/* Answer one request; false if the session has ended. */
static bool answer_message(const uint8_t *request, size_t size, struct buffer *reply) {
    struct writer writer = {reply, false};
    reply->size = 0;
    return !answer_request(request, size, &writer) || send_reply(reply);
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

_Noreturn void run_driver_loop(bool (*has_ended)(void)) {
    struct buffer request = {0}, reply = {0};
    struct writer writer = {&reply, false};
    has_other_ended = has_ended;
    write_greeting(&writer);
    bool is_open = !writer.has_failed && send_reply(&reply);
    while (is_open) {
        bool has_several = false;
        request.size = 0;
        if (receive_message(&request, &has_several, WITHOUT_LIMIT, has_ended) != RECEIVED_MESSAGE) {
            break;
        }
        is_open = has_several ? answer_several(&request, &reply) : answer_message(request.data, request.size, &reply);
    }
    fflush(NULL);
#if defined(CAN_HAVE_COUNTS)
    if (__gcov_dump != NULL) {
        __gcov_dump();
    }
#endif
    end_process(0);
}
