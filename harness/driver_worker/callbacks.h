/* Callbacks: a fixed number of C functions for each signature. Each invocation is recorded: its words, what their
   pointers lead to, and whether a thread of the driver made it. */
#ifndef CLCONFORM_CALLBACKS_H
#define CLCONFORM_CALLBACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "messagepack.h"

struct lane;

enum { CALLBACKS_PER_SIGNATURE = 1024, MAX_COUNTERS = 4096, MAX_POINTERS = 256 };

/* Read a callback of a call: its signature, number, counter and plan. Return its address; NULL if the message is
   invalid (has_failed of the reader), or if there is no memory (errno is set). A plan says what the pointers among its
   words lead to; each of its steps has a kind (enum content), the index of a word, and what the kind needs. */
void *read_callback(struct reader *reader);

enum content {
    CONTENT_TEXT,     /* a text: no further numbers */
    CONTENT_POINTERS, /* an array of pointers: the index of the word with their number */
    CONTENT_BLOCK,    /* an argument block: its size, and the offsets of its pointers, whose first bytes are read too */
};

/* Write the invocations since the last time, and forget them. */
void write_invocations(struct writer *writer);

/* Forget the invocations and the counts; callbacks of earlier examples are not recorded from now on. */
void begin_callbacks(void);

/* Wait until the callbacks of this counter were invoked `times` times; return how often they were. */
uint64_t wait_for_invocations(size_t counter, uint64_t times, uint64_t nanoseconds);

/* Make the call of a lane in the next invocation of a callback of this counter. */
void set_callback_lane(size_t counter, struct lane *lane);

/* Note that this thread makes calls for the session, so that a callback on it is not on a thread of the driver. */
void set_host_thread(bool is_host_thread);

/* Write the names of the signatures that callbacks may have, as an array. */
void write_callback_signatures(struct writer *writer);

#endif
