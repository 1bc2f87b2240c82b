/* The parent of the driver's process: stores its exit status, and kills all processes that the driver has started. */
#ifndef CLCONFORM_SUPERVISOR_H
#define CLCONFORM_SUPERVISOR_H

#include <stdbool.h>

/* Store the parent of this process, the session or a wrapper; call this before attaching the mailbox of the session. */
void note_parent(void);

/* Give all signals their default actions, and unblock them. */
void reset_signals(void);

/* Fork: return only in the child, which leads a new session; this process becomes its supervisor. */
void fork_below_supervisor(void);

/* Let this process die with its parent, dump no core, and let debuggers attach to it. */
void limit_process(void);

/* Whether the supervisor has ended. */
bool has_supervisor_ended(void);

#endif
