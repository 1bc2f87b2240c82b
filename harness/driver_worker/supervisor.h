/* The parent of the driver's process: stores its exit status, and kills all processes that the driver has started. */
#ifndef CLCONFORM_SUPERVISOR_H
#define CLCONFORM_SUPERVISOR_H

#include <stdbool.h>

/* Make this process that of a driver, with the mailbox in the shared memory of this id. Unless a debugger needs one
   process only, fork: return only in the child, which leads a new session; this process becomes its supervisor. End the
   process, after a message, if that fails. */
void start_below_supervisor(int segment, bool is_supervised);

enum { MAX_FILE_BYTES = 1 << 16 };

/* Read a file below /proc as a text of up to MAX_FILE_BYTES; false if that fails. */
bool read_text_file(const char *path, char *text);

/* A number in /proc/PID/status; 0 if it cannot be read. */
int status_number(int process, const char *name);

/* Kill all children, and those that become children when their parents end; give up after some time. */
void kill_children(void);

/* Give all signals their default actions, and unblock them. */
void reset_signals(void);

/* Let this process die with its parent, dump no core, and let debuggers attach to it. */
void limit_process(void);

/* Whether the supervisor has ended. */
bool has_supervisor_ended(void);

#endif
