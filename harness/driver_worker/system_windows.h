/* What the files for Windows share: the events and the memory between a server and the driver's process, and texts. */
#ifndef CLCONFORM_SYSTEM_WINDOWS_H
#define CLCONFORM_SYSTEM_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <winsock2.h> /* before windows.h, which includes an older version otherwise */

#include <windows.h>

enum { WIDE_PATH = 4096, UTF8_PATH = 3 * WIDE_PATH, ERROR_TEXT_BYTES = 600 };

/* The file mapping of the memory that map_shared_memory has returned last; it is inheritable. */
HANDLE shared_memory_handle(void);

/* View the memory of an inherited file mapping; NULL if that fails. */
void *view_shared_memory(HANDLE mapping, size_t size);

/* Let wait_on_word wait for `own` and until `process` ends, if it is not NULL, and let wake_word signal `other`. */
void use_wake_events(HANDLE own, HANDLE other, HANDLE process);

/* Convert a text; false if there is no room, or if it is invalid. */
bool widen(const char *text, wchar_t *wide, size_t room);
bool narrow(const wchar_t *wide, char *text, size_t room);

/* Write the system's message for an error number. */
void describe_error(DWORD number, char *text, size_t room);

/* A handle that reads nothing and discards what is written; it is inheritable. */
HANDLE open_nothing(void);

/* Start this program with other options and further flags. It inherits the handles only: the first is its standard
   input, the second its standard output and error, and no handle is listed twice. False on failure (GetLastError). */
bool start_this_program(
    const char *options, DWORD more_flags, HANDLE *handles, size_t count, PROCESS_INFORMATION *started);

#endif
