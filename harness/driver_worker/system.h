/* What differs between operating systems: memory, safe reads, mapped files, libraries, clocks. */
#ifndef CLCONFORM_SYSTEM_H
#define CLCONFORM_SYSTEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* New memory of `size` bytes, all zero, at a page boundary; NULL if there is none (errno is set). */
void *map_memory(size_t size);

/* Return memory from map_memory. */
void unmap_memory(void *address, size_t size);

/* The same for the memory that a server shares with the driver's process that it starts next, at most one at a time. */
void *map_shared_memory(size_t size);
void unmap_shared_memory(void *address, size_t size);

/* Copy up to `size` bytes at `address` to `to`, as far as they are readable; return how many were copied.
   Any address may be given. */
size_t read_safely(uintptr_t address, void *to, size_t size);

/* A mapping of this process: [start, end), whether it is executable, and the path of its file or "". */
typedef bool visit_mapping(void *context, uintptr_t start, uintptr_t end, bool executable, const char *path);

/* Visit the mappings of this process in order until `visit` returns false; false if they cannot be read (errno). */
bool visit_mappings(visit_mapping *visit, void *context);

/* Load a library with local symbols; NULL on failure, with a message in `error`. */
void *load_library(const char *path, char *error, size_t error_bytes);

/* Find the path of a file without symbolic links; false if there is no such file, or no room. */
bool find_real_path(const char *path, char *found, size_t size);

/* The address of an exported symbol, or NULL. */
void *find_symbol(void *library, const char *name);

/* Sleep while a word of shared memory has this value, at most so many nanoseconds; false after that time. It may also
   return early: when another process wakes it, on a signal, or on an error. */
bool wait_on_word(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds);

/* Wake all processes that wait on the word. */
void wake_word(_Atomic uint32_t *word);

/* Keep shared memory out of the processes that this process forks. */
void exclude_from_forks(void *address, size_t size);

/* Wait on one core only: that with this number, counted from 1; 0 for any. It returns whether it has bound this
   thread, and release_core must then restore what it has stored. */
bool bind_to_core(uint32_t core);
void release_core(void);

/* Sleep until the process is killed. */
void sleep_forever(void);

/* End this process without the exit functions of libraries. */
_Noreturn void end_process(int code);

/* A clock that never goes back, in nanoseconds. */
uint64_t now_nanoseconds(void);

/* Limit the memory for data of this process; 0 for the largest limit allowed. False on failure (errno is set). */
bool limit_data(uint64_t bytes);

#endif
