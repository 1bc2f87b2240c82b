/* The connection of a server with its session: two pipes, or a socket. */
#ifndef CLCONFORM_STREAM_H
#define CLCONFORM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Use the standard input and output of this process, which must not be used otherwise from now on. */
bool use_standard_streams(void);

/* Listen on a TCP port, 0 for any, and print the address and the token that a session must send. Return only in a new
   process for each connection whose session has sent the token; or false, after a message, if it cannot listen.
   `folder_root`: for temporary files of new processes, or empty. */
bool use_connections(const char *address, unsigned port, const char *folder_root);

/* Use the connection in a process that use_connections has started with this option, on systems without fork. False if
   there is no such option; end the process if the session does not send the token. */
bool use_started_connection(const char *option, const char *value);

/* Close the connection in a process that runs a driver. */
void close_stream(void);

/* Wait for bytes or the end of the connection; false after so many nanoseconds. */
bool wait_for_bytes(uint64_t nanoseconds);

/* Read or write exactly `size` bytes; false if the connection has ended. */
bool read_bytes_exactly(void *to, size_t size);
bool write_bytes_exactly(const void *from, size_t size);

#endif
