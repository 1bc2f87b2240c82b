/* Memory of the host: areas between guard bytes that live until the end of an example, and atomic operations. */
#ifndef CLCONFORM_HOST_MEMORY_H
#define CLCONFORM_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "messagepack.h"

/* A new area at a multiple of `alignment`, a power of two; NULL if there is no memory (errno is set). */
uint8_t *allocate_area(size_t size, size_t alignment);

/* Whether guard bytes of the area at an address have changed. */
bool has_area_overrun(const uint8_t *address);

/* Begin an example, which has no areas. Those of the last examples stay mapped: a driver may still use them. */
void begin_areas(void);

/* Read atomic operations (arrays of operation, object, number, order), and perform them on consecutive instances. */
void perform_atomics(struct reader *reader, uint8_t *address, size_t instances, size_t operation_count);

#endif
