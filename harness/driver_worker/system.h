/* What differs between operating systems: memory, safe reads, mapped files, libraries, clocks. */
#ifndef CLCONFORM_SYSTEM_H
#define CLCONFORM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* New memory of `size` bytes, all zero, at a page boundary; NULL if there is none (errno is set). */
void *map_memory(size_t size);

/* Return memory from map_memory. */
void unmap_memory(void *address, size_t size);

/* Copy up to `size` bytes at `address` to `to`, as far as they are readable; return how many were copied.
   Any address may be given. */
size_t read_safely(uintptr_t address, void *to, size_t size);

/* A mapping of this process: [start, end), whether it is executable, and the path of its file or "". */
typedef bool visit_mapping(void *context, uintptr_t start, uintptr_t end, bool executable, const char *path);

/* Visit the mappings of this process in order until `visit` returns false; false if they cannot be read (errno). */
bool visit_mappings(visit_mapping *visit, void *context);

/* Load a library with local symbols; NULL on failure, with a message in `error`. */
void *load_library(const char *path, char *error, size_t error_bytes);

/* The address of an exported symbol, or NULL. */
void *find_symbol(void *library, const char *name);

/* A clock that never goes back, in nanoseconds. */
uint64_t now_nanoseconds(void);

/* Limit the memory for data of this process; 0 for the largest limit allowed. False on failure (errno is set). */
bool limit_data(uint64_t bytes);

#endif
