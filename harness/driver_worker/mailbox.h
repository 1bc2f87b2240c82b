/* Messages through shared memory; harness/mailbox.py describes them, and has the session's side. */
#ifndef CLCONFORM_MAILBOX_H
#define CLCONFORM_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

enum { MAX_MESSAGE_BYTES = 1 << 28 };

enum received { RECEIVED_MESSAGE, RECEIVED_END, RECEIVED_GARBAGE };

/* Attach the shared memory with this id; false on failure (errno is set). */
bool attach_mailbox(int segment);

/* The id of the session's process. */
int mailbox_session(void);

/* Store the id of the driver's process. */
void set_mailbox_process(int process);

/* Store the exit status of the driver's process, and wake the session. */
void end_mailbox(int status);

/* Keep the shared memory out of the processes that this process forks. */
void exclude_mailbox_from_forks(void);

/* Wait for the next message; `has_several`: it consists of several ones, each after its size. The wait ends when
   the session closes the mailbox, or when `has_ended` returns true. */
enum received receive_message(struct buffer *content, bool *has_several, bool (*has_ended)(void));

/* Send a message; false if the session has ended. */
bool send_message(const struct buffer *content, bool (*has_ended)(void));

#endif
