/* Messages through shared memory; harness/mailbox.py describes them, and has the session's side. */
#ifndef CLCONFORM_MAILBOX_H
#define CLCONFORM_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

enum { MAX_MESSAGE_BYTES = 1 << 28 };

enum received { RECEIVED_MESSAGE, RECEIVED_NOTHING, RECEIVED_END, RECEIVED_GARBAGE };

/* Use shared memory as the driver's side; the session's side is in another process. */
void use_mailbox(void *memory);

/* Use shared memory as the session's side, for a server that stands between a session and a driver's process. */
void use_mailbox_for_session(void *memory);

/* Use the same memory as the driver's side from now on, in a process that was forked. */
void use_mailbox_again(void);

/* The size of the shared memory in bytes; all of it must be zero at first. */
size_t mailbox_bytes(void);

/* The id of the session's process. */
int mailbox_session(void);

/* Store the id of the driver's process. */
void set_mailbox_process(int process);

/* Store the exit status of the driver's process, and wake the session. */
void end_mailbox(int status);

/* Tell the driver's process that no further messages follow. */
void close_mailbox(void);

/* Whether the driver's process has stated that it receives no further requests. */
bool has_left_mailbox(void);

/* Keep the shared memory out of the processes that this process forks. */
void exclude_mailbox_from_forks(void);

enum { WITHOUT_LIMIT = -1 };

/* Wait for the next message, at most so many nanoseconds, and append it to `content`; `has_several`: it consists of
   several ones, each after its size. RECEIVED_NOTHING: a part may be missing, which the next call appends.
   RECEIVED_END: the other side has closed the mailbox, or `has_ended` has returned true. */
enum received receive_message(
    struct buffer *content, bool *has_several, int64_t nanoseconds, bool (*has_ended)(void));

/* Send a message within so many nanoseconds; errors as for receive_message. */
enum received send_message(
    const uint8_t *content, size_t size, bool has_several, int64_t nanoseconds, bool (*has_ended)(void));

#endif
