/* The driver's process, as a server on its machine starts, watches and ends it. */
#ifndef CLCONFORM_DRIVER_PROCESS_H
#define CLCONFORM_DRIVER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts.h"

/* A variable of the environment; `value` is NULL if it is removed. */
struct variable {
    const char *name, *value;
};

/* How the driver's process has ended. */
/* How many folders a server creates, if others remove them before it uses them. */
enum { MAX_FOLDERS = 20 };

enum end { END_EXIT, END_SIGNAL, END_EXCEPTION, END_MAIN_THREAD };

/* The processor time that the processes of the driver have used, and whether one of their threads is blocked by the
   kernel or needs a processor. */
struct usage {
    uint64_t nanoseconds;
    bool is_blocked, is_runnable;
};

/* Prepare this process as a server: it must inherit nothing that disturbs it. */
void prepare_server(void);

/* The folder of this server for temporary files, which has no other user; NULL if it cannot be created (errno). It is
   created below `root`, and abandoned folders there are removed. An empty `root` stands for the usual one. */
const char *create_server_folder(const char *root);

/* Remove the folder with all its content. */
void remove_server_folder(void);

/* Start a process that runs the driver loop with the mailbox that this process uses for its session. Return an empty
   text, or why it has not started. */
const char *start_driver_process(const struct variable *variables, size_t count);

/* Run the driver loop in a process that start_driver_process has started with this option, on systems without fork.
   False if there is no such option. */
bool run_started_driver(const char *option, const char *value);

/* Whether the driver's process has ended, or was never started. */
bool has_driver_ended(void);

/* How it has ended; `number` is that of the exit, of the signal, or of the exception. */
enum end driver_end(uint32_t *number);

/* Kill the driver's process if it runs, and all processes that it has started. */
void end_driver_process(void);

/* Watch the processes of the driver for a fifth of a second. */
struct usage watch_driver(void);

/* The last bytes of the driver's output; their number. */
size_t read_output(uint8_t *to, size_t size);

/* What the kernel has logged since the driver's process was started, or its last bytes; their number. 0 also if this
   process may not read the log. */
size_t read_kernel_log(uint8_t *to, size_t size);

/* Whether this process shall end, by a signal for example. */
bool has_server_to_end(void);

/* A text that differs after each start of this machine; empty if there is none. */
void read_boot(char *text, size_t size);

/* Add facts about this machine. */
void read_facts(struct facts *facts);

#endif
